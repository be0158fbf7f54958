/** Moments as people read them. */

const units = [
  ['year', 365.2425 * 86_400],
  ['month', (365.2425 / 12) * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const words = new Intl.RelativeTimeFormat('en');

/**
 * How long ago a moment was, in the greatest unit of which it makes a whole one: `3 days ago`; `in 2 hours` of one that
 * is to come.
 * @param datetime as in RFC 3339
 * @param now milliseconds
 */
export function ageText(datetime: string, now = Date.now()): string {
  const seconds = (Date.parse(datetime) - now) / 1000;
  if (Number.isNaN(seconds)) return '';
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return words.format(Math.trunc(seconds / length), unit);
}

/** A moment, in UTC, and how long ago it was. */
export function momentText(datetime: string): string {
  const age = ageText(datetime);
  return age && `${datetime.slice(0, 19).replace('T', ' ')} UTC, ${age}`;
}
