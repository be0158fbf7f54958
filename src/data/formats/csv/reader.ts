/**
 * CSV and TSV (RFC 4180, and what is found in the wild). The first row holds the names.
 *
 * | In the file                              | Answer                                                              |
 * |------------------------------------------|---------------------------------------------------------------------|
 * | `,` `;` tab or `|` between cells         | found out from the first rows; Excel's `sep=;` line is obeyed       |
 * | LF, CR LF or CR between rows             | either; blank lines are nothing                                     |
 * | an empty cell, quoted or not             | null                                                                |
 * | a row with fewer cells than names        | null in the others                                                  |
 * | a row with more cells than names         | more columns (`column_5`), unless the cells are empty               |
 * | a name that is empty, or there twice     | `column_<place>`; a suffix `_2`, `_3` …                             |
 * | a quote inside a quoted cell, not doubled| kept as it is where the cell ends on the same line, else refused    |
 * | a quote that is never closed             | refused, with the line where it opens                               |
 * | a row of more than 16 MB                 | refused                                                             |
 * | zero bytes                               | refused: not text                                                   |
 */
import Papa from 'papaparse';
import { PayloadError } from '../../errors.ts';
import type { Geometry } from '../../geometry/geometry.ts';
import { blockBytes, blockCells, blockRows, maxColumns, maxCsvRow } from '../../limits.ts';
import type { Batch, Findings } from '../types.ts';
import { findLocator, type Locator } from './geometry-columns.ts';

/** Rows that decide where the geometry is. */
const sampleRows = 1000;

/**
 * @param chunks text in UTF-8
 * @param findings filled in along the way; `delimiter` is obeyed where it is set
 * @throws PayloadError with the line
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  findings: Findings,
): AsyncGenerator<Batch, void, undefined> {
  const table = new CsvRows(findings);
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    table.push(decoder.decode(chunk, { stream: true }), false);
    if (table.full) yield table.take() as Batch;
  }
  table.push(decoder.decode(), true);
  const last = table.take();
  if (last) yield last;
}

class CsvRows {
  readonly #findings: Findings;
  readonly #names: string[] = [];
  #parser: Papa.Parser | undefined;
  #header = false;
  #locator: Locator | null | undefined;
  #rows: string[][] = [];
  #rest = '';
  /**
   * How much there has to be before it is looked at, unless it is all there is: what the delimiter is found in, and
   * twice as much of a row that hasn't ended. Else a long one would be looked through anew with each chunk.
   */
  #enough = 64 * 1024;
  #line = 1;
  #bytes = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  push(text: string, last: boolean): void {
    if (text.includes('\0')) throw new PayloadError('not text: holds zero bytes', { line: this.#line });
    const input = this.#rest + text;
    if (!last && input.length < this.#enough) {
      this.#rest = input;
      return;
    }
    if (input === '') return;
    this.#parser ??= this.#newParser(input);
    const { data, errors, meta } = this.#parser.parse(input, 0, !last) as Papa.ParseResult<string[]>;
    this.#rest = last ? '' : input.slice(meta.cursor);
    this.#enough = meta.cursor > 0 ? 0 : Math.min(2 * input.length, maxCsvRow + 1);
    for (const error of errors) this.#judge(error, input, data);
    if (this.#rest.length > maxCsvRow) {
      throw new PayloadError(`a row is longer than ${maxCsvRow} characters, or a quote is never closed`, {
        line: this.#line + countLines(input, meta.cursor),
      });
    }
    for (const row of data) this.#add(row);
    this.#line += countLines(input, input.length - this.#rest.length);
    this.#bytes += input.length - this.#rest.length;
  }

  #newParser(input: string): Papa.Parser {
    // Quoted cells may hold line breaks of another kind.
    const newline = /\r(?!\n)/.test(input) && !withoutQuoted(input).includes('\n') ? '\r' : '\n';
    const hint = /^sep=(.)\r?[\n\r]/i.exec(input);
    if (hint) {
      this.#findings.delimiter ??= hint[1] as string;
      this.#skip = 1;
    }
    this.#findings.delimiter ??= guessDelimiter(input.slice(0, 64 * 1024), newline);
    return new Papa.Parser({ delimiter: this.#findings.delimiter, newline, quoteChar: '"', escapeChar: '"' });
  }
  /** Rows to leave out before the names. */
  #skip = 0;

  #judge(error: Papa.ParseError, input: string, data: string[][]): void {
    const line = this.#line + countLines(input, error.index ?? 0);
    if (error.code === 'MissingQuotes') throw new PayloadError('a quoted cell is never closed', { line });
    if (error.code === 'InvalidQuotes' && data[error.row ?? 0]?.some((cell) => cell.includes('\n'))) {
      throw new PayloadError('a quote inside a quoted cell is not doubled', { line });
    }
  }

  #add(row: string[]): void {
    const end = row.length - 1;
    const last = row[end] as string;
    if (last.charCodeAt(last.length - 1) === 13) row[end] = last.slice(0, -1);
    if (row.length === 1 && row[0] === '') return;
    if (this.#skip > 0) {
      this.#skip--;
    } else if (!this.#header) {
      this.#header = true;
      this.#grow(row.map((name) => name.trim()));
    } else {
      if (row.length > this.#names.length) this.#widen(row);
      this.#rows.push(row);
    }
  }

  /** A row with more cells than names: new columns where they hold something. */
  #widen(row: string[]): void {
    while (row.length > this.#names.length && row.at(-1) === '') row.pop();
    if (row.length > this.#names.length) this.#grow(row.slice(this.#names.length).map(() => ''));
  }

  #grow(names: readonly string[]): void {
    // Copied through a buffer: a piece of the chunk's text would keep all of it in memory.
    for (const name of names) this.#names.push(Buffer.from(name).toString());
    if (this.#names.length > maxColumns)
      throw new PayloadError(`more than ${maxColumns} columns`, { line: this.#line });
  }

  get full(): boolean {
    const rows = this.#rows.length;
    return rows >= blockRows || this.#bytes >= blockBytes || rows * this.#names.length >= blockCells;
  }

  take(): Batch | null {
    const rows = this.#rows;
    const names = this.#names;
    if (rows.length === 0 && names.length === 0) return null;
    if (this.#locator === undefined) {
      this.#locator = findLocator(names, rows.slice(0, sampleRows));
      if (this.#locator?.wkt !== undefined) this.#findings.geometryColumn = this.#locator.wkt;
      if (this.#locator?.pair) this.#findings.pointColumns = this.#locator.pair;
    }
    const line = this.#line;
    const batch: Batch = {
      rows: rows.length,
      names,
      values: names.map((_, column) => {
        const values = new Array<string | undefined>(rows.length);
        for (let row = 0; row < rows.length; row++) values[row] = (rows[row] as string[])[column];
        return values;
      }),
      geometries: this.#locator ? this.#geometries(this.#locator, rows) : null,
      ids: null,
      places: null,
      errorAt: (_, reason) => new PayloadError(reason, { line }),
    };
    this.#rows = [];
    this.#bytes = 0;
    return batch;
  }

  #geometries(locator: Locator, rows: readonly string[][]): (Geometry | null)[] {
    return rows.map((row) => {
      const geometry = locator.locate(row);
      if (geometry === undefined) delete this.#findings.geometryColumn;
      return geometry ?? null;
    });
  }
}

function guessDelimiter(sample: string, newline: '\n' | '\r'): string {
  const delimitersToGuess = [',', ';', '\t', '|'];
  return Papa.parse(sample, { preview: 100, newline, skipEmptyLines: true, delimitersToGuess }).meta.delimiter;
}

const withoutQuoted = (text: string) => text.replace(/"(?:[^"]|"")*"/g, '');

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
