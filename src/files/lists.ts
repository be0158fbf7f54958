/** Lists of a snapshot, a page at a time. */
import type { ListOptions, Page } from '../catalogue/catalogue.ts';
import { compareValues } from '../catalogue/compare.ts';
import { pageAfterCursor } from '../catalogue/cursor.ts';
import { filterEntities, type ListedKind, listPageInSteps, paginate } from '../catalogue/listing.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import { compareByKeys, type Key, keysOf } from '../catalogue/sorted-lists.ts';
import { type Steps, sortInSteps } from '../catalogue/steps.ts';
import type { CatalogueFile, Entities, Kind } from '../catalogue/types.ts';
import { listVisibleFiles } from './files-list.ts';
import { runStepsInSlices } from './reading/event-loop.ts';
import type { UnitStore } from './reading/unit-store.ts';

export { getVisibleFile, listProblemsIn } from './files-list.ts';

/** A page of the entities of a kind. @param snapshot what the viewer may see */
export async function listSnapshot<K extends Kind>(
  kind: K,
  snapshot: Snapshot,
  store: UnitStore,
  options: ListOptions,
): Promise<Page<Entities[K]>> {
  if (kind !== 'file') {
    const steps: Steps<Page<Entities[ListedKind]>> = listPageInSteps(snapshot, kind as ListedKind, options);
    return (await runStepsInSlices(steps)) as Page<Entities[K]>;
  }
  const keys = [...keysOf('file', options.ordering), byPath];
  const files = await runStepsInSlices(filterVisibleFiles(store, snapshot, options, keys));
  if (options.cursor !== undefined) {
    const values = keys.map(({ name, value }) => ({ value, isDescending: name.startsWith('-') }));
    return pageAfterCursor(files, options, snapshot.settings, values, compareValues) as Page<Entities[K]>;
  }
  return paginate(files, options, snapshot.settings) as Page<Entities[K]>;
}

const byPath = { name: 'path', value: ({ path }: CatalogueFile) => path } as Key;

function* filterVisibleFiles(
  store: UnitStore,
  snapshot: Snapshot,
  options: ListOptions,
  keys: readonly Key[],
): Steps<readonly CatalogueFile[]> {
  const found = yield* filterEntities('file', yield* listVisibleFiles(store, snapshot), options);
  // They are sorted by path.
  return keys[0] === byPath ? found : yield* sortInSteps(found, compareByKeys(keys));
}
