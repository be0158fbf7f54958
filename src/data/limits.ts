/**
 * Limits on payloads and queries. A payload is streamed within its limits, and refused beyond them with the line and
 * byte, so that no payload, however made, runs the process out of memory.
 */

/** Greatest length of one feature, JSON item or line of NDJSON, in bytes. A polygon of a million vertices has 40 MB. */
export const maxItemBytes = 128 * 1024 * 1024;

/** Greatest length of one row of CSV, in characters. */
export const maxCsvRow = 16 * 1024 * 1024;

/** Deepest nesting of objects and arrays inside one feature or item. */
export const maxDepth = 100;

/** Most columns of one table. */
export const maxColumns = 10_000;

/** A gzipped payload may inflate to this many times its size … */
export const maxInflation = 250;

/** … once it has given more than this many bytes. */
export const freeInflation = 64 * 1024 * 1024;

/** Rows of a row group, which are written to the columnar copy and read from it together. */
export const maxGroupRows = 8_192;

/** A row group ends earlier when it has this many cells, or was read from this many bytes. */
const maxGroupCells = 1 << 19;
const maxGroupBytes = 8 * 1024 * 1024;

/** Most cells of the rows in memory, empty ones included: a chunk of short rows may have many times as many as bytes. */
export const maxCellsInMemory = 1 << 22;

/** True if a row group has reached one of its limits. @param bytes bytes that it was read from */
export const isRowGroupFull = (rows: number, columns: number, bytes: number): boolean =>
  rows >= maxGroupRows || bytes >= maxGroupBytes || rows * columns >= maxGroupCells;

/** Rows to make room for in each of some columns, after a row group of so many: at least 16, and no more than a group has. */
export const expectedGroupRows = (rows: number, columns: number): number =>
  Math.max(16, Math.min(rows, Math.ceil(maxGroupCells / Math.max(1, columns))));

/** Limits of one query: a hostile query string costs no more than an honest one. */
export interface QueryLimits {
  /** Length of the query string in bytes. */
  readonly queryLength: number;
  /** Comparisons, text and spatial tests in all. */
  readonly predicates: number;
  /** Nesting of parentheses, NOT and geometry collections. */
  readonly depth: number;
  /** Values in all, those of lists included; also how often a filter may name columns. */
  readonly values: number;
  /** Positions of all geometries. */
  readonly vertices: number;
  /** Columns of groups and aggregates together. */
  readonly aggregates: number;
  /** Groups of rows. */
  readonly groups: number;
  /** Values of all medians, which are kept in memory: 20 bytes each. */
  readonly medianValues: number;
  /** Bytes of memory for the values of groups and the texts of aggregates, approximately. */
  readonly groupMemory: number;
}

export const defaultQueryLimits: QueryLimits = {
  queryLength: 8192,
  predicates: 50,
  depth: 8,
  values: 1000,
  vertices: 10_000,
  aggregates: 50,
  groups: 100_000,
  medianValues: 10_000_000,
  groupMemory: 256 * 1024 ** 2,
};
