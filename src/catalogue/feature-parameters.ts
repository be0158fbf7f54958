/** Parameters of features in OGC API - Features (17-069r4, 19-079r2), and the time columns that one of them is about. */
import type { DataColumn } from './types.ts';

/** Names of the parameters; every other name is a column's. */
export const featureParameters = [
  'limit',
  'offset',
  'bbox',
  'datetime',
  'properties',
  'sortby',
  'filter',
  'filter-lang',
  'filter-crs',
  'f',
] as const;

export type FeatureParameter = (typeof featureParameters)[number];

/** Most features of a page by default, and in any case: a greater limit counts as this one (core, fc-limit-response-1). */
export const defaultFeatureLimit = 1000;
export const maxFeatureLimit = 10_000;

/** A query for features as OGC API - Features has them: with an id, always a page of them, as GeoJSON. */
export interface FeaturesRequest {
  /** Id of the only feature that is asked for. */
  readonly id?: string | undefined;
  /** Links of the page. */
  readonly links: (page: FeaturesPage) => readonly OgcLink[];
  /** For a document that becomes a file: a time in place of that of the response, and true for all features. */
  readonly timeStamp?: string | undefined;
  readonly isWhole?: boolean | undefined;
}

/** A page of the matching features. */
export interface FeaturesPage {
  /** Number of all matching features. */
  readonly matched: number;
  /** Index of the first feature of the page, from 0. */
  readonly offset: number;
  readonly limit: number;
}

/** A link in a document of OGC (17-069r4, schema link.yaml). */
export interface OgcLink {
  readonly href: string;
  readonly rel: string;
  readonly type: string;
  readonly title?: string;
}

/** The reference systems of coordinates: longitude and latitude of WGS 84, also with height. */
export const crs84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
export const supportedCrs = [crs84, 'http://www.opengis.net/def/crs/OGC/0/CRS84h'] as const;

/** Column of the time of a row, or columns of the beginning and the end of its time. */
export type TimeColumns<Column extends DataColumn = DataColumn> =
  | { readonly instant: Column }
  | { readonly start: Column; readonly end: Column };

/** Pairs of words for a beginning and an end, of which one is the name of a column or its last or first part. */
const intervalWords = [
  ['start', 'end'],
  ['begin', 'end'],
  ['from', 'to'],
  ['from', 'until'],
] as const;

/**
 * The time columns of a table: a pair such as `start` and `end`, `valid_from` and `valid_to`, `start_date` and `end_date`;
 * else the first column of datetimes, else of dates; undefined if there is none.
 */
export function findTimeColumns<Column extends DataColumn>(
  columns: readonly Column[],
): TimeColumns<Column> | undefined {
  const times = columns.filter(({ type }) => type === 'date' || type === 'datetime');
  for (const [startWord, endWord] of intervalWords)
    for (const start of times) {
      const word = new RegExp(`(?<![a-z])${startWord}(?![a-z])`, 'i');
      if (!word.test(start.name)) continue;
      const name = start.name.toLowerCase().replace(word, endWord);
      const isEnd = (column: Column) => column !== start && column.name.toLowerCase() === name;
      // Both ends of an interval are as precise (OGC API - Features, Part 5, primary-temporal-constraints).
      const end = times.find((column) => isEnd(column) && column.type === start.type);
      if (end) return { start, end };
    }
  const instant = times.find(({ type }) => type === 'datetime') ?? times[0];
  return instant && { instant };
}
