import type { Geometry } from './geometry.ts';

/** Minimum x and y, maximum x and y; minimum above maximum where nothing was measured yet. */
export type Extent = [number, number, number, number];

export const noExtent = (): Extent => [Infinity, Infinity, -Infinity, -Infinity];

const levels = {
  Point: 0,
  MultiPoint: 1,
  LineString: 1,
  MultiLineString: 2,
  Polygon: 2,
  MultiPolygon: 3,
} as const;

/** Something in a geometry that is no geometry. */
export class GeometryFault extends Error {}

/**
 * Checks a geometry's structure (RFC 7946, section 3.1) and widens the extent by its positions.
 * @returns how many numbers all its positions have; 0 where they differ or there are none
 * @throws GeometryFault
 */
export function measure(geometry: Geometry, extent: Extent): number {
  if (geometry.type === 'GeometryCollection') {
    if (!Array.isArray(geometry.geometries)) throw new GeometryFault('a GeometryCollection without geometries');
    const sizes = new Set(geometry.geometries.map((part) => measure(part, extent)));
    const [size = 0] = sizes;
    return sizes.size === 1 ? size : 0;
  }
  const depth = levels[geometry?.type];
  if (depth === undefined) throw new GeometryFault(`no geometry has the type ${JSON.stringify(geometry?.type)}`);
  if (depth === 0 && (geometry.coordinates as number[]).length === 0) return 0;
  const size = visit(geometry.coordinates, depth, extent);
  if (size === -1) throw new GeometryFault(`the coordinates of a ${geometry.type} are not as they should be`);
  return size;
}

/** Like `measure`; -1 where the structure is wrong, -2 where there is no position. */
function visit(coordinates: unknown, depth: number, extent: Extent): number {
  if (!Array.isArray(coordinates)) return -1;
  if (depth === 0) {
    const [x, y] = coordinates as unknown[];
    if (typeof x !== 'number' || typeof y !== 'number') return -1;
    for (let i = 2; i < coordinates.length; i++) if (typeof coordinates[i] !== 'number') return -1;
    if (x < extent[0]) extent[0] = x;
    if (y < extent[1]) extent[1] = y;
    if (x > extent[2]) extent[2] = x;
    if (y > extent[3]) extent[3] = y;
    return coordinates.length;
  }
  let size: number | undefined;
  for (const part of coordinates) {
    const own = visit(part, depth - 1, extent);
    if (own === -1) return -1;
    size = size === undefined || size === own ? own : 0;
  }
  return size ?? 0;
}

/** A point without a position: `[]`, or null or NaN for each number, as Python and R write it. */
export function isEmptyPoint(geometry: Geometry): boolean {
  if (geometry.type !== 'Point' || !Array.isArray(geometry.coordinates)) return false;
  return geometry.coordinates.every((number) => number === null || Number.isNaN(number));
}
