/** Boxes around ranges of items, in levels: those of an area are found without a look at all of them. */

/** Minimum x and y, maximum x and y. */
export type GridBox = readonly [number, number, number, number];

/** Items of a lowest range, and ranges of a range above. */
const fanOut = 16;

/** The ranges of one level. */
interface Level {
  /** Items of a range; the last may have fewer. */
  readonly size: number;
  /** Four numbers of each range. */
  readonly boxes: Int32Array;
  /** The highest weight in each range. */
  readonly weights: Uint8Array;
}

/** Measures an item: sets its box, and returns its weight. */
export type MeasureItem = (item: number, box: Int32Array) => number;

/** Takes a range. @returns true to visit what is in it */
export type EnterRange = (range: BoxRange) => boolean;

/** A range of a tree: items from `start` up to, and without, `end`. */
export interface BoxRange {
  readonly start: number;
  readonly end: number;
  /** The highest weight of its items. */
  readonly weight: number;
  /** True if no box of its items has a point in common with an area. */
  isApartFrom(area: GridBox): boolean;
  /** The first or last item of at least a weight, which one of them has. */
  endWithWeight(side: 'first' | 'last', least: number): number;
}

export class BoxTree {
  readonly #count: number;
  readonly #weightOf: (item: number) => number;
  readonly #levels: Level[] = [];

  /** @param weightOf weight of an item, as `measure` returns it */
  constructor(count: number, measure: MeasureItem, weightOf: (item: number) => number) {
    this.#count = count;
    this.#weightOf = weightOf;
    const lowest = new LevelBuilder(count, fanOut);
    const box = new Int32Array(4);
    for (let item = 0; item < count; item++) {
      const weight = measure(item, box);
      lowest.add(item, box, 0, weight);
    }
    for (let level = lowest.level; ; ) {
      this.#levels.push(level);
      const { boxes, weights, size } = level;
      if (weights.length <= 1) break;
      const above = new LevelBuilder(weights.length, size * fanOut);
      for (let range = 0; range < weights.length; range++) above.add(range, boxes, 4 * range, weights[range] as number);
      level = above.level;
    }
  }

  /** Visits the items in order, without those of ranges that aren't entered. @param visit takes a lowest range */
  visit(enter: EnterRange, visit: (start: number, end: number) => void): void {
    this.#visitRange(this.#levels.length - 1, 0, enter, visit);
  }

  #visitRange(depth: number, index: number, enter: EnterRange, visit: (start: number, end: number) => void): void {
    const { size } = this.#levels[depth] as Level;
    const [start, end] = [index * size, Math.min(this.#count, (index + 1) * size)];
    if (!enter(this.#range(depth, index, start, end))) return;
    if (depth === 0) {
      visit(start, end);
      return;
    }
    const last = Math.min((this.#levels[depth - 1] as Level).weights.length, (index + 1) * fanOut);
    for (let child = index * fanOut; child < last; child++) this.#visitRange(depth - 1, child, enter, visit);
  }

  #range(depth: number, index: number, start: number, end: number): BoxRange {
    const { boxes, weights } = this.#levels[depth] as Level;
    const at = 4 * index;
    return {
      start,
      end,
      weight: weights[index] as number,
      isApartFrom: ([left, top, right, bottom]) =>
        (boxes[at] as number) > right ||
        (boxes[at + 2] as number) < left ||
        (boxes[at + 1] as number) > bottom ||
        (boxes[at + 3] as number) < top,
      endWithWeight: (side, least) => this.#endWithWeight(depth, index, side, least),
    };
  }

  #endWithWeight(depth: number, index: number, side: 'first' | 'last', least: number): number {
    const step = side === 'first' ? 1 : -1;
    let at = index;
    for (let below = depth - 1; below >= -1; below--) {
      const weights = below < 0 ? null : (this.#levels[below] as Level).weights;
      const count = weights?.length ?? this.#count;
      const weightOf = weights ? (child: number) => weights[child] as number : this.#weightOf;
      at = step > 0 ? at * fanOut : Math.min(count, (at + 1) * fanOut) - 1;
      while (weightOf(at) < least) at += step;
    }
    return at;
  }
}

/** Adds up the ranges of a level from the items or ranges below it. */
class LevelBuilder {
  readonly level: Level;

  constructor(count: number, size: number) {
    const ranges = Math.ceil(count / fanOut);
    this.level = { size, boxes: new Int32Array(4 * ranges), weights: new Uint8Array(ranges) };
  }

  /** @param from boxes, with the item's at `at` */
  add(item: number, from: Int32Array, at: number, weight: number): void {
    const { boxes, weights } = this.level;
    const range = Math.floor(item / fanOut);
    const to = 4 * range;
    const isFirst = item % fanOut === 0;
    for (let side = 0; side < 4; side++) {
      const own = from[at + side] as number;
      const known = boxes[to + side] as number;
      if (isFirst || (side < 2 ? own < known : own > known)) boxes[to + side] = own;
    }
    if (weight > (weights[range] as number)) weights[range] = weight;
  }
}
