/** Aliases: former names of renamed or moved records, which redirect to the present ones. */
import { type DatasetRef, formatRef, type Ref } from './ref.ts';
import type { Snapshot } from './snapshot.ts';

interface Aliases {
  /** Present slugs, keyed by former slug. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Present namespaces and slugs, keyed by former `<namespace>/<dataset>`. */
  readonly datasets: ReadonlyMap<string, { readonly namespace: string; readonly slug: string }>;
}

const aliasesByFolders = new WeakMap<Snapshot['folders'], Aliases>();

function aliasesOf({ folders }: Snapshot): Aliases {
  let aliases = aliasesByFolders.get(folders);
  if (!aliases) {
    const namespaces = new Map<string, string>();
    const datasets = new Map<string, { namespace: string; slug: string }>();
    for (const [slug, folder] of folders) {
      for (const alias of folder.namespace?.aliases ?? []) namespaces.set(alias, slug);
      for (const dataset of folder.datasets.values())
        for (const alias of dataset.aliases) datasets.set(alias.includes('/') ? alias : `${slug}/${alias}`, dataset);
    }
    aliases = { namespaces, datasets };
    aliasesByFolders.set(folders, aliases);
  }
  return aliases;
}

/**
 * The present reference of the record that formerly had this one.
 * @returns undefined if no record has it as an alias
 */
export function resolveAlias(snapshot: Snapshot, ref: Ref): Ref | undefined {
  const { namespaces, datasets } = aliasesOf(snapshot);
  if (ref.kind === 'namespace') {
    const slug = namespaces.get(ref.slug);
    return slug === undefined ? undefined : { kind: 'namespace', slug };
  }
  if (ref.kind === 'query') {
    for (const { slug, aliases } of snapshot.queries.values()) if (aliases.includes(ref.slug)) return { ...ref, slug };
  }
  if (ref.kind === 'group') {
    for (const { slug, aliases } of snapshot.groups.values()) if (aliases.includes(ref.slug)) return { ...ref, slug };
  }
  if (ref.kind !== 'dataset' && ref.kind !== 'version') return undefined;
  let place = ref.kind === 'dataset' ? ref : { namespace: ref.namespace, slug: ref.dataset };
  // A dataset may have been renamed, its namespace renamed, and then the dataset moved. The number of steps is limited,
  // since aliases may form a cycle.
  for (let step = 0; step < 8; step++) {
    const next: { namespace: string; slug: string } | undefined =
      datasets.get(`${place.namespace}/${place.slug}`) ?? renamed(namespaces, place);
    if (!next) return undefined;
    place = next;
    if (!snapshot.folders.get(place.namespace)?.datasets.has(place.slug)) continue;
    const { namespace, slug } = place;
    return ref.kind === 'dataset'
      ? { kind: 'dataset', namespace, slug }
      : { kind: 'version', namespace, dataset: slug, slug: ref.slug };
  }
  return undefined;
}

/**
 * The dataset at the address `<namespace>/<dataset>`, or else the one that was moved from it: an alias has no effect while
 * a dataset has the address. So it must be found in the whole snapshot: whether a viewer may see it is a second question.
 */
export function findDatasetAtAddress(snapshot: Snapshot, address: string): DatasetRef | undefined {
  const [namespace = '', slug = ''] = address.split('/');
  const ref = { kind: 'dataset', namespace, slug } as const;
  if (snapshot.folders.get(namespace)?.datasets.has(slug)) return ref;
  return resolveAlias(snapshot, ref) as DatasetRef | undefined;
}

function renamed(namespaces: ReadonlyMap<string, string>, place: { namespace: string; slug: string }) {
  const namespace = namespaces.get(place.namespace);
  return namespace === undefined ? undefined : { namespace, slug: place.slug };
}

/**
 * The aliases of a record after a move: the former ones and its old name, without its new name. Of a dataset that leaves a
 * namespace, also the addresses that it had by former names of that namespace: they must not end when the namespace does.
 * @param written value of `aliases` in the record, valid or not; for a dataset, a slug alone is relative to its namespace
 * @param before the snapshot before the move
 */
export function aliasesAfterMove(written: unknown, from: Ref, to: Ref, before: Snapshot): string[] {
  const aliases = Array.isArray(written) ? written.map(String) : [];
  if (from.kind !== 'dataset' || to.kind !== 'dataset')
    return [...new Set([...aliases, from.slug])].filter((alias) => alias !== to.slug);
  const full = [...aliases, from.slug].map((alias) => (alias.includes('/') ? alias : `${from.namespace}/${alias}`));
  const others = from.namespace === to.namespace ? [] : addressesByFormerNames(full, from.namespace, before);
  const kept = [...new Set([...full, ...others])].filter((alias) => alias !== formatRef(to));
  const prefix = `${to.namespace}/`;
  return kept.map((alias) => (alias.startsWith(prefix) ? alias.slice(prefix.length) : alias));
}

/** The addresses in a namespace, by each former name of it that no other namespace has now. */
function addressesByFormerNames(addresses: readonly string[], namespace: string, { folders }: Snapshot): string[] {
  const former = folders.get(namespace)?.namespace?.aliases.filter((name) => !folders.has(name)) ?? [];
  const slugs = addresses
    .filter((one) => one.startsWith(`${namespace}/`))
    .map((one) => one.slice(namespace.length + 1));
  return former.flatMap((name) => slugs.map((slug) => `${name}/${slug}`));
}
