/** Aliases: former names of renamed or moved records, which redirect to the present ones. */
import { type DatasetRef, formatRef, type Ref } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Dataset } from './types.ts';

interface Aliases {
  /** Present slugs, keyed by former slug. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Present namespaces and slugs, keyed by former `<namespace>/<dataset>`. */
  readonly datasets: ReadonlyMap<string, { readonly namespace: string; readonly slug: string }>;
}

/** A record or its reference; only a dataset has a namespace here. */
interface RecordAddress {
  readonly slug: string;
  readonly namespace?: string;
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
        for (const alias of dataset.aliases) datasets.set(addressOfAlias(dataset, alias), dataset);
    }
    aliases = { namespaces, datasets };
    aliasesByFolders.set(folders, aliases);
  }
  return aliases;
}

/** The address that a record had by an alias: of a dataset, a slug alone is relative to its namespace. */
export const addressOfAlias = (record: RecordAddress, alias: string): string =>
  record.namespace === undefined || alias.includes('/') ? alias : `${record.namespace}/${alias}`;

/** The slugs that a dataset formerly had, in its namespace or in another. */
export function formerSlugs({ slug, aliases }: Pick<Dataset, 'slug' | 'aliases'>): readonly string[] {
  const names = aliases.map((alias) => alias.split('/')).filter(({ length }) => length <= 2);
  return [...new Set(names.map((parts) => parts.at(-1) ?? ''))].filter((former) => former !== slug);
}

/**
 * The present reference of the record that formerly had this one. Of several records that have it as an alias, the last one.
 * @returns undefined if no record has it as an alias
 */
export function resolveAlias(snapshot: Snapshot, ref: Ref): Ref | undefined {
  const { namespaces, datasets } = aliasesOf(snapshot);
  if (ref.kind === 'namespace') {
    const slug = namespaces.get(ref.slug);
    return slug === undefined ? undefined : { kind: 'namespace', slug };
  }
  if (ref.kind === 'query' || ref.kind === 'group') {
    const records = ref.kind === 'query' ? snapshot.queries : snapshot.groups;
    const found = [...records.values()].findLast(({ aliases }) => aliases.includes(ref.slug));
    return found && { ...ref, slug: found.slug };
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
  const full = [...aliases, from.slug].map((alias) => addressOfAlias(from, alias));
  const others = from.namespace === to.namespace ? [] : addressesByFormerNames(full, from.namespace, before);
  const kept = [...new Set([...full, ...others])].filter((alias) => alias !== formatRef(to));
  const prefix = `${to.namespace}/`;
  return kept.map((alias) => (alias.startsWith(prefix) ? alias.slice(prefix.length) : alias));
}

/** The addresses that a move gives to a record as former ones. Other records that had them must give them up. */
export function addressesGivenByMove(aliases: readonly string[], from: Ref, to: Ref, before: Snapshot): string[] {
  const known = aliases.map((alias) => addressOfAlias(from, alias));
  const after = aliasesAfterMove(aliases, from, to, before).map((alias) => addressOfAlias(to, alias));
  return after.filter((address) => !known.includes(address));
}

/**
 * The aliases in a record without those that mean one of some addresses; undefined if none is left.
 * @param written value of `aliases` in the record, valid or not
 */
export function aliasesWithout(
  written: unknown,
  record: RecordAddress,
  addresses: readonly string[],
): string[] | undefined {
  const aliases = Array.isArray(written) ? written.map(String) : [];
  const kept = aliases.filter((alias) => !addresses.includes(addressOfAlias(record, alias)));
  return kept.length ? kept : undefined;
}

/** The addresses in a namespace, by each former name of it that no other namespace has now. */
function addressesByFormerNames(addresses: readonly string[], namespace: string, { folders }: Snapshot): string[] {
  const former = folders.get(namespace)?.namespace?.aliases.filter((name) => !folders.has(name)) ?? [];
  const slugs = addresses
    .filter((one) => one.startsWith(`${namespace}/`))
    .map((one) => one.slice(namespace.length + 1));
  return former.flatMap((name) => slugs.map((slug) => `${name}/${slug}`));
}
