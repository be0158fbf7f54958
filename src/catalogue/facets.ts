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

/**
 * Counts the facets of datasets in one pass, in steps.
 * @param datasets those that match the search and all filters that are no facets
 * @param tests of the filters that are facets
 * @param dates for which the datasets updated since are counted, each as `2026-01-31`
 */
export function* countFacets(
  datasets: readonly Dataset[],
  tests: Readonly<Partial<Record<FacetName, (dataset: Dataset) => boolean>>>,
  dates: readonly string[] = [],
): Steps<Facets> {
  const counts = facetNames.map((name) => new Map((name === 'updated__gte' ? dates : []).map((date) => [date, 0])));
  const chosen = facetNames.flatMap((name, facet) => {
    const test = tests[name];
    return test ? [{ facet, test }] : [];
  });
  const spellings = new Map<string, string>();
  const namespaces = new Set<string>();
  let [versions, rows, bytes] = [0, 0, 0];
  let bbox: Box | null = null;
  yield* eachInSteps(datasets, (dataset) => {
    const facts = prepare(dataset);
    const { keys } = facts;
    // A dataset that one filter alone leaves out counts for the values of that filter.
    let excluding = -1;
    let misses = 0;
    for (const { facet, test } of chosen)
      if (!test(dataset)) {
        excluding = facet;
        if (++misses > 1) break;
      }
    if (misses > 1) return;
    for (let facet = 0; facet < keys.length; facet++) {
      if (misses === 1 && facet !== excluding) continue;
      const count = counts[facet] as Map<string, number>;
      for (const key of keys[facet] as readonly string[]) count.set(key, (count.get(key) ?? 0) + 1);
      if (facet === updatedFacet)
        for (const date of dates) if (facts.updated >= date) count.set(date, (count.get(date) ?? 0) + 1);
      if (facet === keywordFacet)
        for (const key of keys[facet] as readonly string[])
          if (!spellings.has(key)) spellings.set(key, facts.spellings.get(key) ?? key);
    }
    if (misses > 0) return;
    namespaces.add(dataset.namespace);
    versions += facts.versions;
    rows += facts.rows;
    bytes += facts.bytes;
    if (facts.bbox) bbox = boxAround(bbox, facts.bbox);
  });
  const values = Object.fromEntries(
    facetNames.map((name, facet) => [
      name,
      sortedValues(name, counts[facet] as ReadonlyMap<string, number>, spellings),
    ]),
  ) as Facets['values'];
  return { values, totals: { namespaces: namespaces.size, versions, rows, bytes, bbox } };
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
