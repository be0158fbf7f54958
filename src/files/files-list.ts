/** The catalogue seen from inside: one entry for each of its files. */
import { derivedId } from '../catalogue/ids.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Reading, Snapshot } from '../catalogue/snapshot.ts';
import type { CatalogueFile, Problem } from '../catalogue/types.ts';
import { payloadPath, recordAt, recordName } from './layout.ts';
import type { Store } from './store.ts';

const lists = new WeakMap<Snapshot, readonly CatalogueFile[]>();
const none: readonly Problem[] = [];

/**
 * The files of the catalogue that a viewer may see, by path: records, payloads, and what has its place wrongly.
 * @param visible the snapshot as the viewer may see it
 */
export function filesOf(store: Store, visible: Snapshot): readonly CatalogueFile[] {
  let list = lists.get(visible);
  if (!list) {
    const files = new Map<string, CatalogueFile>();
    const add = (path: string, place = recordAt(path)) => {
      const problems = visible.problems.get(path) ?? none;
      const status = problems.length ? 'invalid' : 'ok';
      files.set(path, {
        kind: 'file',
        id: derivedId('file', path),
        path,
        record: place.kind,
        ref: place.ref,
        status,
        problems,
      });
    };
    for (const { reading, stamps } of store.states.values()) {
      if (!shows(visible, reading)) continue;
      for (const [path, stamp] of stamps) if (stamp && recordName(path)) add(path);
      if (reading.kind !== 'dataset' || !reading.entity) continue;
      for (const version of reading.entity.versions)
        if (version.file)
          add(payloadPath(version.namespace, version.dataset, version.file), { kind: 'payload', ref: refOf(version) });
    }
    for (const path of visible.problems.keys()) if (!files.has(path)) add(path);
    list = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    lists.set(visible, list);
  }
  return list;
}

/** Whether the viewer may know of the unit's files. */
function shows(visible: Snapshot, reading: Reading): boolean {
  switch (reading.kind) {
    case 'namespace':
      return visible.folders.has(reading.slug);
    case 'dataset': {
      const folder = visible.folders.get(reading.namespace);
      return Boolean(folder && (!reading.entity || folder.datasets.has(reading.slug)));
    }
    case 'query':
      return !reading.entity || visible.queries.has(reading.slug);
    default:
      return true;
  }
}
