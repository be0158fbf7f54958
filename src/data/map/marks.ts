/** The rows of a picture: dots, lines and polygons, as paths of SVG. */

import type { MapLegend } from '../../catalogue/maps.ts';
import { type Turns, workInRanges } from '../event-loop.ts';
import { RowSet } from '../table/row-set.ts';
import { classCount, classOf, noClass } from './colour-classes.ts';
import { importanceOfDistance } from './importance.ts';
import type { PointLayer } from './layer.ts';
import { xOfLongitude } from './mercator.ts';
import { quantileColours, valueColours } from './picture-style.ts';
import { type PictureProjection, projectGrid, type Size } from './projection.ts';
import { randomOf } from './random.ts';
import { boxInPicture, type OutlineLayer, type ShapeLayer, shapeKindOfPart, shapeKinds } from './shapes.ts';
import { type MapSource, rowAt, rowCountOf } from './source.ts';
import { PathWriter } from './svg-path.ts';
import { Thinning } from './thinning.ts';

/** A shape of fewer pixels is a dot; one of fewer than `tinySize` has no outline. */
const tinySize = 10;
/** Points at most: with colours, they take more characters each. */
const mostPoints = 11_000;
const mostColouredPoints = 6_000;
/** Characters of all rows, before compression. */
const mostLength = 70_000;
/** Characters of a shape, about, at least: if all of them would take too many, they aren't tried. */
const leastShapeLength = 24;

export interface MarkOptions {
  /** In pixels. */
  readonly size: Size;
  /** True for a picture in a list: without grid and borders, and with fewer marks. */
  readonly isSmall?: boolean;
}

export interface Marks {
  readonly text: string;
  readonly rules: string;
  readonly drawn: number;
  readonly isSampled: boolean;
}

/** The rows as paths, one for each class and kind of mark. */
export async function drawMarks(
  source: MapSource,
  legend: MapLegend | null,
  projection: PictureProjection,
  { size, isSmall = false }: MarkOptions,
  turns: Turns,
): Promise<Marks> {
  const { layer } = source;
  const most = (legend ? mostColouredPoints : mostPoints) / (isSmall ? 6 : 1);
  const limit = isSmall ? mostLength / 5 : mostLength;
  const least = importanceOfDistance(0.85 * projection.unitsPerPixel);
  const places = await placeRows(source, projection, turns);
  const { sizes } = places;
  let dotSize = 3;
  while (dotSize < size.width && leastShapeLength * (await countShapes(sizes, dotSize, turns)) > limit) dotSize *= 2;
  for (; ; dotSize *= 2) {
    const thinning = new Thinning(size.width, size.height, Infinity);
    thinning.coarsen();
    await addRows(places, thinning, dotSize, turns);
    const share = Math.min(1, most / thinning.drawn);
    const { positions } = thinning.chosen(share < 1 ? (position) => randomOf(position) < share : undefined);
    const writers = new MarkWriters();
    const isDot = (position: number) => (sizes[position] as number) < dotSize;
    const detailed = layer.kind === 'points' ? null : await shapesAt(source, layer, positions, isDot, turns);
    let drawn = 0;
    for (const position of positions) {
      const row = rowAt(source, position);
      const group = legend && source.colour ? classOf(legend, source.colour.values[position]) : -1;
      drawn++;
      if (turns.isOverAfterItem()) await turns.next();
      if (layer.kind === 'points') drawDot(writers, markKinds.point, group, projection, pointOf(layer, row));
      else if (!detailed || isDot(position))
        drawDot(writers, dotKinds[layer.kinds[row] as number] as number, group, projection, middleOf(layer, row));
      else
        drawShape(writers, detailed, row, { group, least, isTiny: (sizes[position] as number) < tinySize }, projection);
    }
    if (writers.length > limit && layer.kind === 'shapes' && dotSize < size.width) continue;
    return { ...writers.toSvg(legend, drawn, isSmall), drawn, isSampled: share < 1 };
  }
}

/** The shapes at the positions that are no dots; null if all are. */
async function shapesAt(
  source: MapSource,
  layer: OutlineLayer,
  positions: Float64Array,
  isDot: (position: number) => boolean,
  turns: Turns,
): Promise<ShapeLayer | null> {
  const drawn = positions.filter((position) => !isDot(position));
  if (drawn.length === 0) return null;
  const rows = new RowSet(layer.rows);
  for (const position of drawn) rows.add(rowAt(source, position));
  return source.shapes(layer, rows, turns);
}

const pointOf = ({ longitudes, latitudes }: PointLayer, row: number) =>
  [longitudes[row] as number, latitudes[row] as number] as const;

const middleOf = (layer: OutlineLayer, row: number) => {
  const [west, south, east, north] = boxInPicture(layer, row);
  return [(west + east) / 2, (south + north) / 2] as const;
};

const place0 = new Float64Array(2);

function drawDot(
  writers: MarkWriters,
  kind: number,
  group: number,
  projection: PictureProjection,
  [longitude, latitude]: readonly [number, number],
): void {
  projection.project(longitude, latitude, place0);
  writers.of(kind, group).dot(10 * (place0[0] as number), 10 * (place0[1] as number));
}

/** Where the rows are in the picture, by position. */
interface Places {
  /** Of the middles of their boxes, in pixels; NaN for a row without a geometry. */
  readonly xs: Float64Array;
  readonly ys: Float64Array;
  /** The longer sides of their boxes in pixels; empty for points. */
  readonly sizes: Float32Array;
}

async function placeRows(source: MapSource, projection: PictureProjection, turns: Turns): Promise<Places> {
  const { layer } = source;
  const count = rowCountOf(source);
  const at = new Float64Array(2);
  const xs = new Float64Array(count).fill(Number.NaN);
  const ys = new Float64Array(count);
  const sizes = new Float32Array(layer.kind === 'points' ? 0 : count);
  const pixelsPerDegree = xOfLongitude(-179) / projection.unitsPerPixel;
  await workInRanges(count, turns, (start, end) => {
    for (let position = start; position < end; position++) {
      const row = rowAt(source, position);
      if (layer.kind === 'points') {
        const longitude = layer.longitudes[row] as number;
        if (Number.isNaN(longitude)) continue;
        projection.project(longitude, layer.latitudes[row] as number, at);
      } else {
        if (layer.kinds[row] === shapeKinds.none) continue;
        const { cutBoxes, gridBoxes } = layer;
        const [west, south, east, north] = boxInPicture(layer, row);
        const width = cutBoxes.has(row)
          ? xOfLongitude(east) - xOfLongitude(west)
          : (gridBoxes[4 * row + 2] as number) - (gridBoxes[4 * row] as number);
        const height = (gridBoxes[4 * row + 3] as number) - (gridBoxes[4 * row + 1] as number);
        sizes[position] =
          projection.kind === 'mercator'
            ? Math.max(width, height) / projection.unitsPerPixel
            : Math.max(east - west, north - south) * pixelsPerDegree;
        projection.project((west + east) / 2, (south + north) / 2, at);
      }
      xs[position] = at[0] as number;
      ys[position] = at[1] as number;
    }
  });
  return { xs, ys, sizes };
}

/** The number of rows that are no dots of this size. */
async function countShapes(sizes: Float32Array, dotSize: number, turns: Turns): Promise<number> {
  let count = 0;
  await workInRanges(sizes.length, turns, (start, end) => {
    for (let position = start; position < end; position++) if ((sizes[position] as number) >= dotSize) count++;
  });
  return count;
}

/** Adds the rows; those that are smaller than a dot count as points. */
async function addRows({ xs, ys, sizes }: Places, thinning: Thinning, dotSize: number, turns: Turns): Promise<void> {
  await workInRanges(xs.length, turns, (start, end) => {
    for (let position = start; position < end; position++) {
      const x = xs[position] as number;
      if (Number.isNaN(x)) continue;
      const size = sizes[position] ?? 0;
      thinning.add(position, x, ys[position] as number, size < dotSize ? 0 : size);
    }
  });
}

interface ShapeStyle {
  readonly group: number;
  /** Least importance of the vertices that are drawn. */
  readonly least: number;
  readonly isTiny: boolean;
}

function drawShape(
  writers: MarkWriters,
  layer: ShapeLayer,
  row: number,
  { group, least, isTiny }: ShapeStyle,
  projection: PictureProjection,
): void {
  const at = new Float64Array(2);
  const end = layer.firstParts[row + 1] as number;
  let isDrawn = false;
  for (let part = layer.firstParts[row] as number; part < end; part++) {
    const kind = shapeKindOfPart(layer.partKinds[part] as number);
    const isPolygon = kind === shapeKinds.polygon;
    const last = (layer.firstVertices[part + 1] as number) - Number(isPolygon);
    const positions: number[] = [];
    for (let vertex = layer.firstVertices[part] as number; vertex < last; vertex++) {
      if ((layer.importance[vertex] as number) < least) continue;
      projectGrid(projection, layer.xs[vertex] as number, layer.ys[vertex] as number, at);
      positions.push(10 * (at[0] as number), 10 * (at[1] as number));
    }
    if (kind !== shapeKinds.point && positions.length < (isPolygon ? 6 : 4)) continue;
    const writer = writers.of(isPolygon && isTiny ? markKinds.tinyPolygon : (dotKinds[kind + 3] as number), group);
    if (kind !== shapeKinds.point) isDrawn = writer.line(positions, isPolygon) || isDrawn;
    else {
      writer.dot(positions[0] ?? 0, positions[1] ?? 0);
      isDrawn = true;
    }
  }
  if (isDrawn) return;
  // Its parts are small, and lie far from each other.
  const vertex = layer.firstVertices[layer.firstParts[row] as number] as number;
  projectGrid(projection, layer.xs[vertex] as number, layer.ys[vertex] as number, at);
  const kind = dotKinds[layer.kinds[row] as number] as number;
  writers.of(kind, group).dot(10 * (at[0] as number), 10 * (at[1] as number));
}

/** Kinds of marks, in the order in which they are drawn. */
const markKinds = { polygon: 1, tinyPolygon: 2, square: 3, line: 4, lineDot: 5, point: 6 } as const;
/** The marks of shapes by `shapeKinds`: first as dots, and then as they are. */
const dotKinds = [
  ...[0, markKinds.point, markKinds.lineDot, markKinds.square],
  ...[markKinds.point, markKinds.line, markKinds.polygon],
];

/** Tenths of a pixel in which the vertices of shapes are written: their lines are moved by more when they are simplified. */
const shapeUnit = 2;
const unitOf = (kind: number): number =>
  kind === markKinds.polygon || kind === markKinds.tinyPolygon || kind === markKinds.line ? shapeUnit : 1;

/** The paths of kinds and classes, in the order in which they are drawn. */
class MarkWriters {
  readonly #writers = new Map<number, PathWriter>();

  /** @param place class, or -1 for none of any */
  of(kind: number, place: number): PathWriter {
    const key = 10 * kind + place + 1;
    let writer = this.#writers.get(key);
    if (!writer) {
      writer = new PathWriter(unitOf(kind));
      this.#writers.set(key, writer);
    }
    return writer;
  }

  get length(): number {
    return [...this.#writers.values()].reduce((sum, { length }) => sum + length, 0);
  }

  toSvg(legend: MapLegend | null, drawn: number, isSmall: boolean): { text: string; rules: string } {
    const colours = legend?.kind === 'values' ? valueColours : quantileColours;
    // What has no class lies below the classes.
    const order = (key: number) => key - (key % 10 === noClass + 1 ? 9 : 0);
    const text = [...this.#writers]
      .filter(([, path]) => path.length > 0)
      .sort(([a], [b]) => order(a) - order(b))
      .map(([key, path]) => {
        const kind = Math.floor(key / 10);
        const colour = key % 10 === 0 ? 'geo' : colours[Math.min(classCount, (key % 10) - 1)];
        const scale = unitOf(kind) === 1 ? '' : ` transform="scale(${unitOf(kind)})"`;
        return `<path class="m${kind} ${colour}"${scale} d="${path}"/>`;
      })
      .join('');
    // Lists show a small picture at half its size.
    const radius = (drawn > 4000 ? 11 : drawn > 600 ? 18 : drawn > 100 ? 25 : 32) * (isSmall ? 1.1 : 1);
    // What is smaller than a dot must be seen among few others, too.
    const dot = isSmall ? 24 : drawn > 600 ? 16 : drawn > 100 ? 24 : 40;
    const rules =
      `.m1,.m2{fill:var(--k);fill-rule:evenodd;stroke:var(--line);stroke-width:${4 / shapeUnit};stroke-linejoin:round}` +
      `.m2{stroke:var(--k);stroke-width:${(isSmall ? 14 : 10) / shapeUnit}}` +
      `.m3,.m4,.m5,.m6{fill:none;stroke:var(--k);stroke-width:${dot};stroke-linejoin:round;stroke-linecap:round}` +
      `.m4{stroke-width:${(isSmall ? 24 : 16) / shapeUnit}}.m3{stroke-linecap:square}.m6{stroke-width:${Math.round(2 * radius)};stroke-opacity:.7}` +
      '.sea{fill:var(--sea)}.land{fill:var(--land);fill-rule:evenodd}.border{fill:none;stroke:var(--line);stroke-width:1.5}.grid{fill:none;stroke:var(--grid);stroke-width:1.5}';
    const used = [...new Set(text.match(/(?<=class="m\d )\w+/g))].map((colour) => `.${colour}{--k:var(--${colour})}`);
    return { text, rules: rules + used.join('') };
  }
}
