/** Edges of histograms: round numbers, and the beginnings of hours, days, months and years. */

/** Most bins of a histogram. */
const maxBins = 24;

/** Exact multiples of a power of ten: the nearest finite doubles of their decimal forms, which filters parse. */
function decimal(factor: number, exponent: number): number {
  const number = exponent < 0 ? factor / 10 ** -exponent : factor * 10 ** exponent;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, number));
}

/**
 * Edges at multiples of 1, 2 or 5 times a power of ten, as few as fit.
 * @param min least value; the greatest is not below it
 * @param areIntegers true for steps of 1 at least
 */
export function linearEdges(min: number, max: number, areIntegers: boolean): readonly number[] {
  const least = Math.floor(Math.log10(Math.max((max - min) / maxBins, Number.MIN_VALUE * 1e10)));
  for (let exponent = areIntegers ? Math.max(0, least) : Math.max(-300, least); exponent < 309; exponent++)
    for (const factor of [1, 2, 5]) {
      const step = decimal(factor, exponent);
      const first = Math.floor(min / step) * factor;
      const count = Math.floor(max / step) - Math.floor(min / step) + 1;
      if (count > maxBins || !Number.isSafeInteger(first)) continue;
      const edges = Array.from({ length: count + 1 }, (_, i) => decimal(first + i * factor, exponent));
      // The quotients are rounded: an end may lie beyond its edge, or the first value in the second bin.
      if ((edges[0] as number) > min) edges.unshift(decimal(first - factor, exponent));
      if ((edges.at(-1) as number) < max) edges.push(decimal(first + (count + 1) * factor, exponent));
      while (edges.length > 2 && (edges[1] as number) <= min) edges.shift();
      // Steps may be smaller than the digits of a number.
      const distinct = [...new Set(edges)];
      return distinct.length > 1 ? distinct : edges;
    }
  return [min, max];
}

/** Edges at 1, 2 and 5 times powers of ten, or powers of ten alone. @param min positive */
export function logarithmicEdges(min: number, max: number): readonly number[] {
  const decades = Math.log10(max) - Math.log10(min);
  const factors = decades > maxBins / 3 - 1 ? [1] : [1, 2, 5];
  const step = Math.max(1, Math.ceil(decades / maxBins));
  // Smaller powers of ten are not exact.
  const first = Math.max(-307, Math.floor(Math.log10(min)) - 1);
  const edges = decimal(1, first) > min ? [min] : [];
  for (let exponent = first; exponent < 309; exponent += step)
    for (const factor of factors) {
      const edge = decimal(factor, exponent);
      edges.push(edge);
      if (edge > max || edge === Number.MAX_VALUE) {
        while (edges.length > 2 && (edges[1] as number) <= min) edges.shift();
        return edges;
      }
    }
  if ((edges.at(-1) as number) < max) edges.push(max);
  return edges;
}

const hour = 3_600_000;
const day = 24 * hour;
/** Steps of time: milliseconds from a fixed moment (a Monday), or months. */
const timeSteps: readonly { readonly milliseconds?: number; readonly months?: number }[] = [
  ...[hour / 60, hour / 4, hour, 6 * hour, day, 7 * day].map((milliseconds) => ({ milliseconds })),
  ...[1, 3, 12, 24, 60, 120, 240, 600, 1200, 12_000].map((months) => ({ months })),
];
const monday = Date.UTC(1970, 0, 5);

/** Edges at beginnings of minutes, hours, days, weeks, months or years, in milliseconds since 1970. */
export function timeEdges(min: number, max: number, areDays: boolean): readonly number[] {
  for (const { milliseconds, months } of timeSteps) {
    if (areDays && milliseconds !== undefined && milliseconds < day) continue;
    const edges: number[] = [];
    if (milliseconds !== undefined) {
      const origin = milliseconds > day ? monday : 0;
      const first = Math.floor((min - origin) / milliseconds) * milliseconds + origin;
      if ((max - first) / milliseconds > maxBins) continue;
      for (let edge = first; edges.length < 2 || (edges.at(-1) as number) <= max; edge += milliseconds)
        edges.push(edge);
      return edges;
    }
    const start = new Date(min);
    const month = start.getUTCFullYear() * 12 + start.getUTCMonth();
    for (
      let at = Math.floor(month / (months as number)) * (months as number);
      edges.length <= maxBins;
      at += months as number
    ) {
      edges.push(startOfMonth(at));
      if ((edges.at(-1) as number) > max) return edges;
    }
  }
  return [min, max];
}

function startOfMonth(months: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(months / 12), ((months % 12) + 12) % 12, 1);
  return date.getTime();
}

/** Makes the function from a value to its bin: bins hold their lower edge, the last one both. */
export function makeBinFinder(edges: readonly number[]): (value: number) => number {
  const last = edges.length - 2;
  return (value) => {
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (value >= (edges[middle] as number)) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}
