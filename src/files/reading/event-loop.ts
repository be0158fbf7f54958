/** Long work at once, or in slices between which other requests have their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds. Several works may run at once, each with a slice in every turn, and a request may wait for two turns. */
const defaultSlice = 2;

/**
 * A function to be awaited in every round of a long loop: it yields to the event loop when a slice is used up, and else
 * returns at once.
 * @param slice milliseconds between two pauses
 */
export function makeRegularPause(slice = defaultSlice): () => Promise<void> | undefined {
  let end = performance.now() + slice;
  return () => {
    if (performance.now() < end) return undefined;
    return nextTurn().then(() => {
      end = performance.now() + slice;
    });
  };
}

/** Runs all steps at once. */
export function runStepsWithoutPause(steps: Iterator<void>): void {
  while (!steps.next().done);
}

/**
 * Runs all steps, and yields to the event loop when a slice is used up.
 * @param slice milliseconds between two pauses
 */
export async function runStepsInSlices(steps: Iterator<void>, slice = defaultSlice): Promise<void> {
  for (;;) {
    const end = performance.now() + slice;
    do {
      if (steps.next().done) return;
    } while (performance.now() < end);
    await nextTurn();
  }
}
