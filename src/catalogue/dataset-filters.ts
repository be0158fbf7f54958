/** Filters and the order of datasets by their newest version: its place and its time. */
import { ValidationError } from './errors.ts';
import { parseTimeParameter } from './iso-time.ts';
import type { Box } from './maps.ts';
import { latestReadyVersion } from './ready-versions.ts';
import type { Dataset } from './types.ts';

/** Time of the newest version, ISO 8601; '' if there is none. */
export const lastUpdateOf = ({ versions }: Dataset): string => versions[0]?.datetime ?? '';

/**
 * Makes the test of a bounding box: datasets whose newest ready version meets one of the boxes. A box whose west is
 * greater than its east crosses the antimeridian (RFC 7946, section 5.2).
 * @throws ValidationError if a value is no bounding box
 */
export function makeDatasetBboxFilter(name: string, values: readonly string[]): (dataset: Dataset) => boolean {
  const boxes = values.map((value) => parseBox(name, value));
  return (dataset) => {
    const bbox = latestReadyVersion(dataset)?.bbox;
    return bbox ? boxes.some((box) => doIntersect(box, boxWithoutHeights(bbox))) : false;
  };
}

/** Parses `west,south,east,north`. @throws ValidationError */
export function parseBox(name: string, text: string): Box {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const box = boxWithoutHeights(numbers);
  const [west, south, east, north] = box;
  const isValid =
    (numbers.length === 4 || numbers.length === 6) &&
    numbers.every(Number.isFinite) &&
    [west, east].every((degrees) => Math.abs(degrees) <= 180) &&
    [south, north].every((degrees) => Math.abs(degrees) <= 90) &&
    south <= north;
  if (!isValid) throw new ValidationError({ [name]: ['A bounding box is west,south,east,north in degrees.'] });
  return box;
}

/** The box without heights. */
export function boxWithoutHeights(numbers: readonly number[]): Box {
  const [west = 0, south = 0, third = 0, fourth = 0, fifth = 0] = numbers;
  return numbers.length === 6 ? [west, south, fourth, fifth] : [west, south, third, fourth];
}

function doIntersect(a: Box, b: Box): boolean {
  if (a[1] > b[3] || b[1] > a[3]) return false;
  return rangesOf(a).some(([west, east]) => rangesOf(b).some((other) => west <= other[1] && other[0] <= east));
}

/** The longitudes of a box: two ranges if it crosses the antimeridian. */
const rangesOf = ([west, , east]: Box): readonly (readonly [number, number])[] =>
  west <= east
    ? [[west, east]]
    : [
        [west, 180],
        [-180, east],
      ];

/**
 * Makes the maker of the tests of a time.
 * @param timeOf time of an item, ISO 8601; '' if it has none
 * @param isEarlier true for items of this time or before it; else of this time or after it
 */
export function makeTimeFilter<T>(timeOf: (item: T) => string, isEarlier: boolean) {
  /** @throws ValidationError if a value is neither a date nor a time */
  return (name: string, values: readonly string[]): ((item: T) => boolean) => {
    const times = values.map((value) => new Date(parseTimeParameter(name, value, isEarlier)).toISOString());
    return (item) => {
      const time = timeOf(item);
      return time !== '' && times.some((wanted) => (isEarlier ? time <= wanted : time >= wanted));
    };
  };
}
