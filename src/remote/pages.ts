/** Page objects as Django REST Framework writes them, and the questions that they answer. */
import type { ListOptions, Page } from '../catalogue/catalogue.ts';
import { type Json, part, strange } from './read.ts';

type Paging = Pick<ListOptions, 'page' | 'pageSize'>;

/** The query string of a question; where it is asked says the namespace and the dataset. */
export function questionQuery({ search, ordering, filters = {}, ...paging }: ListOptions): [string, string][] {
  const words = Object.entries({ search, ordering }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const chosen = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return [...words, ...chosen, ...pagingQuery(paging)];
}

export function pagingQuery({ page, pageSize }: Paging): [string, string][] {
  return [
    ...(page === undefined ? [] : ([['page', String(page)]] as [string, string][])),
    ...(pageSize === undefined ? [] : ([['page_size', String(pageSize)]] as [string, string][])),
  ];
}

/**
 * The page that an object represents. How long its pages are, a server says by the length of one that isn't the last.
 * @throws UnreachableError where it represents none
 */
export function pageFrom<T>(object: Json, { page: asked, pageSize }: Paging, item: (object: Json) => T): Page<T> {
  const { results } = object;
  if (!Array.isArray(results)) throw strange('results');
  const count = Number(object.count ?? results.length);
  const before = pageIn(object.previous);
  const page = asked === 'last' || asked === undefined ? (before ?? 0) + 1 : asked;
  const isLast = object.next === null || object.next === undefined;
  // Whoever reads page after page would never come to an end.
  if (!isLast && results.length === 0) throw strange('next');
  const size = isLast ? (pageSize ?? Math.max(1, results.length)) : results.length;
  return {
    count,
    page,
    pages: isLast ? page : Math.max(page + 1, Math.ceil(count / size)),
    pageSize: size,
    items: results.map((result) => item(part(result))),
  };
}

/** The page that a link leads to: without a number, the first; null where there is no link. */
function pageIn(link: unknown): number | null {
  if (typeof link !== 'string') return null;
  return Number(/[?&]page=(\d+)/.exec(link)?.[1] ?? 1);
}
