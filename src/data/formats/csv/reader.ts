/**
 * A reader of CSV and TSV: RFC 4180, and what occurs in practice. The first row holds the names, unless people say otherwise.
 *
 * | In the file                              | Result                                                              |
 * |------------------------------------------|---------------------------------------------------------------------|
 * | `,` `;` tab or `|` between cells         | detected from the first rows, or Excel's `sep=;` line                |
 * | LF, CR LF or CR between rows             | all are read; blank lines are skipped                               |
 * | an empty cell, quoted or not             | null; a line with nothing but `""` is a row, as it is written here  |
 * | a row with fewer cells than names        | null in the others                                                  |
 * | a row with more cells than names         | more columns (`column_5`), unless the cells are empty               |
 * | a name that is empty, or repeated        | `column_<number>`; a suffix `_2`, `_3` …                            |
 * | a quote inside a quoted cell, not doubled| kept if the cell ends on the same line, else refused                |
 * | a quote that is never closed             | refused, with the line where it opens                               |
 * | a row of more than 16 MB                 | refused                                                             |
 * | zero bytes                               | refused: not text                                                   |
 */

import Papa from 'papaparse';
import { PayloadError } from '../../errors.ts';
import { expectedGroupRows, isRowGroupFull, maxCellsInMemory, maxColumns, maxCsvRow } from '../../limits.ts';
import { FirstRows } from '../first-rows.ts';
import { countRepair, type PayloadInfo, type RowBatch } from '../types.ts';
import { Utf8TextsBuilder } from '../utf8-texts.ts';
import { countLines, RowTexts, skipLines, withoutQuoted } from './lines.ts';
import { CsvRowScanner } from './row-scanner.ts';
import { requoteStrayCells } from './stray-quotes.ts';

/**
 * @param chunks text in UTF-8
 * @param info filled in while reading; a `delimiter` that is set is used
 * @param delimiter by default the one that people have named, if any
 * @param placeOf the place in the payload of a line of the text, for messages; by default the line itself
 * @param noun what such a place is
 * @throws PayloadError with the line
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  info: PayloadInfo,
  delimiter = info.reading.delimiter,
  placeOf = (line: number): number => line,
  noun: 'Line' | 'Row' = 'Line',
): AsyncGenerator<RowBatch, void, undefined> {
  if (delimiter !== undefined) info.delimiter = delimiter;
  const parser = new CsvParser(info, placeOf);
  for await (const chunk of chunks) {
    yield* parser.push(chunk);
    if (parser.isFull) yield parser.takeBatch() as RowBatch;
  }
  yield* parser.end();
  if (info.reading.header !== false) Object.assign(info, parser.firstRows.describeHead(noun));
  const last = parser.takeBatch();
  if (last) yield last;
}

class CsvParser {
  readonly #info: PayloadInfo;
  readonly #names: string[] = [];
  readonly firstRows = new FirstRows();
  #parser: Papa.Parser | undefined;
  #hasHeader = false;
  /** Number of cells in the head, or in the first row if there is none. */
  #headCells: number | undefined;
  /** The cells that aren't empty, by column. */
  #cells: Utf8TextsBuilder[] = [];
  /** Rows of the batch before: as many are expected. */
  #expectedRows = 16;
  /** Line of each row. */
  #lines: number[] = [];
  readonly #decoder = new TextDecoder();
  /** Reads regular rows; null if there are none to expect. */
  #scanner: CsvRowScanner | null = null;
  /** Text that isn't parsed yet: as a string, or behind rows that were scanned, as bytes. */
  #rest = '';
  #restBytes = emptyBytes;
  /**
   * Characters to buffer before parsing: the sample for the delimiter, then twice the length of a row that hasn't ended.
   * Otherwise a long row would be parsed again with each chunk.
   */
  #minLength = 64 * 1024;
  #line = 1;
  #bytes = 0;
  #newline = '';
  /** Rows to skip before the header. */
  #skip = 0;

  /** Lines to skip before anything is read. */
  #linesToSkip: number;

  readonly #placeOf: (line: number) => number;

  constructor(info: PayloadInfo, placeOf: (line: number) => number) {
    this.#info = info;
    this.#placeOf = placeOf;
    this.#hasHeader = info.reading.header === false;
    this.#linesToSkip = info.reading.skip ?? 0;
  }

  /** Reads a chunk. @returns batches that can't wait for its end: short rows of many columns need memory for all cells */
  *push(chunk: Buffer): Generator<RowBatch> {
    const scanned = this.#scanRows(chunk);
    if (scanned === null) yield* this.#parse(this.#decoder.decode(chunk, { stream: true }), false);
    else if (this.#scanner?.isStopped) {
      yield* this.#parse(scanned.toString(), false);
      this.#minLength = 0;
    } else this.#restBytes = scanned;
    this.#scanner ??= this.#newScanner();
  }

  /** Called after the last chunk. */
  *end(): Generator<RowBatch> {
    yield* this.#parse(this.#decoder.decode(), true);
  }

  /** Reads regular rows. @returns the bytes behind them; null if there are none */
  #scanRows(chunk: Buffer): Buffer | null {
    if (!this.#scanner || this.#minLength > 0 || chunk.includes(0)) return null;
    const rest = this.#rest === '' ? this.#restBytes : Buffer.from(this.#rest);
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#scanner.line = this.#line;
    const end = this.#scanner.scan(bytes, this.#cells, this.#lines);
    if (end === 0) return null;
    this.#line = this.#scanner.line;
    this.#bytes += end;
    this.#rest = '';
    this.#restBytes = emptyBytes;
    return bytes.subarray(end);
  }

  /** A scanner for the rows that follow; null before the head, or for line breaks and delimiters of other kinds. */
  #newScanner(): CsvRowScanner | null {
    const { delimiter = '' } = this.#info;
    if (!this.#parser || !this.#hasHeader || this.#skip > 0 || this.#newline !== '\n' || this.#headCells === undefined)
      return null;
    return /^[\t -~]$/.test(delimiter) && delimiter !== '"' ? new CsvRowScanner(delimiter, this.#headCells) : null;
  }

  *#parse(text: string, isLast: boolean): Generator<RowBatch> {
    if (this.#restBytes.length > 0) {
      this.#rest = this.#restBytes.toString();
      this.#restBytes = emptyBytes;
    }
    if (text.includes('\0')) throw new PayloadError('not text: holds zero bytes', { line: this.#line });
    let input = this.#rest + text;
    // How lines end is known once there is enough text.
    if (this.#linesToSkip > 0 && (isLast || input.length >= this.#minLength)) input = this.#skipLines(input, isLast);
    if (!isLast && (this.#linesToSkip > 0 || input.length < this.#minLength)) {
      this.#rest = input;
      return;
    }
    if (input === '') return;
    this.#parser ??= this.#newParser(input);
    let parsed = this.#parser.parse(input, 0, !isLast) as Papa.ParseResult<string[]>;
    if (parsed.errors.some(({ code }) => code === 'InvalidQuotes' || code === 'MissingQuotes')) {
      const { text: requoted, cells } = requoteStrayCells(input, this.#info.delimiter ?? ',', isLast);
      for (const cell of cells) countRepair(this.#info, 'stray_quotes', this.#line + this.#countLines(input, cell));
      if (cells.length > 0) parsed = this.#parser.parse(requoted, 0, !isLast) as Papa.ParseResult<string[]>;
      input = requoted;
    }
    const { data, errors, meta } = parsed;
    this.#rest = isLast ? '' : input.slice(meta.cursor);
    this.#minLength = meta.cursor > 0 ? 0 : Math.min(2 * input.length, maxCsvRow + 1);
    for (const error of errors) this.#refuseIfBroken(error, input, data);
    if (this.#rest.length > maxCsvRow) {
      throw new PayloadError(`a row is longer than ${maxCsvRow} characters, or a quote is never closed`, {
        line: this.#line + this.#countLines(input, meta.cursor),
      });
    }
    const texts = input.includes('"') ? new RowTexts(input, this.#newline) : null;
    let line = this.#line;
    for (const row of data) {
      const text = texts?.next(row);
      this.#addRow(row, line++, text);
      if (texts) for (const cell of row) line += this.#countLines(cell, cell.length);
      if (this.#lines.length * this.#names.length >= maxCellsInMemory) yield this.takeBatch() as RowBatch;
    }
    this.#line += this.#countLines(input, input.length - this.#rest.length);
    this.#bytes += Buffer.byteLength(input.slice(0, input.length - this.#rest.length));
  }

  /** The text without the lines that are still to be skipped. @throws PayloadError if it is the last text and has too few */
  #skipLines(text: string, isLast: boolean): string {
    const { rest, skipped } = skipLines(text, this.#linesToSkip);
    this.#line += skipped;
    this.#linesToSkip -= skipped;
    if (isLast && this.#linesToSkip > 0)
      throw new PayloadError(`has fewer lines than the ${this.#info.reading.skip} that --skip leaves out`);
    return rest;
  }

  #newParser(input: string): Papa.Parser {
    // Quoted cells may contain other line breaks.
    const newline = /\r(?!\n)/.test(input) && !withoutQuoted(input).includes('\n') ? '\r' : '\n';
    this.#newline = newline;
    const hint = /^sep=(.)\r?[\n\r]/i.exec(input);
    if (hint) {
      this.#info.delimiter ??= hint[1] as string;
      this.#skip = 1;
    }
    this.#info.delimiter ??= guessDelimiter(input.slice(0, 64 * 1024), newline);
    return new Papa.Parser({ delimiter: this.#info.delimiter, newline, quoteChar: '"', escapeChar: '"' });
  }

  #countLines(text: string, end: number): number {
    return countLines(text, end, this.#newline);
  }

  #refuseIfBroken(error: Papa.ParseError, input: string, data: string[][]): void {
    const line = this.#line + this.#countLines(input, error.index ?? 0);
    if (error.code === 'MissingQuotes') throw new PayloadError('a quoted cell is never closed', { line });
    if (error.code === 'InvalidQuotes' && data[error.row ?? 0]?.some((cell) => cell.includes('\n'))) {
      throw new PayloadError('a quote inside a quoted cell is not doubled', { line });
    }
  }

  /** @param text the row as it is in the file, if cells may be quoted */
  #addRow(row: string[], line: number, text = ''): void {
    const end = row.length - 1;
    const last = row[end] as string;
    if (last.endsWith('\r') && !text.trimEnd().endsWith('\r"')) row[end] = last.slice(0, -1);
    if (row.length === 1 && row[0] === '' && text.trim() !== '""') return;
    if (this.#skip > 0) {
      this.#skip--;
      return;
    }
    this.firstRows.add(this.#placeOf(line), row);
    if (!this.#hasHeader) {
      this.#hasHeader = true;
      this.#info.header = row.map(copied);
      this.#addColumns(row.map((name) => name.trim()));
      this.#headCells = row.length;
    } else {
      const cells = row.length;
      if (this.#headCells === undefined) this.#addColumns(row.map(() => ''));
      else if (row.length > this.#names.length) this.#addExtraColumns(row);
      this.#headCells ??= row.length;
      if (cells < this.#headCells) countRepair(this.#info, 'fewer_cells', this.#placeOf(line));
      else if (cells > this.#headCells && row.some((cell, column) => cell !== '' && column >= Number(this.#headCells)))
        countRepair(this.#info, 'more_cells', this.#placeOf(line));
      const place = this.#lines.push(line) - 1;
      for (let column = 0; column < row.length; column++) {
        const cell = row[column] as string;
        if (cell !== '') (this.#cells[column] as Utf8TextsBuilder).addString(place, cell);
      }
    }
  }

  /** Adds columns for cells beyond the header, unless they are empty. */
  #addExtraColumns(row: string[]): void {
    while (row.length > this.#names.length && row.at(-1) === '') row.pop();
    if (row.length > this.#names.length) this.#addColumns(row.slice(this.#names.length).map(() => ''));
  }

  #addColumns(names: readonly string[]): void {
    for (const name of names) {
      this.#names.push(copied(name));
      this.#cells.push(new Utf8TextsBuilder(this.#expectedRows));
    }
    if (this.#names.length > maxColumns)
      throw new PayloadError(`more than ${maxColumns} columns`, { line: this.#line });
  }

  /** True if a batch should be taken. */
  get isFull(): boolean {
    return isRowGroupFull(this.#lines.length, this.#names.length, this.#bytes);
  }

  /** The rows since the last batch; null if there is not even a header. */
  takeBatch(): RowBatch | null {
    const rows = this.#lines.length;
    const names = this.#names;
    if (rows === 0 && names.length === 0) return null;
    const cells = this.#cells.map((column) => column.take(rows));
    const lines = this.#lines;
    const batch: RowBatch = {
      rows,
      names,
      values: cells,
      geometries: null,
      ids: null,
      rowOffsets: null,
      errorAt: (row, reason) => new PayloadError(reason, { line: this.#placeOf(lines[row] as number) }),
    };
    this.#expectedRows = expectedGroupRows(rows, names.length);
    this.#cells = names.map(() => new Utf8TextsBuilder(this.#expectedRows));
    this.#lines = [];
    this.#bytes = 0;
    return batch;
  }
}

const emptyBytes: Buffer = Buffer.alloc(0);

/** A copy through a buffer: a slice would keep the chunk's whole text in memory. */
const copied = (text: string): string => Buffer.from(text).toString();

function guessDelimiter(sample: string, newline: '\n' | '\r'): string {
  const delimitersToGuess = [',', ';', '\t', '|'];
  return Papa.parse(sample, { preview: 100, newline, skipEmptyLines: true, delimitersToGuess }).meta.delimiter;
}
