/** Dates and times in ISO 8601, as data, records and parameters have them. */
import { ValidationError } from './errors.ts';

/** Milliseconds since 1970 of a date or time; UTC if it has no offset, whatever the time zone of the machine. NaN for others. */
export function millisecondsOfTime(text: string): number {
  const time = text.trim().replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T');
  const hasOffset = !/^\d{4}-\d\d-\d\dT/i.test(time) || /(?:z|[+-]\d\d:?\d\d)$/i.test(time);
  return Date.parse(hasOffset ? time : `${time}Z`);
}

/** What a field for dates wants, in messages. */
export const existingDate = 'a date or time that exists';

/** True for a date that exists, YYYY-MM-DD, and for a time on such a date: not for `2021-02-29`. */
export function isDate(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // JavaScript takes 30 February for 1 March.
  return !Number.isNaN(midnight + Date.parse(text)) && new Date(midnight).toISOString().startsWith(day);
}

/** Milliseconds since 1970 of the last moment that has four digits for its year: of later ones, ISO 8601 has another form. */
export const lastTime = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Milliseconds since 1970 of a parameter, a date or a time of RFC 3339.
 * @param isUpper true for an upper limit: a date means its end, and not its beginning
 * @throws ValidationError if it is neither, or on a day that doesn't exist
 */
export function parseTimeParameter(name: string, text: string, isUpper = false): number {
  // A plus that isn't percent-encoded arrives as a space.
  const given = text.trim().replace(/ (?=\d\d:\d\d$)/, '+');
  // A leap second (RFC 3339, section 5.7), which JavaScript doesn't know.
  const time = given.replace(/(?<=:59):60(?=[.Zz+-])/, ':59');
  const isDay = /^\d{4}-\d\d-\d\d$/.test(time);
  const isTime = /^\d{4}-\d\d-\d\d[Tt](?!24)\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(time);
  if (!(isDay || isTime) || !isDate(time))
    throw new ValidationError({ [name]: ['Write a date or a time of RFC 3339: 2026-01-31 or 2026-01-31T12:00:00Z.'] });
  const milliseconds = Date.parse(time) + (isDay && isUpper ? 86_399_999 : 0);
  // Its offset may take a time into the year 10000.
  return Math.min(milliseconds, lastTime);
}
