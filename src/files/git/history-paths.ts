/** Paths whose commits are the history of a record: its current and former paths, as far as the viewer may know them. */

import { datasetFolder, namespaceFolder, payloadPath, recordPaths } from '../../catalogue/layout.ts';
import { owns, type Viewer } from '../../catalogue/permissions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Dataset, Namespace, Version } from '../../catalogue/types.ts';

/**
 * Current and former paths of a namespace, dataset or version.
 * @param whole the whole catalogue
 * @param visible the part that the viewer may see
 */
export function historyPaths(
  entity: Namespace | Dataset | Version,
  viewer: Viewer,
  whole: Snapshot,
  visible: Snapshot,
): readonly string[] {
  switch (entity.kind) {
    case 'namespace': {
      const slugs = namespaceSlugs(entity, whole);
      if (owns(viewer, whole.folders.get(entity.slug))) return slugs.map(namespaceFolder);
      // Not the whole folder: it has the history of private and of removed datasets, too.
      const datasets = [...(visible.folders.get(entity.slug)?.datasets.values() ?? [])];
      const records = slugs.flatMap((slug) => recordPaths({ kind: 'namespace', slug }));
      return [...records, ...datasets.flatMap((dataset) => historyPaths(dataset, viewer, whole, visible))];
    }
    case 'dataset':
      return datasetAddresses(entity, whole).map(([namespace, slug]) => datasetFolder(namespace, slug));
    case 'version': {
      const { file } = entity;
      const dataset = whole.folders.get(entity.namespace)?.datasets.get(entity.dataset);
      return (dataset ? datasetAddresses(dataset, whole) : []).flatMap(([namespace, slug]) => [
        ...recordPaths({ kind: 'version', namespace, dataset: slug, slug: entity.slug }),
        ...(file ? [payloadPath(namespace, slug, file)] : []),
      ]);
    }
  }
}

/** The slug of a namespace, and its former slugs that no other namespace has now. */
function namespaceSlugs({ slug, aliases }: Namespace, { folders }: Snapshot): readonly string[] {
  return [slug, ...aliases.filter((alias) => !folders.has(alias))];
}

/** The address of a dataset (namespace and slug), and its former addresses that no other dataset has now. */
function datasetAddresses(
  { namespace, slug, aliases }: Dataset,
  whole: Snapshot,
): readonly (readonly [string, string])[] {
  const owner = whole.folders.get(namespace)?.namespace;
  const names = owner ? namespaceSlugs(owner, whole) : [namespace];
  const addresses = [slug, ...aliases].flatMap((alias) => {
    const [first = '', second] = alias.split('/');
    return second === undefined ? names.map((name) => [name, first] as const) : [[first, second] as const];
  });
  return addresses.filter(
    ([name, own]) => (name === namespace && own === slug) || !whole.folders.get(name)?.datasets.has(own),
  );
}
