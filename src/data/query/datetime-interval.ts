/** The parameter `datetime` of OGC API - Features: an instant or an interval (17-069r4, section 7.15.4). */

import { excerpt } from '../../catalogue/errors.ts';
import type { TimeColumns } from '../../catalogue/feature-parameters.ts';
import type { DataColumn } from '../../catalogue/types.ts';
import { dateOfInstant, parseDateTime } from '../date-time.ts';
import { ParameterError } from '../errors.ts';
import { alwaysTrue, andPredicates, type ComparisonOperator, type Predicate } from './predicate.ts';

/** First and last moment, both included: datetimes in UTC. Null for an open end. */
export interface DatetimeInterval {
  readonly first: string | null;
  readonly last: string | null;
}

/** ISO 8601, as RFC 3339 has it in appendix A. */
const duration =
  /^P(?!$)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,7})D)?(?:T(?!$)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?)?$/i;

const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/i;

/**
 * Parses `2018-02-12T23:20:50Z`, `<from>/<to>`, `<from>/..` or `../<to>`, in which an empty text also means an open end. A
 * date without a time means the whole day. A duration such as `P1M` in place of one end counts from the other; a leap second
 * is the end of the second before it.
 * @throws ParameterError
 */
export function parseDatetimeInterval(text: string): DatetimeInterval {
  // The + of an offset that was not percent-encoded arrives as a blank.
  const written = text
    .replaceAll(/(?<=T[\d:.]+) (?=\d\d:\d\d)/gi, '+')
    .replaceAll(/:60(\.\d+)?(?=Z|[+-])/gi, ':59.999999');
  const ends = written.split('/');
  const [from = '', to = from] = ends.map((end, i) => (ends.length === 2 ? endOfDuration(end, ends[1 - i], i) : end));
  const isOpen = (end: string) => end === '' || end === '..';
  const isValid = (end: string) => moment.test(end) && !Number.isNaN(parseDateTime(end));
  const areValid = [from, to].every((end) => isValid(end) || (ends.length === 2 && isOpen(end)));
  if (!areValid || ends.length > 2 || (isOpen(from) && isOpen(to)))
    throw new ParameterError(
      `"${excerpt(text)}" is neither a date and time such as 2018-02-12T23:20:50Z nor an interval such as 2018-02-12T00:00:00Z/.. (RFC 3339).`,
    );
  const first = isOpen(from) ? null : from.length === 10 ? `${from}T00:00:00Z` : from;
  const last = isOpen(to) ? null : to.length === 10 ? `${to}T23:59:59.999999Z` : to;
  if (first !== null && last !== null && parseDateTime(first) > parseDateTime(last))
    throw new ParameterError(`The interval "${excerpt(text)}" ends before it begins.`);
  return { first, last };
}

/**
 * The end of an interval that is a duration, as a time; others are returned as they are.
 * @param other the other end, from which the duration counts
 * @param place 0 for the beginning of the interval, 1 for its end
 */
function endOfDuration(end: string, other = '', place: number): string {
  const parts = duration.exec(end);
  if (!parts || !moment.test(other)) return end;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0) * (place === 0 ? -1 : 1));
  const start = dateOfInstant(parseDateTime(other));
  const date = new Date(start);
  date.setUTCDate(1);
  date.setUTCMonth(start.getUTCMonth() + 12 * years + months);
  // A month after 31 January is the last day of February.
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(start.getUTCDate(), last));
  const time = date.getTime() + ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  return Math.abs(time) < 8e15 ? new Date(time).toISOString() : end;
}

/** True for rows whose time intersects the interval, and for those that have no time (core, fc-time-response). */
export function intervalPredicate({ first, last }: DatetimeInterval, columns: TimeColumns | undefined): Predicate {
  if (!columns) return alwaysTrue;
  if ('start' in columns) return andPredicates([bound(columns.start, 'lte', last), bound(columns.end, 'gte', first)]);
  return andPredicates([bound(columns.instant, 'gte', first), bound(columns.instant, 'lte', last)]);
}

/** @param limit null for none */
function bound(column: DataColumn, test: ComparisonOperator, limit: string | null): Predicate {
  if (limit === null) return alwaysTrue;
  // A date is a whole day in UTC.
  const value = column.type === 'date' ? dateOfInstant(parseDateTime(limit)).toISOString().slice(0, 10) : limit;
  const compare: Predicate = { op: 'compare', test, column: column.name, value };
  return { op: 'or', of: [compare, { op: 'isnull', column: column.name }] };
}
