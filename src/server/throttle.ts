/** How often something may be tried: a sliding window for each who tries, and an end to how many are remembered. */
import { LRUCache } from 'lru-cache';

export interface ThrottleOptions {
  /** How many attempts are let through within the window. */
  readonly limit: number;
  /** In milliseconds. */
  readonly window: number;
  /** Milliseconds since any moment, never going back. */
  readonly now?: () => number;
}

/** Where there are more at once, those who tried longest ago are forgotten. */
const remembered = 20_000;

export class Throttle {
  readonly #options: Required<ThrottleOptions>;
  /** The moments of the attempts that count, the oldest first; at most `limit` of them. */
  readonly #attempts = new LRUCache<string, readonly number[]>({ max: remembered });

  constructor({ limit, window, now = () => performance.now() }: ThrottleOptions) {
    this.#options = { limit, window, now };
  }

  /** How many milliseconds are to be waited before the next attempt; 0 where it may be made now. */
  wait(key: string): number {
    const attempts = this.#recent(key);
    const [oldest = 0] = attempts;
    if (attempts.length < this.#options.limit) return 0;
    return Math.max(1, oldest + this.#options.window - this.#options.now());
  }

  /** Counts an attempt: before it is known how it ends, for others may be under way at the same time. */
  count(key: string): void {
    this.#attempts.set(key, [...this.#recent(key), this.#options.now()].slice(-this.#options.limit));
  }

  /** Takes an attempt back: the latest, or all of them. */
  forgive(key: string, all = false): void {
    const rest = all ? [] : this.#recent(key).slice(0, -1);
    if (rest.length) this.#attempts.set(key, rest);
    else this.#attempts.delete(key);
  }

  #recent(key: string): readonly number[] {
    const since = this.#options.now() - this.#options.window;
    return (this.#attempts.get(key) ?? []).filter((moment) => moment > since);
  }
}
