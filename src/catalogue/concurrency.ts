/** Work on many things, some of them at once. */

/**
 * @param at how many at once
 * @param work done for each, in their order; when it throws, nothing new is begun, and what it threw is thrown when all
 *   that was begun has ended
 */
export async function mapConcurrent<T>(
  things: Iterable<T>,
  at: number,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const left = things[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next())
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
  };
  const ends = await Promise.allSettled(Array.from({ length: at }, lane));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
