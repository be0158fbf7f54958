/**
 * A vector tile of the selected rows. Up to `mostFeatures` rows are all drawn; beyond that, or if they take too many bytes,
 * rows that are nearer to each other than a pixel, and then two, four … are drawn as the first of them. Shapes are simplified to half a
 * pixel. A tile has 512 pixels.
 */
import type { TileAddress, VectorTile } from '../../catalogue/maps.ts';
import type { Turns } from '../event-loop.ts';
import type { GridBox } from './box-tree.ts';
import { clipLine, clipRing, doubleArea, reversed, roundPositions } from './clip.ts';
import { importanceOfDistance } from './importance.ts';
import { tileBuffer, tileExtent, worldSize, xOfLongitude } from './mercator.ts';
import { GeometryWriter, geometryTypes, type PropertyValue, TileLayer } from './mvt.ts';
import { kindsOfParts, visitPartsNear } from './shape-index.ts';
import { partKinds, type ShapeLayer, shapeKindOfPart, shapeKinds } from './shapes.ts';
import { type MapSource, rowAt } from './source.ts';
import { Thinning } from './thinning.ts';
import {
  type GridPoints,
  type NearbyRows,
  type TileWindow,
  tileWindows,
  visitPoints,
  visitShapes,
  windowOfPoint,
  windowOfShape,
} from './tile-rows.ts';

/** Name of the layer in each tile. */
export const tileLayerName = 'rows';
/** Property of a feature that stands for several rows: their number. */
export const rowCountProperty = '_rows';

const tilePixels = 512;
const unitsPerPixel = tileExtent / tilePixels;
const mostFeatures = 18_000;
/** Before compression, which takes half off points, and a third or less off shapes. */
const mostBytes = { points: 380_000, shapes: 260_000 } as const;
const clipBox = [-tileBuffer, -tileBuffer, tileExtent + tileBuffer, tileExtent + tileBuffer] as const;

/** From the grid of the world to that of a tile. */
interface Transform {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** @param nearby narrows the search for the tile's rows; by default, all rows of the source are looked at */
export async function drawTile(
  source: MapSource,
  address: TileAddress,
  turns: Turns,
  { candidates, keep, large }: NearbyRows = { candidates: null, keep: () => {} },
): Promise<VectorTile> {
  const layer =
    source.layer.kind === 'points'
      ? { ...source.layer, ys: await source.layer.ys(turns) }
      : await source.shapes(source.layer, null, turns);
  const windows = tileWindows(address);
  const side = worldSize / 2 ** address.z;
  const transform = { scale: tileExtent / side, x: address.x * side, y: address.y * side };
  const thinning = new Thinning(tilePixels, tilePixels, mostFeatures);
  const perPixel = side / tilePixels;
  const visit = (position: number, x: number, y: number, size: number) => {
    keep(position);
    thinning.add(position, (x - transform.x) / perPixel, (y - transform.y) / perPixel, size / perPixel);
  };
  if (layer.kind === 'points') await visitPoints({ source, candidates }, layer, windows, turns, visit);
  else await visitShapes({ source, candidates, large }, layer, windows, turns, visit);
  if (thinning.count === 0) return { bytes: null, matched: 0, drawn: 0 };
  for (thinning.coarsenTo(mostFeatures); ; thinning.coarsen()) {
    const drawn = await encode({ ...source, layer }, thinning, windows, transform, turns);
    if (drawn) return { bytes: drawn.tile.finish(), matched: thinning.count, drawn: drawn.rows };
  }
}

/** The chosen rows as a layer; null if they take too many bytes and can be fewer. */
async function encode(
  source: Omit<MapSource, 'layer'> & { readonly layer: GridPoints | ShapeLayer },
  thinning: Thinning,
  windows: readonly TileWindow[],
  transform: Transform,
  turns: Turns,
): Promise<{ readonly tile: TileLayer; readonly rows: number } | null> {
  const { layer, colour, offset, attributes = [] } = source;
  const columns = colour ? [colour, ...attributes] : attributes;
  const { positions, counts } = thinning.chosen();
  const tile = new TileLayer(tileLayerName);
  const writer = new GeometryWriter();
  const tolerance = Math.max(0.5, thinning.cell / 4) * unitsPerPixel;
  const least = importanceOfDistance(tolerance / transform.scale);
  const mayBeFewer = positions.length > 1 && thinning.cell < 2 * tilePixels;
  for (let at = 0; at < positions.length; at++) {
    const position = positions[at] as number;
    const row = rowAt(source, position);
    tile.begin();
    for (const { name, values } of columns) {
      const value = values[position] ?? null;
      if (value !== null && !Number.isNaN(value)) tile.setProperty(name, value as PropertyValue);
    }
    if ((counts[at] as number) > 1) tile.setProperty(rowCountProperty, counts[at] as number);
    const id = offset + position;
    if (layer.kind === 'points') {
      const shift = windowOfPoint(layer, row, windows)?.shift ?? 0;
      const x = (xOfLongitude(layer.longitudes[row] as number) + shift - transform.x) * transform.scale;
      writer.reset();
      writer.points([Math.round(x), Math.round(((layer.ys[row] as number) - transform.y) * transform.scale)]);
      tile.add(id, geometryTypes.point, writer);
    } else {
      const shift = windowOfShape(layer, row, windows)?.shift ?? 0;
      addShape(tile, id, writer, { layer, row, least, transform: { ...transform, x: transform.x - shift } });
    }
    if (mayBeFewer && tile.length > mostBytes[layer.kind]) return null;
    if (turns.isOverAfterItem()) await turns.next();
  }
  return { tile, rows: positions.length };
}

/** A row whose shape is drawn. */
interface RowShape {
  readonly layer: ShapeLayer;
  readonly row: number;
  /** Least importance of the vertices that are drawn. */
  readonly least: number;
  readonly transform: Transform;
}

/**
 * Adds the shape of a row, of which something is always to be seen. A feature of a tile has one type of geometry: a collection of
 * several is as many features, with the same properties and identifier.
 */
function addShape(tile: TileLayer, id: number, writer: GeometryWriter, shape: RowShape): void {
  const { layer, row } = shape;
  const kinds = kindsOfParts(shape);
  let isDrawn = false;
  for (let kind: number = shapeKinds.polygon; kind >= shapeKinds.point; kind--) {
    if (!(kinds & (1 << kind))) continue;
    writer.reset();
    writeParts(writer, kind, shape);
    if (writer.commands.length === 0) continue;
    tile.add(id, kind, writer);
    isDrawn = true;
  }
  if (isDrawn) return;
  writer.reset();
  writeSmallest(writer, shape);
  tile.add(id, layer.kinds[row] ?? shapeKinds.point, writer);
}

/** The part of the world's grid that a tile shows: a unit of the grid more, for rounding. */
function areaOf({ scale, x, y }: Transform): GridBox {
  const [left, top, right, bottom] = clipBox;
  return [left / scale + x - 1, top / scale + y - 1, right / scale + x + 1, bottom / scale + y + 1];
}

/** Writes the parts of one kind. @param kind as in `shapeKinds`, which are the types of a tile's geometries, too */
function writeParts(writer: GeometryWriter, kind: number, shape: RowShape): void {
  const points: number[] = [];
  let isRingDrawn = false;
  const draw = (partKind: number, vertices: readonly number[]) => {
    const positions = readPositions(shape, vertices);
    if (partKind === partKinds.point) points.push(...clipPoint(positions));
    else if (partKind === partKinds.line) {
      for (const line of clipLine(positions, clipBox)) {
        const rounded = roundPositions(line);
        if (rounded.length >= 4) writer.line(rounded);
      }
    } else if (partKind === partKinds.ring) isRingDrawn = writeRing(writer, positions, 1);
    else if (isRingDrawn) writeRing(writer, positions, -1);
  };
  visitPartsNear(
    shape,
    { area: areaOf(shape.transform), least: shape.least },
    (partKind) => shapeKindOfPart(partKind) === kind,
    draw,
    () => {
      isRingDrawn = false;
    },
  );
  writer.points(points.map(Math.round));
}

/** Vertices in the grid of the tile. */
function readPositions({ layer, transform: { scale, x, y } }: RowShape, vertices: readonly number[]): number[] {
  const positions: number[] = [];
  for (const at of vertices)
    positions.push(((layer.xs[at] as number) - x) * scale, ((layer.ys[at] as number) - y) * scale);
  return positions;
}

function clipPoint(positions: readonly number[]): readonly number[] {
  const [x = 0, y = 0] = positions;
  const isInside = x >= clipBox[0] && y >= clipBox[1] && x <= clipBox[2] && y <= clipBox[3];
  return isInside ? positions : [];
}

/** Writes a closed ring, if there is something left of it. @param orientation 1 for an outer ring, -1 for a hole */
function writeRing(writer: GeometryWriter, closed: readonly number[], orientation: 1 | -1): boolean {
  const ring = closed.slice(0, -2);
  // A sliver was simplified to a line.
  if (ring.length === 4 && orientation === 1)
    ring.push((ring[2] as number) + unitsPerPixel / 2, (ring[3] as number) + unitsPerPixel / 2);
  const rounded = roundPositions(clipRing(ring, clipBox));
  if (rounded.length >= 4 && rounded[0] === rounded.at(-2) && rounded[1] === rounded.at(-1)) rounded.length -= 2;
  const area = doubleArea(rounded);
  if (rounded.length < 6 || area === 0) return false;
  writer.ring(area > 0 === orientation > 0 ? rounded : reversed(rounded));
  return true;
}

/** Where a shape is of which nothing is large enough to be drawn: in the middle of its box or, if its parts are apart, at one in the tile. */
function placeOf(shape: RowShape): readonly [x: number, y: number] {
  const {
    layer,
    row,
    transform: { scale, x, y },
  } = shape;
  const [left = 0, top = 0, right = 0, bottom = 0] = layer.gridBoxes.subarray(4 * row, 4 * row + 4);
  let place = [((left + right) / 2 - x) * scale, ((top + bottom) / 2 - y) * scale] as const;
  if (Math.max(right - left, bottom - top) * scale <= unitsPerPixel) return place;
  let isFound = false;
  const look = (_: number, vertices: readonly number[]) => {
    const positions = isFound ? [] : readPositions(shape, vertices);
    for (let at = 0; at < positions.length && !isFound; at += 2) {
      const position = clipPoint(positions.slice(at, at + 2));
      if (position.length === 0) continue;
      place = position as [number, number];
      isFound = true;
    }
  };
  visitPartsNear(
    shape,
    { area: areaOf(shape.transform), least: shape.least },
    () => true,
    look,
    () => {},
  );
  return place;
}

/** Writes a shape of the size of a pixel, where the row is or the tile ends. */
function writeSmallest(writer: GeometryWriter, shape: RowShape): void {
  const put = (at: number) =>
    Math.round(Math.max(-tileBuffer, Math.min(tileExtent + tileBuffer - unitsPerPixel, at - unitsPerPixel / 2)));
  const [px, py] = placeOf(shape).map(put) as [number, number];
  const [qx, qy] = [px + unitsPerPixel, py + unitsPerPixel];
  const kind = shape.layer.kinds[shape.row];
  if (kind === shapeKinds.polygon) writer.ring([px, py, qx, py, qx, qy, px, qy]);
  else if (kind === shapeKinds.line) writer.line([px, py, qx, qy]);
  else writer.points([px, py]);
}
