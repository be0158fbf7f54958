/** Budgets of work by client: who keeps the server busy waits, and others don't. */
import { makeLargeCache } from '../catalogue/large-cache.ts';
import type { WorkBudget } from '../catalogue/types.ts';
import { ThrottledError } from './errors.ts';

export interface WorkBudgetOptions {
  /** Milliseconds of work that a client may use at once. */
  readonly capacity: number;
  /** Milliseconds of work that a client gets back in a millisecond. */
  readonly refill: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

const defaults = { capacity: 20_000, refill: 0.25, now: () => performance.now() };
/** Clients that are remembered; beyond that, the least recently used is forgotten. */
const mostClients = 20_000;

const advice =
  'Your requests have used up their time for filtering and ordering. Ask for less: with fewer conditions, or a box; or download the whole file and filter it.';

/** Used milliseconds of a client at a time. */
interface Used {
  readonly milliseconds: number;
  readonly at: number;
}

export class WorkBudgets {
  readonly #used = makeLargeCache<Used>(mostClients);
  readonly #options: Required<WorkBudgetOptions>;

  constructor(options: Partial<WorkBudgetOptions> = {}) {
    this.#options = { ...defaults, ...options };
  }

  /** The budget of a client. @param client name of a user, or address */
  of(client: string): WorkBudget {
    const { capacity, refill, now } = this.#options;
    return {
      assertAvailable: () => {
        const over = this.#usedBy(client) - capacity;
        if (over > 0) throw new ThrottledError(over / refill + 1000, advice);
      },
      spend: (milliseconds) => {
        this.#used.set(client, { milliseconds: this.#usedBy(client) + milliseconds, at: now() });
      },
    };
  }

  #usedBy(client: string): number {
    const { milliseconds, at } = this.#used.get(client) ?? { milliseconds: 0, at: 0 };
    return Math.max(0, milliseconds - (this.#options.now() - at) * this.#options.refill);
  }
}
