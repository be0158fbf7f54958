/** Work that can be stopped by Ctrl-C. */
import type { Context } from './context.ts';
import { InterruptedError } from './errors.ts';

/**
 * Runs long work. Ctrl-C aborts its signal: the work then cleans up and throws.
 * @param remains a sentence for the message: what is left of the work; asked for when the work has ended
 * @throws InterruptedError
 */
export async function runInterruptible<T>(
  context: Context,
  remains: string | (() => string),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  void context.interrupted().then(() => stop.abort());
  try {
    return await work(stop.signal);
  } catch (error) {
    if (stop.signal.aborted)
      throw new InterruptedError(`Interrupted. ${typeof remains === 'string' ? remains : remains()}`);
    throw error;
  }
}
