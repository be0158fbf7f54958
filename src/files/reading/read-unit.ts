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
} from '../../catalogue/entities.ts';
import {
  datasetFolder,
  isValidName,
  namespaceFolder,
  parseRecordName,
  payloadFolder,
  recordPaths,
  type Unit,
  versionsFolder,
} from '../../catalogue/layout.ts';
import type { RecordOf } from '../../catalogue/schemas.ts';
import { settingsFrom } from '../../catalogue/settings.ts';
import type { Reading } from '../../catalogue/snapshot.ts';
import type { Dataset, Namespace, Version } from '../../catalogue/types.ts';
import { type FileTree, type Stamp, sameStamp, UnreadableFileError } from '../tree/file-tree.ts';
import { UnitReader, type UnitState } from './unit-reader.ts';

/** Whether all that was looked at is as it was. */
export function unchanged(folder: FileTree, state: UnitState): boolean {
  try {
    const same = ([path, stamp]: readonly [string, Stamp | null]) => sameStamp(folder.stamp(path), stamp);
    return state.stamps.every(same) && state.payloads.every(same);
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/**
 * Reads a unit.
 * @param before what was last read of it: returned as it is where nothing changed. What was read anew and says the same
 *   as before is the same object as before.
 */
export function readUnit(folder: FileTree, unit: Unit, before?: UnitState): UnitState {
  if (!before) return readAnew(folder, unit);
  if (unchanged(folder, before)) return before;
  const { reading, diagnostics, ...stamps } = readAnew(folder, unit, before);
  const listed = new Map(before.diagnostics);
  return {
    reading: same(before.reading, reading),
    diagnostics: diagnostics.map(([path, list]) => [path, same(listed.get(path), list)]),
    ...stamps,
  };
}

function same<T>(before: T | undefined, now: T): T {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}

function readAnew(folder: FileTree, unit: Unit, before?: UnitState): UnitState {
  const look = new UnitReader(folder, before);
  if (unit.kind === 'dataset') return readDataset(look, unit, before?.reading.entity as Dataset | undefined);
  const old = before?.reading.entity ?? null;
  if (unit.kind === 'namespace' && !look.stamp(namespaceFolder(unit.slug)))
    return look.state({ ...unit, entity: null });
  const found = look.record(unit.kind, recordPaths(unit));
  if (!found && unit.kind === 'namespace')
    look.report(namespaceFolder(unit.slug), 'layout', 'namespace.yaml is missing. Add one with a line "label: …".');
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
  return namespaceFrom(unit.slug, { label: unit.slug, visibility: mayHide(text) ? 'private' : 'public' });
}

/** Whether a file that is broken may have wanted to hide what it describes; of one that can't be read, nobody knows. */
const mayHide = (text: string): boolean => text === '' || /visib|priv/i.test(text);

/**
 * A broken dataset.yaml with no good state before it makes no dataset. Where it may have wanted to hide one, there is
 * one that is private: else its files, what is wrong with them and its queries would be shown to everybody.
 */
function hidden(namespace: string, slug: string, text: string): Dataset | undefined {
  return mayHide(text) ? datasetFrom(namespace, slug, { label: slug, visibility: 'private' }) : undefined;
}

function readDataset(look: UnitReader, unit: Unit & { kind: 'dataset' }, old: Dataset | undefined): UnitState {
  const { namespace, slug } = unit;
  const home = datasetFolder(namespace, slug);
  const gone: Reading = { ...unit, entity: null };
  if (!look.stamp(home)) return look.state(gone);
  const found = look.record('dataset', recordPaths(unit));
  look.stamp(payloadFolder(namespace, slug));
  const versions = readVersions(look, namespace, slug, old);
  if (!found) {
    look.report(home, 'layout', 'dataset.yaml is missing. Add one with a line "label: …".');
    return look.state(gone);
  }
  const dataset = found.record
    ? datasetFrom(namespace, slug, found.record)
    : (old ?? hidden(namespace, slug, found.text));
  return look.state(dataset ? { ...unit, entity: withVersions(dataset, versions) } : gone);
}

function readVersions(
  look: UnitReader,
  namespace: string,
  dataset: string,
  old: Dataset | undefined,
): readonly Version[] {
  const versions: Version[] = [];
  const home = versionsFolder(namespace, dataset);
  if (!look.stamp(home)) return versions;
  const seen = new Set<string>();
  for (const { name } of look.names(home)) {
    const file = name.startsWith('.') ? null : parseRecordName(name);
    if (!file) continue;
    const path = `${home}/${name}`;
    if (!isValidName('version', file.stem) || seen.has(file.stem)) {
      const isTwin = seen.has(file.stem);
      look.report(
        path,
        isTwin ? 'name' : 'layout',
        isTwin ? 'There are two files for this version. Remove one.' : badName,
      );
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
