/** Values and lists of values in parameters. */
import { excerpt } from '../../catalogue/errors.ts';
import { isCalendarDate, parseDateTime, parseTimeOfDay } from '../date-time.ts';
import { ParameterError } from '../errors.ts';
import type { TableColumn } from '../row.ts';
import type { Scalar } from './predicate.ts';

/**
 * Parses a value of a column's type. Blanks around it are ignored, except for strings.
 * @param integersOnly true if a fraction is an error for an integer column (`exact`; not `gt`)
 * @throws ParameterError
 */
export function parseValueOfColumnType(type: TableColumn['type'], text: string, integersOnly = false): Scalar {
  const value = text.trim();
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'float': {
      const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN;
      if (!Number.isFinite(number)) throw new ParameterError(`"${excerpt(text)}" is not a number.`);
      if (type === 'integer' && integersOnly && !Number.isSafeInteger(number)) {
        throw new ParameterError(
          `"${excerpt(text)}" is not an integer${Number.isInteger(number) ? ' of at most 2^53 - 1' : ''}.`,
        );
      }
      return number;
    }
    case 'boolean':
      if (/^(true|1)$/i.test(value)) return true;
      if (/^(false|0)$/i.test(value)) return false;
      throw new ParameterError(`"${excerpt(text)}" is neither true nor false.`);
    case 'date':
      if (isCalendarDate(value)) return value;
      throw new ParameterError(`"${excerpt(text)}" is not a date of the form YYYY-MM-DD.`);
    case 'datetime': {
      // The + of an offset that was not percent-encoded arrives as a blank.
      const instant = value.replace(/ (?=\d\d:?\d\d$)(?<=T.*)/i, '+');
      if (!Number.isNaN(parseDateTime(instant))) return instant;
      throw new ParameterError(`"${excerpt(text)}" is not a date and time of the form YYYY-MM-DDTHH:MM:SSZ.`);
    }
    case 'time':
      if (!Number.isNaN(parseTimeOfDay(value))) return value;
      throw new ParameterError(`"${excerpt(text)}" is not a time of the form HH:MM:SS.`);
    case 'object':
    case 'array':
      throw new ParameterError(`Values of type ${type} can't be compared.`);
  }
}

/** Parses a whole number of at least `min`. @throws ParameterError */
export function parseWholeNumber(text: string, min: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= min) return number;
  const most = number > Number.MAX_SAFE_INTEGER ? ` and at most ${Number.MAX_SAFE_INTEGER}` : '';
  throw new ParameterError(`"${excerpt(text)}" is not a whole number of at least ${min}${most}.`);
}

/** An item of a list, up to the comma or the end: between double quotes, or as it is. */
const listItem = /\s*()(?:"((?:[^"]|"")*)"\s*|([^",][^,]*|))(,|$)/y;
/** The same with a minus before it; or a function of a name between double quotes. */
const orderingItem = /\s*(-?)(?:"((?:[^"]|"")*)"\s*|(\w+\(\s*"(?:[^"]|"")*"\s*\)\s*|[^",][^,]*|))(,|$)/y;

/**
 * Splits a comma-separated list. An item in double quotes may contain commas, blanks at its ends, and doubled quotes, as
 * in a line of CSV (RFC 4180); blanks around other items are ignored.
 *
 *     splitList('a, "b, c","say ""hi"""')  // ['a', 'b, c', 'say "hi"']
 *
 * @throws ParameterError if a quote isn't closed
 */
export const splitList = (text: string): string[] => splitByPattern(text, listItem);

/**
 * Splits a list of names as `splitList` does; a minus may precede the quotes, and a function may contain them.
 *
 *     splitOrdering('-"b, c",-sum("d, e")')  // ['-b, c', '-sum("d, e")']
 *
 * @throws ParameterError if a quote isn't closed
 */
export const splitOrdering = (text: string): string[] => splitByPattern(text, orderingItem);

/** @param itemPattern pattern of an item; its groups: the text before the quotes, the text between them, an unquoted text, the end */
function splitByPattern(text: string, itemPattern: RegExp): string[] {
  const items: string[] = [];
  itemPattern.lastIndex = 0;
  for (;;) {
    const [all, before = '', quoted, plain = '', end] = itemPattern.exec(text) ?? [];
    if (all === undefined)
      throw new ParameterError('A value in double quotes has to end with a quote before the next comma.');
    items.push(before + (quoted?.replaceAll('""', '"') ?? plain.trim()));
    if (end === '') return items;
  }
}
