/** Finding entities in a snapshot. */
import { resolveAlias } from './aliases.ts';
import { MovedError, NotFoundError } from './errors.ts';
import { latestReadyVersion } from './ready-versions.ts';
import type { Ref, Refs } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Dataset, Entities, Kind } from './types.ts';

/**
 * The entity at a reference; of a version `latest`, the newest ready one.
 * @throws MovedError if it was renamed or moved; NotFoundError
 */
export function getEntity<K extends Exclude<Kind, 'file'>>(snapshot: Snapshot, ref: Refs[K]): Entities[K] {
  const found = findEntity(snapshot, ref);
  if (found) return found as Entities[K];
  const to = resolveAlias(snapshot, ref);
  throw to ? new MovedError(to) : new NotFoundError();
}

/**
 * The entity at a reference; undefined if there is none.
 * @throws NotFoundError for `latest` of a dataset without data
 */
export function findEntity<K extends Exclude<Kind, 'file'>>(snapshot: Snapshot, ref: Refs[K]): Entities[K] | undefined {
  return entityAt(snapshot, ref) as Entities[K] | undefined;
}

function entityAt(snapshot: Snapshot, ref: Ref): Entities[Kind] | undefined {
  switch (ref.kind) {
    case 'namespace':
      return snapshot.folders.get(ref.slug)?.namespace ?? undefined;
    case 'dataset':
      return snapshot.folders.get(ref.namespace)?.datasets.get(ref.slug);
    case 'version': {
      const dataset = snapshot.folders.get(ref.namespace)?.datasets.get(ref.dataset);
      if (!dataset) return undefined;
      if (ref.slug === 'latest') return latestReadyVersion(dataset) ?? throwMissingData(dataset);
      return dataset.versions.find(({ slug }) => slug === ref.slug);
    }
    case 'group':
      return snapshot.groups.get(ref.slug);
    case 'user':
      return snapshot.users.get(ref.slug);
    case 'query':
      return snapshot.queries.get(ref.slug);
    default:
      return undefined;
  }
}

function throwMissingData(dataset: Dataset): never {
  throw new NotFoundError(dataset.versions.length ? 'No version of this dataset is ready.' : 'Not found.');
}
