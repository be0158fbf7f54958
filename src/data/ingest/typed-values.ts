/** The values of a column in typed arrays: their kinds, and numbers and booleans from texts, read from their bytes. */
import { DecimalScanner } from '../formats/decimal-scanner.ts';
import { textForms, type Utf8Texts } from '../formats/utf8-texts.ts';
import { isCommonUtf8Date, parseBooleanText, textValueKind, valueKinds } from './infer-types.ts';
import { decimalComma, decimalPoint, isBlank } from './text-forms.ts';

const decimal = new DecimalScanner();

export const numericKinds = valueKinds.integer | valueKinds.float;
/** Kinds of values that are strings in JSON. */
export const stringKinds = valueKinds.text | valueKinds.date | valueKinds.datetime | valueKinds.time;

/** Kind of a number: minus zero is a float, since integers have none. */
export const kindOfNumber = (number: number): number =>
  Number.isSafeInteger(number) && !Object.is(number, -0) ? valueKinds.integer : valueKinds.float;

/** Kind of a value that is neither text nor null. */
export function kindOfValue(value: unknown): number {
  if (typeof value === 'object') return Array.isArray(value) ? valueKinds.array : valueKinds.object;
  return typeof value === 'boolean' ? valueKinds.boolean : kindOfNumber(value as number);
}

/** Kinds of all numbers; NaN is a missing one. */
export function kindsOfNumbers(numbers: Float64Array): number {
  let kinds = 0;
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] as number;
    if (!Number.isNaN(number)) kinds |= kindOfNumber(number);
  }
  return kinds;
}

/** Numbers with NaN behind them, up to a number of rows. */
export function padNumbers(numbers: Float64Array, rows: number): Float64Array {
  if (numbers.length >= rows) return numbers;
  const padded = new Float64Array(rows).fill(Number.NaN, numbers.length);
  padded.set(numbers);
  return padded;
}

/** Codes of booleans with 0 behind them, up to a number of rows. */
export function padCodes(codes: Uint8Array, rows: number): Uint8Array {
  if (codes.length >= rows) return codes;
  const padded = new Uint8Array(rows);
  padded.set(codes);
  return padded;
}

/** Kind of a text, as `textValueKind`. */
export function utf8ValueKind(texts: Utf8Texts, row: number, textual: boolean): number {
  const isDate = isCommonUtf8Date(texts.bytes, texts.startOf(row), texts.ends[row] as number);
  return isDate ? valueKinds.date : textValueKind(texts.at(row) as string, textual);
}

/** The first value that is present, and as a text not blank if texts may be numbers; '' if all texts are blank, undefined if all are missing. */
export function firstValue(values: readonly unknown[], mayTextsBeNumbers: boolean): unknown {
  let first: unknown;
  for (const value of values) {
    if (value === null || value === undefined || value === '') continue;
    if (!mayTextsBeNumbers || typeof value !== 'string' || !isBlank(value)) return value;
    first = '';
  }
  return first;
}

/** As `firstValue`, for texts that may be numbers. */
export function firstText(texts: Utf8Texts): string | undefined {
  let first: string | undefined;
  for (let row = 0; row < texts.length; row++) {
    const text = texts.at(row);
    if (text === undefined) continue;
    if (!isBlank(text)) return text;
    first = '';
  }
  return first;
}

export interface ScannedNumbers {
  /** NaN is a missing one. */
  readonly numbers: Float64Array;
  /** Of their texts. */
  readonly kinds: number;
  /** Number of points that may group thousands (`1.234`); NaN if one can't. */
  readonly groupingPoints: number;
  /** True if all of them are numbers with decimal commas, too. */
  readonly fitCommas: boolean;
}

/** True for a text that is missing among numbers with decimal commas, or one of them. */
export const fitsCommas = (text: string): boolean => decimalComma.kindOf(text) !== 0 || isBlank(text);

/** Number of points in a number that may group thousands (`1.234`); NaN if one can't, or there are thousands without a point. */
export const groupingPointsOf = (text: string): number =>
  /^-?\d{1,3}(?:\.\d{3})?$/.test(text.trim()) ? Number(text.includes('.')) : Number.NaN;

/** Reads numbers from texts; null if one is no number. */
export function scanNumbers(texts: Utf8Texts): ScannedNumbers | null {
  const { bytes, ends, forms } = texts;
  const numbers = new Float64Array(texts.length).fill(Number.NaN);
  let kinds = 0;
  let groupingPoints = 0;
  let fitCommas = true;
  let start = 0;
  for (let row = 0; row < numbers.length; row++) {
    const end = ends[row] as number;
    if (forms[row] !== textForms.missing) {
      if (decimal.scan(bytes, start, end) === end) {
        numbers[row] = decimal.number;
        const { fractionDigits, wholeDigits } = decimal;
        kinds |= fractionDigits === -1 ? kindOfNumber(decimal.number) : valueKinds.float;
        const isGrouped = wholeDigits <= 3 && fractionDigits === 3;
        groupingPoints += isGrouped ? 1 : wholeDigits <= 3 && fractionDigits === -1 ? 0 : Number.NaN;
        // Not 0.123: a group of thousands doesn't begin with 0.
        fitCommas &&= fractionDigits === -1 || (isGrouped && Math.abs(decimal.number) >= 1);
      } else {
        const text = texts.at(row) as string;
        const kind = decimalPoint.kindOf(text);
        if (kind !== 0) numbers[row] = decimalPoint.parse(text);
        else if (!isBlank(text)) return null;
        kinds |= kind;
        groupingPoints += kind === 0 ? 0 : groupingPointsOf(text);
        fitCommas &&= fitsCommas(text);
      }
    }
    start = end;
  }
  return { numbers, kinds, groupingPoints, fitCommas };
}

/** The booleans among values, as `scanBooleans` has them. @param textual true if texts may be booleans */
export function booleanCodes(values: readonly unknown[], rows: number, textual: boolean): Uint8Array | null {
  const codes = new Uint8Array(rows);
  const end = Math.min(rows, values.length);
  for (let row = 0; row < end; row++) {
    const value = values[row];
    if (value === null || value === undefined || (textual && value === '')) continue;
    const flag = typeof value === 'string' && textual ? parseBooleanText(value) : value;
    if (typeof flag !== 'boolean') return null;
    codes[row] = flag ? 2 : 1;
  }
  return codes;
}

/** The booleans: 0 is missing, 1 false, 2 true. Null if a text is neither. */
export function scanBooleans(texts: Utf8Texts): Uint8Array | null {
  const { bytes, ends, forms } = texts;
  const codes = new Uint8Array(texts.length);
  let start = 0;
  for (let row = 0; row < codes.length; row++) {
    const end = ends[row] as number;
    if (forms[row] !== textForms.missing) {
      if (isWord(bytes, start, end, lowerTrue)) codes[row] = 2;
      else if (isWord(bytes, start, end, lowerFalse)) codes[row] = 1;
      else {
        const flag = parseBooleanText(texts.at(row) as string);
        if (flag === undefined) return null;
        codes[row] = flag ? 2 : 1;
      }
    }
    start = end;
  }
  return codes;
}

const lowerTrue = Buffer.from('true');
const lowerFalse = Buffer.from('false');

function isWord(bytes: Buffer, start: number, end: number, word: Buffer): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}
