/** The catalogue seen from inside: one entry for each of its files. */
import { derivedId, maxId } from '../catalogue/ids.ts';
import { parseRecordName, payloadPath, recordAt } from '../catalogue/layout.ts';
import type { ListedKind } from '../catalogue/listing.ts';
import { find } from '../catalogue/lookup.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import type { Reading, Snapshot } from '../catalogue/snapshot.ts';
import type { CatalogueFile, Diagnostic } from '../catalogue/types.ts';
import type { UnitStore } from './reading/unit-store.ts';

const lists = new WeakMap<Snapshot, readonly CatalogueFile[]>();
const none: readonly Diagnostic[] = [];

/**
 * The files of the catalogue that a viewer may see, by path: records, payloads, and what has its place wrongly.
 * @param visible the snapshot as the viewer may see it
 */
export function listFiles(store: UnitStore, visible: Snapshot): readonly CatalogueFile[] {
  let list = lists.get(visible);
  if (!list) {
    const places = new Map<string, Place>();
    for (const { reading, stamps } of store.states.values()) {
      if (!isUnitVisible(visible, reading)) continue;
      for (const [path, stamp] of stamps) if (stamp && parseRecordName(path)) places.set(path, recordAt(path));
      if (reading.kind !== 'dataset' || !reading.entity) continue;
      for (const version of reading.entity.versions)
        if (version.file)
          places.set(payloadPath(version.namespace, version.dataset, version.file), {
            kind: 'payload',
            ref: refOf(version),
          });
    }
    for (const path of visible.diagnostics.keys()) if (!places.has(path)) places.set(path, recordAt(path));
    list = entriesOf(visible, places);
    lists.set(visible, list);
  }
  return list;
}

type Place = ReturnType<typeof recordAt>;

function entriesOf(visible: Snapshot, places: ReadonlyMap<string, Place>): readonly CatalogueFile[] {
  const ids = new Set<number>();
  return [...places]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { kind, ref }]) => {
      const problems = visible.diagnostics.get(path) ?? none;
      // Of tens of thousands of paths, two may well give the same number.
      let id = derivedId('file', path);
      while (ids.has(id)) id = (id % maxId) + 1;
      ids.add(id);
      return {
        kind: 'file',
        id,
        path,
        record: kind,
        ref: ref && isThere(visible, ref) ? ref : null,
        status: problems.length ? 'invalid' : 'ok',
        problems,
      };
    });
}

function isThere(visible: Snapshot, ref: Ref): boolean {
  try {
    return Boolean(find(visible, ref as Refs[ListedKind]));
  } catch {
    return false;
  }
}

/** Whether the viewer may know of the unit's files. */
export function isUnitVisible(visible: Snapshot, reading: Reading): boolean {
  switch (reading.kind) {
    case 'namespace':
      return visible.folders.has(reading.slug);
    case 'dataset': {
      const folder = visible.folders.get(reading.namespace);
      return Boolean(folder && (!reading.entity || folder.datasets.has(reading.slug)));
    }
    case 'query':
      return visible.queries.has(reading.slug);
    default:
      return true;
  }
}
