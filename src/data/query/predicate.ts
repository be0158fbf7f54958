/**
 * Filters as a tree: what lookups (`lookups.ts`) and CQL2 (`cql2/`) are parsed into. Plain immutable data;
 * `compile.ts` makes it a function of rows, `search-boxes.ts` the search of a spatial index.
 *
 * Logic has three values, as in SQL and CQL2: a test of null is unknown, NOT unknown is unknown, and a row matches only
 * if the whole is true.
 */
import { type Bbox, countVertices, type Geometry } from '../geometry/geometry.ts';
import { geometryColumnName } from '../row.ts';
import { countValues, type ExpressionPredicate, expressionColumns } from './expression.ts';

export type Scalar = string | number | boolean;

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
/** `i…` ignores case. `like`: % matches any text, _ one character; \ escapes either. */
export type TextOperator =
  | 'iexact'
  | 'contains'
  | 'icontains'
  | 'startswith'
  | 'istartswith'
  | 'endswith'
  | 'iendswith'
  | 'like'
  | 'ilike';
/** Relations of simple features (OGC 06-103r4, section 6.1.15). */
export type SpatialOperator =
  | 'intersects'
  | 'within'
  | 'contains'
  | 'disjoint'
  | 'equals'
  | 'touches'
  | 'crosses'
  | 'overlaps';

export interface SpatialPredicate {
  readonly op: 'spatial';
  /** Relation of the row's geometry to this one. */
  readonly test: SpatialOperator;
  readonly geometry: Geometry;
  /** Radius of a circle around a Point, in degrees; with `within` only. */
  readonly buffer?: number;
  /** Name of the parameter it came from, for messages. */
  readonly parameter?: string;
}

/** A relation of two geometries that are both the row's, or both given. */
export interface GeometryRelation {
  readonly op: 'relation';
  readonly test: SpatialOperator;
  /** Null for the row's. */
  readonly geometries: readonly [Geometry | null, Geometry | null];
  readonly parameter?: string;
}

/** The row's geometry lies within a distance of this one. */
export interface DistanceWithin {
  readonly op: 'dwithin';
  readonly geometry: Geometry;
  readonly distance: number;
  /** Metres on the WGS 84 ellipsoid, or degrees in the plane of longitude and latitude. */
  readonly unit: 'metre' | 'degree';
  readonly parameter?: string;
}

/** The row's geometry itself (not only its bounding box) intersects the box. */
export interface InBbox {
  readonly op: 'bbox';
  readonly bbox: Bbox;
}

export type GeometryPredicate = SpatialPredicate | GeometryRelation | DistanceWithin | InBbox;

/** Those of a `GeometryPredicate`. */
const geometryOps: readonly string[] = ['spatial', 'relation', 'dwithin', 'bbox'] satisfies GeometryPredicate['op'][];

export type ValuePredicate =
  | { readonly op: 'compare'; readonly test: ComparisonOperator; readonly column: string; readonly value: Scalar }
  | { readonly op: 'in'; readonly column: string; readonly values: readonly Scalar[] }
  /** Both ends included. */
  | { readonly op: 'between'; readonly column: string; readonly low: Scalar; readonly high: Scalar }
  | { readonly op: 'text'; readonly test: TextOperator; readonly column: string; readonly text: string };

export type Predicate =
  /** True if it is empty. */
  | { readonly op: 'and'; readonly of: readonly Predicate[] }
  /** False if it is empty. */
  | { readonly op: 'or'; readonly of: readonly Predicate[] }
  | { readonly op: 'not'; readonly of: Predicate }
  /** True if it is neither true nor false. */
  | { readonly op: 'unknown'; readonly of: Predicate }
  | ValuePredicate
  | ExpressionPredicate
  /** `column` may be the geometry column. */
  | { readonly op: 'isnull'; readonly column: string }
  | GeometryPredicate;

/** True for every row. */
export const alwaysTrue: Predicate = { op: 'and', of: [] };

/** The conjunction of predicates, flattened; `alwaysTrue` if there are none. */
export function andPredicates(predicates: readonly Predicate[]): Predicate {
  const flat = predicates.flatMap((p) => (p.op === 'and' ? p.of : [p]));
  if (flat.length === 0) return alwaysTrue;
  return flat.length === 1 && flat[0] ? flat[0] : { op: 'and', of: flat };
}

type PredicateLeaf = Exclude<Predicate, { op: 'and' | 'or' | 'not' | 'unknown' }>;

/** The predicates without parts, from left to right. */
function* predicateLeaves(predicate: Predicate): Generator<PredicateLeaf> {
  if (predicate.op === 'and' || predicate.op === 'or') for (const part of predicate.of) yield* predicateLeaves(part);
  else if (predicate.op === 'not' || predicate.op === 'unknown') yield* predicateLeaves(predicate.of);
  else yield predicate;
}

/** True if a predicate tests geometries: GEOS does. */
export const testsGeometries = (predicate: Predicate): boolean =>
  [...predicateLeaves(predicate)].some(({ op }) => geometryOps.includes(op));

/** Columns that a predicate reads, in the order of their first mention, and true if it reads the geometry. */
export function referencedColumns(predicate: Predicate): { columns: readonly string[]; geometry: boolean } {
  const columns = new Set<string>();
  let geometry = false;
  for (const leaf of predicateLeaves(predicate)) {
    if (leaf.op === 'expression') for (const name of leaf.args.flatMap(expressionColumns)) columns.add(name);
    else if ('column' in leaf && leaf.column !== geometryColumnName) columns.add(leaf.column);
    else geometry = true;
  }
  return { columns: [...columns], geometry };
}

/** The geometries that a predicate without parts was given. */
function givenGeometries(leaf: PredicateLeaf): readonly Geometry[] {
  if (leaf.op === 'relation') return leaf.geometries.filter((geometry) => geometry !== null);
  return 'geometry' in leaf ? [leaf.geometry] : [];
}

/** Size of a predicate, in the units of `QueryLimits`. */
export function predicateSize(predicate: Predicate): { predicates: number; values: number; vertices: number } {
  const size = { predicates: 0, values: 0, vertices: 0 };
  for (const leaf of predicateLeaves(predicate)) {
    size.predicates += 1;
    if (leaf.op === 'expression') size.values += leaf.args.reduce((sum, arg) => sum + countValues(arg), 0);
    else if (leaf.op === 'in') size.values += leaf.values.length;
    else if (leaf.op === 'between') size.values += 2;
    else if (leaf.op !== 'isnull') size.values += 1;
    for (const geometry of givenGeometries(leaf)) size.vertices += countVertices(geometry);
  }
  return size;
}
