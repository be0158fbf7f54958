/** Checks of a payload's geometries while they are read, and the extent of all of them. */
import { excerpt } from '../../catalogue/errors.ts';
import { coordinateDepth, type Geometry } from './geometry.ts';

/** Minimum x and y, maximum x and y; minimum above maximum where it is empty. */
export type Extent = [number, number, number, number];

export const emptyExtent = (): Extent => [Infinity, Infinity, -Infinity, -Infinity];

/** A value that should be a geometry, but is not. */
export class InvalidGeometryError extends Error {}

/** The structure of coordinates is wrong: no number of dimensions. */
const malformed = -1;

/**
 * Checks a geometry's structure (RFC 7946, section 3.1), and extends an extent by its positions.
 * @returns the number of dimensions that all positions have; 0 where they differ or there are none
 * @throws InvalidGeometryError
 */
export function validateAndMeasureGeometry(geometry: Geometry, extent: Extent): number {
  // A member of a collection may be anything.
  const type: unknown = Object(geometry).type;
  if (geometry?.type === 'GeometryCollection') {
    if (!Array.isArray(geometry.geometries)) throw new InvalidGeometryError('a GeometryCollection without geometries');
    const dimensions = new Set(geometry.geometries.map((part) => validateAndMeasureGeometry(part, extent)));
    const [first = 0] = dimensions;
    return dimensions.size === 1 ? first : 0;
  }
  if (typeof type !== 'string' || !Object.hasOwn(coordinateDepth, type))
    throw new InvalidGeometryError(`no geometry has the type ${excerpt(JSON.stringify(type))}`);
  const depth = coordinateDepth[geometry.type];
  if (depth === 0 && Array.isArray(geometry.coordinates) && geometry.coordinates.length === 0) return 0;
  const dimensions = validateCoordinates(geometry.coordinates, depth, extent);
  if (dimensions === malformed) {
    throw new InvalidGeometryError(`the coordinates of a ${geometry.type} are not as they should be`);
  }
  return dimensions;
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

/** Like `validateAndMeasureGeometry`, for coordinates; `malformed` where the structure is wrong. */
function validateCoordinates(coordinates: unknown, depth: number, extent: Extent): number {
  if (!Array.isArray(coordinates)) return malformed;
  if (depth === 0) {
    const [x, y] = coordinates as unknown[];
    if (!isFiniteNumber(x) || !isFiniteNumber(y)) return malformed;
    for (let i = 2; i < coordinates.length; i++) if (!isFiniteNumber(coordinates[i])) return malformed;
    if (x < extent[0]) extent[0] = x;
    if (y < extent[1]) extent[1] = y;
    if (x > extent[2]) extent[2] = x;
    if (y > extent[3]) extent[3] = y;
    return coordinates.length;
  }
  let dimensions: number | undefined;
  for (const part of coordinates) {
    const own = validateCoordinates(part, depth - 1, extent);
    if (own === malformed) return malformed;
    dimensions = dimensions === undefined || dimensions === own ? own : 0;
  }
  return dimensions ?? 0;
}

/**
 * Checks the least lengths of lines (two positions) and rings (four), and closes rings that are not closed, which needs no
 * guess. Call it after `validateAndMeasureGeometry`.
 * @returns the number of rings that were closed
 * @throws InvalidGeometryError
 */
export function assertLengthsAndCloseRings(geometry: Geometry): number {
  switch (geometry.type) {
    case 'LineString':
      return assertLine(geometry.coordinates);
    case 'MultiLineString':
      return geometry.coordinates.reduce((sum, line) => sum + assertLine(line), 0);
    case 'Polygon':
      return geometry.coordinates.reduce((sum, ring) => sum + closeRing(ring), 0);
    case 'MultiPolygon':
      return geometry.coordinates.flat().reduce((sum, ring) => sum + closeRing(ring), 0);
    case 'GeometryCollection':
      return geometry.geometries.reduce((sum, part) => sum + assertLengthsAndCloseRings(part), 0);
    default:
      return 0;
  }
}

function assertLine({ length }: readonly unknown[]): number {
  if (length === 1) throw new InvalidGeometryError('a line has one position; it needs two');
  return 0;
}

function closeRing(ring: number[][]): number {
  const [first, last] = [ring[0], ring.at(-1)];
  if (!first || !last) return 0;
  const isClosed = first.length === last.length && first.every((number, index) => number === last[index]);
  if (ring.length + Number(!isClosed) < 4)
    throw new InvalidGeometryError(`a ring has ${ring.length} positions; it needs four, the last like the first`);
  if (!isClosed) ring.push([...first]);
  return Number(!isClosed);
}

/** True for a point without a position: `[]`, or null or NaN for each number, as Python and R write it. */
export function isEmptyPoint(geometry: Geometry): boolean {
  if (geometry.type !== 'Point' || !Array.isArray(geometry.coordinates)) return false;
  return geometry.coordinates.every((number) => number === null || Number.isNaN(number));
}
