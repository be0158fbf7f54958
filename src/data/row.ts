/**
 * Rows, as the formats read them, the predicates judge them and the writers write them. A row has its geometry apart
 * from its other columns, and perhaps the `id` of the GeoJSON feature it came from.
 */
import type { ColumnType } from '../catalogue/types.ts';
import type { Bbox, Geometry } from './geometry/geometry.ts';

/** A column of a table without its geometry: what values of it look like follows from the type (see `Value`). */
export interface TableColumn {
  readonly name: string;
  readonly type: Exclude<ColumnType, 'geometry'>;
}

/**
 * A value: null where there is none; number for integer and float; boolean; string for string, date (YYYY-MM-DD),
 * datetime (RFC 3339, as it was written) and time (HH:MM[:SS[.s]]); plain JSON for object and array.
 */
export type Value = null | boolean | number | string | readonly unknown[] | { readonly [key: string]: unknown };

/**
 * One row, read on demand: a reader may hand out the same object for every row and move it along, so whoever keeps a
 * row copies its values.
 */
export interface Row {
  /** The value of the column with this place in the table's `columns`. */
  value(column: number): Value;
  geometry(): Geometry | null;
  /** Bounding box of the geometry; null where there is none or it is empty. Cheaper than `geometry()`. */
  bbox(): Bbox | null;
  /** The feature's id, as it was written; undefined where it has none. */
  id(): string | number | undefined;
}

/** What the rows of a version look like. */
export interface TableShape {
  /** Whether there is a geometry column (named `geometry`). */
  readonly hasGeometry: boolean;
  /** The other columns, in order. */
  readonly columns: readonly TableColumn[];
}
