/**
 * The layer of a table: the positions of all its rows in the form that maps are drawn from, by row number. It is made in one
 * pass over the geometries, and kept in memory for the maps and tiles that follow.
 */
import type { Turns } from '../event-loop.ts';
import { itemsPerCheck } from '../event-loop.ts';
import { toWkb } from '../geometry/wkb.ts';
import type { Table } from '../table/table.ts';
import { yOfLatitude } from './mercator.ts';
import { ShapeBuilder, type ShapeLayer } from './shapes.ts';

/** Points, at most one a row. */
export interface PointLayer {
  readonly kind: 'points';
  /** Number of rows, with and without a geometry. */
  readonly rows: number;
  /** Degrees, as in the payload; NaN for a row without a geometry. */
  readonly longitudes: Float64Array;
  readonly latitudes: Float64Array;
  /** In units of the Mercator grid. */
  readonly ys: Int32Array;
  /** Memory in bytes. */
  readonly bytes: number;
}

export type MapLayer = PointLayer | ShapeLayer;

/** Makes the layer of a table, in turns with other work. */
export async function buildMapLayer(table: Table, turns: Turns): Promise<MapLayer> {
  const isPoints = table.geometryKinds.every((kind) => kind === 'Point' || kind === 'Point Z');
  return isPoints ? buildPoints(table, turns) : buildShapes(table, turns);
}

async function buildPoints(table: Table, turns: Turns): Promise<PointLayer> {
  const rows = table.rowCount;
  const longitudes = new Float64Array(rows).fill(Number.NaN);
  const latitudes = new Float64Array(rows).fill(Number.NaN);
  const ys = new Int32Array(rows);
  const position = new Float64Array(2);
  let visited = 0;
  for await (const group of table.scanRowGroups({ columns: [] })) {
    for (const row of group) {
      const { index } = row;
      if (!row.readPoint?.(position)) {
        const box = row.bbox();
        position[0] = box ? box[0] : Number.NaN;
        position[1] = box ? box[1] : Number.NaN;
      }
      const latitude = position[1] as number;
      longitudes[index] = position[0] as number;
      latitudes[index] = latitude;
      ys[index] = yOfLatitude(latitude);
      if (++visited % itemsPerCheck === 0 && turns.isOver) await turns.next();
    }
  }
  return { kind: 'points', rows, longitudes, latitudes, ys, bytes: 20 * rows };
}

async function buildShapes(table: Table, turns: Turns): Promise<ShapeLayer> {
  const builder = new ShapeBuilder(table.rowCount);
  for await (const group of table.scanRowGroups({ columns: [] })) {
    for (const row of group) {
      const box = row.bbox();
      const geometry = box && (row.wkb?.() ?? null);
      const shape = box && !geometry ? row.geometry() : null;
      builder.addRow(row.index, box, geometry ?? (shape && toWkb(shape)));
      if (turns.isOver) await turns.next();
    }
  }
  return builder.finish();
}
