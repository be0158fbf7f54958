/** Medians of numbers by group, in turns: of many numbers by the bits of numbers, in linear time whatever their order. */
import type { Turns } from '../event-loop.ts';

/** Numbers that are visited between two looks at the clock, or sorted at once. */
const sliceLength = 1 << 14;

/**
 * The median of each group's numbers; of an even count the mean of the two in the middle. NaN if there are none.
 * @param groups group of each number, from 0
 */
export async function medianOfNumbers(
  numbers: Float64Array,
  groups: Uint32Array,
  groupCount: number,
  turns: Turns,
): Promise<Float64Array<ArrayBuffer>> {
  const { grouped, ends } = await sortByGroup(numbers, groups, groupCount, turns);
  const medians = new Float64Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    medians[group] = await medianOf(grouped.subarray(ends[group - 1] ?? 0, ends[group]), turns);
    if (turns.isOver) await turns.next();
  }
  return medians;
}

/** The numbers group by group (counting sort), and the index behind the last one of each group. */
async function sortByGroup(numbers: Float64Array, groups: Uint32Array, groupCount: number, turns: Turns) {
  const ends = new Uint32Array(groupCount);
  await inSlices(numbers.length, turns, (start, end) => {
    for (let i = start; i < end; i++) (ends[groups[i] as number] as number)++;
  });
  for (let group = 1; group < groupCount; group++) (ends[group] as number) += ends[group - 1] as number;
  // Filled from behind: each end moves to its group's start, and back again.
  const next = ends.slice();
  const grouped = new Float64Array(numbers.length);
  await inSlices(numbers.length, turns, (start, end) => {
    for (let i = start; i < end; i++) {
      const group = groups[i] as number;
      const at = (next[group] as number) - 1;
      next[group] = at;
      grouped[at] = numbers[i] as number;
    }
  });
  return { grouped, ends };
}

/** Visits indexes, a slice at a time: a call for each of them would take longer than what is done with it. */
async function inSlices(length: number, turns: Turns, visit: (start: number, end: number) => void): Promise<void> {
  for (let start = 0; start < length; start += sliceLength) {
    visit(start, Math.min(length, start + sliceLength));
    if (turns.isOver) await turns.next();
  }
}

/** @param numbers may be reordered */
async function medianOf(numbers: Float64Array, turns: Turns): Promise<number> {
  const { length } = numbers;
  if (length === 0) return Number.NaN;
  const middle = length >> 1;
  if (length <= sliceLength) {
    numbers.sort();
    const upper = numbers[middle] as number;
    return length % 2 ? upper + 0 : meanOfTwo(numbers[middle - 1] as number, upper);
  }
  const lower = await nthSmallest(numbers, (length - 1) >> 1, turns);
  if (length % 2) return lower + 0;
  let atMost = 0;
  let next = Infinity;
  await inSlices(length, turns, (start, end) => {
    for (let i = start; i < end; i++) {
      const number = numbers[i] as number;
      if (number <= lower) atMost++;
      else if (number < next) next = number;
    }
  });
  return meanOfTwo(lower, atMost > middle ? lower : next);
}

function meanOfTwo(a: number, b: number): number {
  const mean = (a + b) / 2;
  return Number.isFinite(mean) || !Number.isFinite(a) || !Number.isFinite(b) ? mean + 0 : a / 2 + b / 2;
}

/**
 * The number at an index of the sorted numbers. Each pass keeps those that share the next 16 bits with it; bits of positive
 * numbers sort as the numbers do, those of negative ones the other way.
 */
async function nthSmallest(numbers: Float64Array, index: number, turns: Turns): Promise<number> {
  let candidates = numbers;
  let rank = index;
  for (let pass = 0; pass < 4 && candidates.length > sliceLength; pass++) {
    const words = new Uint32Array(candidates.buffer, candidates.byteOffset, 2 * candidates.length);
    const digits = new Uint16Array(candidates.length);
    const counts = new Uint32Array(1 << 16);
    const wordOffset = pass < 2 ? 1 : 0;
    const shift = pass % 2 ? 0 : 16;
    await inSlices(candidates.length, turns, (start, end) => {
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
    await inSlices(all.length, turns, (start, end) => {
      for (let i = start; i < end; i++) if (digits[i] === wanted) kept[count++] = all[i] as number;
    });
    candidates = kept;
  }
  return candidates.sort()[rank] as number;
}
