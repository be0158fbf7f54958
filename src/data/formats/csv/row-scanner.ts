/**
 * Reads regular rows of CSV from bytes, into columns: as many cells as the head has, with quotes only around cells, and
 * doubled inside. No string is made. It stops at the first other row, which is left to the parser.
 */
import { textForms, type Utf8TextsBuilder } from '../utf8-texts.ts';

const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** A cell whose doubled quotes have to be removed. */
const hasDoubledQuotes = 3;

export class CsvRowScanner {
  readonly #delimiter: number;
  readonly #columns: number;
  /** The cells of the current row: their bytes, and their forms. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #forms: Uint8Array;
  /** Line of the next row. */
  line = 1;
  /** True if the last scan stopped at a row that isn't regular, and not at one that isn't complete. */
  isStopped = false;

  /** @param delimiter an ASCII character; @param columns number of cells in a row */
  constructor(delimiter: string, columns: number) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#columns = columns;
    this.#starts = new Int32Array(columns);
    this.#ends = new Int32Array(columns);
    this.#forms = new Uint8Array(columns);
  }

  /**
   * Reads the rows at the start of a text.
   * @param cells their columns, at least as many as a row has
   * @param lines lines of the rows; theirs are added
   * @returns number of bytes that were read
   */
  scan(bytes: Buffer, cells: readonly Utf8TextsBuilder[], lines: number[]): number {
    const limit = bytes.lastIndexOf(newline) + 1;
    this.isStopped = false;
    let at = 0;
    while (at < limit) {
      const end = this.#scanRow(bytes, at, limit);
      if (end === -1) return at;
      const line = this.line++;
      if (this.#breaks > 0) this.line += this.#breaks;
      at = end;
      if (!this.#isBlank) this.#addRow(bytes, cells, lines.push(line) - 1);
    }
    return at;
  }

  #breaks = 0;
  #isBlank = false;

  /** @returns the index behind the row; -1 if it isn't complete, or not regular */
  #scanRow(bytes: Buffer, start: number, limit: number): number {
    const delimiter = this.#delimiter;
    const columns = this.#columns;
    let at = start;
    this.#breaks = 0;
    for (let column = 0; ; column++) {
      let from = at;
      let form: number = textForms.ascii;
      let byte = bytes[at] as number;
      let end: number;
      const isQuoted = byte === quote;
      if (isQuoted) {
        from++;
        end = this.#scanQuoted(bytes, from, limit);
        if (end === -1) return -1;
        form = this.#form;
        at = end + 1;
        byte = bytes[at] as number;
        if (byte === carriageReturn && bytes[at + 1] === newline) byte = bytes[++at] as number;
        if (byte !== delimiter && byte !== newline) return this.#stop();
      } else {
        let mask = 0;
        while (byte !== delimiter && byte !== newline) {
          mask |= byte;
          byte = bytes[++at] as number;
        }
        end = at;
        if (mask >= 0x80) form = textForms.other;
      }
      at++;
      if (byte === newline && !isQuoted && end > from && bytes[end - 1] === carriageReturn) end--;
      this.#isBlank = byte === newline && !isQuoted && column === 0 && end === from;
      if (this.#isBlank) return at;
      if (column >= columns || (byte === newline && column !== columns - 1)) return this.#stop();
      this.#starts[column] = from;
      this.#ends[column] = end;
      this.#forms[column] = form;
      if (byte === newline) return at;
    }
  }

  #form = 0;

  /** Sets `#form`. @returns the index of the closing quote; -1 if there is none */
  #scanQuoted(bytes: Buffer, from: number, limit: number): number {
    let mask = 0;
    let isDoubled = false;
    for (let at = from; at < limit; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) {
        if (bytes[at + 1] !== quote) {
          this.#form = isDoubled ? hasDoubledQuotes : mask < 0x80 ? textForms.ascii : textForms.other;
          return at;
        }
        isDoubled = true;
        at++;
      } else if (byte === newline) this.#breaks++;
      mask |= byte;
    }
    return -1;
  }

  #stop(): -1 {
    this.isStopped = true;
    return -1;
  }

  #addRow(bytes: Buffer, cells: readonly Utf8TextsBuilder[], row: number): void {
    for (let column = 0; column < this.#columns; column++) {
      const start = this.#starts[column] as number;
      const end = this.#ends[column] as number;
      if (start === end) continue;
      const form = this.#forms[column] as number;
      const texts = cells[column] as Utf8TextsBuilder;
      if (form !== hasDoubledQuotes) texts.add(row, bytes, start, end, form);
      else texts.addString(row, bytes.toString('utf8', start, end).replaceAll('""', '"'));
    }
  }
}
