/** One look at a unit: everything that is looked at leaves its stamp, and everything that is wrong a problem. */

import { payloadPath, recordFormat } from '../../catalogue/layout.ts';
import type { RecordKind, RecordOf } from '../../catalogue/schemas.ts';
import type { Reading } from '../../catalogue/snapshot.ts';
import type { Diagnostic, DiagnosticCode } from '../../catalogue/types.ts';
import { checkRecord } from '../../catalogue/validators.ts';
import { findPosition, parseRecord, positionFinder } from '../../text/parse.ts';
import { type FileTree, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';

/** All that is known of a unit: what it says, what is wrong with it, and by what to tell that it hasn't changed. */
export interface UnitState {
  readonly reading: Reading;
  /** Files and folders looked at, with their stamps; null where there was none. */
  readonly stamps: readonly (readonly [path: string, stamp: Stamp | null])[];
  /** The payloads likewise: of them only the size matters, but it does until a copy is complete. */
  readonly payloads: readonly (readonly [path: string, stamp: Stamp | null])[];
  /** One list for each file that was looked at and has something wrong. */
  readonly diagnostics: readonly (readonly [path: string, diagnostics: readonly Diagnostic[]])[];
}

/** One look at a unit: collects the stamps of what was looked at, and what was wrong. */
export class UnitReader {
  readonly #folder: FileTree;
  readonly #before: UnitState | undefined;
  readonly #stamps = new Map<string, Stamp | null>();
  readonly #payloads = new Map<string, Stamp | null>();
  readonly #diagnostics = new Map<string, Diagnostic[]>();

  constructor(folder: FileTree, before: UnitState | undefined) {
    this.#folder = folder;
    this.#before = before;
  }

  state(reading: Reading): UnitState {
    // What was wrong before and isn't now is said too, with an empty list: so that it is forgotten.
    for (const [path] of this.#before?.diagnostics ?? [])
      if (!this.#diagnostics.has(path)) this.#diagnostics.set(path, []);
    return { reading, stamps: [...this.#stamps], payloads: [...this.#payloads], diagnostics: [...this.#diagnostics] };
  }

  stamp(path: string): Stamp | null {
    return this.#guard(path, () => {
      const stamp = this.#folder.stamp(path);
      this.#stamps.set(path, stamp);
      return stamp;
    });
  }

  names(path: string) {
    return this.#guard(path, () => this.#folder.names(path)) ?? [];
  }

  report(path: string, code: DiagnosticCode, message: string, place: Partial<Diagnostic> = {}): void {
    const problem = { path, line: 1, column: 1, pointer: '', message, severity: 'error', code, ...place } as const;
    this.#diagnostics.set(path, [...(this.#diagnostics.get(path) ?? []), problem]);
  }

  /**
   * Reads the first of the paths that is there.
   * @returns null where none is; without a record where it is broken
   */
  record<K extends RecordKind>(kind: K, paths: readonly string[]): { record?: RecordOf<K>; text: string } | null {
    let found: { record?: RecordOf<K>; text: string } | null = null;
    for (const path of paths) {
      if (found) {
        if (this.#folder.stamp(path))
          this.report(path, 'name', `It is not read, because ${paths[0]} is there too. Remove one.`);
        continue;
      }
      try {
        const read = this.#folder.read(path);
        // Where the folder around is watched for, what isn't there needs no stamp of its own.
        if (read || !this.#stamps.has(path.slice(0, path.lastIndexOf('/'))))
          this.#stamps.set(path, read?.stamp ?? null);
        if (read) found = { text: read.text, ...this.#parse(kind, path, read) };
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        this.#stamps.set(path, null);
        this.report(path, 'unreadable', error.message);
        found = { text: '' };
      }
    }
    return found;
  }

  #parse<K extends RecordKind>(
    kind: K,
    path: string,
    { text, parsed = parseRecord(text, recordFormat(path)) }: NonNullable<ReturnType<FileTree['read']>>,
  ): { record?: RecordOf<K> } {
    if ('error' in parsed) {
      const { message, line, column, pointer } = parsed.error;
      this.report(path, 'syntax', message, { line, column, pointer });
      return {};
    }
    const checked = checkRecord(kind, parsed.value);
    if ('value' in checked) return { record: checked.value };
    const placeAt = positionFinder(text, recordFormat(path));
    for (const { pointer, message } of checked.errors)
      this.report(path, 'schema', message, { pointer, ...placeAt(pointer) });
    return {};
  }

  /** What lies in the data folder for a version; says so where it isn't what the record says. */
  payload(namespace: string, dataset: string, path: string, { file, ready }: RecordOf<'version'>, text: string) {
    if (!file?.name || file.url) return null;
    const where = payloadPath(namespace, dataset, file.name);
    // In a data folder that isn't there, or that is a link to elsewhere, there is nothing.
    const stamp = this.#stamps.get(where.slice(0, where.lastIndexOf('/'))) ? this.#payload(where) : null;
    const complain = (message: string) => {
      const pointer = '/file';
      if (ready !== false)
        this.report(path, 'payload', message, { pointer, ...findPosition(text, recordFormat(path), pointer) });
    };
    if (!stamp) complain(`The payload data/${file.name} is missing: put it there, or write "ready: false".`);
    else if (file.size !== undefined && file.size !== stamp.size)
      complain(
        this.#folder.isLfsPointer(where)
          ? `The payload data/${file.name} is a Git LFS pointer: run "git lfs pull".`
          : `The payload data/${file.name} has ${stamp.size} bytes, not ${file.size}.`,
      );
    else if (file.size === undefined && this.#folder.isLfsPointer(where)) {
      complain(`The payload data/${file.name} is a Git LFS pointer: run "git lfs pull".`);
      return null;
    }
    return stamp;
  }

  #payload(path: string): Stamp | null {
    const stamp = this.#guard(path, () => this.#folder.stamp(path));
    this.#payloads.set(path, stamp);
    return stamp;
  }

  #guard<T>(path: string, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#stamps.set(path, null);
      this.report(path, 'unreadable', error.message);
      return null;
    }
  }
}
