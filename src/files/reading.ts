/**
 * What the files say now. A unit is read only if it differs from what was last read of it, and a file that is broken
 * leaves what was last good of it in place.
 */
import {
  datasetFrom,
  groupFrom,
  namespaceFrom,
  queryFrom,
  userFrom,
  versionFrom,
  withVersions,
} from '../catalogue/entities.ts';
import type { RecordKind, RecordOf } from '../catalogue/schemas.ts';
import { settingsFrom } from '../catalogue/settings.ts';
import type { Reading } from '../catalogue/snapshot.ts';
import type { Dataset, Namespace, Problem, Version } from '../catalogue/types.ts';
import { checkRecord } from '../catalogue/validators.ts';
import {
  candidates,
  datasetFolder,
  namespaceFolder,
  payloadPath,
  recordName,
  stemOf,
  type Unit,
  validName,
} from './layout.ts';
import { type Folder, type Stamp, sameStamp, Unreadable } from './look.ts';
import { locate, parseRecord } from './parse.ts';

/** All that is known of a unit: what it says, what is wrong with it, and by what to tell that it hasn't changed. */
export interface UnitState {
  readonly reading: Reading;
  /** Files and folders looked at, with their stamps; null where there was none. */
  readonly stamps: readonly (readonly [path: string, stamp: Stamp | null])[];
  /** The payloads likewise: of them only the size matters, but it does until a copy is complete. */
  readonly payloads: readonly (readonly [path: string, stamp: Stamp | null])[];
  /** One list for each file that was looked at and has something wrong. */
  readonly problems: readonly (readonly [path: string, problems: readonly Problem[]])[];
}

/** Whether all that was looked at is as it was. */
export function unchanged(folder: Folder, state: UnitState): boolean {
  try {
    const same = ([path, stamp]: readonly [string, Stamp | null]) => sameStamp(folder.stamp(path), stamp);
    return state.stamps.every(same) && state.payloads.every(same);
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/**
 * Reads a unit.
 * @param before what was last read of it: returned as it is where nothing changed. What was read anew and says the same
 *   as before is the same object as before.
 */
export function readUnit(folder: Folder, unit: Unit, before?: UnitState): UnitState {
  if (!before) return readAnew(folder, unit);
  if (unchanged(folder, before)) return before;
  const { reading, problems, ...stamps } = readAnew(folder, unit, before);
  const listed = new Map(before.problems);
  return {
    reading: same(before.reading, reading),
    problems: problems.map(([path, list]) => [path, same(listed.get(path), list)]),
    ...stamps,
  };
}

function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function readAnew(folder: Folder, unit: Unit, before?: UnitState): UnitState {
  const look = new Look(folder, before);
  if (unit.kind === 'dataset') return readDataset(look, unit, before?.reading.entity as Dataset | undefined);
  const old = before?.reading.entity ?? null;
  if (unit.kind === 'namespace' && !look.stamp(namespaceFolder(unit.slug)))
    return look.state({ ...unit, entity: null });
  const found = look.record(unit.kind, candidates(stemOf(unit)));
  if (!found && unit.kind === 'namespace')
    look.complain(stemOf(unit).replace(/\/[^/]+$/, ''), 'namespace.yaml is missing. Add one with a line "label: …".');
  const entity = found && (found.record ? entityOf(unit, found.record) : (old ?? stopgap(unit, found.text)));
  return look.state({ ...unit, entity } as Reading);
}

function entityOf(unit: Exclude<Unit, { kind: 'dataset' }>, record: unknown): Reading['entity'] {
  switch (unit.kind) {
    case 'settings':
      return settingsFrom(record as RecordOf<'settings'>);
    case 'namespace':
      return namespaceFrom(unit.slug, record as RecordOf<'namespace'>);
    case 'group':
      return groupFrom(unit.slug, record as RecordOf<'group'>);
    case 'user':
      return userFrom(unit.slug, record as RecordOf<'user'>);
    case 'query':
      return queryFrom(unit.slug, record as RecordOf<'query'>);
  }
}

/**
 * A broken namespace.yaml with no good state before it: its datasets are served all the same, under the folder's name.
 * Unless the file may have wanted to hide them.
 */
function stopgap(unit: Unit, text: string): Namespace | null {
  if (unit.kind !== 'namespace') return null;
  return namespaceFrom(unit.slug, {
    label: unit.slug,
    visibility: text === '' || /visib|priv/i.test(text) ? 'private' : 'public',
  });
}

function readDataset(look: Look, unit: Unit & { kind: 'dataset' }, old: Dataset | undefined): UnitState {
  const { namespace, slug } = unit;
  const home = datasetFolder(namespace, slug);
  const gone: Reading = { ...unit, entity: null };
  if (!look.stamp(home)) return look.state(gone);
  const found = look.record('dataset', candidates(stemOf(unit)));
  look.stamp(`${home}/data`);
  const versions = readVersions(look, home, namespace, slug, old);
  if (!found) {
    look.complain(home, 'dataset.yaml is missing. Add one with a line "label: …".');
    return look.state(gone);
  }
  const dataset = found.record ? datasetFrom(namespace, slug, found.record) : old;
  return look.state(dataset ? { ...unit, entity: withVersions(dataset, versions) } : gone);
}

function readVersions(
  look: Look,
  home: string,
  namespace: string,
  dataset: string,
  old: Dataset | undefined,
): readonly Version[] {
  const versions: Version[] = [];
  if (!look.stamp(`${home}/versions`)) return versions;
  const seen = new Set<string>();
  for (const { name } of look.names(`${home}/versions`)) {
    const file = name.startsWith('.') ? null : recordName(name);
    if (!file) continue;
    const path = `${home}/versions/${name}`;
    if (!validName('version', file.stem) || seen.has(file.stem)) {
      look.complain(path, seen.has(file.stem) ? 'There are two files for this version. Remove one.' : badName);
      continue;
    }
    seen.add(file.stem);
    const last = old?.versions.find((version) => version.slug === file.stem);
    const { record, text = '' } = look.record('version', [path]) ?? {};
    const version = record
      ? versionFrom(namespace, dataset, file.stem, record, look.payload(namespace, dataset, path, record, text))
      : last;
    if (version) versions.push(version);
  }
  return versions;
}

const badName = 'The name of a version has letters, digits, "-" and "_" only: rename the file.';

const formatOf = (path: string) => (path.endsWith('.json') ? 'json' : 'yaml');

/** One look at a unit: collects the stamps of what was looked at, and what was wrong. */
class Look {
  readonly #folder: Folder;
  readonly #before: UnitState | undefined;
  readonly #stamps = new Map<string, Stamp | null>();
  readonly #payloads = new Map<string, Stamp | null>();
  readonly #problems = new Map<string, Problem[]>();

  constructor(folder: Folder, before: UnitState | undefined) {
    this.#folder = folder;
    this.#before = before;
  }

  state(reading: Reading): UnitState {
    // What was wrong before and isn't now is said too, with an empty list: so that it is forgotten.
    for (const [path] of this.#before?.problems ?? []) if (!this.#problems.has(path)) this.#problems.set(path, []);
    return { reading, stamps: [...this.#stamps], payloads: [...this.#payloads], problems: [...this.#problems] };
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

  complain(path: string, message: string, place: Partial<Problem> = {}): void {
    const problem = { path, line: 1, column: 1, pointer: '', message, ...place };
    this.#problems.set(path, [...(this.#problems.get(path) ?? []), problem]);
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
          this.complain(path, `It is not read, because ${paths[0]} is there too. Remove one.`);
        continue;
      }
      try {
        const read = this.#folder.read(path);
        // Where the folder around is watched for, what isn't there needs no stamp of its own.
        if (read || !this.#stamps.has(path.slice(0, path.lastIndexOf('/'))))
          this.#stamps.set(path, read?.stamp ?? null);
        if (read) found = { text: read.text, ...this.#parse(kind, path, read.text) };
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.#stamps.set(path, null);
        this.complain(path, error.message);
        found = { text: '' };
      }
    }
    return found;
  }

  #parse<K extends RecordKind>(kind: K, path: string, text: string): { record?: RecordOf<K> } {
    const format = formatOf(path);
    const parsed = parseRecord(text, format);
    if ('faults' in parsed) {
      for (const { message, ...place } of parsed.faults) this.complain(path, message, place);
      return {};
    }
    const checked = checkRecord(kind, parsed.value);
    if ('record' in checked) return checked;
    for (const { pointer, message } of checked.misfits)
      this.complain(path, message, { pointer, ...locate(text, format, pointer) });
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
      if (ready !== false) this.complain(path, message, { pointer, ...locate(text, formatOf(path), pointer) });
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
      if (!(error instanceof Unreadable)) throw error;
      this.#stamps.set(path, null);
      this.complain(path, error.message);
      return null;
    }
  }
}
