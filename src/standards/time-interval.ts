/** The time that the rows of a version are about. */
import { statisticsInMetadata } from '../catalogue/column-statistics.ts';
import { findTimeColumns } from '../catalogue/feature-parameters.ts';
import { lastTime, millisecondsOfTime } from '../catalogue/iso-time.ts';
import type { DataColumn, Version } from '../catalogue/types.ts';

/** Times of the first and the last row: RFC 3339, UTC. */
export type TimeInterval = readonly [start: string, end: string];

/** The time of the rows of a version by the statistics of its time columns; undefined if it isn't known. */
export function timeIntervalOf(version: Version, columns: readonly DataColumn[]): TimeInterval | undefined {
  const time = findTimeColumns(columns);
  if (!time) return undefined;
  const [start, end] = 'instant' in time ? [time.instant, time.instant] : [time.start, time.end];
  const statistics = statisticsInMetadata(version);
  // Rows without an end have not ended.
  if (start !== end && (statistics.get(start.name)?.nulls !== 0 || statistics.get(end.name)?.nulls !== 0))
    return undefined;
  const first = instantOf(statistics.get(start.name)?.min, 'T00:00:00Z');
  const last = instantOf(statistics.get(end.name)?.max, 'T23:59:59Z');
  return first && last ? [first, last] : undefined;
}

const firstTime = Date.parse('0000-01-01T00:00:00.000Z');

/**
 * A date or datetime of the rows, as RFC 3339 in UTC with milliseconds, or with microseconds if it has some. An offset that
 * leads out of the years 0 to 9999 leads to their first or last millisecond.
 * @param timeOfDay for a date
 */
function instantOf(value: string | number | undefined, timeOfDay: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.length === 10 ? value + timeOfDay : value;
  const moment = millisecondsOfTime(text);
  if (Number.isNaN(moment)) return undefined;
  const utc = new Date(Math.min(Math.max(moment, firstTime), lastTime)).toISOString();
  const microseconds = /\.\d{3}(\d{1,3})/.exec(text)?.[1]?.padEnd(3, '0') ?? '000';
  return microseconds === '000' ? utc : utc.replace('Z', `${microseconds}Z`);
}
