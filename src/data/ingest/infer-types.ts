/**
 * What a column holds, found out from every one of its values.
 *
 * | All values that are there are            | Type     | In CSV, text that looks so                                    |
 * |------------------------------------------|----------|---------------------------------------------------------------|
 * | true or false                            | boolean  | `true`, `FALSE` … (not yes, t, 1)                              |
 * | whole numbers                            | integer  | `-12`; no leading zeros or plus sign: `007`, `+49` are text   |
 * | numbers                                  | float    | `1.50` `.5` `1e-3`; `NaN` is null, `inf` is infinity          |
 * | dates                                    | date     | `2024-02-29`, a day of the calendar                           |
 * | dates with a time (RFC 3339)             | datetime | `2024-02-29T10:00:00Z`; blank for T, no offset are taken too  |
 * | times of day                             | time     | `10:00`, `10:00:30.5`                                         |
 * | objects                                  | object   |                                                               |
 * | arrays                                   | array    |                                                               |
 * | none at all                              | string   |                                                               |
 * | anything else, or a mixture              | string   | as it is written                                              |
 *
 * Whole and other numbers together are floats; no other types go together. Values of a mixture become text: numbers as
 * JavaScript writes them, objects and arrays as JSON. A whole number beyond ±(2⁵³−1) is text, so that no digit is lost,
 * and so is its column. In JSON, numbers in quotes are text. Blanks around a number in CSV don't matter.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import { instantOf, secondsOf } from '../date-time.ts';

/** What kinds of values were seen, as bits. */
export const seen = {
  boolean: 1,
  integer: 2,
  float: 4,
  date: 8,
  datetime: 16,
  time: 32,
  text: 64,
  object: 128,
  array: 256,
} as const;

/** The type of a column in which these kinds of values were seen. */
export function typeOf(kinds: number): Exclude<ColumnType, 'geometry'> {
  switch (kinds) {
    case seen.boolean:
      return 'boolean';
    case seen.integer:
      return 'integer';
    case seen.float:
    case seen.integer | seen.float:
      return 'float';
    case seen.date:
      return 'date';
    case seen.datetime:
      return 'datetime';
    case seen.time:
      return 'time';
    case seen.object:
      return 'object';
    case seen.array:
      return 'array';
    default:
      return 'string';
  }
}

/** The kind of a text; where it is `textual` (CSV), it may also be that of a number or a boolean. */
export function kindOfText(text: string, textual: boolean): number {
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) {
    const length = text.length;
    if (length >= 5 && text.charCodeAt(2) === 58 && !Number.isNaN(secondsOf(text))) return seen.time;
    if (length === 10 && plainDate.test(text)) return seen.date;
    if (length >= 10 && text.charCodeAt(4) === 45 && !Number.isNaN(instantOf(text))) {
      return length === 10 ? seen.date : seen.datetime;
    }
  }
  if (!textual) return seen.text;
  if (booleanOf(text) !== undefined) return seen.boolean;
  return kindOfNumber(text) || seen.text;
}

/** Most dates: those that every month has. */
const plainDate = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

/** @returns undefined where the text says neither true nor false */
export function booleanOf(text: string): boolean | undefined {
  if (text.length === 4 && text.toLowerCase() === 'true') return true;
  return text.length === 5 && text.toLowerCase() === 'false' ? false : undefined;
}

/** Integer, float, or 0 where the text is no number as the table above has it. */
export function kindOfNumber(text: string): number {
  let at = 0;
  const end = text.length;
  let c = text.charCodeAt(0);
  if (c <= 32 || text.charCodeAt(end - 1) <= 32) {
    const trimmed = text.trim();
    return trimmed === '' || trimmed === text ? 0 : kindOfNumber(trimmed);
  }
  if (c === 45) c = text.charCodeAt(++at);
  const start = at;
  while (c >= 48 && c <= 57) c = text.charCodeAt(++at);
  const digits = at - start;
  if (digits > 1 && text.charCodeAt(start) === 48) return 0;
  if (at === end) {
    if (digits === 0) return 0;
    // Minus zero is a float: no integer has it.
    if (text === '-0') return seen.float;
    return digits < 16 || Number.isSafeInteger(Number(text)) ? seen.integer : 0;
  }
  if (c === 46 || c === 101 || c === 69) {
    if (digits > 16) return 0;
    return floatPattern.test(text) ? seen.float : 0;
  }
  return nonNumber.test(text) ? seen.float : 0;
}

const floatPattern = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const nonNumber = /^(?:nan|[+-]?inf(?:inity)?)$/i;

/** The number in a text of which `kindOfNumber` says that it is one; NaN stands for null. */
export function numberOf(text: string): number {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  const [sign] = text.trim();
  return /inf/i.test(text) ? (sign === '-' ? -Infinity : Infinity) : Number.NaN;
}

/**
 * Names for columns, each once: an empty one becomes `column_<place>`, one that is taken gets a suffix `_2`, `_3` …
 * @param taken names that are not free: `geometry` where there is a geometry
 */
export function columnNames(names: readonly string[], taken: readonly string[] = []): string[] {
  const given = new Set(names);
  const used = new Set(taken);
  return names.map((raw, place) => {
    const name = raw === '' ? `column_${place + 1}` : raw;
    let unique = name;
    // A suffixed name must not take one that another column has by itself.
    for (let n = 2; used.has(unique) || (unique !== raw && given.has(unique)); n++) unique = `${name}_${n}`;
    used.add(unique);
    return unique;
  });
}
