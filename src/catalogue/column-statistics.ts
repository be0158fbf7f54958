/** Statistics of the columns of a version: those in its metadata, which every list can show, and their full form. */

import { decodeMetadata } from './metadata.ts';
import { latestReadyVersion } from './ready-versions.ts';
import type { Column, ColumnType, Dataset, Version } from './types.ts';

/** A value of a column as it is in the rows: dates and times as text. */
export type StatisticsValue = number | string | boolean;

/** Counts of values between edges: bin i holds values from `edges[i]` to below `edges[i + 1]`, the last one both ends. */
export interface Histogram {
  readonly scale: 'linear' | 'log';
  readonly edges: readonly (number | string)[];
  readonly counts: readonly number[];
}

/** A form of numbers or of dates in CSV. */
export type TextForm = 'decimal comma' | 'date';

/** Statistics of a column's values. */
export interface ColumnStatistics {
  readonly name: string;
  readonly type: ColumnType;
  readonly nulls: number;
  /** Number of distinct values; null if there are more than are counted, or for objects and arrays. */
  readonly distinct: number | null;
  /** Absent for booleans, objects and arrays. Texts are truncated to 100 characters. */
  readonly min?: number | string;
  readonly max?: number | string;
  /** How CSV writes the values, if not as JSON does: `12,5`, or dates such as `31.12.2024`. */
  readonly form?: TextForm;
}

/** Statistics of a column with the distribution of its values. */
export interface ColumnProfile extends ColumnStatistics {
  /** Of numbers. */
  readonly mean?: number;
  readonly median?: number;
  /** Of numbers, dates and datetimes. */
  readonly histogram?: Histogram;
  /** The most frequent values; absent if all are different, or too many. */
  readonly top?: readonly { readonly value: StatisticsValue; readonly count: number }[];
  /**
   * Of texts: the first different values in the file, truncated to 100 characters, if none occurs twice or `distinct` is null (then
   * values may occur more than once). Of a geometry: the types of its geometries.
   */
  readonly examples?: readonly string[];
}

/** Columns of a version with the number of rows that they were counted in. */
export interface VersionProfile {
  readonly rows: number;
  readonly columns: readonly ColumnProfile[];
  /** The rows that a request selects, if it has parameters. */
  readonly matched?: MatchedProfile;
}

/** The distribution of matching rows over the bins and values of the profile of all rows. */
export interface MatchedProfile {
  readonly rows: number;
  /** Those with a histogram or most frequent values. */
  readonly columns: readonly MatchedColumn[];
}

export interface MatchedColumn {
  readonly name: string;
  /** Matching rows in each bin of the histogram. */
  readonly counts?: readonly number[];
  /** Matching rows with each of the most frequent values. */
  readonly top?: readonly number[];
}

/** Statistics as far as the metadata of a version have them. */
export type KnownStatistics = Partial<Omit<ColumnStatistics, 'name'>>;

interface Known {
  readonly columns: ReadonlyMap<string, KnownStatistics>;
  readonly geometryTypes: readonly string[];
}

/** A version, as far as it has metadata. */
type WithMetadata = Pick<Version, 'metadata'>;

const known = new WeakMap<WithMetadata, Known>();

/** Statistics in the metadata of a version, keyed by column; the catalogue's own summary, or a mapping by name. */
export const statisticsInMetadata = (version: WithMetadata): ReadonlyMap<string, KnownStatistics> =>
  knownOf(version).columns;

function knownOf(version: WithMetadata): Known {
  let result = known.get(version);
  if (!result) {
    const mapping = decodeMetadata(version.metadata) ?? {};
    const { columns, geometry } = mapping as { columns?: unknown; geometry?: unknown };
    const geometryTypes = Array.isArray(geometry) ? geometry.filter((type) => typeof type === 'string') : [];
    result = { columns: new Map(statisticsIn(columns)), geometryTypes };
    known.set(version, result);
  }
  return result;
}

function* statisticsIn(columns: unknown): Generator<[string, KnownStatistics]> {
  if (typeof columns !== 'object' || columns === null) return;
  const entries: [unknown, unknown][] = Array.isArray(columns)
    ? columns.map((column) => [Object(column).name, column])
    : Object.entries(columns);
  for (const [name, value] of entries) {
    if (typeof name !== 'string' || typeof value !== 'object' || value === null) continue;
    const { nulls, distinct, min, max, form } = value as Record<string, unknown>;
    yield [
      name,
      {
        ...(isCount(nulls) && { nulls }),
        ...((isCount(distinct) || distinct === null) && { distinct }),
        ...(isBound(min) && { min }),
        ...(isBound(max) && { max }),
        ...(isTextForm(form) && { form }),
      },
    ];
  }
}

const isTextForm = (value: unknown): value is TextForm => value === 'decimal comma' || value === 'date';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isBound = (value: unknown): value is number | string =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

/** Types of geometry in the metadata of a version, such as `Point Z`; empty if they aren't known. */
export const geometryTypesInMetadata = (version: WithMetadata): readonly string[] => knownOf(version).geometryTypes;

/** Kinds of rows by their geometry; `mixed` has several, `geometry` any that isn't known. */
export const geometryClasses = ['point', 'line', 'polygon', 'mixed', 'geometry', 'none'] as const;
export type GeometryClass = (typeof geometryClasses)[number];

/** The kind of rows of a version, by the types of geometry in its metadata. @param column with the geometries, if there is one */
export function geometryClassOf(
  version: (WithMetadata & Pick<Version, 'bbox'>) | undefined,
  column: Pick<Column, 'name'> | undefined,
): GeometryClass {
  if (!version || !column) return 'none';
  // Geometries that were read, and have no box around them, are all missing or empty.
  if (!version.bbox && knownOf(version).columns.get(column.name)?.nulls !== undefined) return 'none';
  const classes = new Set(knownOf(version).geometryTypes.map(classOfType));
  if (classes.size === 0) return 'geometry';
  return classes.size === 1 ? ([...classes][0] as GeometryClass) : 'mixed';
}

function classOfType(type: string): GeometryClass {
  if (/Point( Z)?$/.test(type)) return 'point';
  if (/LineString( Z)?$/.test(type)) return 'line';
  return /Polygon( Z)?$/.test(type) ? 'polygon' : 'mixed';
}

/** The kind of rows of a dataset's newest ready version. */
export const geometryClassOfDataset = (dataset: Dataset): GeometryClass =>
  geometryClassOf(
    latestReadyVersion(dataset),
    dataset.columns.find(({ type }) => type === 'geometry'),
  );
