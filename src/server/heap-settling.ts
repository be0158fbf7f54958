/**
 * How V8 lets the heap of a server grow while it starts and afterwards: flags of V8, set while it runs. (Decisions 0120, 0127 and
 * 0137.)
 */
import type { ServerResponse } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap in percent of what is in use, after which V8 collects all garbage; by itself, it waits for up to 300.
 * The heap grows fast at the start, and most of what is read stays. (Decision 0120.)
 */
const growthAtStart = 100;
const growthWhenLarge = 25;
/** V8 decides. */
const growthByItself = 0;
/** Bytes in use from which a heap is large. */
const largeHeap = 150e6;

/** Counts from the next collection on. */
const setHeapGrowth = (percent: number): void => setFlagsFromString(`--heap-growing-percent=${percent}`);

/** To be called when all threads of the start run. */
export const growHeapForStart = (): void => setHeapGrowth(growthAtStart);

/** Milliseconds in which V8 has surely given back what the start has left: it looks every 8 seconds. */
const settlingTime = 60_000;
/** Changed records after which the heap is no longer what the start has left: in a small one, a push of thousands takes a sixth longer. */
const manyChanges = 500;
/** Requests between two looks from which the server has a load: with the heap being made smaller, each cached one takes a third longer. */
const manyRequests = 250;
/** Milliseconds between two looks at their number. */
const lookEvery = 250;
/** Looks one after another, each while a response is made or sent, from which the server has a load: of a few that take long. */
const busyLooks = 4;

/** The time in which a small heap is made smaller. */
export interface Settling {
  /** To be called for each request. */
  count(response: ServerResponse): void;
  /** Leaves the heap to V8. */
  end(): void;
}

/**
 * After the start, a large heap may grow by less. A small one is made smaller: within some seconds, V8 collects the garbage of the
 * start in steps, and gives back the memory of the young generation, which it does by itself after minutes without
 * requests. It is left to V8 after `settlingTime`, many changes or many requests, or when the server is always at work for
 * some. (Decisions 0127 and 0137.)
 */
export function settleHeap(store: { readonly changeCount: number }): Settling {
  if (getHeapStatistics().used_heap_size > largeHeap) {
    setHeapGrowth(growthWhenLarge);
    return { count() {}, end() {} };
  }
  setFlagsFromString('--optimize-for-size');
  const until = performance.now() + settlingTime;
  const mostChanges = store.changeCount + manyChanges;
  let isSettling = true;
  let [requests, underWay, busy] = [0, 0, 0];
  const end = () => {
    isSettling = false;
    clearInterval(timer);
    setFlagsFromString('--no-optimize-for-size');
    setHeapGrowth(growthByItself);
  };
  const timer = setInterval(() => {
    busy = underWay > 0 ? busy + 1 : 0;
    const isLoaded = requests > manyRequests || busy >= busyLooks || store.changeCount > mostChanges;
    if (isLoaded || performance.now() > until) end();
    requests = 0;
  }, lookEvery).unref();
  const count = (response: ServerResponse) => {
    if (!isSettling) return;
    requests++;
    underWay++;
    response.once('close', () => underWay--);
  };
  return { count, end };
}
