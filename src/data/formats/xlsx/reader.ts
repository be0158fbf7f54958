/**
 * A reader of Excel workbooks (.xlsx, .xlsm): the cells of one sheet become lines of CSV, which are read as any other CSV, so
 * that rows, types, positions and remarks are the same.
 *
 * | In the sheet                      | Becomes                                                                      |
 * |-----------------------------------|------------------------------------------------------------------------------|
 * | number                            | number, whatever its format shows: 12 % is 0.12                              |
 * | number with a format of dates     | date, datetime or time (1900 and 1904); elapsed hours are text: 26:30:00     |
 * | formula                           | its last value; null if the program that wrote the file computed none        |
 * | #N/A and other errors             | null                                                                         |
 * | merged cells                      | the value in the first of them, null in the others                           |
 * | empty rows                        | left out                                                                     |
 */
import { PayloadError } from '../../errors.ts';
import { countLines } from '../csv/lines.ts';
import { readCsv } from '../csv/reader.ts';
import { chooseLayer } from '../layers.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { XmlStream } from '../xml/xml-stream.ts';
import { ZipArchive } from '../zip-archive.ts';
import { decodeEscapes, readSheets, readWorkbook, type Sheet, type Workbook } from './workbook.ts';

/** Limits of Excel. */
const maxRows = 1_048_576;
const maxColumns = 16_384;

/** Names of the sheets that have cells and are not hidden. @throws PayloadError */
export async function listSheets(path: string): Promise<readonly string[]> {
  const archive = await ZipArchive.open(path);
  try {
    return await namesOfFilledSheets(archive, (await readSheets(archive)).sheets);
  } finally {
    archive.close();
  }
}

async function namesOfFilledSheets(archive: ZipArchive, sheets: readonly Sheet[]): Promise<string[]> {
  const names: string[] = [];
  for (const { name, path, isHidden } of sheets) if (!isHidden && (await hasCells(archive, path))) names.push(name);
  return names;
}

/** True if a sheet has a cell with a value. */
async function hasCells(archive: ZipArchive, path: string): Promise<boolean> {
  let rest = '';
  for await (const chunk of archive.read(path)) {
    const text = rest + chunk.toString('latin1');
    if (/<(?:\w+:)?(?:v|is)[\s>]/.test(text)) return true;
    rest = text.slice(-20);
  }
  return false;
}

/**
 * @param path of the workbook
 * @param info filled in while reading
 * @throws PayloadError if it is no workbook, or has several sheets and none is named
 */
export async function* readXlsx(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  const archive = await ZipArchive.open(path);
  try {
    const workbook = await readWorkbook(archive);
    const names = workbook.sheets.map(({ name }) => name);
    const filled = await namesOfFilledSheets(archive, workbook.sheets);
    const name = chooseLayer(names, filled, info.reading.layer, 'sheet');
    const sheet = workbook.sheets.find((one) => one.name === name) as Sheet;
    info.textual = true;
    if (names.length > 1) info.title = name;
    const skipped = info.reading.skip ?? 0;
    const lines = new SheetLines(workbook, skipped);
    yield* readCsv(lines.read(archive.read(sheet.path)), info, ',', (line) => lines.rowOf(line), 'Row');
    delete info.delimiter;
    const notes = lines.remarks();
    if (notes.length) info.notes = [...(info.notes ?? []), ...notes];
  } finally {
    archive.close();
  }
}

/** The lines of a sheet as CSV: line n is row n, but for line breaks in cells. */
class SheetLines {
  readonly #workbook: Workbook;
  #line = 0;
  #out: string[] = [];
  /** The cells of the present row. */
  #cells: string[] = [];
  /** Cells of the longest row so far. */
  #width = 0;
  #column = 0;
  #type = '';
  #format = 0;
  #value: string | undefined;
  #inline = '';
  #hasFormula = false;
  #isPhonetic = false;
  readonly #errors = { count: 0, place: '' };
  readonly #uncomputed = { count: 0, place: '' };
  #merged = 0;
  readonly #skipped: number;
  /** Line breaks in cells so far; and behind each row that has some, the next line, and their number. */
  #breaks = 0;
  readonly #linesBehindBreaks: number[] = [];
  readonly #breaksBefore: number[] = [];

  /** @param skipped rows at the beginning whose lines are left empty, since cells may have line breaks */
  constructor(workbook: Workbook, skipped: number) {
    this.#workbook = workbook;
    this.#skipped = skipped;
  }

  async *read(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    const xml = new XmlStream({ open: this.#open, close: this.#close });
    for await (const chunk of chunks) {
      xml.push(chunk);
      if (this.#out.length === 0) continue;
      yield Buffer.from(this.#out.join(''));
      this.#out = [];
    }
    xml.end();
  }

  #open = (name: string, { r, t, s, count }: Readonly<Record<string, string>>): void => {
    if (name === 'row') this.#beginRow(r);
    else if (name === 'c') {
      const column = columnOfReference(r);
      this.#column = column === -1 ? this.#cells.length : column;
      if (this.#column >= maxColumns)
        throw new PayloadError(`a cell is beyond column ${maxColumns}`, { line: this.#line });
      this.#type = t ?? 'n';
      this.#format = Number(s ?? 0);
      this.#value = undefined;
      this.#inline = '';
      this.#hasFormula = false;
    } else if (name === 'rPh') this.#isPhonetic = true;
    else if (name === 'f') this.#hasFormula = true;
    else if (name === 'mergeCells') this.#merged = Number(count ?? 1);
  };

  #close = (name: string, text: string): void => {
    if (name === 'v') this.#value = text;
    else if (name === 't' && !this.#isPhonetic) this.#inline += text;
    else if (name === 'rPh') this.#isPhonetic = false;
    else if (name === 'c') {
      const cell = this.#textOfCell();
      if (cell !== '') {
        while (this.#cells.length < this.#column) this.#cells.push('');
        this.#cells[this.#column] = quoted(cell);
      }
    } else if (name === 'row') this.#endRow();
  };

  #beginRow(reference: string | undefined): void {
    const row = Number(reference ?? this.#line + 1);
    if (!(row > this.#line && row <= maxRows))
      throw new PayloadError(`the row ${row} follows the row ${this.#line}`, { line: this.#line });
    if (row > this.#line + 1) this.#out.push('\n'.repeat(row - this.#line - 1));
    this.#line = row;
    this.#cells = [];
  }

  #endRow(): void {
    if (this.#line <= this.#skipped) {
      this.#out.push('\n');
      return;
    }
    // Excel leaves out empty cells at the end of a row.
    if (this.#cells.length > 0) while (this.#cells.length < this.#width) this.#cells.push('');
    this.#width = Math.max(this.#width, this.#cells.length);
    const line = this.#cells.join(',');
    this.#out.push(line, '\n');
    const breaks = countLines(line, line.length);
    if (breaks === 0) return;
    this.#breaks += breaks;
    this.#linesBehindBreaks.push(this.#line + 1 + this.#breaks);
    this.#breaksBefore.push(this.#breaks);
  }

  /** The row of a line that begins one. */
  rowOf(line: number): number {
    const lines = this.#linesBehindBreaks;
    let low = 0;
    for (let high = lines.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((lines[middle] as number) <= line) low = middle + 1;
      else high = middle;
    }
    return line - (this.#breaksBefore[low - 1] ?? 0);
  }

  #textOfCell(): string {
    const value = this.#value;
    switch (this.#type) {
      case 's':
        return value === undefined ? '' : (this.#workbook.texts.at(Number(value)) ?? '');
      case 'inlineStr':
        return decodeEscapes(this.#inline);
      case 'str':
        return decodeEscapes(value ?? '');
      case 'b':
        return value === undefined ? '' : value.trim() === '1' ? 'true' : 'false';
      case 'e':
        this.#count(this.#errors, `row ${this.#line}, ${value}`);
        return '';
      case 'd':
        return value ?? '';
    }
    if (value === undefined || value.trim() === '') {
      if (this.#hasFormula) this.#count(this.#uncomputed, `row ${this.#line}`);
      return '';
    }
    const number = Number(value);
    if (Number.isNaN(number)) return value;
    const kind = this.#workbook.dateKinds[this.#format] ?? null;
    return (kind && dateText(number, kind, this.#workbook.from1904)) ?? numberText(number);
  }

  #count(counted: { count: number; place: string }, place: string): void {
    if (counted.count++ === 0) counted.place = place;
  }

  /** Sentences about the sheet. */
  remarks(): string[] {
    const [errors, uncomputed] = [this.#errors, this.#uncomputed];
    return [
      ...(errors.count
        ? [`Cells: ${errors.count} with an error of Excel (${errors.count > 1 ? 'first: ' : ''}${errors.place}): null.`]
        : []),
      ...(uncomputed.count
        ? [
            `Cells: ${uncomputed.count} with a formula without a value (${uncomputed.count > 1 ? 'first: ' : ''}${uncomputed.place}): null. Save the file in Excel once.`,
          ]
        : []),
      ...(this.#merged ? [`Merged cells: ${this.#merged}: the value is in the first cell of each.`] : []),
    ];
  }
}

/** Digits of an integer beyond ±(2^53 - 1) alone would be read as those of an id, which are kept as a text. */
const numberText = (number: number) =>
  Math.abs(number) > Number.MAX_SAFE_INTEGER ? number.toExponential() : String(number);

const quoted = (text: string) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Index of the column of a reference such as AB12; -1 if there is none. */
function columnOfReference(reference: string | undefined): number {
  const letters = /^\$?([A-Z]{1,3})/.exec(reference ?? '')?.[1];
  if (!letters) return -1;
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 64;
  return column - 1;
}

const day = 86_400_000;

/** A number of days as a date, time or both (18.17.4); null if there is none: a 29 February 1900 is not in the calendar. */
export function dateText(
  days: number,
  kind: 'date' | 'datetime' | 'time' | 'duration',
  from1904: boolean,
): string | null {
  // 31 December 9999; the calendar of 1904 begins 1462 days later.
  const last = from1904 ? 2_957_003 : 2_958_465;
  if (days < 0 || days >= last + 1) return null;
  const whole = Math.floor(days);
  // Rounded, as Excel does: a time of day as a double is not exact. The last day has no next one.
  const milliseconds = Math.min(Math.round((days - whole) * day), whole === last ? day - 1 : day);
  if (kind === 'duration' || (kind === 'time' && whole === 0)) {
    const inDay = kind === 'duration' ? Math.round(days * day) : milliseconds % day;
    return clockText(inDay);
  }
  // In the calendar of 1900, Excel has a day too much, its 60th.
  if (!from1904 && (whole === 60 || whole === 0)) return null;
  const epoch = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, whole < 60 ? 31 : 30);
  const text = new Date(epoch + whole * day + milliseconds).toISOString();
  // A hair before midnight is rounded up to the next day.
  if (kind === 'date' && milliseconds % day === 0) return text.slice(0, 10);
  return text.replace(/(?:\.000)?Z$/, '');
}

function clockText(milliseconds: number): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0');
  const seconds = milliseconds / 1000;
  const fraction = milliseconds % 1000 ? `.${String(milliseconds % 1000).padStart(3, '0')}` : '';
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
