/** Geometries as GeoJSON has them, and functions that hold for all their types. */

/** GeoJSON geometry (RFC 7946, section 3.1); Z values are kept. */
export type Geometry =
  | { type: 'Point'; coordinates: number[] }
  | { type: 'MultiPoint' | 'LineString'; coordinates: number[][] }
  | { type: 'MultiLineString' | 'Polygon'; coordinates: number[][][] }
  | { type: 'MultiPolygon'; coordinates: number[][][][] }
  | { type: 'GeometryCollection'; geometries: Geometry[] };

/** Every geometry but a collection: it has coordinates. */
export type SimpleGeometry = Exclude<Geometry, { type: 'GeometryCollection' }>;

/** Coordinates of any geometry: numbers in nested arrays. */
export type Coordinates = readonly (number | Coordinates)[];

/** west, south, east, north; west > east where it crosses the antimeridian (RFC 7946, section 5.2). */
export type Bbox = readonly [number, number, number, number];

/** A kind of geometry, as GeoParquet names it: the GeoJSON type, and ` Z` where positions have a third number. */
export type GeometryKind =
  | `${'Point' | 'LineString' | 'Polygon' | 'MultiPoint' | 'MultiLineString' | 'MultiPolygon'}${'' | ' Z'}`
  | `GeometryCollection${'' | ' Z'}`;

/** Number of arrays around a position in a type's `coordinates` (RFC 7946, section 3.1). */
export const coordinateDepth = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
} as const;

const geometryTypes: ReadonlySet<unknown> = new Set([...Object.keys(coordinateDepth), 'GeometryCollection']);

/** True if a value looks like a GeoJSON geometry; its coordinates aren't checked. */
export const isGeometry = (value: unknown): value is Geometry =>
  typeof value === 'object' &&
  value !== null &&
  geometryTypes.has((value as { type?: unknown }).type) &&
  ('coordinates' in value || 'geometries' in value);

/** A position; without its height if that is NaN, which no JSON has. */
export const toPosition = (x: number, y: number, z: number): number[] => (Number.isNaN(z) ? [x, y] : [x, y, z]);

/** Number of positions; an empty point counts as one. */
export function countVertices(geometry: Geometry): number {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.reduce((sum, g) => sum + countVertices(g), 0);
  if (geometry.type === 'Point') return 1;
  const count = (value: unknown, depth: number): number =>
    depth === 0 ? 1 : (value as unknown[]).reduce<number>((sum, part) => sum + count(part, depth - 1), 0);
  return count(geometry.coordinates, coordinateDepth[geometry.type]);
}

/** True if a position has a third number. */
export const hasZ = (geometry: Geometry): boolean => somePosition(geometry, (position) => position.length > 2);

/** True if a test is true of a position; it ends at the first. */
export function somePosition(geometry: Geometry, test: (position: readonly number[]) => boolean): boolean {
  const isTrueOfSome = (coordinates: Coordinates): boolean =>
    typeof coordinates[0] === 'number'
      ? test(coordinates as readonly number[])
      : coordinates.some((part) => isTrueOfSome(part as Coordinates));
  if (geometry.type === 'GeometryCollection') return geometry.geometries.some((part) => somePosition(part, test));
  return isTrueOfSome(geometry.coordinates);
}

/**
 * A copy of a geometry with each position put through a function.
 * @param map from the first two numbers of a position, and those that follow (the height), to the new position
 */
export function mapPositions(
  geometry: Geometry,
  map: (x: number, y: number, others: readonly number[]) => number[],
): Geometry {
  if (geometry.type === 'GeometryCollection') {
    return { type: geometry.type, geometries: geometry.geometries.map((part) => mapPositions(part, map)) };
  }
  const mapCoordinates = (value: unknown, depth: number): unknown => {
    const parts = value as unknown[];
    if (depth > 0) return parts.map((part) => mapCoordinates(part, depth - 1));
    return parts.length < 2 ? [] : map(Number(parts[0]), Number(parts[1]), parts.slice(2) as number[]);
  };
  const coordinates = mapCoordinates(geometry.coordinates, coordinateDepth[geometry.type]);
  return { type: geometry.type, coordinates } as Geometry;
}

/** One geometry of several of the same type: the Multi form of simple ones, or one collection. */
export function combineGeometries(geometries: readonly Geometry[]): Geometry {
  const [first, ...others] = geometries;
  if (first && others.length === 0) return first;
  if (!first || first.type === 'GeometryCollection') {
    return {
      type: 'GeometryCollection',
      geometries: geometries.flatMap((part) => (part.type === 'GeometryCollection' ? part.geometries : [part])),
    };
  }
  const isMulti = first.type.startsWith('Multi');
  const coordinates = (geometries as SimpleGeometry[]).flatMap((part): unknown[] =>
    isMulti ? part.coordinates : [part.coordinates],
  );
  return { type: isMulti ? first.type : `Multi${first.type}`, coordinates } as Geometry;
}

/** The geometries that a geometry consists of, none of them a collection. */
export function partsOfGeometry(geometry: Geometry): SimpleGeometry[] {
  return geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(partsOfGeometry) : [geometry];
}

export const isArea = ({ type }: Geometry): boolean => type === 'Polygon' || type === 'MultiPolygon';
