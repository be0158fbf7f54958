/** The direction of rings: outer ones run counterclockwise, holes clockwise (RFC 7946, section 3.1.6). */
import type { Geometry } from './geometry.ts';

type Ring = number[][];

/** Number of rings of a geometry that run the other way. A ring without an area has no direction. */
export function countMisdirectedRings(geometry: Geometry): number {
  switch (geometry.type) {
    case 'Polygon':
      return countIn(geometry.coordinates);
    case 'MultiPolygon':
      return geometry.coordinates.reduce((sum, rings) => sum + countIn(rings), 0);
    case 'GeometryCollection':
      return geometry.geometries.reduce((sum, part) => sum + countMisdirectedRings(part), 0);
    default:
      return 0;
  }
}

const countIn = (rings: readonly Ring[]): number =>
  rings.reduce((sum, ring, i) => sum + Number(isMisdirected(ring, i)), 0);

/** A geometry whose rings have the right direction: itself, if all have, else a copy in which the others are reversed. */
export function directRings(geometry: Geometry): Geometry {
  if (countMisdirectedRings(geometry) === 0) return geometry;
  switch (geometry.type) {
    case 'Polygon':
      return { ...geometry, coordinates: direct(geometry.coordinates) };
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map(direct) };
    case 'GeometryCollection':
      return { ...geometry, geometries: geometry.geometries.map(directRings) };
    default:
      return geometry;
  }
}

const direct = (rings: readonly Ring[]): Ring[] =>
  rings.map((ring, i) => (isMisdirected(ring, i) ? ring.toReversed() : ring));

/** @param index of the ring in its polygon: 0 for the outer one */
function isMisdirected(ring: Ring, index: number): boolean {
  const area = doubleSignedArea(ring);
  return index === 0 ? area < 0 : area > 0;
}

/** Twice the area of a closed ring; positive if it runs counterclockwise. Edges are straight in longitude and latitude (section 3.1.1). */
function doubleSignedArea(ring: Ring): number {
  // From the first position, so that small rings far from the origin keep their digits.
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  let area = 0;
  let [x, y] = [0, 0];
  for (let i = 1; i < ring.length; i++) {
    const position = ring[i] as number[];
    const [nextX, nextY] = [(position[0] as number) - x0, (position[1] as number) - y0];
    area += x * nextY - nextX * y;
    [x, y] = [nextX, nextY];
  }
  return area;
}
