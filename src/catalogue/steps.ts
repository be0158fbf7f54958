/**
 * Work over many items in steps: a generator that yields after each few of them, so that who runs it may let others have
 * their turn. Its return value is the result.
 */

export type Steps<T> = Generator<void, T, undefined>;

/** Items in a step, where each takes some microseconds at most. */
const itemsInStep = 128;

/** Runs all steps at once. @returns the result */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The items, with a step after each few of them. */
export function* eachInSteps<T>(items: Iterable<T>, visit: (item: T, index: number) => void): Steps<void> {
  let index = 0;
  for (const item of items) {
    visit(item, index);
    if (++index % itemsInStep === 0) yield;
  }
}

/** As Array.prototype.filter. */
export function* filterInSteps<T>(items: Iterable<T>, test: (item: T) => boolean): Steps<T[]> {
  const found: T[] = [];
  yield* eachInSteps(items, (item) => {
    if (test(item)) found.push(item);
  });
  return found;
}

/** A set of the items. */
export function* setInSteps<T>(items: Iterable<T>): Steps<Set<T>> {
  const set = new Set<T>();
  yield* eachInSteps(items, (item) => set.add(item));
  return set;
}

/**
 * As Array.prototype.toSorted: a merge sort that is stable, and takes one comparison an item where the items are in order
 * already.
 */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let start = 0; start < items.length; ) {
    let end = start + 1;
    while (end < items.length && compare(items[end - 1] as T, items[end] as T) <= 0)
      if (++end % itemsInStep === 0) yield;
    if (end - start >= itemsInStep) runs.push(items.slice(start, end));
    else {
      end = Math.min(start + itemsInStep, items.length);
      runs.push(items.slice(start, end).sort(compare));
    }
    start = end;
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left = [], right] = runs.slice(i, i + 2);
      merged.push(right ? yield* mergeInSteps(left, right, compare) : left);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists. Of equal items, those of the left list are first. */
function* mergeInSteps<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push(compare(left[l] as T, right[r] as T) <= 0 ? (left[l++] as T) : (right[r++] as T));
    if (merged.length % itemsInStep === 0) yield;
  }
  while (l < left.length) merged.push(left[l++] as T);
  while (r < right.length) merged.push(right[r++] as T);
  return merged;
}

/** Puts a few sorted items into a sorted list, with some twenty comparisons for each. Of equal items, those of the list are first. */
export function* insertInSteps<T>(
  items: readonly T[],
  few: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  const merged: T[] = [];
  let copied = 0;
  for (const one of few) {
    let [low, high] = [copied, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(items[middle] as T, one) <= 0) low = middle + 1;
      else high = middle;
    }
    while (copied < low) merged.push(items[copied++] as T);
    merged.push(one);
    yield;
  }
  while (copied < items.length) merged.push(items[copied++] as T);
  return merged;
}

/** A result that several wait for: each of them runs the steps that are left, and none does what another has done. */
export class SharedSteps<T> {
  /** Undefined when they are done: what they worked with isn't kept. */
  #steps: Steps<T> | undefined;
  #result: T | undefined;

  constructor(steps: Steps<T>) {
    this.#steps = steps;
  }

  /** The result; undefined until all steps are done. */
  get value(): T | undefined {
    return this.#result;
  }

  /** The steps that are left. */
  *run(): Steps<T> {
    while (this.#steps) {
      const { done, value } = this.#steps.next();
      if (!done) yield;
      else {
        this.#result = value;
        this.#steps = undefined;
      }
    }
    return this.#result as T;
  }
}
