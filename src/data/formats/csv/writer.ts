/**
 * `csv`: comma-separated values (RFC 4180), with a header line and CRLF. A cell without a value is empty, an empty
 * string is `""`, which DuckDB and PostgreSQL tell apart. Objects and arrays are JSON.
 */
import { toWkt } from '../../geometry/wkt.ts';
import type { Row, Value } from '../../row.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { RowsInput, WriteOptions } from '../types.ts';
import { csvColumns } from './columns.ts';

/** What makes a spreadsheet take a cell for a formula, or hides that it is one (OWASP, "CSV Injection"). */
const formula = /^[=+\-@\t\r\n]/;

type Cell = (row: Row) => void;

/** @throws RangeError where the separator isn't one ASCII character that CSV leaves free. */
export function csv(input: Omit<RowsInput, 'rows'>, out: TextBuffer, options: WriteOptions = {}): TextWriter {
  const { bom = false, separator = ',', excel = false } = options;
  if (!/^[\t -~]$/.test(separator) || separator === '"') {
    throw new RangeError(`${JSON.stringify(separator)} can't separate cells.`);
  }
  const write = textWriter(out, separator);
  const guard = (text: string) => (excel && formula.test(text) ? `'${text}` : text);
  const columns = csvColumns(input);
  // Made once a row, though it fills several cells.
  let position: readonly number[] = [];
  const hasPosition = columns.some(({ type }) => type === 'ordinate');
  const cells = columns.map((column): Cell => {
    if (column.type === 'ordinate') return () => writeNumber(out, position[column.ordinate]);
    if (column.type === 'wkt') {
      return (row) => {
        const geometry = row.geometry();
        if (geometry) write(toWkt(geometry));
      };
    }
    // An integer beyond 2^53 comes as a string, but is a number all the same: nothing to guard against.
    const numeric = column.type === 'integer' || column.type === 'float';
    const text = numeric ? write : (value: string) => write(guard(value));
    return (row) => writeCell(out, row.value(column.index), text);
  });
  const between = separator.charCodeAt(0);
  return {
    start() {
      if (bom) out.text('\ufeff');
      columns.forEach(({ name }, i) => {
        if (i > 0) out.byte(between);
        // GDAL takes a line for data, not for a header, if there is a bare number in it.
        if (/^[\d.+-]/.test(name)) out.text(quoted(guard(name)));
        else write(guard(name));
      });
      out.text('\r\n');
    },
    row(row) {
      const start = out.end;
      if (hasPosition) position = pointPosition(row);
      for (let i = 0; i < cells.length; i++) {
        if (i > 0) out.byte(between);
        (cells[i] as Cell)(row);
      }
      // Most readers skip an empty line, and with it a row whose only cell is empty.
      if (out.end === start) out.text('""');
      out.byte(13);
      out.byte(10);
    },
    end() {},
  };
}

function writeCell(out: TextBuffer, value: Value, text: (value: string) => void): void {
  if (typeof value === 'number') writeNumber(out, value);
  else if (typeof value === 'string') text(value);
  else if (typeof value === 'boolean') out.text(value ? 'true' : 'false');
  else if (value !== null) text(JSON.stringify(value));
}

/** Nothing for a number that isn't finite. */
function writeNumber(out: TextBuffer, value: number | undefined): void {
  if (value !== undefined && Number.isFinite(value)) out.number(value);
}

/** Writes text, in quotes where RFC 4180 demands them. */
function textWriter(out: TextBuffer, separator: string): (text: string) => void {
  const special = new Uint8Array(128);
  for (const character of ['"', '\r', '\n', separator]) special[character.charCodeAt(0)] = 1;
  const needsQuotes = new RegExp(`["\r\n\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}]`);
  return (text) => {
    if (text === '') out.text('""');
    else if (!out.plain(text, special)) out.text(needsQuotes.test(text) ? quoted(text) : text);
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** @throws TypeError for another geometry: the caller said that there are only points. */
function pointPosition(row: Row): readonly number[] {
  const geometry = row.geometry();
  if (geometry === null) return [];
  if (geometry.type !== 'Point') throw new TypeError(`A ${geometry.type} has no place among points.`);
  return geometry.coordinates;
}
