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

/** A step of a long work. One that yields a function may be prepared by it, while other requests have their turn. */
export type Step = void | (() => Promise<void>);

/** Runs all steps at once; none is prepared. */
export function runStepsWithoutPause(steps: Iterator<Step>): void {
  while (!steps.next().done);
}

/**
 * Runs all steps, and yields to the event loop when a slice is used up.
 * @param slice milliseconds between two pauses
 * @returns the result of the steps
 */
export async function runStepsInSlices<T>(steps: Iterator<Step, T>, slice = defaultSlice): Promise<T> {
  for (;;) {
    const end = performance.now() + slice;
    do {
      const { done, value } = steps.next();
      if (done) return value;
      if (value) await value();
    } while (performance.now() < end);
    await nextTurn();
  }
}
