/**
 * The writer of `csv`: comma-separated values (RFC 4180), with a header line and CRLF. Null is an empty cell, an empty
 * string is `""`; DuckDB and PostgreSQL distinguish them. Objects and arrays are JSON.
 */
import { toWkt } from '../../geometry/wkt.ts';
import type { Row, Value } from '../../row.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { RowsInput, WriteOptions } from '../types.ts';
import { csvColumnsToWrite } from './columns.ts';

/** First characters that make a cell a formula in a spreadsheet, or hide one (OWASP, "CSV Injection"). */
const formulaPattern = /^[=+\-@\t\r\n]/;

/** Writes the cell of one column. */
type CellWriter = (row: Row) => void;

/** @throws RangeError unless the separator is one ASCII character, and no quote or line break */
function assertSeparator(separator: string): void {
  if (/^[\t -~]$/.test(separator) && separator !== '"') return;
  throw new RangeError(`${JSON.stringify(separator)} can't separate cells.`);
}

/** @throws RangeError for an invalid separator */
export function csvWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer, options: WriteOptions = {}): TextWriter {
  const { bom = false, separator = ',', excel = false } = options;
  assertSeparator(separator);
  const special = specialCharacters(separator);
  const write = cellTextWriter(out, separator, special);
  const disarm = (text: string) => (excel && formulaPattern.test(text) ? `'${text}` : text);
  const columns = csvColumnsToWrite(input);
  // Read once per row for several cells.
  const point = new Float64Array(2);
  let isPoint = false;
  let position: readonly number[] = [];
  const hasPosition = columns.some(({ type }) => type === 'ordinate');
  const cells = columns.map((column): CellWriter => {
    if (column.type === 'ordinate')
      return () => writeNumber(out, isPoint ? point[column.ordinate] : position[column.ordinate]);
    if (column.type === 'wkt') {
      return (row) => {
        const geometry = row.geometry();
        if (geometry) write(toWkt(geometry));
      };
    }
    // An integer beyond 2^53 is a string, but a number all the same: it needs no disarming.
    const isNumeric = column.type === 'integer' || column.type === 'float';
    const writeText = isNumeric ? write : (value: string) => write(disarm(value));
    const writeValue = (row: Row) => writeCell(out, row.value(column.index), writeText);
    if (isNumeric || excel) return writeValue;
    return (row) => {
      const text = row.asciiText?.(column.index);
      if (!text || text.start === text.end || !out.plainAscii(text, special)) writeValue(row);
    };
  });
  const separatorCode = separator.charCodeAt(0);
  return {
    columns: cells.length,
    start() {
      if (bom) out.text('\ufeff');
      columns.forEach(({ name }, i) => {
        if (i > 0) out.byte(separatorCode);
        // GDAL takes a header with an unquoted number for data.
        if (/^[\d.+-]/.test(name)) out.text(quoted(withoutZeros(disarm(name))));
        else write(disarm(name));
      });
      out.text('\r\n');
    },
    row(row, from, to) {
      const start = out.end;
      if (hasPosition && from === 0) {
        isPoint = row.readPoint?.(point) ?? false;
        if (!isPoint) position = pointPosition(row);
      }
      for (let i = from; i < to; i++) {
        if (i > 0) out.byte(separatorCode);
        (cells[i] as CellWriter)(row);
      }
      if (to === cells.length) endRow(out, out.end === start);
    },
    end() {},
  };
}

/** Most readers skip an empty line: a row whose only cell is empty would be lost, so that cell gets quotes. */
function endRow(out: TextBuffer, isEmpty: boolean): void {
  if (isEmpty) out.text('""');
  out.byte(13);
  out.byte(10);
}

const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');

function writeCell(out: TextBuffer, value: Value, writeText: (value: string) => void): void {
  if (typeof value === 'number') writeNumber(out, value);
  else if (typeof value === 'string') writeText(value);
  else if (typeof value === 'boolean') out.append(value ? trueBytes : falseBytes);
  else if (value !== null) writeText(JSON.stringify(value));
}

/** Writes nothing for NaN, and infinity as Python, R, GDAL and databases read it. */
function writeNumber(out: TextBuffer, value: number | undefined): void {
  if (value === undefined || Number.isNaN(value)) return;
  if (Number.isFinite(value)) out.cellNumber(value);
  else out.text(value > 0 ? 'inf' : '-inf');
}

/** Flags of the ASCII characters for which a cell needs quotes, and of U+0000. */
function specialCharacters(separator: string): Uint8Array {
  const special = new Uint8Array(128);
  special[0] = 1;
  for (const character of ['"', '\r', '\n', separator]) special[character.charCodeAt(0)] = 1;
  return special;
}

/** A function that writes text, in quotes if RFC 4180 requires them. */
function cellTextWriter(out: TextBuffer, separator: string, special: Uint8Array): (text: string) => void {
  const needsQuotes = new RegExp(`["\r\n\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}]`);
  return (text) => {
    if (text === '') out.text('""');
    else if (!out.plainText(text, special)) {
      const written = withoutZeros(text);
      out.text(needsQuotes.test(written) ? quoted(written) : written);
    }
  };
}

/** A text with U+FFFD for U+0000, which most readers refuse. */
const withoutZeros = (text: string): string => text.replaceAll('\0', '\ufffd');

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** @throws TypeError if the geometry is no point, against `geometryKinds` */
function pointPosition(row: Row): readonly number[] {
  const geometry = row.geometry();
  if (geometry === null) return [];
  if (geometry.type !== 'Point') throw new TypeError(`A ${geometry.type} has no place among points.`);
  return geometry.coordinates;
}
