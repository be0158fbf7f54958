/** Doing long work in one go, or in slices that leave the event loop to others. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * For loops that wait for little but each other.
 * @param slice milliseconds that may pass between two pauses
 * @returns what is to be awaited in every round: nothing, or a turn of the event loop whenever a slice is used up
 */
export function regularPause(slice = 5): () => Promise<void> | undefined {
  let end = performance.now() + slice;
  return () => {
    if (performance.now() < end) return undefined;
    return nextTurn().then(() => {
      end = performance.now() + slice;
    });
  };
}

/** Runs the steps to their end, at once. */
export function runToEnd(steps: Iterator<void>): void {
  while (!steps.next().done);
}

/**
 * Runs the steps, pausing whenever a slice is used up.
 * @param slice milliseconds that may pass between two pauses
 */
export async function runInSlices(steps: Iterator<void>, slice = 5): Promise<void> {
  for (;;) {
    const end = performance.now() + slice;
    do {
      if (steps.next().done) return;
    } while (performance.now() < end);
    await nextTurn();
  }
}
