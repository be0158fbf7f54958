/** Numbers as people type them into forms, in their language: `1.234,5` or `50 000`. Addresses have them as JSON does. */
import type { Column } from '../catalogue/types.ts';
import { isNumeric } from './cells.tsx';
import type { Locale } from './locale.ts';

const spacesBetweenGroups = /(?<=\d)[\s\u00a0\u2009\u202f](?=\d{3}(?!\d))/g;

/**
 * A number that was typed, as JSON writes it: `1.234,5` is `1234.5` where decimals have a comma. `50.000` stays: it may
 * be copied from a cell, and cells are written as in the file (`otherReading`). So does a text that is not a number.
 */
export function plainNumber({ decimalSign }: Locale, typed: string): string {
  let text = typed
    .trim()
    .replace(/^[\u2212\u2013]/, '-')
    .replace(spacesBetweenGroups, '');
  if (decimalSign === ',') {
    if (/^-?\d{1,3}(\.\d{3})+,\d+$|^-?\d{1,3}(\.\d{3}){2,}$/.test(text)) text = text.replaceAll('.', '');
    text = text.replace(/^(-?\d+),(\d+)$/, '$1.$2');
  } else if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) text = text.replaceAll(',', '');
  return isPlain(text) ? text : typed;
}

/** Numbers that were typed as a list, as the parameter has them: with semicolons between them, decimals may have commas. */
export const plainNumbers = (locale: Locale, typed: string): string =>
  typed
    .split(typed.includes(';') ? ';' : ',')
    .map((one) => plainNumber(locale, one))
    .join(',');

/** The numbers of a parameter for people, all digits and no groups: `1.5,20` is `1,5; 20` where decimals have a comma. */
export const numbersInWords = ({ decimalSign }: Locale, value: string): string =>
  value
    .split(',')
    .map((one) => (isPlain(one) ? withoutEndingZeros(one).replace('.', decimalSign).replace('-', '\u2212') : one))
    .join('; ');

/**
 * What the numbers of a parameter may have meant, where decimals have a comma: `50.000` is 50, and people write 50000 like
 * that, while no program writes 50 like that.
 * @returns null if there is no doubt
 */
export function otherReading({ decimalSign }: Locale, value: string): string | null {
  if (decimalSign === '.') return null;
  const other = value.replace(/(?<![^,])(-?[1-9]\d{0,2})\.(\d\d0)(?![^,])/g, '$1$2');
  return other === value ? null : other;
}

/** True if the values of a column are numbers. */
export const hasNumbers = (columns: readonly Column[], name: string): boolean =>
  columns.some((column) => column.name === name && isNumeric(column.type));

const isPlain = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

const withoutEndingZeros = (number: string): string =>
  number.replace(/\.(\d*[1-9])?0*$/, (_, kept = '') => kept && `.${kept}`);
