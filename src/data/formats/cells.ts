/**
 * The values of one column in one batch, in the most compact form that holds them: readers collect them, and the columnar
 * copy is made of them. Any other values are an array.
 */
import { Utf8Texts, Utf8TextsBuilder } from './utf8-texts.ts';

/**
 * Values by row: of any kind, numbers (NaN is missing), booleans (0 is missing, 1 false, 2 true), or texts. There may be fewer
 * than rows: the others are missing.
 */
export type Cells = readonly unknown[] | Float64Array | Uint8Array | Utf8Texts;

/** The values as an array; missing ones are undefined. */
export function cellsToArray(cells: Cells): readonly unknown[] {
  if (cells instanceof Float64Array) return Array.from(cells, (number) => (Number.isNaN(number) ? undefined : number));
  if (cells instanceof Uint8Array) return Array.from(cells, (code) => (code === 0 ? undefined : code === 2));
  return cells instanceof Utf8Texts ? cells.toArray() : cells;
}

/** The value of a row; undefined, or null, if it is missing. */
export function cellAt(cells: Cells | undefined, row: number): unknown {
  if (cells instanceof Utf8Texts) return cells.at(row);
  const value = cells?.[row];
  if (cells instanceof Float64Array) return Number.isNaN(value) ? undefined : value;
  if (cells instanceof Uint8Array) return value ? value === 2 : undefined;
  return value;
}

/** The values of the rows from one up to another. */
export const sliceCells = (cells: Cells, start: number, end: number): Cells => cells.slice(start, end);

/** Collects the values of a column: in a typed array as long as all are of one kind, else in a plain one. */
export class CellsBuilder {
  #numbers: Float64Array | null = null;
  #booleans: Uint8Array | null = null;
  #texts: Utf8TextsBuilder | null = null;
  #values: unknown[] | null = null;
  #length = 0;
  readonly #expectedRows: number;

  /** @param expectedRows number of rows for which memory is taken at first */
  constructor(expectedRows = 16) {
    this.#expectedRows = expectedRows;
  }

  addNumber(row: number, number: number): void {
    let numbers = this.#numbers;
    if (numbers === null || row >= numbers.length) {
      numbers = this.#reserveNumbers(row);
      if (numbers === null) {
        this.addValue(row, number);
        return;
      }
    }
    numbers[row] = number;
    this.#length = row + 1;
  }

  addBoolean(row: number, flag: boolean): void {
    if (this.#booleans === null && !this.#isUnused) {
      this.addValue(row, flag);
      return;
    }
    let codes = this.#booleans ?? new Uint8Array(this.#expectedRows);
    if (row >= codes.length) {
      const grown = new Uint8Array(2 * row + 16);
      grown.set(codes);
      codes = grown;
    }
    codes[row] = flag ? 2 : 1;
    this.#booleans = codes;
    this.#length = row + 1;
  }

  /** Adds a text as UTF-8. @param form as in `textForms`, not missing */
  addText(row: number, bytes: Buffer, start: number, end: number, form: number): void {
    if (this.#texts === null) {
      if (!this.#isUnused) {
        this.addValue(row, bytes.toString('utf8', start, end));
        return;
      }
      this.#texts = new Utf8TextsBuilder(this.#expectedRows);
    }
    this.#texts.add(row, bytes, start, end, form);
    this.#length = row + 1;
  }

  /** Adds a missing value: null. */
  addNull(row: number): void {
    if (this.#values) this.#values[row] = null;
    this.#length = row + 1;
  }

  /** Adds any value. */
  addAny(row: number, value: unknown): void {
    if (value === null || value === undefined) this.addNull(row);
    else if (typeof value === 'number' && !Number.isNaN(value)) this.addNumber(row, value);
    else if (typeof value === 'boolean') this.addBoolean(row, value);
    else if (typeof value === 'string' && (this.#texts || this.#isUnused) && value.isWellFormed()) {
      this.#texts ??= new Utf8TextsBuilder(this.#expectedRows);
      this.#texts.addString(row, value);
      this.#length = row + 1;
    } else this.addValue(row, value);
  }

  /** Adds a value to the plain array, which takes the place of a typed one. */
  addValue(row: number, value: unknown): void {
    if (this.#values === null) {
      this.#values = [...cellsToArray(this.take())];
      this.#numbers = null;
      this.#booleans = null;
      this.#texts = null;
    }
    this.#values[row] = value;
    this.#length = row + 1;
  }

  /** The values. Nothing may be added afterwards. */
  take(): Cells {
    if (this.#numbers) return this.#numbers.subarray(0, this.#length);
    if (this.#booleans) return this.#booleans.subarray(0, this.#length);
    if (this.#texts) return this.#texts.take(this.#length);
    // Nulls alone have no kind.
    return this.#values ?? new Array(this.#length).fill(null);
  }

  get #isUnused(): boolean {
    return this.#numbers === null && this.#booleans === null && this.#texts === null && this.#values === null;
  }

  /** Makes room for a number; null if there are values of other kinds. */
  #reserveNumbers(row: number): Float64Array | null {
    if (this.#numbers === null && !this.#isUnused) return null;
    const before = this.#numbers ?? new Float64Array(0);
    const grown = new Float64Array(before.length === 0 ? Math.max(this.#expectedRows, row + 1) : 2 * row).fill(
      Number.NaN,
      before.length,
    );
    grown.set(before);
    this.#numbers = grown;
    return grown;
  }
}
