/** Lists of the entities in a snapshot: filtered, searched, sorted, in pages. */
import type { ListOptions, Page } from './catalogue.ts';
import { compareValues } from './compare.ts';
import { pageAfterCursor, pageSizeOf } from './cursor.ts';
import { datasetsOfNamespace, datasetsWithKeyword } from './dataset-positions.ts';
import { NotFoundError } from './errors.ts';
import { countFacets, type Facets, facetNames } from './facets.ts';
import { type FilterTest, filterTests } from './filters.ts';
import { getEntity } from './lookup.ts';
import { findItemsWithTerms, foldSearchTexts, makeRelevanceScore, makeSearchTest, searchTerms } from './search.ts';
import { type Snapshot, SnapshotCache, unrestrictedSnapshotOf } from './snapshot.ts';
import { addressOf, comparison, type Key, keysOf, type ListedKind, sorted, usualKeys } from './sorted-lists.ts';
import { eachInSteps, filterInSteps, runAtOnce, SharedSteps, type Steps, setInSteps, sortInSteps } from './steps.ts';
import type { Dataset, Entities, Entity, Kind, Settings } from './types.ts';

export { allEntities, type ListedKind } from './sorted-lists.ts';

/**
 * One page of a list, in steps that let other requests have their turn.
 * @throws NotFoundError if the page, or the namespace or dataset in the options, doesn't exist; MovedError if that was
 *   renamed or moved; ValidationError if a filter doesn't allow a value
 */
export function* listPageInSteps<K extends ListedKind>(
  snapshot: Snapshot,
  kind: K,
  options: ListOptions,
): Steps<Page<Entities[K]>> {
  const { settings } = snapshot;
  const items = yield* itemsToFilter(snapshot, kind, options);
  const searched = options.search ? yield* entitiesToSearch(snapshot, kind) : [];
  const { found, facets } = yield* findWithFacets(kind, items as readonly Entities[K][], options, searched);
  const score =
    isByRelevance(options) && searchTerms(options.search).length ? makeRelevanceScore(options.search) : undefined;
  const ranked = score ? yield* sortByScore(found, score) : found;
  if (options.cursor === undefined) return { ...paginate(ranked, options, settings), ...(facets && { facets }) };
  const keys: readonly Key[] = [
    ...(score ? [{ name: '-relevance', value: score }] : []),
    ...[...keysOf(kind, options.ordering), ...usualKeys(kind, settings), { name: 'address', value: addressOf }],
  ];
  const values = keys.map(({ name, value }) => ({ value, isDescending: name.startsWith('-') }));
  return { ...pageAfterCursor(ranked, options, settings, values, compareValues), ...(facets && { facets }) };
}

/** One page of a list, at once. */
export const listPage = <K extends ListedKind>(snapshot: Snapshot, kind: K, options: ListOptions): Page<Entities[K]> =>
  runAtOnce(listPageInSteps(snapshot, kind, options));

/** Number of items up to which those of a namespace or dataset are sorted by themselves. */
const fewToSort = 200;

/** The items of the scope in the options, sorted; perhaps without some that the filters leave out. */
function* itemsToFilter(snapshot: Snapshot, kind: ListedKind, options: ListOptions): Steps<readonly Entity[]> {
  const within = scopeOf(snapshot, kind, options);
  if (within) {
    const items = [...within];
    return kind === 'dataset' && items.length > fewToSort
      ? yield* datasetsOfNamespace(yield* sorted(snapshot, kind, options.ordering), options.namespace ?? '')
      : yield* sortInSteps(items, comparison(kind, options.ordering, snapshot.settings));
  }
  const all = yield* sorted(snapshot, kind, options.ordering);
  const keywords = options.filters?.keyword?.filter((keyword) => keyword !== '') ?? [];
  // Facets count what the filter leaves out, and a search finds its items among all.
  const isWhole = kind !== 'dataset' || options.facets || options.search || keywords.length === 0;
  return isWhole ? all : yield* datasetsWithKeyword(all, keywords);
}

/** The items that match the filters and the search, and their facets if those are asked for: all from one search. */
function* findWithFacets<K extends ListedKind>(
  kind: K,
  items: readonly Entities[K][],
  options: ListOptions,
  searched: readonly (readonly object[])[],
): Steps<{ readonly found: readonly Entities[K][]; readonly facets?: Facets }> {
  if (!options.facets || kind !== 'dataset') return { found: yield* filterEntities(kind, items, options, searched) };
  const entries = Object.entries(options.filters ?? {});
  const isFacet = ([name]: readonly [string, unknown]) => (facetNames as readonly string[]).includes(name);
  const others = Object.fromEntries(entries.filter((entry) => !isFacet(entry)));
  const tests = entries.filter(isFacet).flatMap(([name, wanted]) => {
    const values = wanted.filter((value) => value !== '');
    const test = (filterTests.dataset as Readonly<Record<string, FilterTest<Dataset>>>)[name];
    return values.length && test ? [[name, test(name, values)] as const] : [];
  });
  const filters = { ...options, filters: others };
  const candidates = yield* filterEntities('dataset', items as readonly Dataset[], filters, searched);
  const matches = (item: Dataset) => tests.every(([, test]) => test(item));
  const found = tests.length ? yield* filterInSteps(candidates, matches) : candidates;
  const facets = yield* countFacets(candidates, Object.fromEntries(tests), options.updatedSince);
  return { found: found as readonly Entities[K][], facets };
}

/** The items with the highest score first; those of equal scores stay in their order. */
function* sortByScore<T>(items: readonly T[], score: (item: T) => number): Steps<readonly T[]> {
  const scored: { readonly item: T; readonly score: number }[] = [];
  yield* eachInSteps(items, (item) => scored.push({ item, score: score(item) }));
  const ranked = yield* sortInSteps(scored, (a, b) => b.score - a.score);
  return ranked.map(({ item }) => item);
}

const isByRelevance = ({ ordering = '' }: ListOptions) =>
  ordering.split(',').some((name) => name.trim() === 'relevance');

/** Number of items up to which a search folds their texts, rather than finding them among all. */
const few = 100;

const searchedLists = new SnapshotCache<SharedSteps<readonly (readonly Entity[])[]>>(8);

/**
 * The lists in which entities of a snapshot are searched. For a part, they are the list of the whole snapshot, of which all
 * viewers share the folded texts, and the entities that are others in the part. What isn't in the part has no effect.
 */
const entitiesToSearch = (snapshot: Snapshot, kind: ListedKind): Steps<readonly (readonly Entity[])[]> =>
  searchedLists.getOrMake(snapshot, kind, () => new SharedSteps(findEntitiesToSearch(snapshot, kind))).run();

function* findEntitiesToSearch(snapshot: Snapshot, kind: ListedKind): Steps<readonly (readonly Entity[])[]> {
  const whole = unrestrictedSnapshotOf(snapshot);
  const all = yield* sorted(snapshot, kind, undefined);
  if (!whole) return [all];
  const shared = yield* entitiesToSearch(whole, kind);
  const known = yield* setInSteps(shared.flat());
  const own = yield* filterInSteps(all, (item) => !known.has(item));
  return own.length ? [...shared, own] : shared;
}

/** Folds the texts that a search needs, if one is asked for. */
export function* prepareSearch(snapshot: Snapshot, kind: ListedKind, { search }: ListOptions): Steps<void> {
  if (searchTerms(search).length)
    for (const list of yield* entitiesToSearch(snapshot, kind)) yield* foldSearchTexts(kind, list);
}

/**
 * The items that match the filters and the search.
 * @param searched lists that contain the items, of which the folded texts are kept
 */
export function* filterEntities<K extends Kind>(
  kind: K,
  items: readonly Entities[K][],
  options: ListOptions,
  searched: readonly (readonly object[])[] = [items],
): Steps<readonly Entities[K][]> {
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
    const found: object[] = [];
    for (const list of searched) for (const item of yield* findItemsWithTerms(kind, list, terms)) found.push(item);
    if (searched.length === 1 && searched[0] === items) candidates = found as Entities[K][];
    else {
      const matches = yield* setInSteps(found);
      candidates = matches.size ? yield* filterInSteps(items, (item) => matches.has(item)) : [];
    }
  }
  const isWanted = (item: Entities[K]) => tests.every((test) => test(item));
  return tests.length ? yield* filterInSteps(candidates, isWanted) : candidates;
}

/**
 * One page of the items. An empty list has page 1.
 * @throws NotFoundError if there is no such page
 */
export function paginate<T>(items: readonly T[], options: ListOptions, settings: Settings): Page<T> {
  const pageSize = pageSizeOf(options, settings);
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
