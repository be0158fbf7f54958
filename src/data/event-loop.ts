/** Long work in turns: what takes long lets other requests have the event loop in between. */
import { setImmediate } from 'node:timers/promises';

/** Longest turn, in milliseconds: what other requests may have to wait. */
const maxTurn = 10;

/**
 * Passes chunks on, and yields to the event loop whenever a turn has lasted long enough. Promises alone don't yield:
 * with a reader as fast as the writer, a million rows would be one turn of more than a second.
 */
export async function* passWithoutBlocking(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let turnStart = performance.now();
  for await (const chunk of chunks) {
    yield chunk;
    if (performance.now() - turnStart < maxTurn) continue;
    await setImmediate();
    turnStart = performance.now();
  }
}

/** Items between two looks at the clock. */
const itemsPerCheck = 512;

/**
 * Visits the items of each group in order, in turns.
 * @param visit returns false to stop
 * @throws the signal's reason when it is aborted
 */
export async function visitWithoutBlocking<Item>(
  groups: AsyncIterable<Iterable<Item>>,
  signal: AbortSignal | undefined,
  visit: (item: Item) => boolean,
): Promise<void> {
  let turnStart = performance.now();
  let visited = 0;
  for await (const group of groups) {
    for (const item of group) {
      if (!visit(item)) return;
      if (++visited % itemsPerCheck !== 0 || performance.now() - turnStart < maxTurn) continue;
      await setImmediate();
      signal?.throwIfAborted();
      turnStart = performance.now();
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
    await setImmediate();
    signal?.throwIfAborted();
  }
}
