/** Dates, datetimes and times of day as numbers. Digits of a second beyond microseconds are cut: rounding could reach the next year. */

/** The last microsecond of the calendar: RFC 3339 has years of four digits. */
export const lastInstant = '9999-12-31T23:59:59.999999Z';

/**
 * A date (YYYY-MM-DD) or a datetime (RFC 3339, section 5.6; also with a blank for T, without seconds or without offset)
 * as a number that compares like the instant: milliseconds since 1970-01-01T00:00:00Z, and 1/1024 for each microsecond
 * beyond them. So no instant reaches the next millisecond, whatever its year, and from 1692 to 2247 each microsecond has a
 * number of its own. A number has 53 bits: in other years, instants less than 32 microseconds apart may have the same
 * number. Without an offset the text is UTC; a date means its first moment.
 * @returns NaN if the text is neither
 */
export function parseDateTime(text: string): number {
  const instant = readInstant(text);
  return instant ? instant.milliseconds + instant.microseconds / 1024 : Number.NaN;
}

/**
 * A date or datetime, as `parseDateTime` reads it, as microseconds since 1970-01-01T00:00:00Z, exactly. An offset that leads
 * out of the years 0 to 9999 leads to their first or last microsecond.
 * @returns undefined if the text is neither
 */
export function dateTimeInMicroseconds(text: string): bigint | undefined {
  const instant = readInstant(text);
  if (!instant) return undefined;
  const { milliseconds, microseconds } = instant;
  if (milliseconds < firstMillisecond) return BigInt(firstMillisecond) * 1000n;
  if (milliseconds > lastMillisecond) return BigInt(lastMillisecond) * 1000n + 999n;
  return BigInt(milliseconds) * 1000n + BigInt(microseconds);
}

/** The millisecond of an instant of `parseDateTime`, within the years 0 to 9999. */
export function dateOfInstant(instant: number): Date {
  // Date cuts towards 1970: before it, to the next millisecond.
  return new Date(Math.min(Math.max(Math.floor(instant), firstMillisecond), lastMillisecond));
}

interface Instant {
  /** Whole ones since 1970-01-01T00:00:00Z. */
  readonly milliseconds: number;
  /** Within the millisecond: 0 to 999. */
  readonly microseconds: number;
}

function readInstant(text: string): Instant | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = parts;
  const time = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
  );
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const start = Number(year) < 100 ? new Date(time).setUTCFullYear(Number(year)) : time;
  // The 31st of a month of 30 days isn't a date; Date.UTC reads it as the 1st of the next.
  if (Number(day) > 28 && new Date(start - toSeconds(hour, minute, second) * 1000).getUTCDate() !== Number(day)) {
    return undefined;
  }
  const offset = sign ? (sign === '-' ? -1 : 1) * toSeconds(offsetHour, offsetMinute, '0') * 1000 : 0;
  const inSecond = fraction ? toMicroseconds(fraction) : 0;
  const microseconds = inSecond % 1000;
  return { milliseconds: start - offset + (inSecond - microseconds) / 1000, microseconds };
}

/**
 * A time of day (HH:MM[:SS[.s]]) as seconds since midnight, to the microsecond.
 * @returns NaN if the text is not a time
 */
export function parseTimeOfDay(text: string): number {
  const parts = timePattern.exec(text);
  if (!parts) return Number.NaN;
  return toSeconds(parts[1], parts[2], parts[3]) + (parts[4] ? toMicroseconds(parts[4]) / 1e6 : 0);
}

/**
 * A time of day as microseconds since midnight; of a leap second at midnight, the last one of the day.
 * @returns undefined if the text is not a time
 */
export function timeInMicroseconds(text: string): bigint | undefined {
  const seconds = parseTimeOfDay(text);
  return Number.isNaN(seconds) ? undefined : BigInt(Math.min(Math.round(seconds * 1e6), microsecondsPerDay - 1));
}

/** True if a text is a date of the calendar, YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  return text.length === 10 && !Number.isNaN(parseDateTime(text));
}

const toSeconds = (hour = '0', minute = '0', second = '0') =>
  Number(hour) * 3600 + Number(minute) * 60 + Number(second);

/** @param fraction digits of a second behind the point, at most six */
const toMicroseconds = (fraction: string) => Number(fraction.padEnd(6, '0'));

const microsecondsPerDay = 86_400_000_000;
const firstMillisecond = Date.parse('0000-01-01T00:00:00.000Z');
const lastMillisecond = Date.parse('9999-12-31T23:59:59.999Z');

const time = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d|60)(?:\\.(\\d{1,6})\\d*)?)?';
const timePattern = new RegExp(`^${time}$`);
const instantPattern = new RegExp(
  `^(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(?:[Tt ]${time}(?:[Zz]|([+-])([01]\\d|2[0-3]):?([0-5]\\d))?)?$`,
);
