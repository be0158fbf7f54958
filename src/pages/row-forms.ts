/** The query strings that the forms of pages of rows and lists stand for. */
import { boxParameter, quotedName } from '../catalogue/row-parameters.ts';
import type { Column } from '../catalogue/types.ts';
import { filterName } from './histogram.tsx';
import type { Locale } from './locale.ts';
import { queryStringOf } from './page-context.ts';
import { hasNumbers, plainNumber, plainNumbers } from './typed-numbers.ts';

/**
 * The query string that the forms of the page stand for: one more filter, or other columns; null if none was sent.
 * @param columns those of the rows: a number is read in the reader's language
 */
export function queryOfRowForms(query: URLSearchParams, locale: Locale, columns: readonly Column[]): string | null {
  if (!query.has('_add') && !query.has('_show')) return null;
  const formNames = ['_add', '_lookup', '_value', '_show'];
  const kept = [...query].filter(([name]) => !formNames.includes(name));
  const column = query.get('_add');
  if (column) {
    const lookup = query.get('_lookup') || 'exact';
    const typed = query.get('_value') ?? '';
    const read = lookup === 'in' || lookup === 'range' ? plainNumbers : plainNumber;
    const value = hasNumbers(columns, column) ? read(locale, typed) : typed;
    const name = lookup === 'exact' ? filterName(column) : `${column}__${lookup}`;
    kept.push([name, lookup === 'isnull' ? 'true' : value]);
  }
  const shown = query.getAll('_show');
  if (shown.length) kept.push(['_fields', shown.map(quotedName).join(',')]);
  return queryStringOf(kept);
}

const sides = ['_west', '_south', '_east', '_north'] as const;
const limits = { _west: '-180', _south: '-90', _east: '180', _north: '90' } as const;

/**
 * The query string that the form of an area stands for; null if it wasn't sent. Blank sides are those of the world; if
 * all are blank, there is no box.
 * @param columns those of the rows, of which parameters without a text are filters; null for a list of datasets, of which they are
 * left out
 */
export function queryOfAreaForm(
  query: URLSearchParams,
  locale: Locale,
  columns: readonly Column[] | null,
): string | null {
  if (!sides.some((side) => query.has(side))) return null;
  const values = sides.map((side) => plainNumber(locale, query.get(side)?.trim() ?? '') || null);
  const box = values.some((value) => value !== null)
    ? sides.map((side, i) => values[i] ?? limits[side]).join(',')
    : null;
  const names: readonly string[] = [...sides, 'bbox', '_bbox', 'page', '_page', 'offset', '_offset'];
  const kept = [...query].filter(([name, value]) => !names.includes(name) && (columns !== null || value !== ''));
  return queryStringOf([...kept, ...(box === null ? [] : ([[boxParameter(columns ?? []), box]] as const))]);
}
