/**
 * Reads units from their files. A unit, or a version of it, is parsed again only if its files changed; a broken record, one that is
 * missing while others below it are there, or a folder that can't be read, leaves the last valid one in place.
 */
import {
  datasetFromRecord,
  datasetWithVersions,
  groupFromRecord,
  namespaceFromRecord,
  queryFromRecord,
  userFromRecord,
  versionFromRecord,
} from '../../catalogue/entities.ts';
import {
  datasetFolder,
  isValidName,
  namespaceFolder,
  parseRecordFileName,
  pathsWithRecordExtensions,
  payloadFolder,
  recordPaths,
  scopeToReread,
  type Unit,
  unitKey,
  versionsFolder,
} from '../../catalogue/layout.ts';
import type { VersionRef } from '../../catalogue/ref.ts';
import type { RecordOf } from '../../catalogue/schemas.ts';
import { settingsFromRecord } from '../../catalogue/settings.ts';
import { emptySnapshot, nextSnapshot, type Snapshot, type UnitReading } from '../../catalogue/snapshot.ts';
import { runAtOnce, type Steps } from '../../catalogue/steps.ts';
import type { Dataset, Version } from '../../catalogue/types.ts';
import type { FileTree } from '../tree/file-tree.ts';
import { filesInStep } from '../tree/stamps.ts';
import { folderOfRecords } from './missing-record.ts';
import { heldContainer, heldEntity, heldVersion, placeholderDataset } from './placeholder.ts';
import { haveUnchangedFilesInSteps } from './unchanged-files.ts';
import { type LargeRecords, UnitReader } from './unit-reader.ts';
import { readingOf } from './unit-reading.ts';
import type { UnitState } from './unit-state.ts';

/** As `readUnitInSteps`, at once. */
export const readUnit = (tree: FileTree, unit: Unit, before?: UnitState, large?: LargeRecords): UnitState =>
  runAtOnce(readUnitInSteps(tree, unit, before, large));

/**
 * Reads a unit. Entities and diagnostics that are equal to those before are the same objects.
 * @param before the last state; returned if nothing changed
 * @param large collects the records that take long to parse: the state counts if all of them were checked
 */
export function* readUnitInSteps(
  tree: FileTree,
  unit: Unit,
  before?: UnitState,
  large?: LargeRecords,
): Steps<UnitState> {
  if (before && (yield* haveUnchangedFilesInSteps(tree, before))) return before;
  const state = yield* readFiles(new UnitReader(tree, before, large), unit, before);
  if (!before) return state;
  const { key, reading, stamps, payloads, diagnostics } = state;
  const diagnosticsBefore = new Map(before.diagnostics);
  const next: UnitState = {
    key,
    reading: reuseIfEqual(before.reading, reading),
    stamps,
    payloads,
    diagnostics: diagnostics.map(([path, list]) => [path, reuseIfEqual(diagnosticsBefore.get(path), list)]),
  };
  return state.lacksRecord ? { ...next, lacksRecord: true } : next;
}

/** The state of a unit that isn't read again, without stamps. */
export const readUnitOnce = (tree: FileTree, unit: Unit): UnitState =>
  runAtOnce(readFiles(new UnitReader(tree, undefined, undefined, true), unit));

/** The state of a unit whose files have changed; null if its last state is needed: the last valid record stays in place of a broken one. */
export function readChangedUnit(tree: FileTree, unit: Unit): UnitState | null {
  const state = readUnit(tree, unit);
  return state.diagnostics.length || state.reading.entity === null ? null : state;
}

export function reuseIfEqual<T>(before: T | undefined, now: T): T {
  return before !== undefined && areEqual(before, now) ? before : now;
}

/** True if two values are equal as JSON, keys in the same order. What they share is not compared. */
function areEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  if (keys.length !== others.length) return false;
  return keys.every((key, i) => key === others[i] && areEqual((a as Values)[key], (b as Values)[key]));
}

type Values = Readonly<Record<string, unknown>>;

function* readFiles(reader: UnitReader, unit: Unit, before?: UnitState): Steps<UnitState> {
  if (unit.kind === 'dataset') return yield* readDataset(reader, unit, before?.reading.entity as Dataset | undefined);
  const old = before?.reading.entity ?? null;
  if (unit.kind === 'namespace') {
    const home = namespaceFolder(unit.slug);
    if (!reader.stamp(home)) return reader.state(readingOf(unit, reader.holdIfOutOfReach(home) ? old : null));
    reader.holdIfOutOfReach(folderOfRecords(unit));
  }
  const found = reader.record(unit.kind, recordPaths(unit));
  if (!found && unit.kind === 'namespace') {
    const isKept = !reader.isFile(namespaceFolder(unit.slug)) && reader.reportMissing(unit);
    return reader.state(readingOf(unit, isKept ? old : null));
  }
  const entity = found && (found.record ? entityOf(unit, found.record) : heldEntity(unit, old, found.text));
  return reader.state(readingOf(unit, entity));
}

/** The entity of a unit that is one record. */
export function entityOf(unit: Exclude<Unit, { kind: 'dataset' }>, record: unknown): UnitReading['entity'] {
  switch (unit.kind) {
    case 'settings':
      return settingsFromRecord(record as RecordOf<'settings'>);
    case 'namespace':
      return namespaceFromRecord(unit.slug, record as RecordOf<'namespace'>);
    case 'group':
      return groupFromRecord(unit.slug, record as RecordOf<'group'>);
    case 'user':
      return userFromRecord(unit.slug, record as RecordOf<'user'>);
    case 'query':
      return queryFromRecord(unit.slug, record as RecordOf<'query'>);
  }
}

function* readDataset(
  reader: UnitReader,
  unit: Unit & { kind: 'dataset' },
  old: Dataset | undefined,
): Steps<UnitState> {
  const { namespace, slug } = unit;
  const home = datasetFolder(namespace, slug);
  const gone = readingOf(unit, null);
  if (!reader.stamp(home)) return reader.state(reader.holdIfOutOfReach(home) && old ? readingOf(unit, old) : gone);
  const found = reader.record('dataset', recordPaths(unit));
  if (!found && reader.isFile(home)) return reader.state(gone);
  if (!found && old && reader.isEmpty(home)) {
    reader.reportMissing(unit);
    return reader.state(readingOf(unit, old));
  }
  reader.stamp(payloadFolder(namespace, slug));
  const versions = yield* readVersions(reader, namespace, slug, old);
  if (!found) {
    const isKept = reader.reportMissing(unit) && old;
    return reader.state(isKept ? readingOf(unit, datasetWithVersions(old, versions)) : gone);
  }
  const dataset = found.record
    ? datasetWithSameParts(namespace, slug, found.record, versions)
    : old
      ? heldContainer(old, found.text)
      : placeholderDataset(namespace, slug, found.text);
  const entity = dataset && (found.record ? dataset : datasetWithVersions(dataset, versions));
  return reader.state(entity ? readingOf(unit, entity) : gone);
}

/** Datasets by the contents of their record: the text of a write is read several times, and parsed once. */
const datasets = new WeakMap<
  RecordOf<'dataset'>,
  { readonly read: Dataset; readonly versions: readonly Version[]; readonly dataset: Dataset }
>();

/** The dataset of a record and versions; the same as before if it is made of the same objects. */
export function datasetWithSameParts(
  namespace: string,
  slug: string,
  record: RecordOf<'dataset'>,
  versions: readonly Version[],
): Dataset {
  const last = datasets.get(record);
  const known = last?.read.namespace === namespace && last.read.slug === slug ? last : undefined;
  if (known && areSame(known.versions, versions)) return known.dataset;
  const read = known?.read ?? datasetFromRecord(namespace, slug, record);
  const dataset = datasetWithVersions(read, versions);
  datasets.set(record, { read, versions, dataset });
  return dataset;
}

const areSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i]);

function* readVersions(
  reader: UnitReader,
  namespace: string,
  dataset: string,
  old: Dataset | undefined,
): Steps<readonly Version[]> {
  const versions: Version[] = [];
  const folder = versionsFolder(namespace, dataset);
  const names = reader.stamp(folder) ? reader.names(folder) : [];
  if (reader.holdIfOutOfReach(folder)) return old?.versions ?? versions;
  const before = new Map(old?.versions.map((version) => [version.slug, version]));
  const present = new Set(names);
  let count = 0;
  for (const name of names) {
    const slug = name.startsWith('.') ? undefined : parseRecordFileName(name)?.stem;
    if (slug === undefined) continue;
    const path = `${folder}/${name}`;
    const isFirst = pathsWithRecordExtensions(slug).find((one) => present.has(one)) === name;
    if (!isFirst) reader.report(path, 'name', 'There are two files for this version. Remove one.');
    else if (!isValidName('version', slug)) reader.report(path, 'layout', invalidName);
    else {
      const version = readVersion(reader, { namespace, dataset, slug }, path, before.get(slug), versions.at(-1));
      if (version) versions.push(version);
      if (++count % filesInStep === 0) yield;
    }
  }
  return versions;
}

const invalidName = 'The name of a version has letters, digits, "-" and "_" only: rename the file.';

function readVersion(
  reader: UnitReader,
  { namespace, dataset, slug }: Omit<VersionRef, 'kind'>,
  path: string,
  before: Version | undefined,
  other: Version | undefined,
): Version | undefined {
  if (before && reader.isUnchanged(path, before)) return before;
  const { record, text = '' } = reader.record('version', [path]) ?? {};
  if (!record) {
    reader.keepIfUnreadable(path);
    return reuseIfEqual(before, heldVersion(before, text));
  }
  const payload = reader.payload(namespace, dataset, path, record, text);
  return reuseIfEqual(before, versionOf({ namespace, dataset, slug }, record, payload, before ?? other));
}

/** Columns from which making a version takes milliseconds. */
const manyColumns = 1000;

/** Versions with many columns by the contents of their record: when a version is written, it is read before and after. */
const wideVersions = new WeakMap<
  RecordOf<'version'>,
  { readonly payload: { readonly size: number } | null; readonly version: Version }
>();

/**
 * As `versionFromRecord`; the same as before if it is made of the same. Of many columns, those that another version has are
 * the same objects: versions of a table differ in few.
 */
function versionOf(
  { namespace, dataset, slug }: Omit<VersionRef, 'kind'>,
  record: RecordOf<'version'>,
  payload: { readonly size: number } | null,
  other: Version | undefined,
): Version {
  const made = () => versionFromRecord(namespace, dataset, slug, record, payload);
  if ((record.columns?.length ?? 0) < manyColumns) return made();
  const { version: last, payload: file } = wideVersions.get(record) ?? {};
  const isSame = last?.namespace === namespace && last.dataset === dataset && last.slug === slug;
  if (isSame && file?.size === payload?.size && Boolean(file) === Boolean(payload)) return last;
  const version = made();
  const columns = version.columns?.map((column, i) => reuseIfEqual(other?.columns?.[i], column));
  Object.assign(version, { columns });
  wideVersions.set(record, { payload, version });
  return version;
}

/** Units that were read on their own, not as a part of the catalogue. */
export interface UnitsRead {
  /** Snapshot of these units only. */
  readonly snapshot: Snapshot;
  readonly states: readonly UnitState[];
}

/**
 * Reads units on their own: for a question about a few of them, in a folder or in git.
 * @param known states of units that were read already, by key
 */
export function readUnits(tree: FileTree, units: Iterable<Unit>, known?: ReadonlyMap<string, UnitState>): UnitsRead {
  const states = [...units].map((unit) => known?.get(unitKey(unit)) ?? readUnit(tree, unit));
  const readings = states.map(({ reading }) => reading);
  const diagnostics = new Map(states.flatMap((state) => state.diagnostics));
  return { snapshot: nextSnapshot(emptySnapshot, { readings, diagnostics }), states };
}

/** Units by key, each once. */
export const unitsByKey = (units: Iterable<Unit>): Map<string, Unit> =>
  new Map(Array.from(units, (unit) => [unitKey(unit), unit]));

/** The units that paths belong to, by key. */
export function unitsAtPaths(paths: Iterable<string>): Map<string, Unit> {
  return unitsByKey(
    Array.from(paths, scopeToReread).filter((scope): scope is Unit => scope !== null && !('folder' in scope)),
  );
}
