/**
 * Geometries of one block of rows, checked, measured, and as bytes of the derived copy and back. Points lie as arrays of
 * coordinates. Other geometries lie as well-known binary beside their bounding boxes; those that have no exact form in
 * it (empty ones, positions of different lengths or with more than three numbers) as GeoJSON. Coordinates are the same
 * 64-bit floats that the payload gave.
 */
import { wkbToGeojson } from 'hyparquet/src/wkb.js';
import type { Bbox, Geometry } from '../geometry/geometry.ts';
import type { Extent } from '../geometry/validate.ts';
import { toWkb } from '../geometry/wkb.ts';
import { bytesOf, type PieceKind } from './column-chunk.ts';

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
