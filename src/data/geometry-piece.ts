/**
 * Geometries of one block of rows, checked, measured, and as bytes of the derived copy and back. Points lie as arrays of
 * coordinates. Other geometries lie as well-known binary beside their bounding boxes; those that have no exact form in
 * it (empty ones, positions of different lengths or with more than three numbers) as GeoJSON. Coordinates are the same
 * 64-bit floats that the payload gave.
 */
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import { bytesOf, type PieceKind } from './piece.ts';
import type { Bbox, Geometry } from './row.ts';
import { toWkb } from './writers/wkb.ts';

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

/** A block's geometries, measured. */
export interface BlockGeometries {
  readonly rows: number;
  readonly geometries: readonly (Geometry | null)[];
  /** Minimum x, y, maximum x, y of each row; NaN where there is none. */
  readonly boxes: Float64Array;
  /** By row, as `measure` gives it. */
  readonly sizes: Uint8Array;
}

/** The piece's kind and bytes. */
export function encodeGeometries({ rows, geometries, boxes, sizes }: BlockGeometries): {
  kind: PieceKind;
  bytes: Buffer[];
} {
  const size = commonPointSize(geometries, sizes);
  if (size > 0) {
    const coordinates = new Float64Array(size * rows).fill(Number.NaN);
    for (let row = 0; row < rows; row++) {
      const point = geometries[row];
      if (point?.type === 'Point')
        for (let i = 0; i < size; i++) coordinates[i * rows + row] = point.coordinates[i] as number;
    }
    return { kind: 'points', bytes: [bytesOf(coordinates)] };
  }
  const ends = new Uint32Array(rows);
  const shapes: Uint8Array[] = [];
  let end = 0;
  for (let row = 0; row < rows; row++) {
    const geometry = geometries[row];
    if (geometry) {
      const exact = sizes[row] === 2 || sizes[row] === 3;
      const bytes = exact ? toWkb(geometry) : Buffer.from(JSON.stringify(geometry));
      shapes.push(bytes);
      end += bytes.length;
    }
    ends[row] = end;
  }
  return { kind: 'shapes', bytes: [bytesOf(boxes), bytesOf(ends), Buffer.concat(shapes)] };
}

/** 2 or 3 where all geometries are points of so many numbers, else 0. */
function commonPointSize(geometries: readonly (Geometry | null)[], sizes: Uint8Array): number {
  let common = 0;
  for (let row = 0; row < geometries.length; row++) {
    const geometry = geometries[row];
    if (!geometry) continue;
    const size = geometry.type === 'Point' ? (sizes[row] as number) : 0;
    if (size < 2 || size > 3 || (common !== 0 && common !== size)) return 0;
    common = size;
  }
  return common;
}

/** The geometries of a block, read from their piece. */
export interface GeometryPiece {
  readonly bytes: number;
  geometry(row: number): Geometry | null;
  bbox(row: number): Bbox | null;
  /** Whether the row's bounding box has a point in common with the box. */
  touches(row: number, box: Bbox): boolean;
}

export function decodeGeometries(kind: PieceKind, bytes: ArrayBuffer, rows: number): GeometryPiece {
  if (kind === 'points') return new PointsPiece(new Float64Array(bytes), rows);
  return kind === 'shapes' ? new ShapesPiece(bytes, rows) : none;
}

const none: GeometryPiece = { bytes: 0, geometry: () => null, bbox: () => null, touches: () => false };

class PointsPiece implements GeometryPiece {
  readonly #numbers: Float64Array;
  readonly #rows: number;
  readonly #size: number;
  readonly bytes: number;
  constructor(numbers: Float64Array, rows: number) {
    this.#numbers = numbers;
    this.#rows = rows;
    this.#size = numbers.length / rows;
    this.bytes = numbers.byteLength;
  }
  geometry(row: number): Geometry | null {
    const x = this.#numbers[row] as number;
    if (Number.isNaN(x)) return null;
    const y = this.#numbers[this.#rows + row] as number;
    const coordinates = this.#size === 2 ? [x, y] : [x, y, this.#numbers[2 * this.#rows + row] as number];
    return { type: 'Point', coordinates };
  }
  bbox(row: number): Bbox | null {
    const x = this.#numbers[row] as number;
    const y = this.#numbers[this.#rows + row] as number;
    return Number.isNaN(x) ? null : [x, y, x, y];
  }
  touches(row: number, box: Bbox): boolean {
    const x = this.#numbers[row] as number;
    const y = this.#numbers[this.#rows + row] as number;
    return x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
  }
}

class ShapesPiece implements GeometryPiece {
  readonly #boxes: Float64Array;
  readonly #ends: Uint32Array;
  readonly #shapes: Buffer;
  readonly bytes: number;
  constructor(bytes: ArrayBuffer, rows: number) {
    this.#boxes = new Float64Array(bytes, 0, 4 * rows);
    this.#ends = new Uint32Array(bytes, 32 * rows, rows);
    this.#shapes = Buffer.from(bytes, 36 * rows);
    this.bytes = bytes.byteLength;
  }
  geometry(row: number): Geometry | null {
    const start = row === 0 ? 0 : (this.#ends[row - 1] as number);
    const end = this.#ends[row] as number;
    if (start === end) return null;
    const shape = this.#shapes.subarray(start, end);
    if (shape[0] === 0x7b) return JSON.parse(shape.toString()) as Geometry;
    const view = new DataView(shape.buffer, shape.byteOffset, shape.byteLength);
    return wkbToGeojson({ view, offset: 0 }) as Geometry;
  }
  bbox(row: number): Bbox | null {
    const [west, south, east, north] = this.#boxes.subarray(4 * row, 4 * row + 4) as unknown as Extent;
    return Number.isNaN(west) ? null : [west, south, east, north];
  }
  touches(row: number, box: Bbox): boolean {
    const at = 4 * row;
    const boxes = this.#boxes;
    return (
      (boxes[at] as number) <= box[2] &&
      (boxes[at + 2] as number) >= box[0] &&
      (boxes[at + 1] as number) <= box[3] &&
      (boxes[at + 3] as number) >= box[1]
    );
  }
}
