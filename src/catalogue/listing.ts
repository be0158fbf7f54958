/** Lists of the entities in a snapshot: filtered, searched, sorted, in pages. */
import type { ListOptions, Page } from './catalogue.ts';
import { compareValues } from './compare.ts';
import { pageAfterCursor } from './cursor.ts';
import { datasetsOfNamespace, datasetsWithKeyword } from './dataset-positions.ts';
import { NotFoundError } from './errors.ts';
import { countFacets, type Facets, facetNames } from './facets.ts';
import { type FilterTest, filterTests, orderFields } from './filters.ts';
import { getEntity } from './lookup.ts';
import { findItemsWithTerms, foldSearchTexts, makeRelevanceScore, makeSearchTest, searchTerms } from './search.ts';
import { previousSnapshotOf, type Snapshot, SnapshotCache, unrestrictedSnapshotOf } from './snapshot.ts';
import type { CatalogueFile, Dataset, Entities, Entity, Kind, Settings, Version } from './types.ts';

/** Kinds of entities in a snapshot. (The list of files is in `files/files-list.ts`.) */
export type ListedKind = Exclude<Kind, 'file'>;

/** All entities of a kind, in no particular order. */
export function allEntities<K extends ListedKind>(snapshot: Snapshot, kind: K): Iterable<Entities[K]> {
  return entitiesByKind[kind](snapshot) as Iterable<Entities[K]>;
}

const entitiesByKind: { [K in ListedKind]: (snapshot: Snapshot) => Iterable<Entities[K]> } = {
  *namespace(snapshot) {
    for (const { namespace } of snapshot.folders.values()) if (namespace) yield namespace;
  },
  *dataset(snapshot) {
    for (const { datasets } of snapshot.folders.values()) yield* datasets.values();
  },
  *version(snapshot) {
    for (const { datasets } of snapshot.folders.values())
      for (const dataset of datasets.values()) yield* dataset.versions;
  },
  group: (snapshot) => snapshot.groups.values(),
  user: (snapshot) => snapshot.users.values(),
  query: (snapshot) => snapshot.queries.values(),
};

/**
 * One page of a list.
 * @throws NotFoundError if the page, or the namespace or dataset in the options, doesn't exist; MovedError if that was
 *   renamed or moved; ValidationError if a filter doesn't allow a value
 */
export function listPage<K extends ListedKind>(snapshot: Snapshot, kind: K, options: ListOptions): Page<Entities[K]> {
  const { settings } = snapshot;
  const items = itemsToFilter(snapshot, kind, options);
  const searched = options.search ? entitiesToSearch(snapshot, kind) : [];
  const { found, facets } = findWithFacets(kind, items as readonly Entities[K][], options, searched);
  const score =
    isByRelevance(options) && searchTerms(options.search).length ? makeRelevanceScore(options.search) : undefined;
  const ranked = score ? sortByScore(found, score) : found;
  if (options.cursor === undefined) return { ...paginate(ranked, options, settings), ...(facets && { facets }) };
  const keys: readonly Key[] = [
    ...(score ? [{ name: '-relevance', value: score }] : []),
    ...[...keysOf(kind, options.ordering), ...usualKeys(kind, settings), { name: 'address', value: addressOf }],
  ];
  const values = keys.map(({ name, value }) => ({ value, isDescending: name.startsWith('-') }));
  return pageAfterCursor(ranked, options, settings, values, compareValues);
}

/** Number of items up to which those of a namespace or dataset are sorted by themselves. */
const fewToSort = 200;

/** The items of the scope in the options, sorted; perhaps without some that the filters leave out. */
function itemsToFilter(snapshot: Snapshot, kind: ListedKind, options: ListOptions): readonly Entity[] {
  const within = scopeOf(snapshot, kind, options);
  if (within) {
    const items = [...within];
    return kind === 'dataset' && items.length > fewToSort
      ? datasetsOfNamespace(sorted(snapshot, kind, options.ordering), options.namespace ?? '')
      : items.sort(comparison(kind, options.ordering, snapshot.settings));
  }
  const all = sorted(snapshot, kind, options.ordering);
  const keywords = options.filters?.keyword?.filter((keyword) => keyword !== '') ?? [];
  // Facets count what the filter leaves out, and a search finds its items among all.
  const isWhole = kind !== 'dataset' || options.facets || options.search || keywords.length === 0;
  return isWhole ? all : datasetsWithKeyword(all, keywords);
}

/** The items that match the filters and the search, and their facets if those are asked for: all from one search. */
function findWithFacets<K extends ListedKind>(
  kind: K,
  items: readonly Entities[K][],
  options: ListOptions,
  searched: readonly (readonly object[])[],
): { readonly found: readonly Entities[K][]; readonly facets?: Facets } {
  if (!options.facets || kind !== 'dataset') return { found: filterEntities(kind, items, options, searched) };
  const entries = Object.entries(options.filters ?? {});
  const isFacet = ([name]: readonly [string, unknown]) => (facetNames as readonly string[]).includes(name);
  const others = Object.fromEntries(entries.filter((entry) => !isFacet(entry)));
  const tests = entries.filter(isFacet).flatMap(([name, wanted]) => {
    const values = wanted.filter((value) => value !== '');
    const test = (filterTests.dataset as Readonly<Record<string, FilterTest<Dataset>>>)[name];
    return values.length && test ? [[name, test(name, values)] as const] : [];
  });
  const candidates = filterEntities('dataset', items as readonly Dataset[], { ...options, filters: others }, searched);
  const found = tests.length ? candidates.filter((item) => tests.every(([, test]) => test(item))) : candidates;
  const facets = countFacets(candidates, Object.fromEntries(tests), options.updatedSince);
  return { found: found as readonly Entities[K][], facets };
}

/** The items with the highest score first; those of equal scores stay in their order. */
const sortByScore = <T>(items: readonly T[], score: (item: T) => number): readonly T[] =>
  items
    .map((item) => ({ item, score: score(item) }))
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);

const isByRelevance = ({ ordering = '' }: ListOptions) =>
  ordering.split(',').some((name) => name.trim() === 'relevance');

/** Number of items up to which a search folds their texts, rather than finding them among all. */
const few = 100;

const searchedLists = new SnapshotCache<readonly (readonly Entity[])[]>(8);

/**
 * The lists in which entities of a snapshot are searched. For a part, they are the list of the whole snapshot, of which all
 * viewers share the folded texts, and the entities that are others in the part. What isn't in the part has no effect.
 */
function entitiesToSearch(snapshot: Snapshot, kind: ListedKind): readonly (readonly Entity[])[] {
  return searchedLists.getOrMake(snapshot, kind, () => {
    const whole = unrestrictedSnapshotOf(snapshot);
    const all = sorted(snapshot, kind, undefined);
    if (!whole) return [all];
    const shared = entitiesToSearch(whole, kind);
    const known = new Set(shared.flat());
    const own = all.filter((item) => !known.has(item));
    return own.length ? [...shared, own] : shared;
  });
}

/** Folds the texts that a search needs, if one is asked for, in steps that let other requests have their turn. */
export function* prepareSearch(snapshot: Snapshot, kind: ListedKind, { search }: ListOptions): Generator<void> {
  if (searchTerms(search).length)
    for (const list of entitiesToSearch(snapshot, kind)) yield* foldSearchTexts(kind, list);
}

/**
 * The items that match the filters and the search.
 * @param searched lists that contain the items, of which the folded texts are kept
 */
export function filterEntities<K extends Kind>(
  kind: K,
  items: readonly Entities[K][],
  options: ListOptions,
  searched: readonly (readonly object[])[] = [items],
): readonly Entities[K][] {
  const tests: ((item: Entities[K]) => boolean)[] = [];
  for (const [field, wanted] of Object.entries(options.filters ?? {})) {
    const known = filterTests[kind] as Readonly<Record<string, FilterTest<Entities[K]>>>;
    const facet = Object.hasOwn(known, field) ? known[field] : undefined;
    const values = wanted.filter((value) => value !== '');
    if (facet && values.length) tests.push(facet(field, values));
  }
  const terms = searchTerms(options.search);
  let candidates = items;
  if (terms.length && items.length <= few) tests.push(makeSearchTest(kind, terms));
  else if (terms.length) {
    const found = searched.map((list) => findItemsWithTerms(kind, list, terms));
    if (searched.length === 1 && searched[0] === items) candidates = found[0] as readonly Entities[K][];
    else {
      const matches = new Set<object>(found.flat());
      candidates = matches.size ? items.filter((item) => matches.has(item)) : [];
    }
  }
  return tests.length ? candidates.filter((item) => tests.every((test) => test(item))) : candidates;
}

/**
 * One page of the items. An empty list has page 1.
 * @throws NotFoundError if there is no such page
 */
export function paginate<T>(items: readonly T[], options: ListOptions, settings: Settings): Page<T> {
  const pageSize = Math.min(options.pageSize ?? settings.page_size, settings.max_page_size);
  const pages = Math.max(1, Math.ceil(items.length / pageSize));
  const page = options.page === 'last' ? pages : (options.page ?? 1);
  if (!(page >= 1 && page <= pages)) throw new NotFoundError('Invalid page.');
  return { count: items.length, page, pages, pageSize, items: items.slice((page - 1) * pageSize, page * pageSize) };
}

/** The entities of the namespace or dataset in the options; null if the whole kind is listed. */
function scopeOf(snapshot: Snapshot, kind: ListedKind, { namespace, dataset }: ListOptions): Iterable<Entity> | null {
  if (namespace === undefined) return null;
  if (dataset === undefined && kind === 'dataset') {
    getEntity(snapshot, { kind: 'namespace', slug: namespace });
    return snapshot.folders.get(namespace)?.datasets.values() ?? [];
  }
  if (dataset === undefined || kind !== 'version') throw new NotFoundError();
  return getEntity<'dataset'>(snapshot, { kind: 'dataset', namespace, slug: dataset }).versions;
}

type Compare = (a: Entity, b: Entity) => number;

/**
 * Compares by the fields of an ordering, of which unknown ones are ignored; then by the default ordering; then by address,
 * so that the order of equal entities never depends on the order of reading.
 */
function comparison(kind: ListedKind, ordering: string | undefined, settings: Settings): Compare {
  const wanted = compareByKeys(keysOf(kind, ordering));
  const usual = compareByKeys(usualKeys(kind, settings));
  return (a, b) => wanted(a, b) || usual(a, b) || compareValues(addressOf(a), addressOf(b));
}

/** The keys of the default ordering: versions are listed newest first. */
const usualKeys = (kind: ListedKind, settings: Settings) =>
  kind === 'version' ? newestFirstKeys : keysOf(kind, settings.ordering);

const newestFirstKeys: readonly Key[] = [
  { name: '-datetime', value: (version) => (version as Version).datetime },
  { name: '-slug', value: ({ slug }: Exclude<Entity, CatalogueFile>) => slug } as Key,
];

/** The parts of an address, separated by spaces, which sort before every character of a slug. */
function addressOf(entity: Entity): string {
  const { namespace = '', dataset = '', slug = '' } = entity as { namespace?: string; dataset?: string; slug?: string };
  return `${namespace} ${dataset} ${slug}`;
}

interface Key {
  readonly name: string;
  readonly value: (entity: Entity) => string | number;
}

function keysOf(kind: ListedKind, ordering = ''): readonly Key[] {
  const fields = orderFields[kind] as Readonly<Record<string, (entity: never) => string | number>>;
  return ordering
    .split(',')
    .map((name) => name.trim())
    .flatMap((name) => {
      const value = Object.hasOwn(fields, name.replace(/^-/, '')) && fields[name.replace(/^-/, '')];
      return value ? [{ name, value: value as Key['value'] }] : [];
    });
}

function compareByKeys(keys: readonly Key[]): Compare {
  return (a, b) => {
    for (const { name, value } of keys) {
      const order = compareValues(value(a), value(b));
      if (order !== 0) return name.startsWith('-') ? -order : order;
    }
    return 0;
  };
}

/** Sorted lists, keyed by kind and ordering. Few are kept, since clients may ask for any ordering. */
const sortedLists = new SnapshotCache<readonly Entity[]>(16);

/** All entities of a kind, sorted. */
function sorted(snapshot: Snapshot, kind: ListedKind, ordering: string | undefined): readonly Entity[] {
  const keys = keysOf(kind, ordering).map(({ name }) => name);
  const name = `${kind}:${keys.join(',')}`;
  return sortedLists.getOrMake(snapshot, name, () => {
    const whole = unrestrictedSnapshotOf(snapshot);
    if (whole) return intersection(sorted(whole, kind, ordering), allEntities(snapshot, kind));
    return sortFrom(precedingList(snapshot, name), snapshot, kind, ordering);
  });
}

/** The items that are in the set, or whose replacements with the same address are, in their order. */
function intersection(items: readonly Entity[], set: Iterable<Entity>): readonly Entity[] {
  const wanted = new Set(set);
  const same = items.filter((item) => wanted.has(item));
  if (same.length === wanted.size) return same;
  const byAddress = new Map([...wanted].map((item) => [addressOf(item), item]));
  return items.flatMap((item) => byAddress.get(addressOf(item)) ?? []);
}

/** The same list of the latest preceding snapshot that has it; empty if there is none. */
function precedingList(snapshot: Snapshot, name: string): readonly Entity[] {
  for (let before = previousSnapshotOf(snapshot); before; before = previousSnapshotOf(before)) {
    const items = sortedLists.get(before, name);
    if (items) return items;
  }
  return [];
}

/**
 * Sorts all entities of a kind.
 * @param start a sorted list of an earlier snapshot: sorting a list that is nearly sorted takes one pass
 */
function sortFrom(
  start: readonly Entity[],
  snapshot: Snapshot,
  kind: ListedKind,
  ordering: string | undefined,
): readonly Entity[] {
  const others = new Set<Entity>(allEntities(snapshot, kind));
  const unchanged = start.filter((item) => others.delete(item));
  return [...unchanged, ...others].sort(comparison(kind, ordering, snapshot.settings));
}
