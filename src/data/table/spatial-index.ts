/**
 * The spatial index of a table: a packed Hilbert R-tree (flatbush) over the rows' bounding boxes, in 32-bit floats that
 * are rounded outwards. It finds every row that intersects a box, and perhaps a few that lie just beside. 20 bytes a row.
 */
import Flatbush from 'flatbush';
import type { Turns } from '../event-loop.ts';
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
  async search(boxes: readonly Bbox[], turns: Turns): Promise<RowSet> {
    const found = new RowSet(this.#index.numItems);
    for (const [west, south, east, north] of boxes)
      await this.#collect([roundDown(west), roundDown(south), roundUp(east), roundUp(north)], found, turns);
    return found;
  }

  /**
   * Adds the rows in a box, as flatbush finds them, but in turns: of a million rows, that is a tenth of a second. Reads private
   * fields of flatbush, which may differ in another version: package.json has the exact one.
   */
  async #collect([minX, minY, maxX, maxY]: Bbox, found: RowSet, turns: Turns): Promise<void> {
    const { _boxes: boxes, _indices: indices, _levelBounds: bounds, nodeSize } = this.#index;
    /** Nodes to visit: the place of the first child in the boxes, the level, and 1 if the box contains the node. */
    const queue = [boxes.length - 4, bounds.length - 1, 0];
    const visitNext = () => {
      const isContained = queue.pop() === 1;
      const level = queue.pop() as number;
      const start = queue.pop() as number;
      const end = Math.min(start + nodeSize * 4, bounds[level] as number);
      for (let at = start; at < end; at += 4) {
        const x0 = boxes[at] as number;
        const y0 = boxes[at + 1] as number;
        const x1 = boxes[at + 2] as number;
        const y1 = boxes[at + 3] as number;
        if (!isContained && !(minX <= x1 && minY <= y1 && maxX >= x0 && maxY >= y0)) continue;
        const index = indices[at >> 2] as number;
        if (level === 0) found.add(index);
        else
          queue.push(index, level - 1, isContained || (minX <= x0 && minY <= y0 && maxX >= x1 && maxY >= y1) ? 1 : 0);
      }
    };
    while (queue.length > 0) {
      for (let n = 0; n < nodesPerCheck && queue.length > 0; n++) visitNext();
      if (turns.isOver) await turns.next();
    }
  }
}

/** Nodes, of 16 rows or nodes each, between two looks at the clock. */
const nodesPerCheck = 32;

/** The next 32-bit float at or below a number. */
export function roundDown(number: number): number {
  const rounded = Math.fround(number);
  return rounded <= number ? rounded : Math.fround(rounded - Math.abs(rounded) * 1.2e-7 - 1e-44);
}

/** The next 32-bit float at or above a number. */
export function roundUp(number: number): number {
  return -roundDown(-number);
}
