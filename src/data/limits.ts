/**
 * What a payload may ask of us before it is refused. Everything within these limits is streamed; everything beyond
 * them is refused with its place, so that no payload, however made, runs the process out of memory.
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

/** Rows that are kept together in the derived copy, and read together from it. */
export const blockRows = 8_192;

/** A block is closed before it is full when it holds this many cells, or was read from this many bytes. */
export const blockCells = 1 << 19;
export const blockBytes = 8 * 1024 * 1024;

/** How much one question may ask: what keeps a hostile query string from costing more than an honest one. */
export interface QueryLimits {
  /** Length of the query string in bytes. */
  readonly queryLength: number;
  /** Comparisons, text and spatial tests in all. */
  readonly predicates: number;
  /** How deeply parentheses, NOT and geometry collections may be nested. */
  readonly depth: number;
  /** Values in all, those of lists included. */
  readonly values: number;
  /** Positions of all geometries. */
  readonly vertices: number;
}

export const defaultQueryLimits: QueryLimits = {
  queryLength: 8192,
  predicates: 50,
  depth: 8,
  values: 1000,
  vertices: 10_000,
};
