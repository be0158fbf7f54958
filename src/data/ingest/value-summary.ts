/** The distinct values of a column, up to a limit, and its least and greatest one. */

import { beginningOf } from '../../catalogue/beginning.ts';
import { parseDateTime } from '../date-time.ts';
import { compareUtf8, type Utf8Texts } from '../formats/utf8-texts.ts';
import { detachedCopy } from '../row.ts';

/** Most distinct values that are counted. */
export const maxDistinct = 1000;

/** Longest text that is counted, in UTF-16 code units. */
const maxCountedLength = 256;

export class ValueSummary {
  #distinct: Set<string | number | boolean> | null = new Set();
  #min: number | string | undefined;
  #max: number | string | undefined;
  /** The first and the last instant, as long as all texts are datetimes. */
  #instants: { first: string; last: string } | undefined;
  /** The least and greatest text in UTF-8; null if there is none, or it has no form in UTF-8. */
  #minBytes: Buffer | null = null;
  #maxBytes: Buffer | null = null;

  /** Number of distinct values; null if it exceeds `maxDistinct`. */
  get distinct(): number | null {
    return this.#distinct?.size ?? null;
  }

  get min(): number | string | undefined {
    return truncated(this.#instants?.first ?? this.#min);
  }

  get max(): number | string | undefined {
    return truncated(this.#instants?.last ?? this.#max);
  }

  /** Adds numbers; NaN doesn't count. @returns their number */
  addNumbers(numbers: Float64Array): number {
    let present = 0;
    let min = (this.#min as number | undefined) ?? Infinity;
    let max = (this.#max as number | undefined) ?? -Infinity;
    for (let row = 0; row < numbers.length; row++) {
      const number = numbers[row] as number;
      if (Number.isNaN(number)) continue;
      present++;
      if (number < min) min = number;
      if (number > max) max = number;
      if (this.#distinct !== null) this.countDistinct(number);
    }
    if (min <= max) [this.#min, this.#max] = [min, max];
    return present;
  }

  /** Adds a text. @param areInstants true if all texts are datetimes: they are ordered as instants, whatever their offsets */
  addText(text: string, areInstants: boolean): void {
    if (text.length > maxCountedLength) this.#distinct = null;
    else this.countDistinct(text);
    if (typeof this.#min === 'number') this.#forgetRange();
    if (this.#min === undefined || this.#max === undefined) {
      this.#setMin(text);
      this.#setMax(text);
    } else if (text < (this.#min as string)) this.#setMin(text);
    else if ((this.#max as string) < text) this.#setMax(text);
    if (areInstants) this.#addInstant(text);
    else this.#instants = undefined;
  }

  #addInstant(text: string): void {
    this.#instants ??= { first: detachedCopy(text), last: detachedCopy(text) };
    if (isBefore(text, this.#instants.first)) this.#instants.first = detachedCopy(text);
    if (isBefore(this.#instants.last, text)) this.#instants.last = detachedCopy(text);
  }

  /** Adds a text as `addText` does. */
  addUtf8(texts: Utf8Texts, row: number, areInstants: boolean): void {
    const [start, end] = [texts.startOf(row), texts.ends[row] as number];
    const [min, max] = [this.#minBytes, this.#maxBytes];
    if (min !== null && max !== null && !areInstants && !this.#instants && this.#distinct === null) {
      const { bytes } = texts;
      if (compareUtf8(bytes, start, end, min) >= 0 && compareUtf8(bytes, start, end, max) <= 0) return;
    }
    this.addText(texts.at(row) as string, areInstants);
  }

  countDistinct(value: string | number | boolean): void {
    const distinct = this.#distinct;
    if (distinct === null || distinct.has(value)) return;
    if (distinct.size === maxDistinct) this.#distinct = null;
    else distinct.add(typeof value === 'string' ? detachedCopy(value) : value);
  }

  #forgetRange(): void {
    this.#min = this.#max = undefined;
  }

  #setMin(text: string): void {
    this.#min = detachedCopy(text);
    this.#minBytes = encodeUtf8(text);
  }

  #setMax(text: string): void {
    this.#max = detachedCopy(text);
    this.#maxBytes = encodeUtf8(text);
  }
}

const encodeUtf8 = (text: string): Buffer | null => (text.isWellFormed() ? Buffer.from(text) : null);

/** True if an instant is before another. */
const isBefore = (a: string, b: string): boolean => (areAlike(a, b) ? a < b : parseDateTime(a) < parseDateTime(b));

/** True if the order of two instants is that of their texts: both in UTC, as exact as the other, with the same separator. */
const areAlike = (a: string, b: string): boolean =>
  a.length === b.length && a.endsWith('Z') && b.endsWith('Z') && a[10] === b[10];

const truncated = (value: number | string | undefined) => (typeof value === 'string' ? beginningOf(value, 100) : value);
