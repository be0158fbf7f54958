/** Geometries moved in the plane, and joined into one. */
import type { Coordinates } from './wkb.ts';

type Simple = Exclude<Geometry, { type: 'GeometryCollection' }>;

/** A geometry with each position's longitude and latitude put through a function; heights are dropped. */
export function moved(geometry: Geometry, move: (x: number, y: number) => number[]): Geometry {
  if (geometry.type === 'GeometryCollection') {
    return { type: geometry.type, geometries: geometry.geometries.map((part) => moved(part, move)) };
  }
  const walk = (value: unknown, levels: number): unknown => {
    const parts = value as unknown[];
    if (levels > 0) return parts.map((part) => walk(part, levels - 1));
    return parts.length < 2 ? [] : move(Number(parts[0]), Number(parts[1]));
  };
  return { type: geometry.type, coordinates: walk(geometry.coordinates, nesting[geometry.type]) } as Geometry;
}

/** One geometry of several of the same kind: the Multi form of simple ones. */
export function together(geometries: readonly Geometry[]): Geometry {
  const [first, ...others] = geometries;
  if (first && others.length === 0) return first;
  if (!first || first.type === 'GeometryCollection') {
    return {
      type: 'GeometryCollection',
      geometries: geometries.flatMap((part) => (part.type === 'GeometryCollection' ? part.geometries : [part])),
    };
  }
  const multi = first.type.startsWith('Multi');
  const coordinates = (geometries as Simple[]).flatMap((part): unknown[] =>
    multi ? part.coordinates : [part.coordinates],
  );
  return { type: multi ? first.type : `Multi${first.type}`, coordinates } as Geometry;
}

/** GeoJSON geometry (RFC 7946, section 3.1); Z values are kept. */
export type Geometry =
  | { type: 'Point'; coordinates: number[] }
  | { type: 'MultiPoint' | 'LineString'; coordinates: number[][] }
  | { type: 'MultiLineString' | 'Polygon'; coordinates: number[][][] }
  | { type: 'MultiPolygon'; coordinates: number[][][][] }
  | { type: 'GeometryCollection'; geometries: Geometry[] };

/** west, south, east, north; west > east where it crosses the antimeridian (RFC 7946, section 5.2). */
export type Bbox = readonly [number, number, number, number];

/** A kind of geometry, as GeoParquet names it: the GeoJSON type, and ` Z` where positions have a third number. */
export type GeometryKind =
  | `${'Point' | 'LineString' | 'Polygon' | 'MultiPoint' | 'MultiLineString' | 'MultiPolygon'}${'' | ' Z'}`
  | `GeometryCollection${'' | ' Z'}`;

export function vertexCount(geometry: Geometry): number {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.reduce((sum, g) => sum + vertexCount(g), 0);
  if (geometry.type === 'Point') return 1;
  const count = (value: unknown, levels: number): number =>
    levels === 0 ? 1 : (value as unknown[]).reduce<number>((sum, part) => sum + count(part, levels - 1), 0);
  return count(geometry.coordinates, nesting[geometry.type]);
}

/** How many arrays lie around a position in a type's `coordinates` (RFC 7946, section 3.1). */
export const nesting = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
} as const;

/** Whether any position has a third number. */
export function hasZ(geometry: Geometry): boolean {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.some(hasZ);
  return anyZ(geometry.coordinates);
}

function anyZ(coordinates: Coordinates): boolean {
  if (typeof coordinates[0] === 'number') return coordinates.length > 2;
  return coordinates.some((each) => anyZ(each as Coordinates));
}
