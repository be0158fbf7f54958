/** The number that sorting would place at an index: of a few numbers at once, of many in turns. */
import { type Turns, workInRanges } from '../event-loop.ts';

/** Numbers that are ordered at once, without a look at the clock. */
export const sliceLength = 1 << 14;

/**
 * Reorders numbers from a start to an end so that the one at an index is where sorting would place it, none before it is
 * greater, and none behind it is less. @returns it
 */
export function selectNth(numbers: Float64Array, index: number, start: number, end: number): number {
  let left = start;
  let right = end - 1;
  // Each round leaves about half of the numbers, mostly; an unlucky order ends by sorting.
  for (let rounds = 3 * Math.log2(end - start); left < right; rounds--) {
    if (rounds < 0) {
      numbers.subarray(left, right + 1).sort();
      break;
    }
    const pivot = middleOfThree(
      numbers[left] as number,
      numbers[(left + right) >> 1] as number,
      numbers[right] as number,
    );
    let i = left;
    let j = right;
    while (i <= j) {
      while ((numbers[i] as number) < pivot) i++;
      while ((numbers[j] as number) > pivot) j--;
      if (i > j) break;
      const number = numbers[i] as number;
      numbers[i++] = numbers[j] as number;
      numbers[j--] = number;
    }
    if (index <= j) right = j;
    else if (index >= i) left = i;
    else break;
  }
  return numbers[index] as number;
}

const middleOfThree = (a: number, b: number, c: number): number =>
  a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;

/**
 * The number at an index of the sorted numbers. Each pass keeps those that share the next 16 bits with it; bits of positive
 * numbers sort as the numbers do, those of negative ones the other way.
 */
export async function nthSmallest(numbers: Float64Array, index: number, turns: Turns): Promise<number> {
  let candidates = numbers;
  let rank = index;
  for (let pass = 0; pass < 4 && candidates.length > sliceLength; pass++) {
    const words = new Uint32Array(candidates.buffer, candidates.byteOffset, 2 * candidates.length);
    const digits = new Uint16Array(candidates.length);
    const counts = new Uint32Array(1 << 16);
    const wordOffset = pass < 2 ? 1 : 0;
    const shift = pass % 2 ? 0 : 16;
    await workInRanges(candidates.length, turns, (start, end) => {
      for (let i = start; i < end; i++) {
        // All ones for a negative number.
        const sign = (words[2 * i + 1] as number) >> 31;
        const word = (words[2 * i + wordOffset] as number) ^ sign;
        const digit = ((pass === 0 ? word ^ (~sign & 0x8000_0000) : word) >>> shift) & 0xffff;
        digits[i] = digit;
        (counts[digit] as number)++;
      }
    });
    let wanted = 0;
    while (rank >= (counts[wanted] as number)) rank -= counts[wanted++] as number;
    const kept = new Float64Array(counts[wanted] as number);
    let count = 0;
    const all = candidates;
    await workInRanges(all.length, turns, (start, end) => {
      for (let i = start; i < end; i++) if (digits[i] === wanted) kept[count++] = all[i] as number;
    });
    candidates = kept;
  }
  // More than that have been through all passes: they have all bits in common.
  return (candidates.length > sliceLength ? candidates[0] : candidates.sort()[rank]) as number;
}
