/**
 * The layer of a table: where all its rows are, in the form that maps are drawn from, by row number. It is made in one pass over the
 * geometries, and kept in memory for the maps and tiles that follow. What only some of them need is read when they do: positions in
 * the grid for tiles of points, and the vertices of shapes.
 */
import { type Turns, workInRanges } from '../event-loop.ts';
import type { Bbox } from '../geometry/geometry.ts';
import { toWkb } from '../geometry/wkb.ts';
import type { TableRow } from '../table/row-cursor.ts';
import type { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import { cutWithBox, mayCrossAntimeridian } from './antimeridian.ts';
import { yOfLatitude } from './mercator.ts';
import { OutlineBuilder, type OutlineLayer, ShapeBuilder, type ShapeLayer } from './shapes.ts';

/** Points, at most one a row. */
export interface PointLayer {
  readonly kind: 'points';
  /** Number of rows, with and without a geometry. */
  readonly rows: number;
  /** Degrees, as in the payload; NaN for a row without a geometry. */
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
  /** In units of the Mercator grid; they are computed when they are first asked for. */
  readonly ys: (turns: Turns) => Promise<Int32Array>;
  /** Memory in bytes. */
  readonly bytes: number;
}

export type MapLayer = PointLayer | OutlineLayer;

/** Makes the layer of a table, in turns with other work. */
export async function buildMapLayer(table: Table, turns: Turns): Promise<MapLayer> {
  const isPoints = table.geometryKinds.every((kind) => kind === 'Point' || kind === 'Point Z');
  return isPoints ? buildPoints(table, turns) : buildOutlines(table, turns);
}

async function buildPoints(table: Table, turns: Turns): Promise<PointLayer> {
  const rows = table.rowCount;
  const longitudes = new Float64Array(rows).fill(Number.NaN);
  const latitudes = new Float64Array(rows).fill(Number.NaN);
  for await (const group of table.scanRowGroups({ columns: [] })) {
    const points = group.points();
    if (points) {
      longitudes.set(points.x, group.start);
      latitudes.set(points.y, group.start);
    } else {
      // Points of different dimensions, or of more than three.
      for (const row of group)
        [longitudes[row.index] = Number.NaN, latitudes[row.index] = Number.NaN] = row.bbox() ?? [];
    }
    if (turns.isOver) await turns.next();
  }
  const layer = { kind: 'points', rows, longitudes, latitudes, bytes: 20 * rows } as const;
  let ys: Promise<Int32Array> | undefined;
  return {
    ...layer,
    ys: async (own) => {
      // A client that has left must not end it for all others: each goes on with turns of its own.
      while (ys) {
        const found = await ys.catch(() => undefined);
        if (found) return found;
      }
      const computing = computeYs(latitudes, own).catch((error) => {
        ys = undefined;
        throw error;
      });
      ys = computing;
      return computing;
    },
  };
}

async function computeYs(latitudes: Float64Array, turns: Turns): Promise<Int32Array> {
  const ys = new Int32Array(latitudes.length);
  await workInRanges(ys.length, turns, (start, end) => {
    for (let row = start; row < end; row++) ys[row] = yOfLatitude(latitudes[row] as number);
  });
  return ys;
}

async function buildOutlines(table: Table, turns: Turns): Promise<OutlineLayer> {
  const builder = new OutlineBuilder(table.rowCount);
  for await (const group of table.scanRowGroups({ columns: [] })) {
    for (const row of group) {
      const box = row.bbox();
      const cut = box && cutRow(row, box);
      if (cut) builder.addRow(row.index, [-180, box[1], 180, box[3]], toWkb(cut.geometry), cut.box);
      else if (box) builder.addRow(row.index, box, wkbOf(row));
      if (turns.isOverAfterItem()) await turns.next();
    }
  }
  return builder.finish();
}

/** The shapes of a layer, with the vertices of some rows. @param rows null for all */
export async function readShapes(
  table: Table,
  outlines: OutlineLayer,
  rows: RowSet | null,
  turns: Turns,
): Promise<ShapeLayer> {
  const builder = new ShapeBuilder(outlines);
  for await (const group of table.scanRowGroups({ columns: [], ...(rows && { rows }) })) {
    for (const row of group) {
      const box = row.bbox();
      const cut = box && cutRow(row, box);
      builder.addRow(row.index, cut ? toWkb(cut.geometry) : box && wkbOf(row));
      if (turns.isOver) await turns.next();
    }
  }
  return builder.finish();
}

/** The geometry of a row as maps draw it, cut at the antimeridian; null for one that stays as it is. */
export function cutRow(row: TableRow, box: Bbox): ReturnType<typeof cutWithBox> {
  const geometry = mayCrossAntimeridian(box) ? row.geometry() : null;
  return geometry && cutWithBox(geometry);
}

function wkbOf(row: TableRow): Uint8Array | null {
  const wkb = row.wkb?.() ?? null;
  const geometry = wkb ? null : row.geometry();
  return wkb ?? (geometry && toWkb(geometry));
}
