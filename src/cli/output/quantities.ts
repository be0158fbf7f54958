/** Numbers, sizes and times as people read them. */

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A number of bytes: `512 B`, `1.2 MB`; a kB has 1000 of them. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // What would be written as 1000 is 1.0 of the next.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${byteUnits[unit]}`;
}

/** A count and what is counted: `1 row`, `2 rows`. */
export const countText = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const timeUnits = [
  ['year', 365.2425 * 86_400],
  ['month', (365.2425 / 12) * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * The time since a moment, in the greatest unit of which it makes a whole one: `3 days ago`; `in 2 hours` for a moment in
 * the future; '' for a text that isn't a date and time.
 * @param datetime RFC 3339
 * @param now milliseconds since 1970
 */
export function ageText(datetime: string, now = Date.now()): string {
  const seconds = (Date.parse(datetime) - now) / 1000;
  if (Number.isNaN(seconds)) return '';
  const [unit, length] = timeUnits.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(seconds / length), unit);
}

/** A moment in UTC, and the time since then. */
export function momentText(datetime: string): string {
  const age = ageText(datetime);
  return age && `${datetime.slice(0, 19).replace('T', ' ')} UTC, ${age}`;
}
