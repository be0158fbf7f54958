/** The map of a difference: rows before in one colour, after in another, on one base map. The style of the page colours it. */
import type { Difference, PlainRow, RowChange } from '../../catalogue/difference.ts';
import { mapSize } from '../../catalogue/maps.ts';
import { Turns } from '../event-loop.ts';
import { type Geometry, isGeometry } from '../geometry/geometry.ts';
import { cutAtAntimeridian } from '../map/antimeridian.ts';
import { loadBasemap } from '../map/basemap.ts';
import { drawBasemap } from '../map/basemap-picture.ts';
import { chooseProjection, ExtentBuilder, type PictureProjection } from '../map/projection.ts';
import { PathWriter } from '../map/svg-path.ts';

/** Rows of each kind of change that are drawn, and positions of a picture, at most. */
export const mostDrawnRows = 500;
const mostPositions = 200_000;
const width = 1040;

/** `same` are rows that changed, but not in their place. */
type Layer = 'before' | 'after' | 'same';

export interface PictureOfChanges {
  readonly svg: string;
  /** Rows that are drawn. */
  readonly counts: Readonly<Record<Layer, number>>;
}

/** Draws the first rows of each kind of change; null if none of them has a place. @throws the signal's reason */
export async function drawDifference(
  difference: Pick<Difference, 'rows' | 'counts'>,
  signal: AbortSignal,
): Promise<PictureOfChanges | null> {
  const layers: Record<Layer, Geometry[]> = { same: [], before: [], after: [] };
  const extent = new ExtentBuilder();
  const turns = new Turns();
  let positions = 0;
  const add = (layer: Layer, value: unknown) => {
    if (!isGeometry(value)) return;
    layers[layer].push(value);
    for (const line of linesOf(value))
      for (const [x = 0, y = 0] of line.positions) {
        extent.add(x, y, x, y);
        positions++;
      }
  };
  for (const change of ['removed', 'changed', 'added'] as const) {
    const count = Math.min(mostDrawnRows, difference.counts[change]);
    for await (const row of difference.rows({ change, positions: Array.from({ length: count }, (_, i) => i) })) {
      addRow(row, add);
      if (positions > mostPositions) break;
      if (turns.isOver) await turns.next();
      signal.throwIfAborted();
    }
  }
  const found = extent.extent();
  if (!found) return null;
  const size = mapSize(width);
  const projection = chooseProjection(found, size);
  let marks = '';
  for (const layer of ['same', 'before', 'after'] as const) {
    for (const [kind, path] of await pathsOf(layers[layer], projection, turns))
      marks += `<path class="${layer} ${kind}" d="${path}"/>`;
    signal.throwIfAborted();
  }
  const base = drawBasemap(await loadBasemap(projection.span > 80 ? '110m' : '50m'), projection, size, true);
  const box = `viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}"`;
  const { before, after, same } = layers;
  return {
    svg: `<svg class="changes" aria-hidden="true" ${box}><g transform="scale(.1)">${base}${marks}</g></svg>`,
    counts: { before: before.length, after: after.length, same: same.length },
  };
}

function addRow(row: RowChange, add: (layer: Layer, value: unknown) => void): void {
  const place = ({ geometry }: PlainRow) => geometry;
  if (row.change !== 'changed') add(row.change === 'added' ? 'after' : 'before', place(row.row));
  else if (row.columns.includes('geometry')) {
    add('before', place(row.from));
    add('after', place(row.to));
  } else add('same', place(row.to));
}

interface Line {
  readonly kind: 'dots' | 'lines' | 'areas';
  readonly positions: readonly (readonly number[])[];
}

function linesOf(geometry: Geometry): readonly Line[] {
  switch (geometry.type) {
    case 'Point':
      return [{ kind: 'dots', positions: [geometry.coordinates] }];
    case 'MultiPoint':
      return [{ kind: 'dots', positions: geometry.coordinates }];
    case 'LineString':
      return [{ kind: 'lines', positions: geometry.coordinates }];
    case 'MultiLineString':
      return geometry.coordinates.map((positions) => ({ kind: 'lines', positions }));
    case 'Polygon':
      return geometry.coordinates.map((positions) => ({ kind: 'areas', positions }));
    case 'MultiPolygon':
      return geometry.coordinates.flat().map((positions) => ({ kind: 'areas', positions }));
    default:
      return geometry.geometries.flatMap(linesOf);
  }
}

/** Paths in tenths of a pixel, without positions that are nearer than a pixel to the one before. */
async function pathsOf(
  geometries: readonly Geometry[],
  projection: PictureProjection,
  turns: Turns,
): Promise<readonly (readonly [Line['kind'], string])[]> {
  const writers = { dots: new PathWriter(), lines: new PathWriter(), areas: new PathWriter() };
  const at = new Float64Array(2);
  for (const geometry of geometries) {
    if (turns.isOver) await turns.next();
    for (const { kind, positions } of linesOf(geometry))
      for (const part of (kind !== 'dots' && cutAtAntimeridian(positions, kind)) || [
        positions.flatMap(([x = 0, y = 0]) => [x, y]),
      ]) {
        const places: number[] = [];
        for (let i = 0; i < part.length; i += 2) {
          projection.project(part[i] as number, part[i + 1] as number, at);
          const [x, y] = [10 * (at[0] as number), 10 * (at[1] as number)];
          if (kind === 'dots') writers.dots.dot(Math.round(x), Math.round(y));
          else if (Math.abs(x - (places.at(-2) ?? Infinity)) + Math.abs(y - (places.at(-1) ?? Infinity)) >= 10)
            places.push(x, y);
        }
        if (kind !== 'dots') writers[kind].line(places, kind === 'areas');
      }
  }
  return (['areas', 'lines', 'dots'] as const).flatMap((kind) => {
    const path = String(writers[kind]);
    return path ? [[kind, path] as const] : [];
  });
}
