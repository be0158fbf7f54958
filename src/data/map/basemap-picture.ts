/** The base map of a picture: sea, grid of degrees, land, borders. */
import { LRUCache } from 'lru-cache';
import type { Basemap } from './basemap.ts';
import { clipLine, clipRing } from './clip.ts';
import { importanceOfDistance, measureImportance } from './importance.ts';
import type { PictureProjection, Size } from './projection.ts';
import { PathWriter } from './svg-path.ts';

/** Tenths of a pixel in a unit of the base map: it needs fewer characters than the rows on it. */
const unit = 4;

/** Base maps that were drawn last: many pictures show the whole world, or the same rows in several versions. */
const drawn = new LRUCache<string, string>({
  maxSize: 4_000_000,
  sizeCalculation: (text, key) => text.length + key.length,
});

/** The base map as a group for a picture in tenths of a pixel. */
export function drawBasemap(basemap: Basemap, projection: PictureProjection, size: Size, isSmall: boolean): string {
  // The scale of the map follows from the projection.
  const key = `${projection.kind} ${projection.key} ${size.width} ${size.height} ${isSmall}`;
  const text = drawn.get(key) ?? drawAnew(basemap, projection, size, isSmall);
  drawn.set(key, text);
  return text;
}

function drawAnew({ land, borders }: Basemap, projection: PictureProjection, size: Size, isSmall: boolean): string {
  const path = (name: string, write: (writer: PathWriter) => void) => {
    const writer = new PathWriter(unit);
    write(writer);
    return writer.length > 0 ? `<path class="${name}" d="${writer}"/>` : '';
  };
  const sea =
    projection.kind !== 'equal-earth'
      ? `<path class="sea" d="M0 0h${(10 * size.width) / unit}v${(10 * size.height) / unit}H0z"/>`
      : path('sea', (writer) => writer.line(withoutStraightVertices(project(outline(), projection)), true));
  const shapes = (lines: readonly Float64Array[], isClosed: boolean) => (writer: PathWriter) => {
    for (const line of lines)
      for (const part of visibleParts(line, projection, size, isClosed)) writer.line(part, isClosed);
  };
  // A grid over a picture is smooth: many of its vertices lie on a line between others.
  const grid = (writer: PathWriter) => {
    for (const line of gridLines(projection.span))
      for (const part of visibleParts(line, projection, size, false)) writer.line(withoutStraightVertices(part), false);
  };
  return (
    `<g transform="scale(${unit})">` +
    sea +
    (isSmall ? '' : path('grid', grid)) +
    path('land', shapes(land, true)) +
    (isSmall ? '' : path('border', shapes(borders, false))) +
    '</g>'
  );
}

/** Tenths of a pixel by which the grid may differ from the true one. */
const gridTolerance = 3;

/** A line without the vertices whose absence moves it by less than the tolerance. */
function withoutStraightVertices(places: readonly number[]): number[] {
  const count = places.length / 2;
  const xs = Int32Array.from({ length: count }, (_, n) => Math.round(places[2 * n] as number));
  const ys = Int32Array.from({ length: count }, (_, n) => Math.round(places[2 * n + 1] as number));
  const importance = new Uint8Array(count);
  measureImportance(xs, ys, importance, 0, count);
  const least = importanceOfDistance(gridTolerance);
  return [...importance.keys()].flatMap((n) =>
    (importance[n] as number) < least ? [] : [places[2 * n] as number, places[2 * n + 1] as number],
  );
}

/** The edge of the world. */
function outline(): Float64Array {
  const positions: number[] = [];
  for (let latitude = -90; latitude <= 90; latitude += 5) positions.push(-180, latitude);
  for (let latitude = 90; latitude >= -90; latitude -= 5) positions.push(180, latitude);
  return Float64Array.from(positions);
}

/** Meridians and parallels, some ten across. */
function gridLines(span: number): Float64Array[] {
  const step = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1].find((one) => span / one >= 6) ?? 0.1;
  // Below ten degrees the land has no details either that would go with a grid.
  if (span < 8) return [];
  const lines: Float64Array[] = [];
  for (let longitude = -180; longitude <= 180; longitude += step)
    lines.push(Float64Array.from({ length: 74 }, (_, n) => (n % 2 === 0 ? longitude : -90 + 5 * (n >> 1))));
  for (let latitude = -90 + step; latitude < 90; latitude += step)
    lines.push(Float64Array.from({ length: 146 }, (_, n) => (n % 2 === 0 ? -180 + 5 * (n >> 1) : latitude)));
  return lines;
}

/** Positions in tenths of a pixel, without those that are nearer than 0.8 pixels to the one before. */
function project(positions: Float64Array, projection: PictureProjection): number[] {
  const at = new Float64Array(2);
  const places: number[] = [];
  for (let i = 0; i < positions.length; i += 2) {
    projection.project(positions[i] as number, positions[i + 1] as number, at);
    const [x, y] = [10 * (at[0] as number), 10 * (at[1] as number)];
    const isNear = Math.abs(x - (places.at(-2) ?? Infinity)) + Math.abs(y - (places.at(-1) ?? Infinity)) < 8;
    if (!isNear || i === positions.length - 2) places.push(x, y);
  }
  return places;
}

/** The parts of a line that the picture shows. */
function visibleParts(
  line: Float64Array,
  projection: PictureProjection,
  { width, height }: Size,
  isClosed: boolean,
): readonly (readonly number[])[] {
  if (projection.kind === 'equal-earth') return [project(line, projection)];
  const box = [-20, -20, 10 * width + 20, 10 * height + 20] as const;
  const turn = (10 * 2 ** 30) / projection.unitsPerPixel;
  if (isOutside(line, projection, turn, box)) return [];
  return unwrap(project(line, projection), turn).flatMap((part) => {
    if (!isClosed) return clipLine(part, box);
    const ring = clipRing(part, box);
    return ring.length >= 6 ? [ring] : [];
  });
}

/** West, south, east and north of lines. */
const extents = new WeakMap<Float64Array, readonly [number, number, number, number]>();

function extentOf(line: Float64Array): readonly [number, number, number, number] {
  const known = extents.get(line);
  if (known) return known;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < line.length; i += 2) {
    const [longitude, latitude] = [line[i] as number, line[i + 1] as number];
    if (longitude < west) west = longitude;
    if (longitude > east) east = longitude;
    if (latitude < south) south = latitude;
    if (latitude > north) north = latitude;
  }
  const extent = [west, south, east, north] as const;
  extents.set(line, extent);
  return extent;
}

/** True if no part of a line is in the box, on any turn of the globe: most lines of a base map, whose positions needn't be projected then. */
function isOutside(
  line: Float64Array,
  projection: PictureProjection,
  turn: number,
  [left, top, right, bottom]: readonly [number, number, number, number],
): boolean {
  const [west, south, east, north] = extentOf(line);
  const at = new Float64Array(2);
  projection.project(west, north, at);
  const [x, y] = [10 * (at[0] as number), 10 * (at[1] as number)];
  projection.project(west, south, at);
  if (10 * (at[1] as number) < top || y > bottom) return true;
  const width = ((east - west) * turn) / 360;
  // The first turn on which the line doesn't end on the left of the box.
  const first = x + Math.ceil((left - x - width) / turn) * turn;
  return first > right;
}

/**
 * A line whose positions were each put on the turn of the globe nearest to the picture's middle, in one piece again: as it
 * is, and one turn to the left and to the right.
 * @param turn length of the equator
 */
function unwrap(places: readonly number[], turn: number): number[][] {
  const whole: number[] = [];
  let shift = 0;
  let crosses = false;
  for (let at = 0; at < places.length; at += 2) {
    const x = (places[at] as number) + shift;
    const before = whole.at(-2);
    const jump = before === undefined ? 0 : Math.round((before - x) / turn);
    if (jump !== 0) crosses = true;
    shift += jump * turn;
    whole.push(x + jump * turn, places[at + 1] as number);
  }
  if (!crosses) return [whole];
  return [-turn, 0, turn].map((by) => whole.map((value, at) => (at % 2 === 0 ? value + by : value)));
}
