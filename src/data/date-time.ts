/** Dates, datetimes and times of day as numbers that can be compared. */

/**
 * A date (YYYY-MM-DD) or a datetime (RFC 3339, section 5.6; also with a blank for T, without seconds or without offset)
 * as milliseconds since 1970-01-01T00:00:00Z, exact to the microsecond. Without an offset it is UTC; a date means its
 * first moment.
 * @returns NaN if the text is neither
 */
export function parseDateTime(text: string): number {
  const parts = instantPattern.exec(text);
  if (!parts) return Number.NaN;
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
    return Number.NaN;
  }
  const offset = sign ? (sign === '-' ? -1 : 1) * toSeconds(offsetHour, offsetMinute, '0') * 1000 : 0;
  return start + (fraction ? Number(fraction) * 1000 : 0) - offset;
}

/**
 * A time of day (HH:MM[:SS[.s]]) as seconds since midnight.
 * @returns NaN if the text is not a time
 */
export function parseTimeOfDay(text: string): number {
  const parts = timePattern.exec(text);
  if (!parts) return Number.NaN;
  return toSeconds(parts[1], parts[2], parts[3]) + (parts[4] ? Number(parts[4]) : 0);
}

/** True if a text is a date of the calendar, YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  return text.length === 10 && !Number.isNaN(parseDateTime(text));
}

const toSeconds = (hour = '0', minute = '0', second = '0') =>
  Number(hour) * 3600 + Number(minute) * 60 + Number(second);

const time = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d|60)(\\.\\d+)?)?';
const timePattern = new RegExp(`^${time}$`);
const instantPattern = new RegExp(
  `^(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(?:[Tt ]${time}(?:[Zz]|([+-])([01]\\d|2[0-3]):?([0-5]\\d))?)?$`,
);
