/**
 * The texts of one column in one batch as UTF-8, in one run of bytes: readers copy them from the payload, and the columnar
 * copy stores them, so that most of them never become strings.
 */

/** Forms of a text: missing (null), ASCII, other UTF-8. */
export const textForms = { missing: 0, ascii: 1, other: 2 } as const;

export class Utf8Texts {
  /** The texts, one after another without gaps. */
  readonly bytes: Buffer;
  /** Index behind each text's last byte. */
  readonly ends: Uint32Array;
  /** `textForms` of each text. */
  readonly forms: Uint8Array;

  constructor(bytes: Buffer, ends: Uint32Array, forms: Uint8Array) {
    this.bytes = bytes;
    this.ends = ends;
    this.forms = forms;
  }

  get length(): number {
    return this.forms.length;
  }

  /** Index of a text's first byte. */
  startOf(row: number): number {
    return row === 0 ? 0 : (this.ends[row - 1] as number);
  }

  /** A text; undefined if it is missing. */
  at(row: number): string | undefined {
    const form = this.forms[row];
    if (form === textForms.missing || form === undefined) return undefined;
    const end = this.ends[row] as number;
    return this.bytes.toString(form === textForms.ascii ? 'latin1' : 'utf8', this.startOf(row), end);
  }

  /** The texts from one row up to another, in the same memory. */
  slice(start: number, end: number): Utf8Texts {
    const first = start >= this.length ? this.bytes.length : this.startOf(start);
    const ends = this.ends.subarray(start, end).map((each) => each - first);
    return new Utf8Texts(this.bytes.subarray(first, first + (ends.at(-1) ?? 0)), ends, this.forms.subarray(start, end));
  }

  /** The texts with missing ones behind them, up to a number of rows. */
  padTo(rows: number): Utf8Texts {
    if (rows <= this.length) return this;
    const ends = new Uint32Array(rows).fill(this.bytes.length);
    ends.set(this.ends);
    const forms = new Uint8Array(rows);
    forms.set(this.forms);
    return new Utf8Texts(this.bytes, ends, forms);
  }

  toArray(): (string | undefined)[] {
    return Array.from({ length: this.length }, (_, row) => this.at(row));
  }
}

/** Length in bytes up to which a loop copies a text faster than Buffer's own method. */
const maxLoopLength = 64;

/** Collects the texts of a batch, from the first row on. */
export class Utf8TextsBuilder {
  #bytes: Buffer;
  #end = 0;
  #ends: Uint32Array;
  #forms: Uint8Array;
  #rows = 0;

  /** @param rows number of rows for which memory is taken at first */
  constructor(rows: number) {
    this.#bytes = Buffer.allocUnsafeSlow(8 * rows);
    this.#ends = new Uint32Array(rows);
    this.#forms = new Uint8Array(rows);
  }

  /** Adds the text of a row behind the last one; rows between them are missing. @param form ASCII or other */
  add(row: number, source: Uint8Array, start: number, end: number, form: number): void {
    const length = end - start;
    this.#reserve(row, length);
    const bytes = this.#bytes;
    let at = this.#end;
    if (length > maxLoopLength) bytes.set(source.subarray(start, end), at);
    else for (let i = start; i < end; i++) bytes[at++] = source[i] as number;
    this.#close(row, this.#end + length, form);
  }

  /** Adds a string, which has no lone surrogates. */
  addString(row: number, text: string): void {
    this.#reserve(row, 3 * text.length);
    const length = this.#bytes.write(text, this.#end, 'utf8');
    this.#close(row, this.#end + length, length === text.length ? textForms.ascii : textForms.other);
  }

  /** Takes the texts of the first rows. Nothing may be added afterwards. @param rows number of rows */
  take(rows: number): Utf8Texts {
    this.#reserve(rows, 0);
    this.#fill(rows);
    return new Utf8Texts(
      this.#bytes.subarray(0, this.#end),
      this.#ends.subarray(0, rows),
      this.#forms.subarray(0, rows),
    );
  }

  #close(row: number, end: number, form: number): void {
    this.#fill(row);
    this.#ends[row] = end;
    this.#forms[row] = form;
    this.#rows = row + 1;
    this.#end = end;
  }

  /** Makes rows missing that have no text. */
  #fill(row: number): void {
    for (let missing = this.#rows; missing < row; missing++) {
      this.#ends[missing] = this.#end;
      this.#forms[missing] = textForms.missing;
    }
    if (row > this.#rows) this.#rows = row;
  }

  #reserve(row: number, length: number): void {
    if (row >= this.#forms.length) {
      const rows = 2 * row + 64;
      const [ends, forms] = [this.#ends, this.#forms];
      this.#ends = new Uint32Array(rows);
      this.#ends.set(ends);
      this.#forms = new Uint8Array(rows);
      this.#forms.set(forms);
    }
    if (this.#end + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#end + length));
    this.#bytes.copy(grown, 0, 0, this.#end);
    this.#bytes = grown;
  }
}

/**
 * Compares a text with another as JavaScript compares strings, by UTF-16 code units.
 * @returns negative, 0 or positive; NaN if the bytes don't tell, since a character beyond U+FFFF sorts otherwise in UTF-8
 */
export function compareUtf8(bytes: Uint8Array, start: number, end: number, other: Uint8Array): number {
  const length = Math.min(end - start, other.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [bytes[start + i] as number, other[i] as number];
    if (a !== b) return a >= 0xee && b >= 0xee ? Number.NaN : a - b;
  }
  return end - start - other.length;
}
