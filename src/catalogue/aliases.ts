/** Former addresses: what was renamed or moved keeps its old address, which leads to the new one. */
import type { CreatableKind } from './catalogue.ts';
import { formatRef, type Ref, type Refs } from './ref.ts';
import type { Snapshot } from './snapshot.ts';

interface Aliases {
  /** Former slug → slug. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Former `<namespace>/<dataset>` → the dataset's place. */
  readonly datasets: ReadonlyMap<string, { readonly namespace: string; readonly slug: string }>;
}

const known = new WeakMap<Snapshot['folders'], Aliases>();

function aliasesOf({ folders }: Snapshot): Aliases {
  let aliases = known.get(folders);
  if (!aliases) {
    const namespaces = new Map<string, string>();
    const datasets = new Map<string, { namespace: string; slug: string }>();
    for (const [slug, folder] of folders) {
      for (const alias of folder.namespace?.aliases ?? []) namespaces.set(alias, slug);
      for (const dataset of folder.datasets.values())
        for (const alias of dataset.aliases) datasets.set(alias.includes('/') ? alias : `${slug}/${alias}`, dataset);
    }
    aliases = { namespaces, datasets };
    known.set(folders, aliases);
  }
  return aliases;
}

/**
 * Where the resource that had this address is now.
 * @returns undefined where nothing ever had it, or where the address needs no redirect
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
  // A dataset may have been renamed, its namespace too, and then moved: follow a few steps, never a circle.
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

function renamed(namespaces: ReadonlyMap<string, string>, place: { namespace: string; slug: string }) {
  const namespace = namespaces.get(place.namespace);
  return namespace === undefined ? undefined : { namespace, slug: place.slug };
}

/**
 * Aliases after a move: those so far and the address that the record leaves, without the one it moves to.
 * @param now as written in the record; those of a dataset may be slugs alone, which count within its namespace
 */
export function aliasesAfterMove(now: unknown, from: Refs[CreatableKind], to: Refs[CreatableKind]): string[] {
  const aliases = Array.isArray(now) ? now.map(String) : [];
  if (from.kind !== 'dataset' || to.kind !== 'dataset')
    return [...new Set([...aliases, from.slug])].filter((alias) => alias !== to.slug);
  const full = [...aliases, from.slug].map((alias) => (alias.includes('/') ? alias : `${from.namespace}/${alias}`));
  const kept = [...new Set(full)].filter((alias) => alias !== formatRef(to));
  const prefix = `${to.namespace}/`;
  return kept.map((alias) => (alias.startsWith(prefix) ? alias.slice(prefix.length) : alias));
}
