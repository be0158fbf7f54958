/**
 * What it takes to compare two geometries: GEOS looks at each pair of edges that come near each other, and keeps the point where they
 * cross, some microseconds a pair. Two zigzags of a thousand edges each may have a million such points.
 */
import Flatbush from 'flatbush';
import { doBboxesIntersect, type PlanarBbox, widthOfBoth } from './bounding-box.ts';
import { countVertices, type Geometry, partsOfGeometry, type SimpleGeometry } from './geometry.ts';

/** Pairs of edges that cross, at most: a tenth of a second. */
const mostCrossings = 10_000;

/** Pairs of edges whose boxes have points in common, at most: some of any two geometries, for which GEOS takes a tenth of a second, too … */
export const freePairs = 500_000;

/** … and some of each edge, as where many long lines cross a land with a fine coast. */
const pairsOfEdge = 20;

/** Edges whose pairs are counted. Of more, every so many stand for all; all are counted only if that leaves it open. */
const edgesOfSample = 1024;
const sureShare = 2;

/**
 * Of a geometry of up to 4096 edges, one in 64 is compared with all, and 16 at least, before an index is made: a hundred thousand
 * crossings have 450 edges, of which that finds some. If it finds less than this share of the limit, the geometry is clear.
 */
const mostOfQuickLook = 4096;
const stepOfQuickLook = 64;
const leastOfQuickLook = 16;
const clearShare = 0.25;

/** Pairs that are looked at to see whether one decides soon, at most; and so many that decide, of a sample, are enough. */
const mostPairsOfSample = 300_000;
const decisiveOfSample = 3;

/** Its multiples, without their whole numbers, are spread evenly, in no pattern that edges have. */
const goldenRatio = (1 + Math.sqrt(5)) / 2;

/** The edges of the lines and areas of a geometry, found by where they are. */
export class Edges {
  /** x and y of both ends of each edge. */
  readonly #ends: Float64Array;
  #index?: Flatbush;

  /** @param within boxes: edges beside all of them are left out */
  constructor(geometry: Geometry, within?: readonly PlanarBbox[]) {
    const ends = new Float64Array(4 * countVertices(geometry));
    let length = 0;
    for (const line of partsOfGeometry(geometry).flatMap(linesOf)) {
      for (let at = 1; at < line.length; at++) {
        const [from, to] = [line[at - 1] as number[], line[at] as number[]];
        ends[length] = from[0] as number;
        ends[length + 1] = from[1] as number;
        ends[length + 2] = to[0] as number;
        ends[length + 3] = to[1] as number;
        const box = boxOf(ends, length);
        if (!within || within.some((area) => doBboxesIntersect(box, area))) length += 4;
      }
    }
    this.#ends = ends.subarray(0, length);
  }

  get count(): number {
    return this.#ends.length / 4;
  }

  /** True if the edges come near those of another geometry, or near each other, so often that GEOS takes long. */
  meetOften(others: Edges): boolean {
    if (this.count === 0 || others.count === 0 || this.#areClear(others)) return false;
    const step = Math.ceil(this.count / edgesOfSample);
    const estimate = this.#share(others, step, sureShare);
    return estimate > sureShare || (estimate > 1 && (step === 1 || this.#share(others, 1, 1) > 1));
  }

  /**
   * True if GEOS takes long to find whether any edge meets one of another geometry, or is within a distance of it: it compares the
   * pairs whose boxes are that near, in a straight line, and ends at the first that decides.
   */
  areSlowToMeet(others: Edges, distance: number): boolean {
    const mostPairs = freePairs + pairsOfEdge * Math.max(this.count, others.count);
    if (this.count * others.count <= mostPairs) return false;
    const [ends, endsOfOthers, index] = [this.#ends, others.#ends, others.#indexOfBoxes];
    const samples = Math.min(this.count, edgesOfSample);
    let [number, seen, pairs, decisive] = [0, 0, 0, 0];
    for (; number < samples && seen < mostPairsOfSample && decisive < decisiveOfSample; number++) {
      // Spread over all edges from the first ones on.
      const at = 4 * Math.floor(((number * goldenRatio) % 1) * this.count);
      const [west, south, east, north] = boxOf(ends, at);
      index.search(west - distance, south - distance, east + distance, north + distance, (other) => {
        seen++;
        if (gapOfBoth(ends, at, endsOfOthers, 4 * other) > distance) return false;
        pairs++;
        const decides =
          distance > 0
            ? widthOfBoth(boxOf(ends, at), boxOf(endsOfOthers, 4 * other)) <= distance
            : doCross(ends, at, endsOfOthers, 4 * other);
        if (decides) decisive++;
        return false;
      });
    }
    return decisive < decisiveOfSample && (this.count / number) * pairs > mostPairs;
  }

  /** True if a quick look shows that they don't meet often: at the box around all edges, or at some of the geometry's own. */
  #areClear(others: Edges): boolean {
    if (others !== this) {
      let near = 0;
      others.#indexOfBoxes.search(...this.#box, () => {
        near++;
        return false;
      });
      return near * this.count <= mostCrossings;
    }
    if (this.count > mostOfQuickLook) return false;
    const samples = Math.max(leastOfQuickLook, this.count / stepOfQuickLook);
    const step = this.count / samples;
    let crossings = 0;
    for (let sample = 0; sample < samples; sample++) {
      const at = 4 * this.#placeInStep(sample, step);
      for (let other = 0; other < this.#ends.length; other += 4)
        if (Math.abs(other - at) > 4 && doCross(this.#ends, at, this.#ends, other)) crossings++;
    }
    return (step / 2) * crossings <= clearShare * mostCrossings;
  }

  /** The box around all edges. */
  get #box(): [west: number, south: number, east: number, north: number] {
    const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < this.#ends.length; at += 2) {
      const [x, y] = [this.#ends[at] as number, this.#ends[at + 1] as number];
      if (x < box[0]) box[0] = x;
      if (y < box[1]) box[1] = y;
      if (x > box[2]) box[2] = x;
      if (y > box[3]) box[3] = y;
    }
    return box;
  }

  /** The edge that stands for those of a step. Not always the first: edges may come in a pattern, such as the long and short ones of a zigzag. */
  #placeInStep(number: number, step: number): number {
    return Math.min(Math.floor(step * (number + ((number * goldenRatio) % 1))), this.count - 1);
  }

  /**
   * The share of its limit that the number of pairs, or of crossings, has.
   * @param step 1 to count the pairs of each edge; more to estimate them from every so many
   * @param most a share at which the count ends
   */
  #share(others: Edges, step: number, most: number): number {
    // Of the geometry's own edges, each pair is found twice.
    const weight = others === this ? step / 2 : step;
    const mostPairs = freePairs + pairsOfEdge * Math.max(this.count, others.count);
    const [ends, endsOfOthers, index] = [this.#ends, others.#ends, others.#indexOfBoxes];
    let pairs = 0;
    let crossings = 0;
    const share = () => weight * Math.max(pairs / mostPairs, crossings / mostCrossings);
    for (let number = 0; number * step < this.count && share() <= most; number++) {
      const edge = this.#placeInStep(number, step);
      index.search(...boxOf(ends, 4 * edge), (other) => {
        // Neighbours always meet.
        if (others === this && Math.abs(other - edge) <= 1) return false;
        pairs++;
        if (doCross(ends, 4 * edge, endsOfOthers, 4 * other)) crossings++;
        return false;
      });
    }
    return share();
  }

  get #indexOfBoxes(): Flatbush {
    if (this.#index) return this.#index;
    const index = new Flatbush(this.count);
    for (let edge = 0; edge < this.count; edge++) index.add(...boxOf(this.#ends, 4 * edge));
    index.finish();
    this.#index = index;
    return index;
  }
}

/** The lines and rings of a geometry, as positions. */
function linesOf({ type, coordinates }: SimpleGeometry): readonly number[][][] {
  if (type === 'LineString') return [coordinates];
  if (type === 'MultiPolygon') return coordinates.flat();
  return type === 'MultiLineString' || type === 'Polygon' ? coordinates : [];
}

function boxOf(ends: Float64Array, at: number): [west: number, south: number, east: number, north: number] {
  const [x0, y0] = [ends[at] as number, ends[at + 1] as number];
  const [x1, y1] = [ends[at + 2] as number, ends[at + 3] as number];
  return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/** The distance between the boxes of two edges. */
function gapOfBoth(first: Float64Array, at: number, second: Float64Array, other: number): number {
  const [a, b] = [boxOf(first, at), boxOf(second, other)];
  return Math.hypot(Math.max(0, b[0] - a[2], a[0] - b[2]), Math.max(0, b[1] - a[3], a[1] - b[3]));
}

/** True if two edges cross. */
const doCross = (first: Float64Array, at: number, second: Float64Array, other: number): boolean =>
  !areApart(first, at, second, other) && !areApart(second, other, first, at);

/** True if both ends of the second edge are on one side of the first, or one is on it. */
function areApart(first: Float64Array, at: number, second: Float64Array, other: number): boolean {
  const [x, y] = [first[at] as number, first[at + 1] as number];
  const dx = (first[at + 2] as number) - x;
  const dy = (first[at + 3] as number) - y;
  const from = dx * ((second[other + 1] as number) - y) - dy * ((second[other] as number) - x);
  const to = dx * ((second[other + 3] as number) - y) - dy * ((second[other + 2] as number) - x);
  return from * to >= 0;
}
