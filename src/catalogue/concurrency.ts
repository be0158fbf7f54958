/** Asynchronous work with a concurrency limit. */

/**
 * Runs `work` for each item, in their order. If one fails, no more are started, and the error is thrown when all that
 * were started have ended. (p-map throws at once and leaves them running.)
 * @param limit number of items that are worked on at the same time
 */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    for (let next = iterator.next(); !next.done && !hasFailed; next = iterator.next())
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
  };
  const ends = await Promise.allSettled(Array.from({ length: limit }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** A queue: a function that runs work when all work before it has ended, and returns its result. */
export function makeQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
