/** Dates and times in ISO 8601, as data and records have them. */

/** Milliseconds since 1970 of a date or time; UTC if it has no offset, whatever the time zone of the machine. NaN for others. */
export function millisecondsOfTime(text: string): number {
  const time = text.trim().replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T');
  const hasOffset = !/^\d{4}-\d\d-\d\dT/i.test(time) || /(?:z|[+-]\d\d:?\d\d)$/i.test(time);
  return Date.parse(hasOffset ? time : `${time}Z`);
}
