/**
 * The profile of one column during ingestion: converts its values for the columnar copy, row group by row group, and
 * collects its type and statistics.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import { parseDateTime } from '../date-time.ts';
import type { ColumnValues } from '../table/column-chunk.ts';
import { ColumnForms, type ColumnSettings, MisfitCounter, type Misfits } from './column-forms.ts';
import { parseBooleanText, textValueKind, typeForValueKinds, valueKinds } from './infer-types.ts';
import { decimalComma, looseNumberForm, parseLooseBoolean, parseLooseTime, type ReadableType } from './text-forms.ts';

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
  readonly #settings: ColumnSettings;
  readonly #textual: boolean;
  readonly #asText: boolean;
  readonly #forms: ColumnForms;
  /** Values that don't fit the type that people set. */
  readonly #misfits = new MisfitCounter();
  #lineOf: (row: number) => number | undefined = () => undefined;
  #kinds = 0;
  #isStoredTyped = false;
  #present = 0;
  #distinct: Set<string | number | boolean> | null = new Set();
  #min: number | string | undefined;
  #max: number | string | undefined;

  constructor(settings: ColumnSettings) {
    this.#settings = settings;
    this.#textual = settings.textual || settings.type !== undefined;
    this.#asText = settings.asText === true || settings.type === 'string';
    this.#forms = new ColumnForms(settings);
    if (this.#asText) this.#kinds = valueKinds.text;
  }

  get type(): Exclude<ColumnType, 'geometry'> {
    return this.#settings.type ?? typeForValueKinds(this.#kinds);
  }

  /** The settings for reading the column again, since its values are of another form than the first ones; else null. */
  get settingsForNextPass(): ColumnSettings | null {
    if (this.#settings.type !== undefined || !this.#textual)
      return this.#isMistyped ? { textual: false, asText: true } : null;
    return this.type === 'string' ? this.#forms.settingsForNextPass(this.#isStoredTyped) : null;
  }

  get #isMistyped(): boolean {
    return this.#settings.type === undefined && this.type === 'string' && this.#isStoredTyped;
  }

  /** Form that was recognized by the values, with an example; null if there is none. */
  get recognized(): { readonly form: 'decimal comma' | 'date'; readonly example: string } | null {
    const { example, numbers, dates } = this.#forms;
    if (example === null || this.#asText || this.#settings.type !== undefined) return null;
    if (this.type === 'float' && numbers === decimalComma) return { form: 'decimal comma', example };
    return dates && (this.type === 'date' || this.type === 'datetime') ? { form: 'date', example } : null;
  }

  /** Values that don't fit the type that people set, or nearly all other values; null if there are none. */
  get misfits(): (Misfits & { readonly type: string }) | null {
    const { type } = this.#settings;
    if (type === undefined) return this.type === 'string' && this.#present > 0 ? this.#forms.misfits : null;
    const { misfits } = this.#misfits;
    return misfits && { ...misfits, type };
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

  /**
   * Adds the values of the next row group.
   * @param lineOf returns the line of a row, from 0 in the row group
   */
  add(values: readonly unknown[], rows: number, lineOf = this.#lineOf): ColumnValues {
    this.#lineOf = lineOf;
    const { type } = this.#settings;
    const mayAdopt = this.#textual && !this.#asText && this.#kinds === 0;
    if (mayAdopt) this.#forms.recognize(values);
    if (type !== undefined && type !== 'string') return this.#toType(type, values, rows);
    const first = values.find((value) => value !== null && value !== undefined && value !== '');
    const mayBeNumbers = !this.#asText && (this.#kinds & ~numericKinds) === 0;
    const firstType = typeof first;
    const isText = this.#textual && firstType === 'string';
    if (mayBeNumbers && (firstType === 'number' || (isText && this.#forms.numbers.kindOf(first as string) !== 0))) {
      const numbers = this.#toNumbers(values, rows);
      if (numbers) return { kind: 'numbers', numbers };
    }
    const mayBeBooleans = !this.#asText && (this.#kinds & ~valueKinds.boolean) === 0;
    if (mayBeBooleans && (firstType === 'boolean' || (isText && parseBooleanText(first as string) !== undefined))) {
      const codes = this.#toBooleans(values, rows);
      if (codes) return { kind: 'booleans', codes };
    }
    return this.#toTexts(values, rows);
  }

  /** Values of the type that people set; null where they don't fit. */
  #toType(type: Exclude<ReadableType, 'string'>, values: readonly unknown[], rows: number): ColumnValues {
    const convert = this.#converter(type);
    const converted = values.map((value, row) => {
      if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) return null;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const result = convert(text);
      if (result === undefined) this.#misfits.addMisfit(text, () => this.#lineOf(row));
      else this.#misfits.addFits();
      return result ?? null;
    });
    if (type === 'boolean') return { kind: 'booleans', codes: this.#toBooleans(converted, rows) as Uint8Array };
    if (type !== 'integer' && type !== 'float') return this.#toTexts(converted, rows);
    return { kind: 'numbers', numbers: this.#toNumbers(converted, rows) as Float64Array };
  }

  #converter(type: Exclude<ReadableType, 'string'>): (text: string) => number | boolean | string | undefined {
    if (type === 'boolean') return parseLooseBoolean;
    if (type !== 'integer' && type !== 'float') return (text) => parseLooseTime(text, type, this.#forms.dates);
    const form = looseNumberForm(this.#forms.numbers);
    return (text) => {
      if (form.kindOf(text) === 0) return undefined;
      const number = form.parse(text);
      return type === 'integer' && !Number.isSafeInteger(number) ? undefined : number;
    };
  }

  /** Null if a value isn't a number; the profile stays unchanged then. */
  #toNumbers(values: readonly unknown[], rows: number): Float64Array | null {
    const numbers = new Float64Array(rows).fill(Number.NaN);
    let kinds = 0;
    const form = this.#forms.numbers;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (typeof value === 'number') {
        kinds |= Number.isSafeInteger(value) && !Object.is(value, -0) ? valueKinds.integer : valueKinds.float;
        numbers[row] = value;
      } else if (this.#textual && typeof value === 'string') {
        const kind = form.kindOf(value);
        if (kind !== 0) numbers[row] = form.parse(value);
        else if (value.trim() !== '') return null;
        kinds |= kind;
      } else if (value !== null && value !== undefined) return null;
    }
    this.#kinds |= kinds;
    this.#isStoredTyped = true;
    const before = this.#present;
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
    this.#forms.addNumbers(this.#present - before, (kinds & valueKinds.float) === 0);
    return numbers;
  }

  #toBooleans(values: readonly unknown[], rows: number): Uint8Array | null {
    const codes = new Uint8Array(rows);
    let present = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      const flag = typeof value === 'string' && this.#textual ? parseBooleanText(value) : value;
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
      texts[row] = this.#toText(value, row);
      present++;
    }
    if (present === 0) return { kind: 'nulls' };
    this.#present += present;
    if (strings > 0 && !this.#textual && (this.#kinds & ~stringKinds) !== 0) this.#kinds |= valueKinds.text;
    const coded = dictionaryEncode(texts);
    for (const entry of coded.entries) if (entry !== null) this.#addText(entry, strings > 0);
    return { kind: 'texts', ...coded };
  }

  #toText(value: unknown, row: number): string {
    if (typeof value === 'string') {
      if (!this.#settings.textual || this.#settings.type !== undefined) return value;
      this.#forms.addText(value, () => this.#lineOf(row));
      const date = this.#asText ? undefined : this.#forms.dates?.(value);
      if (date === undefined) return value;
      this.#isStoredTyped = true;
      return date;
    }
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
    if (classify && (this.#kinds & valueKinds.text) === 0) this.#kinds |= textValueKind(text, this.#textual);
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
