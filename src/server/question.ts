/** From a query string to a question: how Django REST Framework reads the parameters of a list. */
import type { ListOptions } from '../catalogue/catalogue.ts';
import { facets } from '../catalogue/facets.ts';
import type { Kind } from '../catalogue/types.ts';

/** The last value of a parameter; undefined where it is absent. */
export function last(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/**
 * The question that a query string asks of a collection. Of a repeated parameter the last counts; of a repeated filter
 * any value may match. A page that can't be is 0, which no collection has.
 */
export function questionFrom(kind: Kind, query: URLSearchParams, within: Partial<ListOptions> = {}): ListOptions {
  const filters = Object.keys(facets[kind]).filter((name) => query.has(name));
  return {
    ...within,
    search: last(query, 'search'),
    ordering: last(query, 'ordering'),
    ...pagingFrom(query),
    filters: Object.fromEntries(filters.map((name) => [name, query.getAll(name)])),
  };
}

/** Which page of a collection a query string asks for. */
export function pagingFrom(query: URLSearchParams): Pick<ListOptions, 'page' | 'pageSize'> {
  return { page: pageFrom(last(query, 'page')), pageSize: pageSizeFrom(last(query, 'page_size')) };
}

function pageFrom(text: string | undefined): number | 'last' | undefined {
  if (text === undefined || text === 'last') return text;
  return wholeNumber(text) ?? 0;
}

/** What is no whole number of at least 1 counts as not given. */
function pageSizeFrom(text: string | undefined): number | undefined {
  return wholeNumber(text ?? '') || undefined;
}

function wholeNumber(text: string): number | undefined {
  return /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
}
