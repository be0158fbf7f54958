/**
 * Facets of a list of datasets: the values of some filters with the number of datasets that have them, and sums. The
 * values of a filter are counted under all other filters, so that each one says how many datasets it would leave.
 */
import { geometryClassOfDataset } from './column-statistics.ts';
import { boxWithoutHeights, lastUpdateOf } from './dataset-filters.ts';
import { foldCaseAndAccents } from './fold.ts';
import { type Box, boxAround } from './maps.ts';
import { latestReadyVersion } from './ready-versions.ts';
import { eachInSteps, type Steps } from './steps.ts';
import type { Dataset } from './types.ts';

/** The filters that are counted, in the order of the pages. */
export const facetNames = [
  'namespace',
  'geometry',
  'keyword',
  'licence',
  'file_format',
  'updated__gte',
  'year',
] as const;
export type FacetName = (typeof facetNames)[number];

export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

export interface Facets {
  /** The most frequent values first; dates and years in their order. */
  readonly values: Readonly<Record<FacetName, readonly FacetValue[]>>;
  /** Sums over the datasets that match all filters. */
  readonly totals: {
    readonly namespaces: number;
    readonly versions: number;
    /** Rows and bytes of the newest versions. */
    readonly rows: number;
    readonly bytes: number;
    /** West, south, east, north of the box around the rows of the newest versions; null if none has a geometry. */
    readonly bbox: Box | null;
  };
}

/** Format of a dataset's newest ready version; '' if there is none. */
export const formatOfDataset = (dataset: Dataset): string => latestReadyVersion(dataset)?.format ?? '';

/** Year of a dataset's newest version; '' if there is none. */
export const yearOfDataset = (dataset: Dataset): string => lastUpdateOf(dataset).slice(0, 4);

const valuesOf: { readonly [F in FacetName]: (dataset: Dataset) => readonly string[] } = {
  namespace: ({ namespace }) => [namespace],
  geometry: (dataset) => [geometryClassOfDataset(dataset)],
  keyword: ({ keywords }) => keywords,
  licence: ({ licence }) => (licence ? [licence] : []),
  file_format: (dataset) => [formatOfDataset(dataset)].filter(Boolean),
  // Counted by the dates of the request.
  updated__gte: () => [],
  year: (dataset) => [yearOfDataset(dataset)].filter(Boolean),
};

interface Prepared {
  /** Values of the dataset, by facet; those of keywords without case and accents. */
  readonly keys: readonly (readonly string[])[];
  /** The keywords as they are written, by their keys. */
  readonly spellings: ReadonlyMap<string, string>;
  readonly versions: number;
  readonly rows: number;
  readonly bytes: number;
  /** Time of the newest version, ISO 8601. */
  readonly updated: string;
  readonly bbox: Box | null;
}

/** Values of datasets: an unchanged dataset is the same object. */
const prepared = new WeakMap<Dataset, Prepared>();

function prepare(dataset: Dataset): Prepared {
  const known = prepared.get(dataset);
  if (known) return known;
  const newest = latestReadyVersion(dataset);
  const result = {
    keys: facetNames.map((name) => {
      const values = valuesOf[name](dataset);
      return name === 'keyword' ? [...new Set(values.map(foldCaseAndAccents))] : values;
    }),
    spellings: new Map(dataset.keywords.map((keyword) => [foldCaseAndAccents(keyword), keyword])),
    versions: dataset.versions.length,
    rows: newest?.rows ?? 0,
    bytes: newest?.size ?? 0,
    updated: lastUpdateOf(dataset),
    bbox: newest?.bbox ? boxWithoutHeights(newest.bbox) : null,
  };
  prepared.set(dataset, result);
  return result;
}

const keywordFacet = facetNames.indexOf('keyword');
const updatedFacet = facetNames.indexOf('updated__gte');

type Tests = Readonly<Partial<Record<FacetName, (dataset: Dataset) => boolean>>>;

interface Filter {
  /** Number of the facet in `facetNames`. */
  readonly facet: number;
  readonly test: (dataset: Dataset) => boolean;
}

/** Results of `missedFilter` besides the number of a facet. */
const missesNone = -1;
const missesSeveral = -2;

/** The facet of the only filter that a dataset doesn't match. */
function missedFilter(filters: readonly Filter[], dataset: Dataset): number {
  let missed = missesNone;
  for (const { facet, test } of filters) {
    if (test(dataset)) continue;
    if (missed !== missesNone) return missesSeveral;
    missed = facet;
  }
  return missed;
}

/**
 * Counts the facets of datasets in one pass, in steps.
 * @param datasets those that match the search and all filters that are no facets
 * @param tests of the filters that are facets
 * @param dates for which the datasets updated since are counted, each as `2026-01-31`
 */
export function* countFacets(datasets: readonly Dataset[], tests: Tests, dates: readonly string[] = []): Steps<Facets> {
  const filters = facetNames.flatMap((name, facet): Filter[] => {
    const test = tests[name];
    return test ? [{ facet, test }] : [];
  });
  const counter = new ValueCounter(dates);
  const totals = new TotalsBuilder();
  yield* eachInSteps(datasets, (dataset) => {
    const missed = missedFilter(filters, dataset);
    if (missed === missesSeveral) return;
    const facts = prepare(dataset);
    // A dataset that one filter alone leaves out counts for the values of that filter.
    if (missed !== missesNone) return counter.add(facts, missed, missed + 1);
    counter.add(facts, 0, facetNames.length);
    totals.add(dataset, facts);
  });
  return { values: counter.values(), totals: totals.totals() };
}

/** Counts the values of facets. */
class ValueCounter {
  readonly #dates: readonly string[];
  /** Number of datasets by value, for each facet. */
  readonly #counts: readonly Map<string, number>[];
  readonly #spellings = new Map<string, string>();

  constructor(dates: readonly string[]) {
    this.#dates = dates;
    this.#counts = facetNames.map((name) => new Map((name === 'updated__gte' ? dates : []).map((date) => [date, 0])));
  }

  /** Counts a dataset for the facets from one number up to another. */
  add({ keys, updated, spellings }: Prepared, from: number, to: number): void {
    const counts = this.#counts;
    for (let facet = from; facet < to; facet++) {
      const count = counts[facet] as Map<string, number>;
      for (const key of keys[facet] as readonly string[]) count.set(key, (count.get(key) ?? 0) + 1);
      if (facet === keywordFacet) this.#addSpellings(keys[facet] as readonly string[], spellings);
      if (facet === updatedFacet)
        for (const date of this.#dates) if (updated >= date) count.set(date, (count.get(date) ?? 0) + 1);
    }
  }

  /** Remembers how keywords are written, by their keys: the first spelling of each is shown. */
  #addSpellings(keys: readonly string[], written: ReadonlyMap<string, string>): void {
    const spellings = this.#spellings;
    for (const key of keys) if (!spellings.has(key)) spellings.set(key, written.get(key) ?? key);
  }

  values(): Facets['values'] {
    return Object.fromEntries(
      facetNames.map((name, facet) => [
        name,
        sortedValues(name, this.#counts[facet] as ReadonlyMap<string, number>, this.#spellings),
      ]),
    ) as Facets['values'];
  }
}

/** Adds up the totals of datasets. */
class TotalsBuilder {
  readonly #namespaces = new Set<string>();
  #versions = 0;
  #rows = 0;
  #bytes = 0;
  #bbox: Box | null = null;

  add({ namespace }: Dataset, { versions, rows, bytes, bbox }: Prepared): void {
    this.#namespaces.add(namespace);
    this.#versions += versions;
    this.#rows += rows;
    this.#bytes += bytes;
    if (bbox) this.#bbox = boxAround(this.#bbox, bbox);
  }

  totals(): Facets['totals'] {
    const [versions, rows, bytes, bbox] = [this.#versions, this.#rows, this.#bytes, this.#bbox];
    return { namespaces: this.#namespaces.size, versions, rows, bytes, bbox };
  }
}

function sortedValues(
  name: FacetName,
  counts: ReadonlyMap<string, number>,
  spellings: ReadonlyMap<string, string>,
): readonly FacetValue[] {
  const values = Array.from(counts, ([key, count]) => ({
    value: name === 'keyword' ? (spellings.get(key) ?? key) : key,
    count,
  }));
  if (name === 'updated__gte') return values;
  // Years are a scale: they stand in its order.
  if (name === 'year') return values.sort((a, b) => (a.value < b.value ? 1 : -1));
  return values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
