/**
 * Geometry chunks: the geometries of one row group, encoded for the columnar copy. Points are arrays of coordinates.
 * Other geometries are WKB with their bounding boxes; those without an exact form in WKB (empty ones, positions of
 * different dimensions or of more than three) are GeoJSON. Coordinates are the payload's own 64-bit floats.
 */
import type { Points } from '../formats/points.ts';
import type { Bbox, Geometry } from '../geometry/geometry.ts';
import { readWkb, toWkb } from '../geometry/wkb.ts';
import { asBuffer, type ChunkKind } from './column-chunk.ts';

/** The validated geometries of a row group. */
export interface RowGroupGeometries {
  readonly rows: number;
  readonly geometries: readonly (Geometry | null)[];
  /** Minimum x, y, maximum x, y of each row; NaN where there is no geometry. */
  readonly boxes: Float64Array;
  /** Dimensions of each row's positions, as `validateAndMeasureGeometry` returns them. */
  readonly dimensions: Uint8Array;
}

export function encodeGeometryChunk({ rows, geometries, boxes, dimensions }: RowGroupGeometries): {
  kind: ChunkKind;
  bytes: Buffer[];
} {
  const pointDimensions = commonPointDimensions(geometries, dimensions);
  if (pointDimensions > 0) {
    const coordinates = new Float64Array(pointDimensions * rows).fill(Number.NaN);
    for (let row = 0; row < rows; row++) {
      const point = geometries[row];
      if (point?.type === 'Point')
        for (let i = 0; i < pointDimensions; i++) coordinates[i * rows + row] = point.coordinates[i] as number;
    }
    return { kind: 'points', bytes: [asBuffer(coordinates)] };
  }
  const ends = new Uint32Array(rows);
  const shapes: Uint8Array[] = [];
  let end = 0;
  for (let row = 0; row < rows; row++) {
    const geometry = geometries[row];
    if (geometry) {
      const isExactInWkb = dimensions[row] === 2 || dimensions[row] === 3;
      const bytes = isExactInWkb ? toWkb(geometry) : Buffer.from(JSON.stringify(geometry));
      shapes.push(bytes);
      end += bytes.length;
    }
    ends[row] = end;
  }
  return { kind: 'shapes', bytes: [asBuffer(boxes), asBuffer(ends), Buffer.concat(shapes)] };
}

/** As `encodeGeometryChunk`, for points without objects; at least one is present. */
export const encodePoints = ({ x, y }: Points): { kind: ChunkKind; bytes: Buffer[] } => ({
  kind: 'points',
  bytes: [asBuffer(x), asBuffer(y)],
});

/** 2 or 3 if all geometries are points with these dimensions, else 0. */
function commonPointDimensions(geometries: readonly (Geometry | null)[], dimensions: Uint8Array): number {
  let common = 0;
  for (let row = 0; row < geometries.length; row++) {
    const geometry = geometries[row];
    if (!geometry) continue;
    const own = geometry.type === 'Point' ? (dimensions[row] as number) : 0;
    if (own < 2 || own > 3 || (common !== 0 && common !== own)) return 0;
    common = own;
  }
  return common;
}

/** A decoded geometry chunk. Rows count from the start of the row group. */
export interface GeometryChunk {
  /** Memory in bytes. */
  readonly bytes: number;
  geometry(row: number): Geometry | null;
  bbox(row: number): Bbox | null;
  /** True if the row's bounding box intersects the box. */
  intersects(row: number, box: Bbox): boolean;
  /** As `readPoint` of a row. */
  readPoint?(row: number, position: Float64Array): boolean;
  /** As `wkb` of a row. */
  wkb?(row: number): Uint8Array | null;
  /** Longitudes and latitudes of all rows, if all are points; NaN for a row without a geometry. */
  readonly points?: PointCoordinates;
}

export type PointCoordinates = Pick<Points, 'x' | 'y'>;

export function decodeGeometryChunk(kind: ChunkKind, bytes: ArrayBuffer, rows: number): GeometryChunk {
  if (kind === 'points') return new PointChunk(new Float64Array(bytes), rows);
  return kind === 'shapes' ? new ShapeChunk(bytes, rows) : emptyChunk;
}

const emptyChunk: GeometryChunk = { bytes: 0, geometry: () => null, bbox: () => null, intersects: () => false };

class PointChunk implements GeometryChunk {
  readonly #coordinates: Float64Array;
  readonly #rows: number;
  readonly #dimensions: number;
  readonly bytes: number;
  constructor(coordinates: Float64Array, rows: number) {
    this.#coordinates = coordinates;
    this.#rows = rows;
    this.#dimensions = coordinates.length / rows;
    this.bytes = coordinates.byteLength;
  }
  get points(): PointCoordinates {
    return { x: this.#coordinates.subarray(0, this.#rows), y: this.#coordinates.subarray(this.#rows, 2 * this.#rows) };
  }
  geometry(row: number): Geometry | null {
    const x = this.#coordinates[row] as number;
    if (Number.isNaN(x)) return null;
    const y = this.#coordinates[this.#rows + row] as number;
    const position = this.#dimensions === 2 ? [x, y] : [x, y, this.#coordinates[2 * this.#rows + row] as number];
    return { type: 'Point', coordinates: position };
  }
  readPoint(row: number, position: Float64Array): boolean {
    const x = this.#coordinates[row] as number;
    if (this.#dimensions !== 2 || Number.isNaN(x)) return false;
    position[0] = x;
    position[1] = this.#coordinates[this.#rows + row] as number;
    return true;
  }
  bbox(row: number): Bbox | null {
    const x = this.#coordinates[row] as number;
    const y = this.#coordinates[this.#rows + row] as number;
    return Number.isNaN(x) ? null : [x, y, x, y];
  }
  intersects(row: number, box: Bbox): boolean {
    const x = this.#coordinates[row] as number;
    const y = this.#coordinates[this.#rows + row] as number;
    return x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
  }
}

class ShapeChunk implements GeometryChunk {
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
  #shape(row: number): Buffer | null {
    const start = row === 0 ? 0 : (this.#ends[row - 1] as number);
    const end = this.#ends[row] as number;
    return start === end ? null : this.#shapes.subarray(start, end);
  }
  wkb(row: number): Uint8Array | null {
    const shape = this.#shape(row);
    return shape?.[0] === 0x7b ? null : shape;
  }
  geometry(row: number): Geometry | null {
    const shape = this.#shape(row);
    if (shape === null) return null;
    if (shape[0] === 0x7b) return JSON.parse(shape.toString()) as Geometry;
    return readWkb(shape);
  }
  bbox(row: number): Bbox | null {
    const at = 4 * row;
    const boxes = this.#boxes;
    const west = boxes[at] as number;
    if (Number.isNaN(west)) return null;
    return [west, boxes[at + 1] as number, boxes[at + 2] as number, boxes[at + 3] as number];
  }
  intersects(row: number, box: Bbox): boolean {
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
