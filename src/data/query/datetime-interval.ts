/** The parameter `datetime` of OGC API - Features: an instant or an interval (17-069r4, section 7.15.4). */

import { excerpt } from '../../catalogue/errors.ts';
import type { TimeColumns } from '../../catalogue/feature-parameters.ts';
import type { DataColumn } from '../../catalogue/types.ts';
import { parseDateTime } from '../date-time.ts';
import { ParameterError } from '../errors.ts';
import { alwaysTrue, andPredicates, type ComparisonOperator, type Predicate } from './predicate.ts';

/** First and last moment, both included: datetimes in UTC. Null for an open end. */
export interface DatetimeInterval {
  readonly first: string | null;
  readonly last: string | null;
}

const moment = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/i;

/**
 * Parses `2018-02-12T23:20:50Z`, `<from>/<to>`, `<from>/..` or `../<to>`, in which an empty text also means an open end. A
 * date without a time means the whole day.
 * @throws ParameterError
 */
export function parseDatetimeInterval(text: string): DatetimeInterval {
  // The + of an offset that was not percent-encoded arrives as a blank.
  const ends = text.replaceAll(/(?<=T[\d:.]+) (?=\d\d:\d\d)/gi, '+').split('/');
  const [from = '', to = from] = ends;
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
  const value = column.type === 'date' ? new Date(parseDateTime(limit)).toISOString().slice(0, 10) : limit;
  const compare: Predicate = { op: 'compare', test, column: column.name, value };
  return { op: 'or', of: [compare, { op: 'isnull', column: column.name }] };
}
