/** Reads the files of a unit, and records their stamps and diagnostics. */

import type { Diagnostic, DiagnosticCode } from '../../catalogue/diagnostic.ts';
import { payloadPath, recordFormat, unitKey } from '../../catalogue/layout.ts';
import type { RecordKind, RecordOf } from '../../catalogue/schemas.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Version } from '../../catalogue/types.ts';
import { type Format, findPosition, isParsedSoon, type TextPosition } from '../../text/parse.ts';
import { type FileTree, linkProblems, parentOf, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { areOutdated, isOutdatedMark, isSameStamp, packStamps, unpackStamps } from '../tree/stamps.ts';
import { type CheckedRecord, checkRecordText, makeProblem, type Problem } from './check-record.ts';
import {
  type Container,
  containerFolder,
  isDeadLink,
  isEmptyFolder,
  isFile,
  lostStamp,
  mayHaveRecords,
  messageOfMissingRecord,
} from './missing-record.ts';
import { noDiagnostics, type UnitState } from './unit-state.ts';

/** Of a unit that was not read before. */
const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** A large record of a unit, as it was read. Another thread checks it, and then the unit is read again. */
export interface LargeRecord {
  readonly kind: RecordKind;
  readonly format: Format;
  readonly text: string;
  readonly stamp: Stamp;
  readonly result?: {
    readonly checked: CheckedRecord;
    /** Places of values that messages may be about, by pointer. */
    readonly positions: ReadonlyMap<string, TextPosition>;
  };
}

/** Large records of a unit, by path. */
export type LargeRecords = Map<string, LargeRecord>;

export class UnitReader {
  readonly #tree: FileTree;
  readonly #key: string | undefined;
  readonly #isKnown: boolean;
  readonly #stampsBefore: ReadonlyMap<string, Stamp | null>;
  /** True if equal stamps don't mean that a file is unchanged: its folder was replaced. */
  readonly #isOutdated: boolean;
  readonly #payloadsBefore: ReadonlyMap<string, Stamp | null>;
  readonly #diagnosticsBefore: ReadonlyMap<string, readonly Diagnostic[]>;
  readonly #stamps = new Map<string, Stamp | null>();
  readonly #payloads = new Map<string, Stamp | null>();
  readonly #large: LargeRecords | undefined;
  readonly #isReadOnce: boolean;
  readonly #diagnostics = new Map<string, Diagnostic[]>();
  readonly #unreadable = new Set<string>();
  #lacksRecord = false;

  /**
   * @param before the last state, if the unit was read before
   * @param large records that were read and checked before; those that still have to be are added, and taken for broken
   * @param isReadOnce true if the unit isn't read again: then its state has no stamps
   */
  constructor(tree: FileTree, before?: UnitState, large?: LargeRecords, isReadOnce = false) {
    this.#tree = tree;
    this.#large = large;
    this.#isReadOnce = isReadOnce;
    this.#key = before?.key;
    this.#isKnown = before !== undefined && !before.lacksRecord;
    this.#stampsBefore = before ? new Map(unpackStamps(before.stamps)) : nothing;
    this.#isOutdated = areOutdated(this.#stampsBefore);
    this.#payloadsBefore = before ? new Map(unpackStamps(before.payloads)) : nothing;
    this.#diagnosticsBefore = before ? new Map(before.diagnostics) : nothing;
  }

  /** The unit's state, with everything that was read and reported. */
  state(reading: UnitReading): UnitState {
    for (const path of this.#diagnosticsBefore.keys())
      if (!this.#diagnostics.has(path)) this.#diagnostics.set(path, []);
    const stamps = this.#isReadOnce ? '' : packStamps(this.#stamps);
    const payloads = this.#isReadOnce ? '' : packStamps(this.#payloads);
    const diagnostics = this.#diagnostics.size ? [...this.#diagnostics] : noDiagnostics;
    const state = { key: this.#key ?? unitKey(reading), reading, stamps, payloads, diagnostics };
    return this.#lacksRecord ? { ...state, lacksRecord: true } : state;
  }

  /** Stamp of a file or folder; null if there is none, or it can't be read. */
  stamp(path: string): Stamp | null {
    return this.#orReport(path, () => {
      const stamp = this.#tree.stamp(path);
      // What is missing needs no stamp if its folder has one: that changes when it is added.
      const needsNone = stamp === null && this.#stamps.get(parentOf(path)) && this.#tree.isMissing?.(path);
      if (!needsNone) this.#stamps.set(path, stamp);
      return stamp;
    });
  }

  /** Names of the records in a folder, after its stamp; there may be other names. None if it can't be read. */
  names(path: string): readonly string[] {
    return (
      this.#namesBefore(path) ?? this.#orReport(path, () => this.#tree.names(path, true).map(({ name }) => name)) ?? []
    );
  }

  /**
   * Keeps the records and payloads that were known below a record or folder, if this can't be read: a replica must not lack them.
   * @returns true if it can't be read
   */
  keepIfUnreadable(path: string): boolean {
    if (!this.#unreadable.has(path)) return false;
    for (const [one, stamp] of this.#stampsBefore)
      if (one.startsWith(`${path}/`) || isOutdatedMark(one)) this.#stamps.set(one, stamp);
    for (const [one, stamp] of this.#payloadsBefore) if (!this.#payloads.has(one)) this.#payloads.set(one, stamp);
    return true;
  }

  /** The names of an unchanged folder in which nothing had diagnostics; undefined if it has to be read. */
  #namesBefore(path: string): readonly string[] | undefined {
    const isInside = (one: string) => one.startsWith(`${path}/`);
    if (this.#isOutdated || !isSameStamp(this.#stamps.get(path) ?? null, this.#stampsBefore.get(path) ?? null))
      return undefined;
    if ([...this.#diagnosticsBefore].some(([one, found]) => found.length > 0 && isInside(one))) return undefined;
    return [...this.#stampsBefore.keys()].filter(isInside).map((one) => one.slice(path.length + 1));
  }

  /** Adds a diagnostic to a file. @param text of the file, for an excerpt */
  report(path: string, code: DiagnosticCode, message: string, place: Partial<Diagnostic> = {}, text = ''): void {
    const { pointer = '', line = 1, column = 1 } = place;
    this.#add(path, makeProblem(text, code, message, pointer, { line, column }));
  }

  #add(path: string, { line, column, pointer, message, ...others }: Problem): void {
    const diagnostics = this.#diagnostics.get(path) ?? [];
    diagnostics.push({ path, line, column, pointer, message, severity: 'error', ...others });
    this.#diagnostics.set(path, diagnostics);
  }

  /**
   * Reads the first file that exists. The others are reported.
   * @returns null if no file exists; without a record if it is broken, and then with the text of the error if it can't be read
   */
  record<K extends RecordKind>(kind: K, paths: readonly string[]): { record?: RecordOf<K>; text: string } | null {
    let found: { record?: RecordOf<K>; text: string } | null = null;
    let foundPath = '';
    for (const path of paths) {
      if (found) {
        if (this.stamp(path))
          this.report(path, 'name', `It is not read, because ${foundPath} is there too. Remove one.`);
        continue;
      }
      try {
        const read = this.#large?.get(path) ?? this.#tree.read(path);
        // See `stamp`.
        if (read || !this.#stamps.has(parentOf(path))) this.#stamps.set(path, read?.stamp ?? null);
        if (read) {
          found = { text: read.text, ...this.#check(kind, path, read) };
          foundPath = path;
        }
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        this.#stamps.set(path, lostStamp);
        this.#unreadable.add(path);
        this.report(path, 'unreadable', error.message);
        found = { text: error.text };
        foundPath = path;
      }
    }
    return found;
  }

  /**
   * Holds the unit if a folder of it can't be read, or is a link that can't be followed.
   * @returns true if so: the last valid state stays
   */
  holdIfOutOfReach(path: string): boolean {
    const isLink = isDeadLink(this.#tree, path);
    if (!isLink && (this.#isKnown || !this.#unreadable.has(path))) return this.keepIfUnreadable(path);
    if (!this.#unreadable.has(path)) this.stamp(path);
    if (!this.#unreadable.has(path)) this.report(path, 'unreadable', linkProblems.nowhere);
    this.#stamps.set(path, lostStamp);
    this.#lacksRecord = true;
    return true;
  }

  readonly isEmpty = (folder: string): boolean => isEmptyFolder(this.#tree, folder);
  readonly isFile = (path: string): boolean => isFile(this.#tree, path);

  /** Reports that the record of a namespace or dataset is missing. @returns true if records below it are there */
  reportMissing(unit: Container): boolean {
    const folder = containerFolder(unit);
    this.report(folder, 'layout', messageOfMissingRecord(this.#tree, unit, folder));
    this.#lacksRecord = mayHaveRecords(this.#tree, unit, (path, stamp) => this.#stamps.set(path, stamp));
    return this.#lacksRecord;
  }

  #check<K extends RecordKind>(
    kind: K,
    path: string,
    { text, stamp, ...known }: LargeRecord | NonNullable<ReturnType<FileTree['read']>>,
  ): { record?: RecordOf<K> } {
    const format = recordFormat(path);
    const parsed = 'parsed' in known ? known.parsed : undefined;
    const large = this.#large?.get(path);
    if (this.#large && !large?.result && !parsed && !isParsedSoon(text, format)) {
      this.#large.set(path, { kind, format, text, stamp });
      return {};
    }
    const checked = large?.result ? large.result.checked : checkRecordText(kind, text, format, parsed);
    if ('value' in checked) return { record: checked.value as RecordOf<K> };
    for (const problem of checked.problems) this.#add(path, problem);
    return {};
  }

  /**
   * True if the files of a version are unchanged and had no diagnostics: then it needn't be read again.
   * @param path of its record
   * @param version as it was read before
   */
  isUnchanged(path: string, version: Version): boolean {
    if (this.#isOutdated || !this.#stampsBefore.has(path) || this.#diagnosticsBefore.get(path)?.length) return false;
    try {
      const stamp = this.#tree.stamp(path);
      if (stamp === null || !isSameStamp(stamp, this.#stampsBefore.get(path) ?? null)) return false;
      if (version.file) {
        const payload = payloadPath(version.namespace, version.dataset, version.file);
        const payloadStamp = this.#hasFolder(payload) ? this.#tree.stamp(payload) : null;
        if (!isSameStamp(payloadStamp, this.#payloadsBefore.get(payload) ?? null)) return false;
        this.#payloads.set(payload, payloadStamp);
      }
      this.#stamps.set(path, stamp);
      return true;
    } catch (error) {
      if (error instanceof UnreadableFileError) return false;
      throw error;
    }
  }

  /**
   * Size of the payload of a version; null if the record names none, or it isn't in the data folder. A payload that
   * isn't as the record says is reported. One that can't be read may be there: its size is that of the record.
   * @param path of the record
   * @param text of the record
   */
  payload(
    namespace: string,
    dataset: string,
    path: string,
    { file, ready }: RecordOf<'version'>,
    text: string,
  ): { readonly size: number } | null {
    if (!file?.name || file.url) return null;
    const payload = payloadPath(namespace, dataset, file.name);
    const stamp = this.#hasFolder(payload) ? this.#payload(payload) : null;
    const reportPayload = (message: string) => {
      const pointer = '/file';
      if (ready === false) return;
      const known = this.#large?.get(path)?.result?.positions.get(pointer);
      const position = known ?? findPosition(text, recordFormat(path), pointer);
      this.report(path, 'payload', message, { pointer, ...position }, text);
    };
    if (!stamp && this.#unreadable.has(payload)) return file.size === undefined ? null : { size: file.size };
    if (!stamp) reportPayload(`The payload data/${file.name} is missing: put it there, or write "ready: false".`);
    else if (file.size !== undefined && file.size !== stamp.size)
      reportPayload(
        this.#tree.isLfsPointer(payload)
          ? `The payload data/${file.name} is a Git LFS pointer: run "git lfs pull".`
          : `The payload data/${file.name} has ${stamp.size} bytes, not ${file.size}.`,
      );
    else if (file.size === undefined && this.#tree.isLfsPointer(payload)) {
      reportPayload(`The payload data/${file.name} is a Git LFS pointer: run "git lfs pull".`);
      return null;
    }
    return stamp;
  }

  /** True if the folder of a payload is there, and not a link that leaves the catalogue. */
  #hasFolder(payload: string): boolean {
    return Boolean(this.#stamps.get(parentOf(payload)));
  }

  #payload(path: string): Stamp | null {
    const stamp = this.#orReport(path, () => this.#tree.stamp(path));
    this.#payloads.set(path, stamp);
    return stamp;
  }

  /** The result of a function; null, and a diagnostic, if the file can't be read. */
  #orReport<T>(path: string, work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#stamps.set(path, null);
      this.#unreadable.add(path);
      this.report(path, 'unreadable', error.message);
      return null;
    }
  }
}
