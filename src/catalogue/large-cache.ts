/** Caches of many entries. */
import { LRUCache } from 'lru-cache';

/**
 * A cache that forgets what was used least recently. It takes memory as it fills: with `max` in place of sizes, LRUCache takes that of
 * all entries when it is made, 4 ms of processor time for 20,000.
 * @param mostEntries that it holds
 */
export const makeLargeCache = <Value extends {}>(mostEntries: number): LRUCache<string, Value> =>
  new LRUCache({ maxSize: mostEntries, sizeCalculation: () => 1 });
