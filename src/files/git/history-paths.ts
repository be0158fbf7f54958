/** Where the history of a thing lies: the paths that it has and had, as far as the viewer may know of them. */

import { datasetFolder, namespaceFolder, payloadPath, recordPaths } from '../../catalogue/layout.ts';
import { owns, type Viewer } from '../../catalogue/permissions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Dataset, Namespace, Version } from '../../catalogue/types.ts';

/**
 * @param whole the catalogue as it is
 * @param visible the catalogue as the viewer sees it
 */
export function historyPaths(
  thing: Namespace | Dataset | Version,
  viewer: Viewer,
  whole: Snapshot,
  visible: Snapshot,
): readonly string[] {
  switch (thing.kind) {
    case 'namespace': {
      const slugs = namesOf(thing, whole);
      if (owns(viewer, whole.folders.get(thing.slug))) return slugs.map(namespaceFolder);
      // What is private there has a history of its own, and so has what was removed: nobody knows who might see it.
      const datasets = [...(visible.folders.get(thing.slug)?.datasets.values() ?? [])];
      const records = slugs.flatMap((slug) => recordPaths({ kind: 'namespace', slug }));
      return [...records, ...datasets.flatMap((dataset) => historyPaths(dataset, viewer, whole, visible))];
    }
    case 'dataset':
      return homesOf(thing, whole).map(([namespace, slug]) => datasetFolder(namespace, slug));
    case 'version': {
      const { slug, file } = thing;
      const dataset = whole.folders.get(thing.namespace)?.datasets.get(thing.dataset);
      return (dataset ? homesOf(dataset, whole) : []).flatMap(([namespace, home]) => [
        ...recordPaths({ kind: 'version', namespace, dataset: home, slug }),
        ...(file ? [payloadPath(namespace, home, file)] : []),
      ]);
    }
  }
}

/** The slug of a namespace, and those that it had and nothing else has now. */
function namesOf({ slug, aliases }: Namespace, { folders }: Snapshot): readonly string[] {
  return [slug, ...aliases.filter((alias) => !folders.has(alias))];
}

/** The address of a dataset, and those that it had and nothing else has now. */
function homesOf({ namespace, slug, aliases }: Dataset, whole: Snapshot): readonly (readonly [string, string])[] {
  const home = whole.folders.get(namespace)?.namespace;
  const names = home ? namesOf(home, whole) : [namespace];
  const addresses = [slug, ...aliases].flatMap((alias) => {
    const [first = '', second] = alias.split('/');
    return second === undefined ? names.map((name) => [name, first] as const) : [[first, second] as const];
  });
  return addresses.filter(
    ([name, own]) => (name === namespace && own === slug) || !whole.folders.get(name)?.datasets.has(own),
  );
}
