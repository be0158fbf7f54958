/** Numbers and times of a column as pages write them in a row: ends, edges of bins, classes of a map, ticks of an axis. */
import { millisecondsOfTime } from '../catalogue/iso-time.ts';
import type { Locale } from './locale.ts';

/** Least and most significant digits of numbers that aren't whole. */
const [fewestDigits, mostDigits] = [4, 17];

/**
 * Numbers of a column, in order: years without groups of digits, milliseconds since 1970 as dates, whole numbers with all of
 * their digits, others with the fewest digits by which neighbours differ.
 * @param digits the fewest digits of a number that isn't whole
 */
export function numberTexts(
  locale: Locale,
  name: string,
  values: readonly number[],
  digits = fewestDigits,
): readonly string[] {
  if (areTimestamps(name, values)) return timeTexts(locale, values.map(timeOfMilliseconds));
  const write = (count: number) =>
    values.map((value) => {
      if (isYear(name, value)) return String(value);
      return Number.isInteger(value) ? locale.exact(value) : locale.rounded(value, count);
    });
  const differ = (texts: readonly string[]) =>
    texts.every((text, i) => i === 0 || text !== texts[i - 1] || values[i] === values[i - 1]);
  for (let count = digits; count < mostDigits; count++) {
    const texts = write(count);
    if (differ(texts)) return texts;
  }
  return write(mostDigits);
}

/** The edges of the bins of a column, as they are: edges are round, and rounding again would make neighbours the same. */
export function edgeTexts(locale: Locale, name: string, edges: readonly (number | string)[]): readonly string[] {
  const numbers = edges.filter((edge) => typeof edge === 'number');
  if (numbers.length < edges.length) return timeTexts(locale, edges.map(String));
  if (areTimestamps(name, numbers)) return timeTexts(locale, numbers.map(timeOfMilliseconds));
  const areYears = numbers.every((edge) => isYear(name, edge));
  return numbers.map((edge) => (areYears ? String(edge) : locale.exact(edge)));
}

/** Times in ISO 8601 as dates, with the time of day if one of them isn't at midnight. */
function timeTexts(locale: Locale, times: readonly string[]): readonly string[] {
  const clocks = times.map(timeOfDay);
  const length = clocks.every((clock) => clock.endsWith(':00')) ? 'HH:MM'.length : midnight.length;
  const haveTimes = clocks.some((clock) => clock !== midnight);
  return times.map((time, i) =>
    haveTimes ? `${locale.date(time)}, ${clocks[i]?.slice(0, length)}` : locale.date(time),
  );
}

const midnight = '00:00:00';

/** The time of day of a time in ISO 8601, UTC. */
function timeOfDay(time: string): string {
  const date = new Date(millisecondsOfTime(time));
  return Number.isNaN(date.getTime()) ? midnight : date.toISOString().slice(11, 19);
}

const timeOfMilliseconds = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** The ends of the range of a column: of numbers as above, of times the days, of texts their beginnings. */
export function endTexts(
  locale: Locale,
  name: string,
  { min, max }: { readonly min?: number | string | undefined; readonly max?: number | string | undefined },
): readonly [string, string] {
  if (typeof min === 'number' && typeof max === 'number') {
    const [from = '', to = ''] = areTimestamps(name, [min, max])
      ? [min, max].map((end) => locale.date(timeOfMilliseconds(end)))
      : numberTexts(locale, name, [min, max], digitsOfEnds);
    return [from, to];
  }
  const end = (value: number | string = '') =>
    /^\d{4}-\d\d-\d\d/.test(String(value)) ? locale.date(String(value)) : String(value).slice(0, 24);
  return [end(min), end(max)];
}

/** Fewest digits of an end that isn't whole: two of them stand below a small histogram. */
const digitsOfEnds = 6;

/** True for a year, which is written without groups of digits. */
const isYear = (name: string, value: number): boolean =>
  /(^|[^a-z])(year|jahr|ann[eé]e)/i.test(name) && Number.isInteger(value) && value >= 1000 && value <= 2500;

/** True for numbers that are milliseconds since 1970: between 1990 and 2100, in a column named like a time. */
const areTimestamps = (name: string, values: readonly number[]): boolean =>
  values.length > 0 &&
  /time|date|updated|created|at$/i.test(name) &&
  values.every((value) => value > 6.3e11 && value < 4.1e12);
