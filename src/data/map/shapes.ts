/** Lines and polygons, and points beside them, as arrays of vertices in the Mercator grid, each with its importance. */
import type { Bbox } from '../geometry/geometry.ts';
import { importanceOfDistance, measureImportance } from './importance.ts';
import { xOfLongitude, yOfLatitude } from './mercator.ts';

/** What a row's geometry is drawn as. A collection has the kind of the parts with the most dimensions: it is drawn so where it is small. */
export const shapeKinds = { none: 0, point: 1, line: 2, polygon: 3 } as const;

/** What a part is: a point, a line, the outer ring of a polygon, or a hole of the one before it. */
export const partKinds = { point: 1, line: 2, ring: 3, hole: 4 } as const;

/** What a part is drawn as, as in `shapeKinds`. @param kind as in `partKinds` */
export const shapeKindOfPart = (kind: number): number => Math.min(kind, shapeKinds.polygon);

/** Where the shapes of all rows are, without their vertices. */
export interface OutlineLayer {
  readonly kind: 'shapes';
  /** Number of rows, with and without a geometry. */
  readonly rows: number;
  /** West, south, east, north of each row in degrees; NaN where it has no geometry. */
  readonly boxes: Float64Array;
  /** Minimum x and y, maximum x and y of each row in units of the grid. */
  readonly gridBoxes: Int32Array;
  /** Of each row, as in `shapeKinds`. */
  readonly kinds: Uint8Array;
  /** Boxes of the rows that are cut at the antimeridian, by row: their east is beyond 180. In `boxes` they go around the world. */
  readonly cutBoxes: ReadonlyMap<number, Bbox>;
  /** Bytes of each row's geometry in WKB: 16 or 24 for each vertex, and some more. */
  readonly lengths: Uint32Array;
  /** Memory in bytes. */
  readonly bytes: number;
}

/** The shapes of all rows, or the outlines of all with the vertices of some. */
export interface ShapeLayer extends Omit<OutlineLayer, 'lengths'> {
  /** The first part of each row, and behind the last row the number of parts. */
  readonly firstParts: Uint32Array;
  /** Of each part, as in `partKinds`. */
  readonly partKinds: Uint8Array;
  /** The first vertex of each part, and behind the last part the number of vertices. */
  readonly firstVertices: Uint32Array;
  readonly xs: Int32Array;
  readonly ys: Int32Array;
  readonly importance: Uint8Array;
  /** False if vertices were left out, and lines may have moved. */
  readonly isComplete: boolean;
}

/** The box of a row in degrees, its west NaN without a geometry; east of a row on both sides of the antimeridian is beyond 180. */
export function boxInPicture({ boxes, cutBoxes }: Pick<OutlineLayer, 'boxes' | 'cutBoxes'>, row: number): Bbox {
  const at = 4 * row;
  return (
    cutBoxes.get(row) ?? [
      boxes[at] as number,
      boxes[at + 1] as number,
      boxes[at + 2] as number,
      boxes[at + 3] as number,
    ]
  );
}

export class OutlineBuilder {
  readonly #boxes: Float64Array;
  readonly #gridBoxes: Int32Array;
  readonly #kinds: Uint8Array;
  readonly #lengths: Uint32Array;
  readonly #cutBoxes = new Map<number, Bbox>();

  constructor(rows: number) {
    this.#boxes = new Float64Array(4 * rows).fill(Number.NaN);
    this.#gridBoxes = new Int32Array(4 * rows);
    this.#kinds = new Uint8Array(rows);
    this.#lengths = new Uint32Array(rows);
  }

  /** @param wkb as `toWkb` writes it @param cutBox of a row that is cut at the antimeridian */
  addRow(row: number, box: Bbox, wkb: Uint8Array | null, cutBox?: Bbox): void {
    if (!wkb) return;
    if (cutBox) this.#cutBoxes.set(row, cutBox);
    const at = 4 * row;
    this.#boxes.set(box, at);
    this.#gridBoxes[at] = Math.round(xOfLongitude(box[0]));
    this.#gridBoxes[at + 1] = Math.round(yOfLatitude(box[3]));
    this.#gridBoxes[at + 2] = Math.round(xOfLongitude(box[2]));
    this.#gridBoxes[at + 3] = Math.round(yOfLatitude(box[1]));
    this.#kinds[row] = kindOfShape(new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength), 0).kind;
    this.#lengths[row] = wkb.byteLength;
  }

  finish(): OutlineLayer {
    const arrays = { boxes: this.#boxes, gridBoxes: this.#gridBoxes, kinds: this.#kinds, lengths: this.#lengths };
    const rows = this.#kinds.length;
    return { kind: 'shapes', rows, ...arrays, cutBoxes: this.#cutBoxes, bytes: 53 * rows + 100 * this.#cutBoxes.size };
  }
}

/** The kind of a geometry of WKB at an offset, as in `shapeKinds`, and the offset behind it. Empty parts count for nothing. */
function kindOfShape(view: DataView, at: number): { readonly kind: number; readonly end: number } {
  const code = view.getUint32(at + 1, true);
  const type = code % 1000;
  const stride = code >= 1000 ? 24 : 16;
  if (type === 1) {
    const isEmpty = Number.isNaN(view.getFloat64(at + 5, true));
    return { kind: isEmpty ? shapeKinds.none : shapeKinds.point, end: at + 5 + stride };
  }
  const count = view.getUint32(at + 5, true);
  let end = at + 9;
  if (type === 2) return { kind: count > 0 ? shapeKinds.line : shapeKinds.none, end: end + count * stride };
  let kind: number = shapeKinds.none;
  for (let i = 0; i < count; i++) {
    if (type === 3) {
      const vertices = view.getUint32(end, true);
      if (vertices > 0) kind = shapeKinds.polygon;
      end += 4 + vertices * stride;
    } else {
      const part = kindOfShape(view, end);
      kind = Math.max(kind, part.kind);
      end = part.end;
    }
  }
  return { kind, end };
}

/** Vertices in memory at most: beyond that, the least important are left out, and deep zooms are simplified more. */
const mostVertices = 6_000_000;

export class ShapeBuilder {
  readonly #outlines: OutlineLayer;
  readonly #firstParts: Uint32Array;
  #partKinds = new Uint8Array(1024);
  #firstVertices = new Uint32Array(1024);
  #parts = 0;
  #xs = new Int32Array(8192);
  #ys = new Int32Array(8192);
  #importance = new Uint8Array(8192);
  #vertices = 0;
  /** The least importance of a vertex that is kept. */
  #leastImportance = 0;
  /** The distance that it stands for, in units of the grid. */
  #leastDistance = 1;
  #row = 0;
  readonly #mostVertices: number;

  constructor(outlines: OutlineLayer, most: number = mostVertices) {
    const { rows } = outlines;
    this.#outlines = outlines;
    this.#firstParts = new Uint32Array(rows + 1);
    this.#mostVertices = most;
  }

  /** Adds the vertices of a row; rows come in order. @param wkb as `toWkb` writes it */
  addRow(row: number, wkb: Uint8Array | null): void {
    for (; this.#row <= row; this.#row++) this.#firstParts[this.#row] = this.#parts;
    if (!wkb) return;
    this.#readShape(new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength), 0);
    if (this.#vertices > this.#mostVertices) this.#dropLeastImportant();
  }

  finish(): ShapeLayer {
    this.#firstParts.fill(this.#parts, this.#row);
    this.#firstVertices[this.#parts] = this.#vertices;
    const { lengths: _, ...outlines } = this.#outlines;
    const vertices = {
      firstParts: this.#firstParts,
      partKinds: this.#partKinds.slice(0, this.#parts),
      firstVertices: this.#firstVertices.slice(0, this.#parts + 1),
      xs: this.#xs.slice(0, this.#vertices),
      ys: this.#ys.slice(0, this.#vertices),
      importance: this.#importance.slice(0, this.#vertices),
    };
    const bytes = Object.values(vertices).reduce((sum, { byteLength }) => sum + byteLength, 0);
    return { ...outlines, ...vertices, isComplete: this.#leastImportance === 0, bytes };
  }

  /** Reads a geometry of WKB at an offset; returns the offset behind it. */
  #readShape(view: DataView, at: number): number {
    const code = view.getUint32(at + 1, true);
    const type = code % 1000;
    const stride = code >= 1000 ? 24 : 16;
    if (type === 1) return this.#readPart(view, at + 5, 1, stride, partKinds.point);
    const count = view.getUint32(at + 5, true);
    if (type === 2) return this.#readPart(view, at + 9, count, stride, partKinds.line);
    let next = at + 9;
    if (type > 3) {
      for (let i = 0; i < count; i++) next = this.#readShape(view, next);
      return next;
    }
    for (let i = 0; i < count; i++) {
      const kind = i === 0 ? partKinds.ring : partKinds.hole;
      next = this.#readPart(view, next + 4, view.getUint32(next, true), stride, kind);
    }
    return next;
  }

  #readPart(view: DataView, start: number, count: number, stride: number, kind: number): number {
    const end = start + count * stride;
    this.#makeRoom(count);
    const first = this.#vertices;
    let next = first;
    for (let at = start; at < end; at += stride) {
      const x = view.getFloat64(at, true);
      const y = view.getFloat64(at + 8, true);
      // An empty point has NaN for each number.
      if (Number.isNaN(x) || Number.isNaN(y)) continue;
      this.#xs[next] = Math.round(xOfLongitude(x));
      this.#ys[next] = Math.round(yOfLatitude(y));
      next++;
    }
    if (next === first) return end;
    this.#importance.fill(0, first, next);
    measureImportance(this.#xs, this.#ys, this.#importance, first, next);
    this.#firstVertices[this.#parts] = first;
    this.#partKinds[this.#parts] = kind;
    this.#parts++;
    this.#vertices = this.#leastImportance === 0 ? next : this.#keepImportant(first, next, first);
    return end;
  }

  #makeRoom(vertices: number): void {
    if (this.#vertices + vertices > this.#xs.length) {
      const length = Math.max(2 * this.#xs.length, this.#vertices + vertices);
      this.#xs = enlarged(this.#xs, new Int32Array(length));
      this.#ys = enlarged(this.#ys, new Int32Array(length));
      this.#importance = enlarged(this.#importance, new Uint8Array(length));
    }
    if (this.#parts + 2 > this.#partKinds.length) {
      this.#partKinds = enlarged(this.#partKinds, new Uint8Array(2 * this.#parts + 4));
      this.#firstVertices = enlarged(this.#firstVertices, new Uint32Array(2 * this.#parts + 4));
    }
  }

  /** Moves the vertices from `start` to `end` that are important enough to `to`; returns the end of those. */
  #keepImportant(start: number, end: number, to: number): number {
    let next = to;
    for (let at = start; at < end; at++) {
      if ((this.#importance[at] as number) < this.#leastImportance) continue;
      this.#xs[next] = this.#xs[at] as number;
      this.#ys[next] = this.#ys[at] as number;
      this.#importance[next++] = this.#importance[at] as number;
    }
    return next;
  }

  /** Leaves out vertices, the least important first, until half of the room is free or a line is three points. */
  #dropLeastImportant(): void {
    while (this.#vertices > this.#mostVertices / 2 && this.#leastImportance < 240) {
      this.#leastDistance *= 2;
      this.#leastImportance = importanceOfDistance(this.#leastDistance);
      let end = 0;
      this.#firstVertices[this.#parts] = this.#vertices;
      for (let part = 0; part < this.#parts; part++) {
        const start = this.#firstVertices[part] as number;
        const next = this.#firstVertices[part + 1] as number;
        this.#firstVertices[part] = end;
        end = this.#keepImportant(start, next, end);
      }
      this.#vertices = end;
    }
  }
}

function enlarged<A extends Uint8Array | Int32Array | Uint32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
