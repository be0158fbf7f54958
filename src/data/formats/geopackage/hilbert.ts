/** Boxes in the order of their centres along a Hilbert curve, so that neighbours in the order are neighbours on the map. */
import type { Turns } from '../../event-loop.ts';

/** Cells of the curve in each direction: 65,536. */
const curveBits = 16;
/** Boxes between two looks at the clock. */
const boxesPerCheck = 4096;

/**
 * Sorts boxes, in turns.
 * @param boxes west, south, east, north of each
 * @returns their numbers, in order; of boxes in one cell of the curve, the first comes first
 */
export async function sortAlongHilbertCurve(boxes: Float32Array, count: number, turns: Turns): Promise<Uint32Array> {
  const frame = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number];
  for (let i = 0; i < count; i++) {
    frame[0] = Math.min(frame[0], boxes[4 * i] as number);
    frame[1] = Math.min(frame[1], boxes[4 * i + 1] as number);
    frame[2] = Math.max(frame[2], boxes[4 * i + 2] as number);
    frame[3] = Math.max(frame[3], boxes[4 * i + 3] as number);
    if (i % boxesPerCheck === 0 && turns.isOver) await turns.next();
  }
  const cells = 2 ** curveBits - 1;
  const [scaleX, scaleY] = [cells / (frame[2] - frame[0] || 1), cells / (frame[3] - frame[1] || 1)];
  const keys = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const x = ((boxes[4 * i] as number) + (boxes[4 * i + 2] as number)) / 2 - frame[0];
    const y = ((boxes[4 * i + 1] as number) + (boxes[4 * i + 3] as number)) / 2 - frame[1];
    keys[i] = positionOnHilbertCurve(Math.floor(x * scaleX), Math.floor(y * scaleY));
    if (i % boxesPerCheck === 0 && turns.isOver) await turns.next();
  }
  return sortByKey(keys, turns);
}

/** The number of a cell along the curve, from 0 up to 2^32. */
export function positionOnHilbertCurve(column: number, row: number): number {
  let [x, y, position] = [column, row, 0];
  for (let side = 2 ** (curveBits - 1); side >= 1; side /= 2) {
    const right = x & side ? 1 : 0;
    const upper = y & side ? 1 : 0;
    position = position * 4 + ((3 * right) ^ upper);
    if (upper) continue;
    if (right) [x, y] = [side - 1 - (x & (side - 1)), side - 1 - (y & (side - 1))];
    [x, y] = [y, x];
  }
  return position;
}

/** The indexes of keys in ascending order, equal ones in their own: a radix sort, by 16 bits at a time. */
async function sortByKey(keys: Uint32Array, turns: Turns): Promise<Uint32Array> {
  let order: Uint32Array = Uint32Array.from(keys.keys());
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(65_537);
    for (const key of keys) {
      const digit = ((key >>> shift) & 0xffff) + 1;
      starts[digit] = (starts[digit] as number) + 1;
    }
    for (let digit = 1; digit < starts.length; digit++)
      starts[digit] = (starts[digit] as number) + (starts[digit - 1] as number);
    const sorted = new Uint32Array(keys.length);
    for (let i = 0; i < order.length; i++) {
      const index = order[i] as number;
      const digit = ((keys[index] as number) >>> shift) & 0xffff;
      const at = starts[digit] as number;
      sorted[at] = index;
      starts[digit] = at + 1;
      if (i % boxesPerCheck === 0 && turns.isOver) await turns.next();
    }
    order = sorted;
  }
  return order;
}
