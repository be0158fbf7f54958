/** Lines and rings cut off at a box. Positions are x and y in turns, in one array. */

/** Minimum x and y, maximum x and y. */
export type ClipBox = readonly [number, number, number, number];

/** Index of a box's side, with 0 for x and 1 for y, and the sign of what lies inside. */
const sides = [
  [0, 0, 1],
  [1, 1, 1],
  [2, 0, -1],
  [3, 1, -1],
] as const;

/** The part of a ring in a box (Sutherland and Hodgman). The ring is open: its last position isn't the first again. */
export function clipRing(ring: readonly number[], box: ClipBox): readonly number[] {
  let positions = ring;
  for (const [side, axis, sign] of sides) {
    const limit = box[side];
    if (isInside(positions, axis, sign, limit)) continue;
    const kept: number[] = [];
    const { length } = positions;
    for (let at = 0; at < length; at += 2) {
      const before = at === 0 ? length - 2 : at - 2;
      const a = ((positions[before + axis] as number) - limit) * sign;
      const b = ((positions[at + axis] as number) - limit) * sign;
      if (a >= 0 !== b >= 0) pushCrossing(kept, positions, before, at, a / (a - b));
      if (b >= 0) kept.push(positions[at] as number, positions[at + 1] as number);
    }
    positions = kept;
    if (kept.length === 0) break;
  }
  return positions;
}

/** The parts of a line in a box. */
export function clipLine(line: readonly number[], box: ClipBox): readonly (readonly number[])[] {
  let lines: readonly (readonly number[])[] = [line];
  for (const [side, axis, sign] of sides) {
    const limit = box[side];
    if (lines.every((one) => isInside(one, axis, sign, limit))) continue;
    lines = lines.flatMap((one) => clipLineAtSide(one, axis, sign, limit));
  }
  return lines;
}

function clipLineAtSide(line: readonly number[], axis: 0 | 1, sign: 1 | -1, limit: number): number[][] {
  const parts: number[][] = [];
  let part: number[] | null = null;
  for (let at = 0; at < line.length; at += 2) {
    const b = ((line[at + axis] as number) - limit) * sign;
    const a = at === 0 ? b : ((line[at - 2 + axis] as number) - limit) * sign;
    if (a >= 0 !== b >= 0) {
      if (!part) {
        part = [];
        parts.push(part);
      }
      pushCrossing(part, line, at - 2, at, a / (a - b));
    }
    if (b < 0) part = null;
    else {
      if (!part) {
        part = [];
        parts.push(part);
      }
      part.push(line[at] as number, line[at + 1] as number);
    }
  }
  return parts.filter(({ length }) => length >= 4);
}

function isInside(positions: readonly number[], axis: 0 | 1, sign: 1 | -1, limit: number): boolean {
  for (let at = axis; at < positions.length; at += 2) if (((positions[at] as number) - limit) * sign < 0) return false;
  return true;
}

function pushCrossing(to: number[], positions: readonly number[], from: number, at: number, share: number): void {
  for (const axis of [0, 1]) {
    const start = positions[from + axis] as number;
    to.push(start + share * ((positions[at + axis] as number) - start));
  }
}

/** Twice the area of an open ring by the surveyor's formula; with y to the south, positive if it runs clockwise. */
export function doubleArea(ring: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const next = at + 2 < ring.length ? at + 2 : 0;
    sum += (ring[at] as number) * (ring[next + 1] as number) - (ring[next] as number) * (ring[at + 1] as number);
  }
  return sum;
}

/** The positions rounded to whole numbers, without those that are equal to the one before. */
export function roundPositions(positions: readonly number[]): number[] {
  const rounded: number[] = [];
  for (let at = 0; at < positions.length; at += 2) {
    const x = Math.round(positions[at] as number);
    const y = Math.round(positions[at + 1] as number);
    if (rounded.length > 0 && rounded.at(-2) === x && rounded.at(-1) === y) continue;
    rounded.push(x, y);
  }
  return rounded;
}

/** The ring reversed. */
export function reversed(ring: readonly number[]): number[] {
  const back: number[] = [];
  for (let at = ring.length - 2; at >= 0; at -= 2) back.push(ring[at] as number, ring[at + 1] as number);
  return back;
}
