/** Work that a thread does instead of turns: its time counts as theirs does, and it ends when they would. */
import type { Turns } from './event-loop.ts';
import type { AnyFunction, WorkerPool } from './worker-pool.ts';

/** Milliseconds after which the time of a thread is counted again, and its client looked for. */
const countEvery = 100;

/**
 * Calls a function of a module in a thread, and counts its time from the moment when it begins.
 * @returns undefined if the thread fails
 * @throws what `onTurn` of the turns throws, also while the call waits for a thread; the signal's reason
 */
export async function countWorkOfThread<Module extends Record<Name, AnyFunction>, Name extends string & keyof Module>(
  workers: WorkerPool,
  module: string,
  name: Name,
  args: Parameters<Module[Name]>,
  turns: Turns,
  signal?: AbortSignal,
): Promise<Awaited<ReturnType<Module[Name]>> | undefined> {
  const ending = new AbortController();
  let counted: number | undefined;
  const count = () => {
    const now = performance.now();
    const since = counted === undefined ? 0 : now - counted;
    if (counted !== undefined) counted = now;
    turns.spend(since);
  };
  const timer = setInterval(() => {
    try {
      count();
    } catch (error) {
      ending.abort(error);
    }
  }, countEvery);
  const abort = () => ending.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const start = () => {
    counted = performance.now();
  };
  let result: Awaited<ReturnType<Module[Name]>>;
  try {
    result = await workers.run<Module, Name>(module, name, args, { signal: ending.signal, onStart: start });
  } catch {
    ending.signal.throwIfAborted();
    return undefined;
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', abort);
    turns.restart();
  }
  count();
  return result;
}
