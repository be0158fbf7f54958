/**
 * Audiences: the viewers who may see a record of the feed of changes, as a text that can be stored. `*` is everybody; other
 * audiences are the slugs of groups and the users (`user:<username>`), with spaces between them. Staff are in each.
 */
import { findDatasetAtAddress } from './aliases.ts';
import { listNamespaceReaders } from './people.ts';
import type { Viewer } from './permissions.ts';
import { type DatasetRef, formatUserReader, type NamespaceRef, type QueryRef } from './ref.ts';
import type { Folder, Snapshot } from './snapshot.ts';

const everybody = '*';

/** Rights of a viewer, by which audiences are decided. */
export type Rights = Pick<Viewer, 'username' | 'groups' | 'staff'>;

/** The audience of a record; null if nobody may see it, or there is none. It is that of `restrictSnapshotToVisible`. */
export function audienceOfRecord(snapshot: Snapshot, ref: NamespaceRef | DatasetRef | QueryRef): string | null {
  switch (ref.kind) {
    case 'namespace':
      return namespaceAudience(snapshot.folders.get(ref.slug));
    case 'dataset':
      return datasetAudience(snapshot, ref);
    case 'query':
      return queryAudience(snapshot, ref);
  }
}

function namespaceAudience(folder: Folder | undefined): string | null {
  if (!folder?.namespace) return null;
  const { visibility, owners } = folder.namespace;
  return visibility === 'public' ? everybody : audience(owners, listNamespaceReaders(folder));
}

function datasetAudience(snapshot: Snapshot, { namespace: slug, slug: name }: Omit<DatasetRef, 'kind'>): string | null {
  const { namespace, datasets } = snapshot.folders.get(slug) ?? {};
  const dataset = datasets?.get(name);
  if (!namespace || !dataset) return null;
  if (namespace.visibility === 'public' && dataset.visibility === 'public') return everybody;
  return audience(namespace.owners, namespace.readers, dataset.readers);
}

/** A query is seen by those who see its dataset; one of a draft, or without a dataset, by the owners of its namespace. */
function queryAudience(snapshot: Snapshot, { slug }: QueryRef): string | null {
  const query = snapshot.queries.get(slug);
  if (!query) return null;
  const dataset = findDatasetAtAddress(snapshot, query.dataset);
  const namespace = dataset?.namespace ?? query.dataset.split('/')[0] ?? '';
  const folder = snapshot.folders.get(namespace);
  const versions = dataset && folder?.datasets.get(dataset.slug)?.versions;
  const isOfDraft = versions?.some(({ slug, draft }) => draft && slug === query.version);
  const isOfOwners = !dataset || (isOfDraft && folder?.namespace);
  return isOfOwners ? audience(folder?.namespace?.owners ?? []) : datasetAudience(snapshot, dataset);
}

const audience = (...names: readonly Iterable<string>[]): string =>
  [...new Set(names.flatMap((some) => [...some]))].sort().join(' ');

/** True if a viewer is in an audience. */
export function isInAudience(text: string | null, { username, groups, staff }: Rights): boolean {
  if (text === null) return false;
  if (staff || text === everybody) return true;
  if (username === null) return false;
  const user = formatUserReader(username);
  return text.split(' ').some((name) => name === user || groups.includes(name));
}
