/** Work that can be stopped by Ctrl-C. */
import type { Context } from './context.ts';
import { InterruptedError } from './errors.ts';

/**
 * Does work that takes long. Ctrl-C aborts its signal; the work then leaves things as they should be, and throws.
 * @param remains what there is afterwards, as a sentence
 * @throws InterruptedError
 */
export async function interruptible<T>(
  context: Context,
  remains: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  void context.interrupted().then(() => stop.abort());
  try {
    return await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted) throw new InterruptedError(`Interrupted. ${remains}`);
    throw error;
  }
}
