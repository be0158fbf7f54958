/**
 * The rows of a tile: exactly those that `/data/` finds with the tile's box, its buffer included; but for shapes that cross the
 * antimeridian in one piece, which lie there on maps, and on the other side of the world for a filter.
 */
import type { TileAddress } from '../../catalogue/maps.ts';
import { type Turns, workInRanges } from '../event-loop.ts';
import { bboxToGeometry, isBboxWithin, longitudeShifts, type PlanarBbox } from '../geometry/bounding-box.ts';
import { loadGeos, PreparedGeometry, testWithGeosGeometry } from '../geometry/geos.ts';
import { RowSet } from '../table/row-set.ts';
import { LargeShapes } from './large-shapes.ts';
import { cutRow, type PointLayer } from './layer.ts';
import { tileBoundsWithBuffer, worldSize, xOfLongitude, yOfLatitude } from './mercator.ts';
import { intersectsSurely } from './shape-index.ts';
import type { ShapeLayer } from './shapes.ts';
import { type MapSource, rowAt, rowCountOf } from './source.ts';

/** A box in which rows of a tile lie: the tile's own, or a copy of it one turn around the globe away. */
export interface TileWindow {
  readonly box: PlanarBbox;
  /** Units of the grid from the rows in the box to the place where the tile shows them. */
  readonly shift: number;
}

/** The boxes of a tile: its own and, at the edge of the world, copies for its buffer. */
export function tileWindows(address: TileAddress): TileWindow[] {
  const [west, south, east, north] = tileBoundsWithBuffer(address);
  return longitudeShifts([west, south, east, north]).map((degrees) => ({
    box: [west + degrees, south, east + degrees, north],
    shift: (-degrees / 360) * worldSize,
  }));
}

/** Rows known beforehand: those of a tile are among those of the tile above it. */
export interface NearbyRows {
  /** Positions in the selection, among which all rows of the tile are; null for the whole selection. */
  readonly candidates: Uint32Array | null;
  /** Takes the position of each row of the tile. */
  readonly keep: (position: number) => void;
  /** Shapes kept for the tiles that follow. */
  readonly large?: LargeShapes | undefined;
}

/** Points with their places in the grid. */
export type GridPoints = Omit<PointLayer, 'ys'> & { readonly ys: Int32Array };

/** Takes a row: its position in the selection, the middle and the size of its box in units of the grid, as the tile shows it. */
export type RowVisitor = (position: number, x: number, y: number, size: number) => void;

/** The first window that has a point. */
export function windowOfPoint(
  layer: Pick<PointLayer, 'longitudes' | 'latitudes'>,
  row: number,
  windows: readonly TileWindow[],
): TileWindow | undefined {
  const longitude = layer.longitudes[row] as number;
  const latitude = layer.latitudes[row] as number;
  for (const window of windows) {
    const { box } = window;
    if (longitude >= box[0] && longitude <= box[2] && latitude >= box[1] && latitude <= box[3]) return window;
  }
  return undefined;
}

/** Visits the points of a tile, each once. @param candidates as in `NearbyRows` */
export async function visitPoints(
  { source, candidates }: { readonly source: MapSource; readonly candidates: Uint32Array | null },
  layer: GridPoints,
  windows: readonly TileWindow[],
  turns: Turns,
  visit: RowVisitor,
): Promise<void> {
  const count = candidates?.length ?? rowCountOf(source);
  await workInRanges(count, turns, (start, end) => {
    for (let at = start; at < end; at++) {
      const position = candidates ? (candidates[at] as number) : at;
      const row = rowAt(source, position);
      const window = windowOfPoint(layer, row, windows);
      if (window)
        visit(position, xOfLongitude(layer.longitudes[row] as number) + window.shift, layer.ys[row] as number, 0);
    }
  });
}

/** The box of a row of shapes, in degrees; null if it has none. */
function boxOf({ boxes }: ShapeLayer, row: number): PlanarBbox | null {
  const at = 4 * row;
  const west = boxes[at] as number;
  if (Number.isNaN(west)) return null;
  return [west, boxes[at + 1] as number, boxes[at + 2] as number, boxes[at + 3] as number];
}

/** True if a row's box and a window have a point in common. */
function isBoxInWindow({ boxes }: ShapeLayer, row: number, { box }: TileWindow): boolean {
  const at = 4 * row;
  return (
    (boxes[at] as number) <= box[2] &&
    (boxes[at + 2] as number) >= box[0] &&
    (boxes[at + 1] as number) <= box[3] &&
    (boxes[at + 3] as number) >= box[1]
  );
}

/** The first window that a row's box intersects. */
export const windowOfShape = (layer: ShapeLayer, row: number, windows: readonly TileWindow[]): TileWindow | undefined =>
  windows.find((window) => isBoxInWindow(layer, row, window));

/**
 * Visits the lines and polygons of a tile, each once: first those that surely have a point in common with its box.
 * @param nearby candidates and large shapes, as in `NearbyRows`
 */
export async function visitShapes(
  {
    source,
    candidates,
    large = new LargeShapes(),
  }: { readonly source: MapSource } & Pick<NearbyRows, 'candidates' | 'large'>,
  layer: ShapeLayer,
  windows: readonly TileWindow[],
  turns: Turns,
  visit: RowVisitor,
): Promise<void> {
  const count = candidates?.length ?? rowCountOf(source);
  const doubtful: number[] = [];
  const visitRow = (position: number, row: number, shift: number) => {
    const at = 4 * row;
    const [left = 0, top = 0, right = 0, bottom = 0] = layer.gridBoxes.subarray(at, at + 4);
    visit(position, (left + right) / 2 + shift, (top + bottom) / 2, Math.max(right - left, bottom - top));
  };
  for (let at = 0; at < count; at++) {
    const position = candidates ? (candidates[at] as number) : at;
    const row = rowAt(source, position);
    for (const window of windows) {
      if (!isBoxInWindow(layer, row, window)) continue;
      const isInside = isInWindow(layer, row, window.box);
      if (isInside === false) continue;
      if (isInside) visitRow(position, row, window.shift);
      else doubtful.push(position);
      break;
    }
    if (turns.isOverAfterItem()) await turns.next();
  }
  if (doubtful.length === 0) return;
  const found = await testExactly(source, doubtful, windows, large, turns);
  for (const position of doubtful) {
    const row = rowAt(source, position);
    const shift = found.get(row);
    if (shift !== undefined) visitRow(position, row, shift);
  }
}

/** True if a row and a window surely have a point in common, false if they surely have none; null if that has to be tested exactly. */
function isInWindow(layer: ShapeLayer, row: number, box: PlanarBbox): boolean | null {
  const own = boxOf(layer, row);
  if (own && isBboxWithin(own, box)) return true;
  const [west, south, east, north] = box;
  const area = [xOfLongitude(west), yOfLatitude(north), xOfLongitude(east), yOfLatitude(south)] as const;
  return intersectsSurely({ layer, row }, area);
}

/**
 * Tests rows by GEOS, as a filter by a box does.
 * @param large shapes that need not be read again
 * @returns the shifts of the windows that have them, by row
 */
async function testExactly(
  { table, rows }: Pick<MapSource, 'table' | 'rows'>,
  positions: readonly number[],
  windows: readonly TileWindow[],
  large: LargeShapes,
  turns: Turns,
): Promise<ReadonlyMap<number, number>> {
  const geos = await loadGeos();
  const found = new Map<number, number>();
  const findWindow = (row: number, test: (window: TileWindow) => boolean | null) => {
    const window = windows.find(test);
    if (window) found.set(row, window.shift);
  };
  const set = new RowSet(table.rowCount);
  let unread = 0;
  for (const position of positions) {
    const row = rows ? (rows[position] as number) : position;
    const test = large.get(row);
    if (test) findWindow(row, ({ box }) => test(box));
    else {
      set.add(row);
      unread++;
    }
  }
  if (unread === 0) return found;
  const areas = new Map(windows.map((window) => [window, new PreparedGeometry(geos, bboxToGeometry(window.box))]));
  for await (const group of table.scanRowGroups({ columns: [], rows: set })) {
    for (const row of group) {
      const box = row.bbox();
      const geometry = (box && cutRow(row, box)?.geometry) ?? row.geometry();
      const test = geometry && large.add(geos, row.index, geometry);
      if (test) findWindow(row.index, ({ box }) => test(box));
      else if (geometry)
        findWindow(row.index, (window) =>
          testWithGeosGeometry(geos, geometry, (pointer) =>
            geos.GEOSPreparedIntersects((areas.get(window) as PreparedGeometry).pointer, pointer),
          ),
        );
      if (turns.isOver) await turns.next();
    }
  }
  return found;
}
