/**
 * The spatial index of a table: a packed Hilbert R-tree (flatbush) over the rows' bounding boxes, in 32-bit floats that
 * are rounded outwards. It finds every row that intersects a box, and perhaps a few that lie just beside. 20 bytes a row.
 */
import Flatbush from 'flatbush';
import type { Bbox } from '../geometry/geometry.ts';
import { RowSet } from './row-set.ts';

/** @param boxes minimum x, y, maximum x, y of each row, one row group after another; NaN where a row has none */
export async function buildSpatialIndex(rows: number, boxes: AsyncIterable<Float64Array>): Promise<Buffer> {
  const index = new Flatbush(rows, 16, Float32Array);
  for await (const group of boxes) {
    for (let at = 0; at < group.length; at += 4) {
      const west = group[at] as number;
      // An inverted box intersects nothing, and extends no node of the tree.
      if (Number.isNaN(west)) index.add(Infinity, Infinity, -Infinity, -Infinity);
      else
        index.add(
          roundDown(west),
          roundDown(group[at + 1] as number),
          roundUp(group[at + 2] as number),
          roundUp(group[at + 3] as number),
        );
    }
  }
  index.finish();
  return Buffer.from(index.data as ArrayBuffer);
}

export class SpatialIndex {
  readonly #index: Flatbush;
  /** Memory in bytes. */
  readonly bytes: number;

  /** @param data as `buildSpatialIndex` returns it */
  constructor(data: Buffer) {
    this.#index = Flatbush.from(data.buffer, data.byteOffset);
    this.bytes = data.length;
  }

  /**
   * The rows whose bounding boxes may intersect one of the boxes.
   * @param boxes each with west <= east
   */
  search(boxes: readonly Bbox[]): RowSet {
    const found = new RowSet(this.#index.numItems);
    const collect = (row: number) => {
      found.add(row);
      return false;
    };
    for (const [west, south, east, north] of boxes) {
      this.#index.search(roundDown(west), roundDown(south), roundUp(east), roundUp(north), collect);
    }
    return found;
  }
}

/** The next 32-bit float at or below a number. */
export function roundDown(number: number): number {
  const rounded = Math.fround(number);
  return rounded <= number ? rounded : Math.fround(rounded - Math.abs(rounded) * 1.2e-7 - 1e-44);
}

/** The next 32-bit float at or above a number. */
export function roundUp(number: number): number {
  return -roundDown(-number);
}
