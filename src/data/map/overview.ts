/**
 * The picture of where all datasets lie (SVG): rows of some of them, and the boxes around the rows of the others. Longitudes and
 * latitudes are evenly spaced, so that a rectangle in it is a box of coordinates.
 */
import { type Box, overviewSize } from '../../catalogue/maps.ts';
import { loadBasemap } from './basemap.ts';
import { drawBasemap } from './basemap-picture.ts';
import { worldSize } from './mercator.ts';
import { styleElement } from './picture-style.ts';
import type { PictureProjection } from './projection.ts';
import type { TileShape } from './read-tile.ts';
import { escapeXml, PathWriter } from './svg-path.ts';

/** Characters of all rows, before compression. */
const mostLength = 45_000;
/** Places that are dots of one dataset, at most. */
const mostDots = 700;
/** Boxes that are drawn, at most. */
const mostBoxes = 2000;
/** A box of fewer pixels is a dot; lines and rings have no two positions nearer than `step`. */
const dotSize = 4;
const step = 0.7;

export interface Overview {
  readonly area: Box;
  /** Shapes of the rows, by dataset. */
  readonly shapes: readonly (readonly TileShape[])[];
  /** Of the datasets whose rows are not drawn. */
  readonly boxes: readonly Box[];
  /** A box that was asked for. */
  readonly chosen: Box | null;
  readonly title: string;
}

export async function drawOverview({ area, shapes, boxes, chosen, title }: Overview): Promise<string> {
  const projection = plateCarree(area);
  const { width, height } = overviewSize;
  const base = drawBasemap(await loadBasemap(projection.span > 80 ? '110m' : '50m'), projection, overviewSize, true);
  const marks = new OverviewMarks(projection);
  for (const box of boxes.slice(0, mostBoxes)) marks.box(box, 'box');
  for (const dataset of shapes) marks.dataset(dataset);
  if (chosen) marks.box(chosen, 'chosen', 0);
  const rules =
    '.sea{fill:var(--sea)}.land{fill:var(--land)}.polygon{fill:var(--geo);fill-opacity:.35;fill-rule:evenodd}' +
    '.line,.point,.small{fill:none;stroke-linecap:round;stroke-linejoin:round}.line{stroke:var(--num);stroke-width:11}' +
    '.point,.small{stroke:var(--bool);stroke-width:20;opacity:.8}.small{stroke:var(--geo);stroke-width:34}' +
    '.box{fill:var(--geo);fill-opacity:.07;stroke:var(--geo);stroke-width:8}.chosen{fill:var(--num);fill-opacity:.16;stroke:var(--num);stroke-width:16}';
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
    `<title>${escapeXml(title)}</title>${styleElement(rules)}<g transform="scale(.1)">${base}${marks}</g></svg>`
  );
}

/** Longitudes and latitudes as they are: an area fills the picture. */
function plateCarree([west, south, east, north]: Box): PictureProjection {
  const { width, height } = overviewSize;
  const [perLongitude, perLatitude] = [width / (east - west), height / (north - south)];
  return {
    kind: 'plate-carree',
    key: `${west} ${south} ${perLongitude} ${perLatitude}`,
    project(longitude, latitude, at) {
      at[0] = (longitude - west) * perLongitude;
      at[1] = (north - latitude) * perLatitude;
    },
    unitsPerPixel: worldSize / (360 * perLongitude),
    span: east - west,
  };
}

/** The order of the paths: shapes lie below what is smaller. */
const layers = ['polygon', 'box', 'line', 'point', 'small', 'chosen'] as const;
type LayerName = (typeof layers)[number];

/** Paths of the picture, one for each kind of mark. */
class OverviewMarks {
  readonly #projection: PictureProjection;
  readonly #writers = new Map<LayerName, PathWriter>();
  readonly #at = new Float64Array(2);
  readonly #seen = new Set<string>();
  #length = 0;

  constructor(projection: PictureProjection) {
    this.#projection = projection;
  }

  /** The rows of a dataset; those behind `mostLength` are left out. */
  dataset(shapes: readonly TileShape[]): void {
    const dots = new Map<number, readonly [number, number]>();
    for (const { kind, parts } of shapes) {
      if (this.#length > mostLength) return;
      for (const part of parts) {
        if (kind === 'point') {
          const [x, y] = this.#place(part[0] as number, part[1] as number);
          dots.set(Math.round(x / 15) * 100_000 + Math.round(y / 15), [x, y]);
        } else this.#line(part, kind);
      }
    }
    const places = [...dots.values()];
    const share = Math.max(1, places.length / mostDots);
    for (let n = 0; n < places.length; n += share)
      this.#dot(places[Math.floor(n)] as readonly [number, number], 'point');
  }

  /** A box, or a dot if it is small. @param least pixels of a side */
  box([west, south, east, north]: Box, layer: 'box' | 'chosen', least = dotSize): void {
    if (west > east) {
      this.box([west, south, 180, north], layer, least);
      this.box([-180, south, east, north], layer, least);
      return;
    }
    const [left, top] = this.#place(west, north);
    const [right, bottom] = this.#place(east, south);
    const key = [layer, left, top, right, bottom].map((side) =>
      typeof side === 'number' ? Math.round(side / 10) : side,
    );
    if (this.#seen.has(key.join())) return;
    this.#seen.add(key.join());
    if (right - left < 10 * least && bottom - top < 10 * least)
      this.#dot([(left + right) / 2, (top + bottom) / 2], 'small');
    else this.#write(layer, (writer) => writer.line([left, top, right, top, right, bottom, left, bottom], true));
  }

  #line(positions: readonly number[], kind: 'line' | 'polygon'): void {
    const places: number[] = [];
    for (let i = 0; i < positions.length; i += 2) {
      const [x, y] = this.#place(positions[i] as number, positions[i + 1] as number);
      const isNear = Math.abs(x - (places.at(-2) ?? Infinity)) + Math.abs(y - (places.at(-1) ?? Infinity)) < 10 * step;
      if (!isNear || i === positions.length - 2) places.push(x, y);
    }
    if (places.length >= (kind === 'line' ? 4 : 6))
      this.#write(kind, (writer) => writer.line(places, kind === 'polygon'));
  }

  #dot([x, y]: readonly [number, number], layer: LayerName): void {
    this.#write(layer, (writer) => writer.dot(x, y));
  }

  /** In tenths of a pixel. */
  #place(longitude: number, latitude: number): readonly [number, number] {
    this.#projection.project(longitude, latitude, this.#at);
    return [10 * (this.#at[0] as number), 10 * (this.#at[1] as number)];
  }

  #write(layer: LayerName, write: (writer: PathWriter) => void): void {
    const writer = this.#writers.get(layer) ?? new PathWriter();
    this.#writers.set(layer, writer);
    const before = writer.length;
    write(writer);
    this.#length += writer.length - before;
  }

  toString(): string {
    return layers
      .map((name) => (this.#writers.has(name) ? `<path class="${name}" d="${this.#writers.get(name)}"/>` : ''))
      .join('');
  }
}
