/**
 * Medians of numbers by group, in turns. A sample says about where the median of a large group is, so that only the numbers
 * near it are kept and ordered: a few at once, many by the bits of numbers, in linear time whatever their order.
 */
import { itemsPerCheck, type Turns, workInRanges } from '../event-loop.ts';
import { nthSmallest, selectNth, sliceLength } from './nth-number.ts';

/** Most numbers of the sample that are looked at, and the fewest of a group that say something about it. */
const maxSample = 1 << 15;
const minSample = 128;

/** Some numbers, and the group of each. */
interface Part {
  readonly numbers: Float64Array;
  readonly groups: Uint32Array;
}

/** The range of numbers in which the median of each group is looked for; NaN for none. */
interface Ranges {
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Most numbers that are kept. */
  readonly room: Uint32Array;
}

/** Numbers by group, of which the medians are wanted. */
export class GroupedNumbers {
  readonly #parts: Part[] = [];
  #counts = new Uint32Array(1);
  readonly #sampled: number[] = [];
  readonly #sampledGroups: number[] = [];
  /** Place of the next number of the sample in the next part. */
  #next = 0;
  #random = 1;

  /**
   * Adds some thousand numbers at most.
   * @param numbers not NaN, never changed
   * @param groups group of each, from 0; never changed
   * @param groupCount number of groups so far
   */
  add(numbers: Float64Array, groups: Uint32Array, groupCount: number): void {
    this.#parts.push({ numbers, groups });
    if (this.#counts.length < groupCount)
      this.#counts = resized(this.#counts, Math.max(groupCount, 2 * this.#counts.length));
    const counts = this.#counts;
    for (let i = 0; i < groups.length; i++) (counts[groups[i] as number] as number)++;
    let at = this.#next;
    for (; at < numbers.length; at += this.#distance()) {
      this.#sampled.push(numbers[at] as number);
      this.#sampledGroups.push(groups[at] as number);
    }
    this.#next = at - numbers.length;
  }

  /** A pseudorandom distance between numbers of the sample, up to 64: no order of the numbers matters. */
  #distance(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return 1 + (this.#random >>> 26);
  }

  #sample(): Part {
    const step = Math.ceil(this.#sampled.length / maxSample);
    const length = Math.ceil(this.#sampled.length / step) || 0;
    const sample = { numbers: new Float64Array(length), groups: new Uint32Array(length) };
    for (let i = 0; i < length; i++) {
      sample.numbers[i] = this.#sampled[i * step] as number;
      sample.groups[i] = this.#sampledGroups[i * step] as number;
    }
    return sample;
  }

  /** The median of each group's numbers; of an even count the mean of the two in the middle. NaN if there are none. */
  async medians(groupCount: number, turns: Turns): Promise<Float64Array<ArrayBuffer>> {
    const counts = resized(this.#counts, groupCount);
    const medians = new Float64Array(groupCount).fill(Number.NaN);
    const ranges = await likelyRanges(this.#sample(), counts, turns);
    const missed = await findMedians(this.#parts, counts, ranges, medians, turns);
    if (missed.length) await findMedians(this.#parts, counts, wholeRanges(counts, missed), medians, turns);
    return medians;
  }
}

function resized(counts: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const result = new Uint32Array(length);
  result.set(counts.subarray(0, length));
  return result;
}

/** Ranges of all numbers of some groups. */
function wholeRanges(counts: Uint32Array, groups: Iterable<number> = counts.keys()): Ranges {
  const lows = new Float64Array(counts.length).fill(Number.NaN);
  const highs = lows.slice();
  const room = new Uint32Array(counts.length);
  for (const group of groups) {
    lows[group] = -Infinity;
    highs[group] = Infinity;
    room[group] = counts[group] as number;
  }
  return { lows, highs, room };
}

/** Ranges in which the medians are almost certainly. */
async function likelyRanges(sample: Part, counts: Uint32Array, turns: Turns): Promise<Ranges> {
  const ranges = wholeRanges(counts);
  const sampled = new Uint32Array(counts.length);
  for (const group of sample.groups) (sampled[group] as number)++;
  if (!sampled.some((count) => count >= minSample)) return ranges;
  const { kept, starts } = await keepThose([sample], wholeRanges(sampled), turns);
  for (const [group, count] of sampled.entries()) {
    if (count < minSample) continue;
    const numbers = kept.subarray(starts[group], (starts[group] as number) + count);
    // Four standard deviations of the median's place.
    const margin = 2 * Math.sqrt(count);
    const low = selectNth(numbers, Math.floor(count / 2 - margin), 0, count);
    const high = selectNth(numbers, Math.ceil(count / 2 + margin), 0, count);
    let within = 0;
    for (const number of numbers) if (number >= low && number <= high) within++;
    const share = Math.min(1, (within + 4 * Math.sqrt(within)) / count);
    ranges.lows[group] = low;
    ranges.highs[group] = high;
    ranges.room[group] = Math.ceil(share * (counts[group] as number));
    if (turns.isOver) await turns.next();
  }
  return ranges;
}

/** The numbers within ranges, group by group. */
interface Kept {
  readonly kept: Float64Array;
  /** Where each group begins, and the place behind its last number: behind its room if there were too many. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** How many numbers of each group are below its range. */
  readonly below: Uint32Array;
}

async function keepThose(parts: readonly Part[], ranges: Ranges, turns: Turns): Promise<Kept> {
  const { room } = ranges;
  const starts = new Uint32Array(room.length);
  let size = 0;
  for (let group = 0; group < room.length; group++) {
    starts[group] = size;
    size += room[group] as number;
  }
  const result = { kept: new Float64Array(size), starts, ends: starts.slice(), below: new Uint32Array(room.length) };
  for (const part of parts) {
    keepNumbers(part, ranges, result);
    if (turns.isOver) await turns.next();
  }
  return result;
}

function keepNumbers({ numbers, groups }: Part, { lows, highs, room }: Ranges, result: Kept): void {
  const { kept, starts, ends, below } = result;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    const group = groups[i] as number;
    // Half of the numbers are below: a branch, which can't be predicted, would take twice the time.
    const isBelow = Number(number < (lows[group] as number));
    (below[group] as number) += isBelow;
    if (Number(number <= (highs[group] as number)) - isBelow === 0) continue;
    const end = ends[group] as number;
    if (end - (starts[group] as number) < (room[group] as number)) kept[end] = number;
    ends[group] = end + 1;
  }
}

/** Writes the medians of groups that are within their ranges. @returns the groups whose median isn't */
async function findMedians(
  parts: readonly Part[],
  counts: Uint32Array,
  ranges: Ranges,
  medians: Float64Array,
  turns: Turns,
): Promise<readonly number[]> {
  const { kept, starts, ends, below } = await keepThose(parts, ranges, turns);
  const missed: number[] = [];
  for (let group = 0; group < counts.length; group++) {
    const count = counts[group] as number;
    const start = starts[group] as number;
    const end = ends[group] as number;
    const lower = start + ((count - 1) >> 1) - (below[group] as number);
    const upper = start + (count >> 1) - (below[group] as number);
    const isKept = end - start <= (ranges.room[group] as number) && lower >= start && upper < end;
    if (isKept && end - start > sliceLength)
      medians[group] = await medianOfMany(kept.subarray(start, end), lower - start, upper - start, turns);
    else if (isKept) {
      const high = selectNth(kept, upper, start, end);
      let low = high;
      if (lower < upper) {
        low = -Infinity;
        for (let i = start; i < upper; i++) if ((kept[i] as number) > low) low = kept[i] as number;
      }
      medians[group] = meanOfTwo(low, high);
    } else if (count > 0) missed.push(group);
    if ((group % itemsPerCheck === 0 || end - start > itemsPerCheck) && turns.isOver) await turns.next();
  }
  return missed;
}

/** The mean of the numbers at two indexes of the sorted numbers: the same index, or one behind the other. */
async function medianOfMany(numbers: Float64Array, lower: number, upper: number, turns: Turns): Promise<number> {
  const low = await nthSmallest(numbers, lower, turns);
  if (lower === upper) return meanOfTwo(low, low);
  let atMost = 0;
  let next = Infinity;
  await workInRanges(numbers.length, turns, (start, end) => {
    for (let i = start; i < end; i++) {
      const number = numbers[i] as number;
      if (number <= low) atMost++;
      else if (number < next) next = number;
    }
  });
  return meanOfTwo(low, atMost > upper ? low : next);
}

/** The number in the middle of two, also of ones whose sum is too large for a double. */
export function meanOfTwo(a: number, b: number): number {
  const mean = (a + b) / 2;
  return Number.isFinite(mean) || !Number.isFinite(a) || !Number.isFinite(b) ? mean + 0 : a / 2 + b / 2;
}
