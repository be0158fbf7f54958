/**
 * Units that a chunk of steps changes: those to read before it is planned, and after it is written. While the folder above
 * them is locked, nothing has to be looked for in the folder of a new dataset that isn't there; and what was written into it
 * needn't be read.
 */
import { dirname } from 'node:path/posix';
import { ConflictError } from '../../catalogue/errors.ts';
import { type Scope, scopeToReread, type Unit, unitKey, unitOfRecord } from '../../catalogue/layout.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { unitsByKey } from '../reading/read-unit.ts';
import type { UnitState } from '../reading/unit-state.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import { packStamps, unpackStamps } from '../tree/stamps.ts';
import type { PlannedUnits } from './planned-units.ts';
import { assertPathStaysInFolder } from './record-file.ts';
import type { StepChunk } from './step-chunks.ts';
import type { FolderStamps, WrittenFolders } from './written-folder.ts';

/**
 * The folders that are missing on disk.
 * @param folders those of new datasets
 */
export function findMissingFolders(tree: DiskTree, folders: Iterable<string>): ReadonlySet<string> {
  const missing = new Set<string>();
  const names = new Map<string, ReadonlySet<string> | null>();
  for (const folder of folders) {
    const parent = dirname(folder);
    const known = names.has(parent) ? names.get(parent) : namesInFolder(tree, parent);
    names.set(parent, known ?? null);
    if (known && !known.has(folder.slice(parent.length + 1).toLowerCase())) missing.add(folder);
  }
  return missing;
}

/** Notes the datasets whose folders are missing: nobody else needs to look at them while they are added. */
export function noteAdditions(store: UnitStore, missing: ReadonlySet<string>): void {
  for (const folder of missing) {
    const unit = scopeToReread(folder);
    if (unit && !('folder' in unit)) store.added.add(unit);
  }
}

/**
 * Units that the steps of a chunk change, to be read again under the locks.
 * @param missing folders that are missing on disk
 */
export function unitsToReadBefore(store: UnitStore, chunk: StepChunk, missing: ReadonlySet<string>): readonly Unit[] {
  const changes = chunk.flatMap(([, step]) => (typeof step.changes === 'function' ? [] : step.changes));
  const infos = changes.map(({ path }) => parseUntrustedCataloguePath(path));
  const units = unitsByKey(infos.flatMap((info) => (info?.kind === 'record' ? [unitOfRecord(info.ref)] : [])));
  const isKnown = (unit: Unit) => {
    const key = unitKey(unit);
    return missing.has(dirname(key)) ? !store.states.has(key) : store.isAsWritten(unit);
  };
  return [...units.values()].filter((unit) => !isKnown(unit));
}

/**
 * Scopes to read again after a chunk was written; of the others, the store takes the state.
 * @param scopes that were written, by key
 * @param folders that were written whole
 */
export function scopesToReadAfter(
  store: UnitStore,
  units: PlannedUnits,
  scopes: ReadonlyMap<string, Scope>,
  folders: WrittenFolders,
): readonly Scope[] {
  return [...scopes].flatMap(([key, scope]) => {
    const added = stateOfNewUnit(units.added(key), folders.get(dirname(key)));
    return store.takeWritten(units.written(key)) || store.takeAdded(added) ? [] : [scope];
  });
}

/** Names in a folder, in lower case, since a file system may not tell cases apart; null if a link leads to it, or it can't be read. */
function namesInFolder(tree: DiskTree, folder: string): ReadonlySet<string> | null {
  try {
    assertPathStaysInFolder(tree, `${folder}/x`);
    if (tree.linkTarget(folder) !== folder) return null;
    return new Set(tree.names(folder).map(({ name }) => name.toLowerCase()));
  } catch (error) {
    // What reads the path itself reports that.
    if (error instanceof ConflictError || error instanceof UnreadableFileError) return null;
    throw error;
  }
}

/**
 * The state of a unit whose folder was written whole.
 * @param planned its state in the plan
 * @param stamps of its folder and what is in it, if that was written whole
 * @returns undefined if it has to be read
 */
function stateOfNewUnit(planned: UnitState | undefined, stamps: FolderStamps | undefined): UnitState | undefined {
  if (!stamps || !planned?.reading.entity || planned.diagnostics.some(([, found]) => found.length > 0))
    return undefined;
  const paths = new Set(stamps.map(([path]) => path));
  const read = [...unpackStamps(planned.stamps)].flatMap(([path, stamp]) => (stamp ? [path] : []));
  if (read.length !== paths.size || !read.every((path) => paths.has(path))) return undefined;
  return { ...planned, stamps: packStamps(stamps) };
}
