/**
 * Web Mercator as a grid of whole units: the world is 2^30 units wide (a unit is 4 cm at the equator), x runs east from
 * 180° W, y south from 85.05° N. Tiles are those of OGC 17-083r4, WebMercatorQuad.
 */
import type { TileAddress } from '../../catalogue/maps.ts';
import type { PlanarBbox } from '../geometry/bounding-box.ts';

export const worldSize = 2 ** 30;
/** Deepest zoom of tiles: one unit of the grid is one unit of a tile. */
export const maxZoom = 18;
/** Units of a tile's own grid along its side, and of the margin in which it also has rows (MVT 2.1, section 4.2). */
export const tileExtent = 4096;
export const tileBuffer = 64;

const degree = Math.PI / 180;

/** Positions beyond the ends are put there: the grid has 32 bits. */
const clamp = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value));

export const xOfLongitude = (longitude: number): number => ((clamp(longitude, 500) + 180) / 360) * worldSize;

/** The poles are infinitely far away: latitudes end at 89.99°. */
export function yOfLatitude(latitude: number): number {
  const sine = Math.sin(clamp(latitude, 89.99) * degree);
  return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * worldSize;
}

export const longitudeOfX = (x: number): number => (x / worldSize) * 360 - 180;

export const latitudeOfY = (y: number): number => Math.atan(Math.sinh((0.5 - y / worldSize) * 2 * Math.PI)) / degree;

/** The longitudes and latitudes of a tile with its buffer; at the edges of the world, beyond 180 degrees. */
export function tileBoundsWithBuffer({ z, x, y }: TileAddress): PlanarBbox {
  const side = worldSize / 2 ** z;
  const margin = (side * tileBuffer) / tileExtent;
  return [
    longitudeOfX(x * side - margin),
    latitudeOfY((y + 1) * side + margin),
    longitudeOfX((x + 1) * side + margin),
    latitudeOfY(y * side - margin),
  ];
}

/** Bounds within the world, as TileJSON and PMTiles have them: those of rows on both sides of the antimeridian go around it. */
export function clampBounds([west, south, east, north]: readonly [number, number, number, number]): readonly [
  number,
  number,
  number,
  number,
] {
  const isWrapped = east > 180 || west < -180;
  return [isWrapped ? -180 : west, Math.max(-90, south), isWrapped ? 180 : east, Math.min(90, north)];
}
