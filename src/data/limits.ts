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
