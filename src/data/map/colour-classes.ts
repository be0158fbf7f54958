/** Classes of a column's values, each with a colour: five quantiles of numbers, or up to five values. */
import type { MapLegend } from '../../catalogue/maps.ts';
import { type Turns, workInRanges } from '../event-loop.ts';
import type { Value } from '../row.ts';
import { randomOf } from './random.ts';
import type { MapColumn } from './source.ts';

export const classCount = 5;
/** Class of a row whose value is missing, or not among the values of the legend. */
export const noClass = classCount;
/** Maximum number of values from which quantiles are computed. */
const mostSampled = 65_536;

export async function makeLegend({ name, values }: Omit<MapColumn, 'bytes'>, turns: Turns): Promise<MapLegend> {
  return values instanceof Float64Array ? quantiles(name, values, turns) : frequentValues(name, values, turns);
}

async function quantiles(column: string, values: Float64Array, turns: Turns): Promise<MapLegend> {
  let finite = 0;
  let [min, max] = [Infinity, -Infinity];
  await workInRanges(values.length, turns, (start, end) => {
    for (let at = start; at < end; at++) {
      const value = values[at] as number;
      if (!Number.isFinite(value)) continue;
      finite++;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  });
  const sorted = (await sampleOf(values, finite, Math.min(finite, mostSampled), turns)).sort();
  const count = sorted.length;
  const breaks = Array.from({ length: classCount - 1 }, (_, n) => sorted[Math.floor(((n + 1) * count) / classCount)]);
  const distinct = [...new Set(breaks)].filter((value): value is number => value !== undefined && value > min);
  return { kind: 'quantiles', column, breaks: distinct, min: count ? min : 0, max: count ? max : 0 };
}

/** A sample of the finite values, evenly spread over the rows, with random distances: values may repeat in a pattern by row. */
async function sampleOf(values: Float64Array, finite: number, count: number, turns: Turns): Promise<Float64Array> {
  const sample = new Float64Array(count);
  const step = finite / count;
  const placeOf = (n: number) => Math.floor((n + (step > 1 ? randomOf(n) : 0)) * step);
  let [taken, seen, next] = [0, 0, placeOf(0)];
  await workInRanges(values.length, turns, (start, end) => {
    for (let at = start; at < end && taken < count; at++) {
      const value = values[at] as number;
      if (!Number.isFinite(value) || seen++ < next) continue;
      sample[taken++] = value;
      next = placeOf(taken);
    }
  });
  return sample.subarray(0, taken);
}

async function frequentValues(column: string, values: readonly Value[], turns: Turns): Promise<MapLegend> {
  const counts = new Map<string | number | boolean, number>();
  let isCut = false;
  await workInRanges(values.length, turns, (start, end) => {
    for (let at = start; at < end; at++) {
      const value = values[at] as Value;
      if (value === null || typeof value === 'object') continue;
      const count = counts.get(value);
      // The legend has only the most frequent values: a column of a million different texts needn't be counted to its end.
      if (count === undefined && counts.size >= 10_000) isCut = true;
      else counts.set(value, (count ?? 0) + 1);
    }
  });
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value);
  return {
    kind: 'values',
    column,
    values: sorted.slice(0, classCount),
    hasOthers: isCut || sorted.length > classCount,
  };
}

/** The class of a value, from 0. If there are fewer than five classes of numbers, these are the last ones, for the greater values. */
export function classOf(legend: MapLegend, value: Value | number | undefined): number {
  if (value === null || value === undefined || Number.isNaN(value)) return noClass;
  if (legend.kind === 'values') {
    const at = legend.values.indexOf(value as string);
    return at < 0 ? noClass : at;
  }
  const { breaks } = legend;
  let place = 0;
  while (place < breaks.length && (value as number) >= (breaks[place] as number)) place++;
  return place + (classCount - 1 - breaks.length);
}
