/** The data of a chart with lines, and the scales that it is drawn to. */
import type { Column } from '../catalogue/types.ts';
import type { ChartChoices } from './chart-columns.ts';

export interface ChartPoint {
  /** A year, or milliseconds since 1970. */
  readonly x: number;
  readonly y: number;
  /** The value of the time column. */
  readonly at: number | string;
  /** True if the line has rows without a number between the point before and this one. */
  readonly isAfterGap?: boolean;
}

export interface ChartLine {
  readonly name: string;
  /** At least one, in order of time. */
  readonly points: readonly ChartPoint[];
}

export interface Chart {
  readonly time: Column;
  readonly value: Column;
  readonly series: Column;
  readonly lines: readonly ChartLine[];
  /** True if a point is the mean of several rows. */
  readonly isMean: boolean;
  readonly choices: ChartChoices;
  /** Parameters of the groups of rows that the numbers come from. */
  readonly groups: readonly (readonly [string, string])[];
}

/** Round numbers from below the least to above the greatest value, some five of them; with zero, if it isn't far. */
export function roundTicks(min: number, max: number): readonly number[] {
  const low = min > 0 && min < max / 2 ? 0 : min;
  const high = max < 0 && max > low / 2 ? 0 : max;
  const span = high - low || Math.abs(high) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 5));
  const step = ([1, 2, 5, 10].find((factor) => span / (factor * power) <= 6) ?? 10) * power;
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(high / step - 1e-9) - first);
  // Multiples of a power below 1 are quotients, which are round.
  return Array.from({ length: count + 1 }, (_, i) =>
    step < 1 ? (first + i) / Math.round(1 / step) : (first + i) * step,
  );
}

/** Years at round steps within the range, or some five of the moments that there are. */
export function timeTicks(points: readonly ChartPoint[]): readonly ChartPoint[] {
  const moments = [...new Map(points.map((point) => [point.x, point])).values()].sort((a, b) => a.x - b.x);
  const [first, last] = [moments[0], moments.at(-1)];
  if (!first || !last) return [];
  if (typeof first.at === 'number') {
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500].find((one) => (last.x - first.x) / one <= 7) ?? 1000;
    const start = Math.ceil(first.x / step) * step;
    const count = Math.floor((last.x - start) / step) + 1;
    return Array.from({ length: count }, (_, i) => ({ x: start + i * step, y: 0, at: start + i * step }));
  }
  const every = Math.max(1, Math.ceil(moments.length / 5));
  return moments.filter((_, i) => i % every === 0);
}

/** Moves places apart, so that each is a gap from the next; they stay in order and within the range. @param places in any order */
export function spread(places: readonly number[], gap: number, lowest: number, highest: number): readonly number[] {
  const order = places.map((_, i) => i).sort((a, b) => (places[a] as number) - (places[b] as number));
  const moved = [...places];
  let floor = lowest;
  for (const i of order) {
    moved[i] = Math.max(moved[i] as number, floor);
    floor = (moved[i] as number) + gap;
  }
  let ceiling = highest;
  for (const i of order.reverse()) {
    moved[i] = Math.min(moved[i] as number, ceiling);
    ceiling = (moved[i] as number) - gap;
  }
  return moved;
}
