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
