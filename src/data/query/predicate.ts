/**
 * The one tree that every spelling of a filter becomes: lookups (`lookups.ts`), CQL2 text (`cql2.ts`), the older
 * clients' expressions. Plain immutable data; `compile.ts` judges rows by it, `bounds.ts` says where to look.
 *
 * Logic has three values, as in SQL and CQL2: a test of null is unknown, NOT unknown is unknown, and a row is found
 * only where the whole is true.
 */
import { type Bbox, type Geometry, vertexCount } from '../geometry/geometry.ts';

export type Scalar = string | number | boolean;

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';
/** `i…`: without regard to case. `like`: % any text, _ one character, \ before either takes it literally. */
export type TextTest =
  | 'iexact'
  | 'contains'
  | 'icontains'
  | 'startswith'
  | 'istartswith'
  | 'endswith'
  | 'iendswith'
  | 'like'
  | 'ilike';
export type SpatialTest = 'intersects' | 'within' | 'contains' | 'disjoint';

export interface Spatial {
  readonly op: 'spatial';
  /** What the row's geometry does to this one, as OGC 06-103r4 (simple features), section 6.1.15 defines it. */
  readonly test: SpatialTest;
  readonly geometry: Geometry;
  /** Degrees around a Point, with `within` only: the row lies in this circle. */
  readonly buffer?: number;
  /** Name of the parameter it came from, for messages. */
  readonly parameter?: string;
}

/** The row's geometry comes as near as this, or nearer. */
export interface DistanceWithin {
  readonly op: 'dwithin';
  readonly geometry: Geometry;
  readonly distance: number;
  /** Metres on the WGS 84 ellipsoid, or degrees in the plane of longitude and latitude. */
  readonly unit: 'metre' | 'degree';
  readonly parameter?: string;
}

/** The row's geometry itself (not its bounding box) has a point in common with the box. */
export interface InBbox {
  readonly op: 'bbox';
  readonly bbox: Bbox;
}

export type ValuePredicate =
  | { readonly op: 'compare'; readonly test: Comparison; readonly column: string; readonly value: Scalar }
  | { readonly op: 'in'; readonly column: string; readonly values: readonly Scalar[] }
  /** Both ends included. */
  | { readonly op: 'between'; readonly column: string; readonly low: Scalar; readonly high: Scalar }
  | { readonly op: 'text'; readonly test: TextTest; readonly column: string; readonly text: string };

export type Predicate =
  /** Of none: true. */
  | { readonly op: 'and'; readonly of: readonly Predicate[] }
  /** Of none: false. */
  | { readonly op: 'or'; readonly of: readonly Predicate[] }
  | { readonly op: 'not'; readonly of: Predicate }
  | ValuePredicate
  /** `column` may be the geometry column. */
  | { readonly op: 'isnull'; readonly column: string }
  | Spatial
  | DistanceWithin
  | InBbox;

/** Name of the geometry column, in every table that has one. */
export const geometryColumn = 'geometry';

/** True for every row. */
export const everything: Predicate = { op: 'and', of: [] };

/** All of them, without needless nesting; `everything` itself where there are none. */
export function and(predicates: readonly Predicate[]): Predicate {
  const flat = predicates.flatMap((p) => (p.op === 'and' ? p.of : [p]));
  if (flat.length === 0) return everything;
  return flat.length === 1 && flat[0] ? flat[0] : { op: 'and', of: flat };
}

/** Each part that is not made of others, from left to right. */
export function* leaves(predicate: Predicate): Generator<Exclude<Predicate, { op: 'and' | 'or' | 'not' }>> {
  if (predicate.op === 'and' || predicate.op === 'or') for (const part of predicate.of) yield* leaves(part);
  else if (predicate.op === 'not') yield* leaves(predicate.of);
  else yield predicate;
}

/** Which columns a predicate reads, in the order in which it first names them, and whether it reads the geometry. */
export function columnsOf(predicate: Predicate): { columns: readonly string[]; geometry: boolean } {
  const columns = new Set<string>();
  let geometry = false;
  for (const leaf of leaves(predicate)) {
    if ('column' in leaf && leaf.column !== geometryColumn) columns.add(leaf.column);
    else geometry = true;
  }
  return { columns: [...columns], geometry };
}

/** How large a predicate is, in the units of `QueryLimits`. */
export function sizeOf(predicate: Predicate): { predicates: number; values: number; vertices: number } {
  const size = { predicates: 0, values: 0, vertices: 0 };
  for (const leaf of leaves(predicate)) {
    size.predicates += 1;
    if (leaf.op === 'in') size.values += leaf.values.length;
    else if (leaf.op === 'between') size.values += 2;
    else if (leaf.op !== 'isnull') size.values += 1;
    if ('geometry' in leaf) size.vertices += vertexCount(leaf.geometry);
  }
  return size;
}
