/**
 * The profile of one column during ingestion: converts its values for the columnar copy, row group by row group, and
 * collects its type and statistics.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime } from '../date-time.ts';
import type { ColumnValues } from '../table/column-chunk.ts';
import { columnTypeOf, kindOfNumber, kindOfText, parseBoolean, parseNumber, valueKinds } from './infer-types.ts';

/** Statistics of a column's values. */
export interface ColumnStatistics {
  readonly name: string;
  readonly type: ColumnType;
  readonly nulls: number;
  /** Number of distinct values; null if it exceeds `maxDistinct`, or for objects and arrays. */
  readonly distinct: number | null;
  /** Absent for booleans, objects and arrays. Texts are truncated to 100 characters. */
  readonly min?: number | string;
  readonly max?: number | string;
}

export const maxDistinct = 1000;

const numericKinds = valueKinds.integer | valueKinds.float;
/** Kinds of values that are strings in JSON. */
const stringKinds = valueKinds.text | valueKinds.date | valueKinds.datetime | valueKinds.time;

export class ColumnProfile {
  readonly #textual: boolean;
  readonly #asText: boolean;
  #kinds = 0;
  #isStoredTyped = false;
  #present = 0;
  #distinct: Set<string | number | boolean> | null = new Set();
  #min: number | string | undefined;
  #max: number | string | undefined;

  /**
   * @param textual true if texts may be numbers and booleans (CSV)
   * @param asText true if the column is known to be text: every value is stored as text
   */
  constructor(textual: boolean, asText: boolean) {
    this.#textual = textual;
    this.#asText = asText;
    if (asText) this.#kinds = valueKinds.text;
  }

  get type(): Exclude<ColumnType, 'geometry'> {
    return columnTypeOf(this.#kinds);
  }

  /** True if values were stored as numbers or booleans before others showed that the column is text. */
  get isMistyped(): boolean {
    return this.type === 'string' && this.#isStoredTyped;
  }

  /** @param rows number of rows of the table; rows from before the column appeared count as null */
  statistics(name: string, rows: number): ColumnStatistics {
    const { type } = this;
    const countable = type !== 'object' && type !== 'array';
    const ordered = countable && type !== 'boolean' && this.#min !== undefined;
    return {
      name,
      type,
      nulls: rows - this.#present,
      distinct: countable ? (this.#distinct?.size ?? null) : null,
      ...(ordered ? { min: truncated(this.#min), max: truncated(this.#max) } : {}),
    } as ColumnStatistics;
  }

  /** Adds the values of the next row group. */
  add(values: readonly unknown[], rows: number): ColumnValues {
    const first = values.find((value) => value !== null && value !== undefined && value !== '');
    const mayBeNumbers = !this.#asText && (this.#kinds & ~numericKinds) === 0;
    const firstType = typeof first;
    const isText = this.#textual && firstType === 'string';
    if (mayBeNumbers && (firstType === 'number' || (isText && kindOfNumber(first as string) !== 0))) {
      const numbers = this.#toNumbers(values, rows);
      if (numbers) return { kind: 'numbers', numbers };
    }
    const mayBeBooleans = !this.#asText && (this.#kinds & ~valueKinds.boolean) === 0;
    if (mayBeBooleans && (firstType === 'boolean' || (isText && parseBoolean(first as string) !== undefined))) {
      const codes = this.#toBooleans(values, rows);
      if (codes) return { kind: 'booleans', codes };
    }
    return this.#toTexts(values, rows);
  }

  /** Null if a value is no number; the profile stays unchanged then. */
  #toNumbers(values: readonly unknown[], rows: number): Float64Array | null {
    const numbers = new Float64Array(rows).fill(Number.NaN);
    let kinds = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (typeof value === 'number') {
        kinds |= Number.isSafeInteger(value) && !Object.is(value, -0) ? valueKinds.integer : valueKinds.float;
        numbers[row] = value;
      } else if (this.#textual && typeof value === 'string') {
        const kind = kindOfNumber(value);
        if (kind !== 0) numbers[row] = parseNumber(value);
        else if (value.trim() !== '') return null;
        kinds |= kind;
      } else if (value !== null && value !== undefined) return null;
    }
    this.#kinds |= kinds;
    this.#isStoredTyped = true;
    let min = (this.#min as number | undefined) ?? Infinity;
    let max = (this.#max as number | undefined) ?? -Infinity;
    for (let row = 0; row < rows; row++) {
      const number = numbers[row] as number;
      if (Number.isNaN(number)) continue;
      this.#present++;
      if (number < min) min = number;
      if (number > max) max = number;
      this.#countDistinct(number);
    }
    if (min <= max) [this.#min, this.#max] = [min, max];
    return numbers;
  }

  #toBooleans(values: readonly unknown[], rows: number): Uint8Array | null {
    const codes = new Uint8Array(rows);
    let present = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      const flag = typeof value === 'string' && this.#textual ? parseBoolean(value) : value;
      if (typeof flag !== 'boolean') return null;
      codes[row] = flag ? 2 : 1;
      present++;
      this.#countDistinct(flag);
    }
    this.#kinds |= valueKinds.boolean;
    this.#isStoredTyped = true;
    this.#present += present;
    return codes;
  }

  #toTexts(values: readonly unknown[], rows: number): ColumnValues {
    const texts = new Array<string | null>(rows).fill(null);
    let present = 0;
    let strings = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      if (typeof value === 'string') strings++;
      texts[row] = this.#toText(value);
      present++;
    }
    if (present === 0) return { kind: 'nulls' };
    this.#present += present;
    if (strings > 0 && !this.#textual && (this.#kinds & ~stringKinds) !== 0) this.#kinds |= valueKinds.text;
    const coded = dictionaryEncode(texts);
    for (const entry of coded.entries) if (entry !== null) this.#addText(entry, strings > 0);
    return { kind: 'texts', ...coded };
  }

  #toText(value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'object') {
      this.#kinds |= Array.isArray(value) ? valueKinds.array : valueKinds.object;
      return JSON.stringify(value);
    }
    this.#kinds |=
      typeof value === 'boolean'
        ? valueKinds.boolean
        : Number.isSafeInteger(value)
          ? valueKinds.integer
          : valueKinds.float;
    return String(value);
  }

  #addText(text: string, classify: boolean): void {
    if (classify && (this.#kinds & valueKinds.text) === 0) this.#kinds |= kindOfText(text, this.#textual);
    if (text.length > 256) this.#distinct = null;
    else this.#countDistinct(text);
    if (typeof this.#min === 'number') this.#min = this.#max = undefined;
    if (this.#min === undefined || this.#max === undefined) this.#min = this.#max = detachedCopy(text);
    else if (this.#isBefore(text, this.#min as string)) this.#min = detachedCopy(text);
    else if (this.#isBefore(this.#max as string, text)) this.#max = detachedCopy(text);
  }

  /** Datetimes are ordered as instants, whatever their offsets. */
  #isBefore(a: string, b: string): boolean {
    if (this.#kinds === valueKinds.datetime && !(a.endsWith('Z') && b.endsWith('Z')))
      return parseDateTime(a) < parseDateTime(b);
    return a < b;
  }

  #countDistinct(value: string | number | boolean): void {
    const distinct = this.#distinct;
    if (distinct === null || distinct.has(value)) return;
    if (distinct.size === maxDistinct) this.#distinct = null;
    else distinct.add(typeof value === 'string' ? detachedCopy(value) : value);
  }
}

/** A copy of a text: a slice would keep the longer text that it was cut from in memory. */
const detachedCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

const truncated = (value: number | string | undefined) => (typeof value === 'string' ? value.slice(0, 100) : value);

/** Dictionary encoding, if enough texts repeat. */
function dictionaryEncode(texts: readonly (string | null)[]): {
  entries: readonly (string | null)[];
  codes: Uint16Array | null;
} {
  /** Rows before it is decided. */
  const sampleRows = 1024;
  const codeOf = new Map<string | null, number>();
  const codes = new Uint16Array(texts.length);
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] as string | null;
    let code = codeOf.get(text);
    if (code === undefined) {
      code = codeOf.size;
      if (code > 0xffff || (row >= sampleRows && code > row * 0.6)) return { entries: texts, codes: null };
      codeOf.set(text, code);
    }
    codes[row] = code;
  }
  return { entries: [...codeOf.keys()], codes };
}
