/**
 * One column while a payload is taken in: block by block its values are put into the shape in which they are kept, and
 * what they have in common is noted.
 */
import type { ColumnType } from '../../catalogue/types.ts';
import { instantOf } from '../date-time.ts';
import { booleanOf, kindOfNumber, kindOfText, numberOf, seen, typeOf } from './infer-types.ts';

/** The values of one column in one block of rows. */
export type BlockColumn =
  | { readonly kind: 'nulls' }
  /** NaN is null. */
  | { readonly kind: 'numbers'; readonly numbers: Float64Array }
  /** 0 is null, 1 false, 2 true. */
  | { readonly kind: 'booleans'; readonly codes: Uint8Array }
  /** With `codes`, each row has the entry of that place; without, the entry of its own. */
  | { readonly kind: 'texts'; readonly entries: readonly (string | null)[]; readonly codes: Uint16Array | null };

/** What is known of a column's values. */
export interface ColumnStatistics {
  readonly name: string;
  readonly type: ColumnType;
  readonly nulls: number;
  /** How many different values; null where they are more than `distinctBound`, or objects or arrays. */
  readonly distinct: number | null;
  /** Absent for booleans, objects and arrays. Texts are cut after 100 characters. */
  readonly min?: number | string;
  readonly max?: number | string;
}

export const distinctBound = 1000;

const numeric = seen.integer | seen.float;
/** Kinds of values that are strings in JSON. */
const asText = seen.text | seen.date | seen.datetime | seen.time;

export class ColumnProfile {
  readonly #textual: boolean;
  readonly #forced: boolean;
  #kinds = 0;
  #storedOtherThanText = false;
  #present = 0;
  #distinct: Set<string | number | boolean> | null = new Set();
  #min: number | string | undefined;
  #max: number | string | undefined;

  /**
   * @param textual whether texts may be numbers and booleans (CSV)
   * @param forced whether the column is known to be a mixture: every value is kept as text
   */
  constructor(textual: boolean, forced: boolean) {
    this.#textual = textual;
    this.#forced = forced;
    if (forced) this.#kinds = seen.text;
  }

  get type(): Exclude<ColumnType, 'geometry'> {
    return typeOf(this.#kinds);
  }

  /** Whether values were kept as numbers or booleans before others showed that the column is text. */
  get misjudged(): boolean {
    return this.type === 'string' && this.#storedOtherThanText;
  }

  /** @param rows of all blocks together: those that the column wasn't there for are null */
  statistics(name: string, rows: number): ColumnStatistics {
    const { type } = this;
    const countable = type !== 'object' && type !== 'array';
    const ordered = countable && type !== 'boolean' && this.#min !== undefined;
    return {
      name,
      type,
      nulls: rows - this.#present,
      distinct: countable ? (this.#distinct?.size ?? null) : null,
      ...(ordered ? { min: short(this.#min), max: short(this.#max) } : {}),
    } as ColumnStatistics;
  }

  /** Takes in the values of the next block. */
  add(values: readonly unknown[], rows: number): BlockColumn {
    const first = values.find((value) => value !== null && value !== undefined && value !== '');
    const numbersFit = !this.#forced && (this.#kinds & ~numeric) === 0;
    const kind = typeof first;
    const isText = this.#textual && kind === 'string';
    if (numbersFit && (kind === 'number' || (isText && kindOfNumber(first as string) !== 0))) {
      const numbers = this.#numbers(values, rows);
      if (numbers) return { kind: 'numbers', numbers };
    }
    const booleansFit = !this.#forced && (this.#kinds & ~seen.boolean) === 0;
    if (booleansFit && (kind === 'boolean' || (isText && booleanOf(first as string) !== undefined))) {
      const codes = this.#booleans(values, rows);
      if (codes) return { kind: 'booleans', codes };
    }
    return this.#texts(values, rows);
  }

  /** Null where a value is no number; nothing is noted then. */
  #numbers(values: readonly unknown[], rows: number): Float64Array | null {
    const numbers = new Float64Array(rows).fill(Number.NaN);
    let kinds = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (typeof value === 'number') {
        kinds |= Number.isSafeInteger(value) && !Object.is(value, -0) ? seen.integer : seen.float;
        numbers[row] = value;
      } else if (this.#textual && typeof value === 'string') {
        const kind = kindOfNumber(value);
        if (kind !== 0) numbers[row] = numberOf(value);
        else if (value.trim() !== '') return null;
        kinds |= kind;
      } else if (value !== null && value !== undefined) return null;
    }
    this.#kinds |= kinds;
    this.#storedOtherThanText = true;
    let min = (this.#min as number | undefined) ?? Infinity;
    let max = (this.#max as number | undefined) ?? -Infinity;
    for (let row = 0; row < rows; row++) {
      const number = numbers[row] as number;
      if (Number.isNaN(number)) continue;
      this.#present++;
      if (number < min) min = number;
      if (number > max) max = number;
      this.#note(number);
    }
    if (min <= max) [this.#min, this.#max] = [min, max];
    return numbers;
  }

  #booleans(values: readonly unknown[], rows: number): Uint8Array | null {
    const codes = new Uint8Array(rows);
    let present = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      const flag = typeof value === 'string' && this.#textual ? booleanOf(value) : value;
      if (typeof flag !== 'boolean') return null;
      codes[row] = flag ? 2 : 1;
      present++;
      this.#note(flag);
    }
    this.#kinds |= seen.boolean;
    this.#storedOtherThanText = true;
    this.#present += present;
    return codes;
  }

  #texts(values: readonly unknown[], rows: number): BlockColumn {
    const texts = new Array<string | null>(rows).fill(null);
    let present = 0;
    let strings = 0;
    const end = Math.min(rows, values.length);
    for (let row = 0; row < end; row++) {
      const value = values[row];
      if (value === null || value === undefined || (this.#textual && value === '')) continue;
      if (typeof value === 'string') strings++;
      texts[row] = this.#text(value);
      present++;
    }
    if (present === 0) return { kind: 'nulls' };
    this.#present += present;
    if (strings > 0 && !this.#textual && (this.#kinds & ~asText) !== 0) this.#kinds |= seen.text;
    const coded = dictionary(texts);
    for (const entry of coded.entries) if (entry !== null) this.#noteText(entry, strings > 0);
    return { kind: 'texts', ...coded };
  }

  #text(value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value === 'object') {
      this.#kinds |= Array.isArray(value) ? seen.array : seen.object;
      return JSON.stringify(value);
    }
    this.#kinds |= typeof value === 'boolean' ? seen.boolean : Number.isSafeInteger(value) ? seen.integer : seen.float;
    return String(value);
  }

  #noteText(text: string, classify: boolean): void {
    if (classify && (this.#kinds & seen.text) === 0) this.#kinds |= kindOfText(text, this.#textual);
    if (text.length > 256) this.#distinct = null;
    else this.#note(text);
    if (typeof this.#min === 'number') this.#min = this.#max = undefined;
    if (this.#min === undefined || this.#max === undefined) this.#min = this.#max = own(text);
    else if (this.#isBefore(text, this.#min as string)) this.#min = own(text);
    else if (this.#isBefore(this.#max as string, text)) this.#max = own(text);
  }

  /** Datetimes with different offsets are in the order of the instants that they mean. */
  #isBefore(a: string, b: string): boolean {
    if (this.#kinds === seen.datetime && !(a.endsWith('Z') && b.endsWith('Z'))) return instantOf(a) < instantOf(b);
    return a < b;
  }

  #note(value: string | number | boolean): void {
    const distinct = this.#distinct;
    if (distinct === null || distinct.has(value)) return;
    if (distinct.size === distinctBound) this.#distinct = null;
    else distinct.add(typeof value === 'string' ? own(value) : value);
  }
}

/** A piece of a longer text keeps all of that in memory, a copy doesn't. */
const own = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');

const short = (value: number | string | undefined) => (typeof value === 'string' ? value.slice(0, 100) : value);

/** Each different text once, where enough of them repeat. */
function dictionary(texts: readonly (string | null)[]): {
  entries: readonly (string | null)[];
  codes: Uint16Array | null;
} {
  const trial = 1024;
  const places = new Map<string | null, number>();
  const codes = new Uint16Array(texts.length);
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] as string | null;
    let place = places.get(text);
    if (place === undefined) {
      place = places.size;
      if (place > 0xffff || (row >= trial && place > row * 0.6)) return { entries: texts, codes: null };
      places.set(text, place);
    }
    codes[row] = place;
  }
  return { entries: [...places.keys()], codes };
}
