/**
 * The spatial index of a table: a packed Hilbert R-tree (flatbush) over the rows' bounding boxes, in 32-bit floats that
 * are rounded outwards: it finds every row it should, and perhaps a few that lie a hair beside, 20 bytes a row.
 */
import Flatbush from 'flatbush';
import type { Bbox } from '../geometry/geometry.ts';

/** @param boxes minimum x, y, maximum x, y of each row in turn, block by block; NaN where a row has none */
export async function buildIndex(rows: number, boxes: AsyncIterable<Float64Array>): Promise<Buffer> {
  const index = new Flatbush(rows, 16, Float32Array);
  for await (const block of boxes) {
    for (let at = 0; at < block.length; at += 4) {
      const west = block[at] as number;
      // A box the wrong way round: nothing touches it, and it widens no other.
      if (Number.isNaN(west)) index.add(Infinity, Infinity, -Infinity, -Infinity);
      else
        index.add(
          below(west),
          below(block[at + 1] as number),
          above(block[at + 2] as number),
          above(block[at + 3] as number),
        );
    }
  }
  index.finish();
  return Buffer.from(index.data as ArrayBuffer);
}

/** A set of rows, in file order. */
export class RowSet {
  readonly #bits: Uint32Array;
  count = 0;
  constructor(rows: number) {
    this.#bits = new Uint32Array((rows + 31) >>> 5);
  }
  add(row: number): void {
    const bit = 1 << (row & 31);
    const word = this.#bits[row >>> 5] as number;
    if ((word & bit) !== 0) return;
    this.#bits[row >>> 5] = word | bit;
    this.count++;
  }
  has(row: number): boolean {
    return ((this.#bits[row >>> 5] as number) & (1 << (row & 31))) !== 0;
  }
  /** The rows from `start` up to but not including `end`. */
  within(start: number, end: number): number[] {
    const rows: number[] = [];
    for (let at = start >>> 5; at << 5 < end; at++) {
      let word = this.#bits[at] as number;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        const row = (at << 5) + bit;
        if (row >= start && row < end) rows.push(row);
        word &= word - 1;
      }
    }
    return rows;
  }
}

/** Answers which rows may touch a box. */
export class SpatialIndex {
  readonly #index: Flatbush;
  readonly bytes: number;
  /** @param data as `buildIndex` gave it */
  constructor(data: Buffer) {
    this.#index = Flatbush.from(data.buffer, data.byteOffset);
    this.bytes = data.length;
  }

  /** @param boxes with west <= east each */
  search(boxes: readonly Bbox[]): RowSet {
    const found = new RowSet(this.#index.numItems);
    const note = (row: number) => {
      found.add(row);
      return false;
    };
    for (const [west, south, east, north] of boxes) {
      this.#index.search(below(west), below(south), above(east), above(north), note);
    }
    return found;
  }
}

/** The next 32-bit float at or below, and at or above, a number. */
function below(number: number): number {
  const rounded = Math.fround(number);
  return rounded <= number ? rounded : Math.fround(rounded - Math.abs(rounded) * 1.2e-7 - 1e-44);
}
function above(number: number): number {
  return -below(-number);
}
