/** Values in a filter, typed as the column is that they are compared with. */
import { instantOf, isDate, secondsOf } from '../date-time.ts';
import { TextError } from '../errors.ts';
import type { TableColumn } from '../row.ts';
import type { Scalar } from './predicate.ts';

/**
 * A text as a value of a column's type. Blanks around it are left aside but for strings.
 * @param whole whether a fraction can't be meant where the column has integers (`exact`, not `gt`)
 * @throws TextError
 */
export function parseLiteral(type: TableColumn['type'], text: string, whole = false): Scalar {
  const value = text.trim();
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'float': {
      const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
      if (!Number.isFinite(number)) throw new TextError(`"${text}" is not a number.`);
      if (type === 'integer' && whole && !Number.isSafeInteger(number)) {
        throw new TextError(`"${text}" is not an integer${Number.isInteger(number) ? ' of at most 2^53 - 1' : ''}.`);
      }
      return number;
    }
    case 'boolean':
      if (/^(true|1)$/i.test(value)) return true;
      if (/^(false|0)$/i.test(value)) return false;
      throw new TextError(`"${text}" is neither true nor false.`);
    case 'date':
      if (isDate(value)) return value;
      throw new TextError(`"${text}" is not a date of the form YYYY-MM-DD.`);
    case 'datetime': {
      // The + of an offset that was not percent-encoded arrives as a blank.
      const instant = value.replace(/ (?=\d\d:?\d\d$)(?<=T.*)/i, '+');
      if (!Number.isNaN(instantOf(instant))) return instant;
      throw new TextError(`"${text}" is not a date and time of the form YYYY-MM-DDTHH:MM:SSZ.`);
    }
    case 'time':
      if (!Number.isNaN(secondsOf(value))) return value;
      throw new TextError(`"${text}" is not a time of the form HH:MM:SS.`);
    case 'object':
    case 'array':
      throw new TextError(`Values of type ${type} can't be compared.`);
  }
}

/**
 * The parts of a comma-separated list. A part in double quotes may contain commas, blanks at its ends, and quotes
 * written twice, as in a line of CSV (RFC 4180); blanks around the others are left aside.
 *
 *     splitList('a, "b, c","say ""hi"""')  // ['a', 'b, c', 'say "hi"']
 *
 * @throws TextError where a quote isn't closed
 */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  const part = /\s*(?:"((?:[^"]|"")*)"\s*|([^",][^,]*|))(,|$)/y;
  for (;;) {
    const found = part.exec(text);
    if (!found) throw new TextError('A value in double quotes has to end with a quote before the next comma.');
    parts.push(found[1] === undefined ? (found[2] ?? '').trim() : found[1].replaceAll('""', '"'));
    if (found[3] === '') return parts;
  }
}
