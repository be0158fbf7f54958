/**
 * Long work in turns. There is one turn at a time in the process, and input and output in between, so that a small request
 * waits for one turn at most, however many long ones there are.
 */

/** Items between two looks at the clock. */
export const itemsPerCheck = 64;

/** Longest turn, in milliseconds. A small request needs some five turns of the event loop, and waits for one of these in each. */
const maxTurn = 1;

const waiting: (() => void)[] = [];

/** Waits for the next turn: after pending input and output, and after all work that waits already. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNextTurn);
  });
}

function startNextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNextTurn);
}

/** The turns of one piece of work. It begins in its first. */
export class Turns {
  readonly #onTurn: ((milliseconds: number) => void) | undefined;
  #start = performance.now();
  /** Items after which the clock is looked at next, and how many of them are left. */
  #stride = 1;
  #itemsLeft = 1;

  /** @param onTurn called at the end of each turn with its length; what it throws ends the work */
  constructor(onTurn?: (milliseconds: number) => void) {
    this.#onTurn = onTurn;
  }

  /** True if the turn has lasted long enough, and `next` should be awaited. */
  get isOver(): boolean {
    return performance.now() - this.#start >= maxTurn;
  }

  /**
   * Counts an item, and says whether `next` should be awaited behind it. Items may take nanoseconds or milliseconds each: the clock is
   * looked at after the first one of a turn, after two more, then three, up to `itemsPerCheck`.
   */
  isOverAfterItem(): boolean {
    if (--this.#itemsLeft > 0) return false;
    this.#stride = Math.min(itemsPerCheck, this.#stride + 1);
    this.#itemsLeft = this.#stride;
    return this.isOver;
  }

  /**
   * Ends the turn, and waits for the next.
   * @param isCounted false if the turn was not only work, but waited for a reader
   */
  async next(isCounted = true): Promise<void> {
    if (isCounted) this.spend(performance.now() - this.#start);
    await nextTurn();
    this.restart();
  }

  /** Counts time of work that was done elsewhere, in milliseconds. @throws what `onTurn` throws */
  spend(milliseconds: number): void {
    this.#onTurn?.(milliseconds);
  }

  /** Begins a turn now, after waiting for something else. */
  restart(): void {
    this.#start = performance.now();
    this.#stride = 1;
    this.#itemsLeft = 1;
  }
}

/**
 * Passes chunks on, and yields to the event loop whenever a turn has lasted long enough. Promises alone don't yield:
 * with a reader as fast as the writer, a million rows would be one turn of more than a second.
 */
export async function* passWithoutBlocking(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const turns = new Turns();
  for await (const chunk of chunks) {
    yield chunk;
    if (turns.isOver) await turns.next();
  }
}

/** Items of a range of `workInRanges`: of the fastest ones, some hundredths of a millisecond. */
const itemsPerRange = 8 * itemsPerCheck;

/**
 * Works on the numbers from 0 up to a count in ranges, in turns. For fast work on many items: V8 compiles `work`, while a loop that
 * awaits turns itself begins again in the interpreter after each of them.
 * @param work works on the numbers from `start` up to, and without, `end`
 */
export async function workInRanges(
  count: number,
  turns: Turns,
  work: (start: number, end: number) => void,
): Promise<void> {
  for (let start = 0; start < count; start += itemsPerRange) {
    work(start, Math.min(count, start + itemsPerRange));
    if (turns.isOver) await turns.next();
  }
}

/**
 * Visits the items of each group in order, in turns.
 * @param visit returns false to stop
 * @throws the signal's reason when it is aborted; what `onTurn` of the turns throws
 */
export async function visitWithoutBlocking<Item>(
  groups: AsyncIterable<Iterable<Item>>,
  { signal, turns = new Turns() }: { readonly signal?: AbortSignal | undefined; readonly turns?: Turns },
  visit: (item: Item) => boolean,
): Promise<void> {
  for await (const group of groups) {
    for (const item of group) {
      if (!visit(item)) return;
      if (!turns.isOverAfterItem()) continue;
      await turns.next();
      signal?.throwIfAborted();
    }
  }
  signal?.throwIfAborted();
}

/** Rows in one turn, where each takes a fraction of a microsecond. */
const rangeSize = 32_768;

/**
 * The numbers from 0 up to a count, in ranges of one turn each.
 * @throws the signal's reason when it is aborted
 */
export async function* indexRangesWithoutBlocking(
  count: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly start: number; readonly end: number }, void, undefined> {
  for (let start = 0; start < count; start += rangeSize) {
    yield { start, end: Math.min(start + rangeSize, count) };
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** Items that are sorted or merged at once. */
const runLength = 1024;

/**
 * Sorts the numbers from 0 up to a count: runs are sorted, and then merged two by two.
 * @param compare as for Array.prototype.sort; 0 for no two of them
 */
export async function sortIndexesWithoutBlocking(
  count: number,
  turns: Turns,
  compare: (a: number, b: number) => number,
): Promise<Uint32Array> {
  let from = new Uint32Array(count);
  for (let i = 0; i < count; i++) from[i] = i;
  for (let start = 0; start < count; start += runLength) {
    from.subarray(start, start + runLength).sort(compare);
    if (turns.isOver) await turns.next();
  }
  let to = new Uint32Array(count);
  for (let width = runLength; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, count), Math.min(start + 2 * width, count)];
      for (let at = start, left = start, right = middle; at < end; at++) {
        const isLeft = right >= end || (left < middle && compare(from[left] as number, from[right] as number) < 0);
        to[at] = from[isLeft ? left++ : right++] as number;
        if (at % runLength === 0 && turns.isOver) await turns.next();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
