/**
 * Forms of texts that mean numbers, dates and truth values: those that CSV has by itself (`infer-types.ts`), those that hold
 * for a column as a whole (decimal commas, `31.12.2024`), and those that people name.
 */
import { excerpt } from '../../catalogue/errors.ts';
import type { readableTypes } from '../../catalogue/types.ts';
import { parseDateTime, parseTimeOfDay } from '../date-time.ts';
import { PayloadError } from '../errors.ts';
import { isNumberText, numberTextKind, parseBooleanText, parseNumberText, valueKinds } from './infer-types.ts';

export type ReadableType = (typeof readableTypes)[number];

/** True for a text of blanks: among numbers, it is a missing one. */
export const isBlank = (text: string): boolean => text.trim() === '';

/** A form of numbers. */
export interface NumberForm {
  /** Integer or float; 0 if the text isn't a number in this form. */
  kindOf(text: string): number;
  /** True for a number of any length: also one with more whole digits than a float keeps. */
  isNumber(text: string): boolean;
  /** The number of a text that is one; NaN stands for null. */
  parse(text: string): number;
}

export const decimalPoint: NumberForm = { kindOf: numberTextKind, isNumber: isNumberText, parse: parseNumberText };

/** Decimal commas, with or without points between thousands: `12,5`, `1.234,50`, `1234`, `,5`, `1,5e-7`. */
export const decimalComma: NumberForm = {
  kindOf(text) {
    const trimmed = text.trim();
    if (!commaPattern.test(trimmed)) return 0;
    const isShort = trimmed.length <= 16 && commaDigits.test(trimmed);
    return isShort ? valueKinds.float : numberTextKind(withDecimalPoint(trimmed));
  },
  isNumber: (text) => commaPattern.test(text.trim()) && isNumberText(withDecimalPoint(text)),
  parse: (text) => Number(withDecimalPoint(text)),
};

const commaPattern =
  /^-?(?:(?:0|[1-9]\d*)?,\d+|0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|(?:0|[1-9]\d*)(?:,\d+)?[eE][+-]?\d+)$/;

/** Decimals without an exponent: few digits of them are always a float. */
const commaDigits = /,\d+$/;

const withDecimalPoint = (text: string) => text.trim().replaceAll('.', '').replace(',', '.');

/** Numbers as people force them: also `+1`, `007`, `1 234`, and with decimal points `1,234.5`. */
export const looseNumberForm = (form: NumberForm): NumberForm => {
  const tidy = (text: string) => {
    const digits = text
      .replace(/[\s'\u2019]/g, '')
      .replace(/^([+-]?)0+(?=\d)/, '$1')
      .replace(/^\+/, '');
    return form === decimalPoint && hasCommaGroups(digits) ? digits.replaceAll(',', '') : digits;
  };
  return {
    kindOf: (text) => form.kindOf(tidy(text)),
    isNumber: (text) => form.isNumber(tidy(text)),
    parse: (text) => form.parse(tidy(text)),
  };
};

/**
 * True if a text can only have a decimal comma: not `1,234`, which is more than a thousand in English.
 * @param delimiter of the cells: programs write semicolons where the comma is the decimal separator
 */
export function hasDecimalComma(text: string, delimiter: string | undefined): boolean {
  const comma = text.indexOf(',');
  return comma !== -1 && (delimiter === ';' || text.trim().length - comma !== 4 || /^-?0?,/.test(text.trim()));
}

/** True for a number with commas that may stand between thousands: `1,234`, `1,234,567.5`. */
export const hasCommaGroups = (text: string): boolean => /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(text.trim());

/** True for a number with spaces or apostrophes between thousands: `1 234 567,5`, also with narrow spaces; `1'234.50`. */
export const hasLooseGroups = (text: string): boolean =>
  /^[+-]?[1-9]\d{0,2}([ \u00a0\u2009\u202f'\u2019])\d{3}(?:\1\d{3})*(?:[.,]\d+)?$/.test(text.trim());

/** True for a whole number with several points, which can only stand between thousands: `1.234.567`. */
export const hasPointGroups = (text: string): boolean => /^-?[1-9]\d{0,2}(?:\.\d{3}){2,}$/.test(text.trim());

/**
 * A form of dates.
 * @returns date (YYYY-MM-DD) or datetime (RFC 3339, mostly without offset); undefined if the text does not have this form
 */
export type DateForm = (text: string) => string | undefined;

const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/** `31.12.2024`, also with a time behind it. */
const dottedDateForm: DateForm = (text) => {
  const parts = dotted.exec(text.trim());
  if (!parts) return undefined;
  const [, day = '', month = '', year = '', hour, minute, second] = parts;
  return isoDate(year, month, day, hour, minute, second);
};

const yearFirst =
  /^(\d{4})([/-])(\d{1,2})\2(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** `2024/12/31`, as GDAL writes it, and `2024-12-31 10:00:00+01`, as PostgreSQL does: no form of ISO 8601 in full. */
const yearFirstDateForm: DateForm = (text) => {
  const parts = yearFirst.exec(text.trim());
  if (!parts) return undefined;
  const [, year = '', separator, month = '', day = '', hour, minute, second, fraction = '', offset = ''] = parts;
  const hasHoursOnly = offset.length === 3;
  if (separator === '-' && !hasHoursOnly) return undefined;
  const date = isoDate(year, month, day, hour, minute, second);
  const moment = `${date}${fraction}${hasHoursOnly ? `${offset}:00` : offset}`;
  return date === undefined || Number.isNaN(parseDateTime(moment)) ? undefined : moment;
};

/** Dates of a form that only one reading has, recognized where a whole column has them. */
export const recognizedDateForm: DateForm = (text) => dottedDateForm(text) ?? yearFirstDateForm(text);

function isoDate(year: string, month: string, day: string, hour?: string, minute = '00', second = '00') {
  const two = (part: string) => part.padStart(2, '0');
  const date = `${year}-${two(month)}-${two(day)}`;
  const text = hour === undefined ? date : `${date}T${two(hour)}:${two(minute)}:${two(second)}`;
  return Number.isNaN(parseDateTime(text)) ? undefined : text;
}

/** Parts of a date format, and their patterns. Minutes are MM behind hours. */
const dateParts: Readonly<Record<string, readonly [part: string, pattern: string]>> = {
  YYYY: ['year', '\\d{4}'],
  YY: ['year', '\\d{2}'],
  MM: ['month', '\\d{1,2}'],
  M: ['month', '\\d{1,2}'],
  DD: ['day', '\\d{1,2}'],
  D: ['day', '\\d{1,2}'],
  HH: ['hour', '\\d{1,2}'],
  H: ['hour', '\\d{1,2}'],
  SS: ['second', '\\d{2}'],
};

const strftime: Readonly<Record<string, string>> = { Y: 'YYYY', y: 'YY', m: 'MM', d: 'DD', H: 'HH', M: 'MM', S: 'SS' };

/**
 * The form of dates that a format describes: `DD.MM.YYYY`, `MM/DD/YY`, `DD.MM.YYYY HH:MM`, or as in strftime `%d.%m.%Y`.
 * @throws PayloadError if it lacks year, month or day
 */
export function parseDateFormat(format: string): DateForm {
  const plain = format.replace(/%([YymdHMS])/g, (_, letter: string) => strftime[letter] ?? '');
  const names: string[] = [];
  const pattern = plain.replace(/YYYY|YY|MM?|DD?|HH?|SS|[^A-Za-z\d\s]|\s/gi, (token) => {
    const [part, digits] = dateParts[token.toUpperCase()] ?? [];
    if (part === undefined) return `\\${token}`.replace(/^\\\s$/, '\\s');
    names.push(part === 'month' && names.includes('hour') ? 'minute' : part);
    return `(${digits})`;
  });
  for (const part of ['year', 'month', 'day']) {
    if (!names.includes(part))
      throw new PayloadError(
        `the date format "${excerpt(format)}" has no ${part}; it is like DD.MM.YYYY or MM/DD/YYYY HH:MM`,
      );
  }
  const whole = new RegExp(`^${pattern}$`);
  return (text) => {
    const values = whole.exec(text.trim())?.slice(1);
    if (!values) return undefined;
    const part = (name: string) => values[names.indexOf(name)];
    const year = part('year') as string;
    // As POSIX has it: 69 to 99 are of the 20th century.
    const full = year.length === 4 ? year : `${Number(year) < 69 ? '20' : '19'}${year}`;
    return isoDate(full, part('month') as string, part('day') as string, part('hour'), part('minute'), part('second'));
  };
}

const yes = /^(?:true|t|yes|y|1|ja|j|wahr|oui|sí|si|sì)$/i;
const no = /^(?:false|f|no|n|0|nein|falsch|non)$/i;

/** A truth value as people force it: also `yes`, `nein`, `1`. */
function parseLooseBoolean(text: string): boolean | undefined {
  const word = text.trim();
  return parseBooleanText(word) ?? (yes.test(word) ? true : no.test(word) ? false : undefined);
}

/** A date, datetime or time as people force it. @param form tried before ISO 8601 */
export function parseLooseTime(
  text: string,
  type: 'date' | 'datetime' | 'time',
  form: DateForm | null,
): string | undefined {
  const trimmed = text.trim();
  if (type === 'time') return Number.isNaN(parseTimeOfDay(trimmed)) ? undefined : trimmed;
  const iso =
    form?.(trimmed) ?? recognizedDateForm(trimmed) ?? (Number.isNaN(parseDateTime(trimmed)) ? undefined : trimmed);
  if (type === 'date') return iso?.slice(0, 10);
  return iso?.length === 10 ? `${iso}T00:00:00` : iso;
}

/**
 * A function that converts texts to a type that people set; undefined where they don't fit.
 * @param numbers, dates forms of numbers and dates, tried before ISO 8601
 */
export function makeTextConverter(
  type: Exclude<ReadableType, 'string'>,
  numbers: NumberForm,
  dates: DateForm | null,
): (text: string) => number | boolean | string | undefined {
  if (type === 'boolean') return parseLooseBoolean;
  if (type !== 'integer' && type !== 'float') return (text) => parseLooseTime(text, type, dates);
  const form = looseNumberForm(numbers);
  return (text) => {
    if (!form.isNumber(text)) return undefined;
    const number = form.parse(text);
    return type === 'integer' && !Number.isSafeInteger(number) ? undefined : number;
  };
}
