/** Looks up a part of a large shape: where its parts and vertices are is kept in trees of boxes, which are made when they are first needed. */
import { BoxTree, type EnterRange, type GridBox } from './box-tree.ts';
import { partKinds, type ShapeLayer, shapeKindOfPart } from './shapes.ts';

/** Parts of a row, and vertices of a part, up to which all are looked at. */
const fewItems = 64;

/** A row of a layer. */
export interface RowOfShapes {
  readonly layer: ShapeLayer;
  readonly row: number;
}

interface LayerIndex {
  /** By row, if it has many parts. */
  readonly parts: Map<number, BoxTree>;
  /** By part, if it has many vertices. */
  readonly vertices: Map<number, BoxTree>;
  /** Kinds of the parts, by row that has many. */
  readonly kinds: Map<number, number>;
}

const indexes = new WeakMap<ShapeLayer, LayerIndex>();

function indexOf(layer: ShapeLayer): LayerIndex {
  const known = indexes.get(layer);
  if (known) return known;
  const index = { parts: new Map(), vertices: new Map(), kinds: new Map() };
  indexes.set(layer, index);
  return index;
}

function keptIn<V>(map: Map<number, V>, key: number, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const partsOf = ({ layer, row }: RowOfShapes) => ({
  first: layer.firstParts[row] as number,
  end: layer.firstParts[row + 1] as number,
});

const verticesOf = (layer: ShapeLayer, part: number) => ({
  first: layer.firstVertices[part] as number,
  end: layer.firstVertices[part + 1] as number,
});

/** The kinds of a row's parts: a bit for each, as in `shapeKinds`. */
export function kindsOfParts(shape: RowOfShapes): number {
  const { first, end } = partsOf(shape);
  const find = () => {
    let kinds = 0;
    for (let part = first; part < end; part++) kinds |= 1 << shapeKindOfPart(shape.layer.partKinds[part] as number);
    return kinds;
  };
  return end - first <= fewItems ? find() : keptIn(indexOf(shape.layer).kinds, shape.row, find);
}

/**
 * Visits the parts of a row that may have a point in common with an area, in order.
 * @param passOver called where an outer ring has been passed over, to which no hole that follows belongs
 */
function visitParts(shape: RowOfShapes, area: GridBox, visit: (part: number) => void, passOver: () => void): void {
  const { layer, row } = shape;
  const { first, end } = partsOf(shape);
  const visitAll = (from: number, to: number) => {
    for (let part = first + from; part < first + to; part++) visit(part);
  };
  if (end - first <= fewItems) {
    visitAll(0, end - first);
    return;
  }
  const isNoHole = (item: number) => (layer.partKinds[first + item] === partKinds.hole ? 0 : 1);
  const makeTree = () => {
    const measure = (item: number, box: Int32Array) => {
      const vertices = verticesOf(layer, first + item);
      setBox(box, layer, vertices.first, vertices.end);
      return isNoHole(item);
    };
    return new BoxTree(end - first, measure, isNoHole);
  };
  keptIn(indexOf(layer).parts, row, makeTree).visit((range) => {
    if (!range.isApartFrom(area)) return true;
    if (range.weight > 0) passOver();
    return false;
  }, visitAll);
}

/** Sets a box around the vertices from `first` up to, and without, `end`. */
function setBox(box: Int32Array, { xs, ys }: ShapeLayer, first: number, end: number): void {
  box[0] = box[2] = xs[first] as number;
  box[1] = box[3] = ys[first] as number;
  for (let at = first + 1; at < end; at++) {
    const x = xs[at] as number;
    const y = ys[at] as number;
    if (x < (box[0] as number)) box[0] = x;
    else if (x > (box[2] as number)) box[2] = x;
    if (y < (box[1] as number)) box[1] = y;
    else if (y > (box[3] as number)) box[3] = y;
  }
}

/** Visits the vertices of a part, in order, without those of ranges that aren't entered. A range has the lines from its vertices to the next ones. */
function visitVertices(
  layer: ShapeLayer,
  part: number,
  enter: EnterRange,
  visit: (start: number, end: number) => void,
) {
  const { first, end } = verticesOf(layer, part);
  if (end - first <= fewItems) return visit(first, end);
  const weightOf = (item: number) => layer.importance[first + item] as number;
  const makeTree = () => {
    const measure = (item: number, box: Int32Array) => {
      const at = first + item;
      setBox(box, layer, at, Math.min(end, at + 2));
      return weightOf(item);
    };
    return new BoxTree(end - first, measure, weightOf);
  };
  const tree = keptIn(indexOf(layer).vertices, part, makeTree);
  tree.visit(enter, (from, to) => visit(first + from, first + to));
}

/**
 * Visits the parts of a row that may have a point in common with an area.
 * @param visit takes the kind of a part, as in `partKinds`, and its vertices of at least an importance. Of a stretch on one side of the area,
 *   they are the first and the last: a line or ring that is cut off at the area is the same without those between
 * @param passOver as for `visitParts`
 */
export function visitPartsNear(
  shape: RowOfShapes,
  { area, least }: { readonly area: GridBox; readonly least: number },
  isWanted: (kind: number) => boolean,
  visit: (kind: number, vertices: readonly number[]) => void,
  passOver: () => void,
): void {
  const { layer } = shape;
  const visitPart = (part: number) => {
    const kind = layer.partKinds[part] as number;
    if (isWanted(kind)) visit(kind, verticesNear(layer, part, area, least));
  };
  visitParts(shape, area, visitPart, passOver);
}

/** Numbers of the vertices of a part with which it is drawn in an area. */
function verticesNear(layer: ShapeLayer, part: number, area: GridBox, least: number): readonly number[] {
  const { first } = verticesOf(layer, part);
  const found: number[] = [];
  const enter: EnterRange = (range) => {
    if (range.weight < least) return false;
    if (!range.isApartFrom(area)) return true;
    const start = range.endWithWeight('first', least);
    const last = range.endWithWeight('last', least);
    found.push(first + start);
    if (last !== start) found.push(first + last);
    return false;
  };
  visitVertices(layer, part, enter, (start, end) => {
    for (let at = start; at < end; at++) if ((layer.importance[at] as number) >= least) found.push(at);
  });
  return found;
}

/**
 * True if a row has a point in common with an area, false if it has none, null if the grid is too coarse to say so: where only a line
 * comes near the area. Lines are straight in degrees and not in the grid, but none leaves the box of its ends.
 */
export function intersectsSurely(shape: RowOfShapes, [left, top, right, bottom]: GridBox): boolean | null {
  const { layer } = shape;
  const { xs, ys } = layer;
  const around: GridBox = [left - 1, top - 1, right + 1, bottom + 1];
  const middle = (top + bottom) / 2;
  /** What a line from the west to the middle of the area may cross. */
  const west: GridBox = [Number.NEGATIVE_INFINITY, middle, right, middle];
  let hasVertex = false;
  let hasLineNearby = !layer.isComplete;
  let isCovered = false;
  let isInPolygon = false;
  const endPolygon = () => {
    isCovered ||= isInPolygon;
    isInPolygon = false;
  };
  const look = (part: number) => {
    if (hasVertex) return;
    const { first, end: endOfPart } = verticesOf(layer, part);
    const kind = layer.partKinds[part] as number;
    const isRing = shapeKindOfPart(kind) === shapeKindOfPart(partKinds.ring);
    if (kind !== partKinds.hole) endPolygon();
    // Of an open ring, the last line isn't known.
    if (isRing && (xs[first] !== xs[endOfPart - 1] || ys[first] !== ys[endOfPart - 1])) hasLineNearby = true;
    let isOdd = false;
    const enter: EnterRange = (range) =>
      !hasVertex && (!range.isApartFrom(around) || (isRing && !hasLineNearby && !range.isApartFrom(west)));
    visitVertices(layer, part, enter, (start, end) => {
      for (let at = start; at < end; at++) {
        const [x, y] = [xs[at] as number, ys[at] as number];
        if (x > left + 1 && x < right - 1 && y > top + 1 && y < bottom - 1) hasVertex = true;
        const next = at + 1 < endOfPart ? at + 1 : at;
        const [nx, ny] = [xs[next] as number, ys[next] as number];
        const isBeside = Math.min(x, nx) > around[2] || Math.max(x, nx) < around[0];
        if (!isBeside && Math.min(y, ny) <= around[3] && Math.max(y, ny) >= around[1]) hasLineNearby = true;
        // No line comes near: each is on one side of the area.
        else if (y <= middle !== ny <= middle && x < left) isOdd = !isOdd;
      }
    });
    if (kind === partKinds.ring) isInPolygon = isOdd;
    else if (isOdd) isInPolygon = false;
  };
  visitParts(shape, around, look, endPolygon);
  endPolygon();
  if (hasVertex) return true;
  return hasLineNearby ? null : isCovered;
}
