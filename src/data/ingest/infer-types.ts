/**
 * The type of a column, inferred from all of its values.
 *
 * | All values that are present are          | Type     | In CSV, text of this form                                     |
 * |------------------------------------------|----------|---------------------------------------------------------------|
 * | true or false                            | boolean  | `true`, `FALSE` … (not yes, t, 1)                              |
 * | whole numbers                            | integer  | `-12`; no leading zeros or plus sign: `007`, `+49` are text   |
 * | numbers                                  | float    | `1.50` `.5` `1e-3`; `NaN` is null, `inf` is infinity          |
 * | dates                                    | date     | `2024-02-29`, a day of the calendar                           |
 * | dates with a time (RFC 3339)             | datetime | `2024-02-29T10:00:00Z`; also a blank for T, or no offset      |
 * | times of day                             | time     | `10:00`, `10:00:30.5`                                         |
 * | objects                                  | object   |                                                               |
 * | arrays                                   | array    |                                                               |
 * | none at all                              | string   |                                                               |
 * | anything else, or a mixture              | string   | as it is written                                              |
 *
 * Whole and other numbers together are floats; any other mixture is text: numbers as JavaScript prints them, objects and
 * arrays as JSON. A whole number beyond ±(2⁵³−1) makes its column text, so that no digit is lost; so does a number that is too
 * large for a 64-bit float, such as 1e400. In JSON, numbers in quotes are text. Blanks around a number in CSV don't matter.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';

/** Kinds of values, as bits. */
export const valueKinds = {
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

/** The type of a column with values of these kinds. */
export function typeForValueKinds(kinds: number): Exclude<ColumnType, 'geometry'> {
  switch (kinds) {
    case valueKinds.boolean:
      return 'boolean';
    case valueKinds.integer:
      return 'integer';
    case valueKinds.float:
    case valueKinds.integer | valueKinds.float:
      return 'float';
    case valueKinds.date:
      return 'date';
    case valueKinds.datetime:
      return 'datetime';
    case valueKinds.time:
      return 'time';
    case valueKinds.object:
      return 'object';
    case valueKinds.array:
      return 'array';
    default:
      return 'string';
  }
}

/** The kind of a text; with `textual` (CSV), it may also be a number or a boolean. */
export function textValueKind(text: string, textual: boolean): number {
  const first = text.charCodeAt(0);
  if (first >= 48 && first <= 57) {
    const length = text.length;
    if (length >= 5 && text.charCodeAt(2) === 58 && !Number.isNaN(parseTimeOfDay(text))) return valueKinds.time;
    if (length === 10 && commonDate.test(text)) return valueKinds.date;
    if (length >= 10 && text.charCodeAt(4) === 45 && !Number.isNaN(parseDateTime(text))) {
      return length === 10 ? valueKinds.date : valueKinds.datetime;
    }
  }
  if (!textual) return valueKinds.text;
  if (parseBooleanText(text) !== undefined) return valueKinds.boolean;
  return numberTextKind(text) || valueKinds.text;
}

/** Days that every month has: most dates, checked quickly. */
const commonDate = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;

/** As `commonDate`, for UTF-8. */
export function isCommonUtf8Date(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== 10) return false;
  for (let place = 0; place < 10; place++) {
    const byte = bytes[start + place] as number;
    if (place === 4 || place === 7 ? byte !== 45 : byte < 48 || byte > 57) return false;
  }
  const month = 10 * (bytes[start + 5] as number) + (bytes[start + 6] as number) - 528;
  const day = 10 * (bytes[start + 8] as number) + (bytes[start + 9] as number) - 528;
  return month >= 1 && month <= 12 && day >= 1 && day <= 28;
}

/** @returns undefined if the text is neither true nor false */
export function parseBooleanText(text: string): boolean | undefined {
  if (text.length === 4 && text.toLowerCase() === 'true') return true;
  return text.length === 5 && text.toLowerCase() === 'false' ? false : undefined;
}

/** Integer or float; 0 if the text isn't a number by the table above. */
export function numberTextKind(text: string): number {
  let at = 0;
  const end = text.length;
  let c = text.charCodeAt(0);
  if (c <= 32 || text.charCodeAt(end - 1) <= 32) {
    const trimmed = text.trim();
    return trimmed === '' || trimmed === text ? 0 : numberTextKind(trimmed);
  }
  if (c === 45) c = text.charCodeAt(++at);
  const start = at;
  while (c >= 48 && c <= 57) c = text.charCodeAt(++at);
  const digits = at - start;
  if (digits > 1 && text.charCodeAt(start) === 48) return 0;
  if (at === end) {
    if (digits === 0) return 0;
    // Minus zero is a float: integers have none.
    if (text === '-0') return valueKinds.float;
    return digits < 16 || Number.isSafeInteger(Number(text)) ? valueKinds.integer : 0;
  }
  if (c === 46 || c === 101 || c === 69) {
    if (digits > 16) return 0;
    return floatPattern.test(text) && Number.isFinite(Number(text)) ? valueKinds.float : 0;
  }
  return specialFloatPattern.test(text) ? valueKinds.float : 0;
}

const floatPattern = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const specialFloatPattern = /^(?:nan|[+-]?inf(?:inity)?)$/i;

/** True for a number of any length: also one with more whole digits than a float keeps. */
export function isNumberText(text: string): boolean {
  const trimmed = text.trim();
  return floatPattern.test(trimmed) ? Number.isFinite(Number(trimmed)) : specialFloatPattern.test(trimmed);
}

/** Parses a text that `isNumberText` recognizes as a number; NaN stands for null. */
export function parseNumberText(text: string): number {
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  const [sign] = text.trim();
  return /inf/i.test(text) ? (sign === '-' ? -Infinity : Infinity) : Number.NaN;
}

/** Longest name of a column, in characters (Unicode code points). */
const maxNameLength = 255;

/**
 * The name of a column by itself: an empty one becomes `column_<number>`, a long one is cut.
 * @param index of the column, from 0
 */
export function cleanColumnName(original: string, index: number): string {
  // Half of a surrogate pair has no form in UTF-8.
  const name = original.toWellFormed();
  if (name === '') return `column_${index + 1}`;
  return firstCharacters(name, maxNameLength);
}

/** The first characters of a text; those beyond U+FFFF are two code units each. */
const firstCharacters = (text: string, count: number): string =>
  text.length > count ? [...text].slice(0, count).join('') : text;

/**
 * Makes column names unique: a repeated one gets a suffix `_2`, `_3` …; see also `cleanColumnName`.
 * @param taken names that are reserved: `geometry` if there is a geometry
 */
export function uniqueColumnNames(names: readonly string[], taken: readonly string[] = []): string[] {
  const originals = new Set(names);
  const used = new Set(taken);
  /** The suffix to try next, by name: of ten thousand equal names, each would begin at 2 again. */
  const nextSuffixes = new Map<string, number>();
  return names.map((original, index) => {
    const name = cleanColumnName(original, index);
    let unique = name;
    let n = nextSuffixes.get(name) ?? 2;
    // A suffixed name must not be the original name of another column.
    while (used.has(unique) || (unique !== original && originals.has(unique))) {
      const suffix = `_${n++}`;
      unique = `${firstCharacters(name, maxNameLength - suffix.length)}${suffix}`;
    }
    if (unique !== name) nextSuffixes.set(name, n);
    used.add(unique);
    return unique;
  });
}
