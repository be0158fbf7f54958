/** Entities of a snapshot by their ids. */
import { allEntities, type ListedKind } from './listing.ts';
import type { Folder, Snapshot } from './snapshot.ts';
import type { Entities } from './types.ts';

type InFolders = 'dataset' | 'version';

/** The entities of a kind that have one of these ids. */
export function entitiesWithIds<K extends ListedKind>(
  snapshot: Snapshot,
  kind: K,
  ids: ReadonlySet<number>,
): readonly Entities[K][] {
  const found = [...candidatesFor(snapshot, kind, ids)].filter(({ id }) => ids.has(id));
  return found as readonly Entities[ListedKind][] as readonly Entities[K][];
}

/** The entities of a kind, of datasets and versions only those in folders with one of these ids. */
function* candidatesFor(
  snapshot: Snapshot,
  kind: ListedKind,
  ids: ReadonlySet<number>,
): Iterable<Entities[ListedKind]> {
  if (kind !== 'dataset' && kind !== 'version') {
    yield* allEntities(snapshot, kind);
    return;
  }
  for (const { datasets } of snapshot.folders.values()) {
    if (!hasOneOf(ids, idsIn(datasets, kind))) continue;
    if (kind === 'dataset') yield* datasets.values();
    else for (const { versions } of datasets.values()) yield* versions;
  }
}

/** True if an entity of a kind has this id. */
export const hasId = (snapshot: Snapshot, kind: ListedKind, id: number): boolean =>
  entitiesWithIds(snapshot, kind, new Set([id])).length > 0;

/**
 * Ids in a folder by kind: each write looks for its new ids among all of them, and reading them from tens of thousands of
 * objects takes milliseconds. The folders that a write doesn't change keep theirs.
 */
const idsOfFolders: Readonly<Record<InFolders, WeakMap<Folder['datasets'], Int32Array>>> = {
  dataset: new WeakMap(),
  version: new WeakMap(),
};

function idsIn(datasets: Folder['datasets'], kind: InFolders): Int32Array {
  const known = idsOfFolders[kind].get(datasets);
  if (known) return known;
  const ids: number[] = [];
  if (kind === 'dataset') for (const { id } of datasets.values()) ids.push(id);
  else for (const { versions } of datasets.values()) for (const { id } of versions) ids.push(id);
  const made = new Int32Array(ids);
  idsOfFolders[kind].set(datasets, made);
  return made;
}

function hasOneOf(wanted: ReadonlySet<number>, ids: Int32Array): boolean {
  if (wanted.size === 1) for (const one of wanted) return ids.includes(one);
  for (let i = 0; i < ids.length; i++) if (wanted.has(ids[i] as number)) return true;
  return false;
}
