/** Lists of a snapshot, a page at a time. */
import type { ListOptions, Page } from '../catalogue/catalogue.ts';
import { compareValues } from '../catalogue/compare.ts';
import { pageAfterCursor } from '../catalogue/cursor.ts';
import { filterEntities, type ListedKind, listPageInSteps, paginate } from '../catalogue/listing.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Steps } from '../catalogue/steps.ts';
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
  const files = await runStepsInSlices(filterVisibleFiles(store, snapshot, options));
  if (options.cursor !== undefined) {
    const byPath = [{ value: ({ path }: CatalogueFile) => path, isDescending: false }];
    return pageAfterCursor(files, options, snapshot.settings, byPath, compareValues) as Page<Entities[K]>;
  }
  return paginate(files, options, snapshot.settings) as Page<Entities[K]>;
}

function* filterVisibleFiles(
  store: UnitStore,
  snapshot: Snapshot,
  options: ListOptions,
): Steps<readonly CatalogueFile[]> {
  return yield* filterEntities('file', yield* listVisibleFiles(store, snapshot), options);
}
