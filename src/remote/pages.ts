/** Lists: their query parameters, and page objects as in Django REST Framework. */
import type { ListOptions, Page } from '../catalogue/catalogue.ts';
import type { PageObject } from './answers.ts';
import type { Http } from './http.ts';
import { type Shape, unexpectedResponseFieldError } from './shapes.ts';

type Paging = Pick<ListOptions, 'page' | 'pageSize' | 'cursor'>;

/** Query parameters of a list. The namespace and the dataset are part of the path. */
export function listQueryPairs({ search, ordering, facets, filters = {}, ...paging }: ListOptions): [string, string][] {
  const words = Object.entries({ search, ordering }).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const chosen = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return [
    ...words,
    ...chosen,
    ...(facets ? [['facets', 'true'] as [string, string]] : []),
    ...pagingQueryPairs(paging),
  ];
}

export function pagingQueryPairs({ page, pageSize, cursor }: Paging): [string, string][] {
  return [
    ...(page === undefined ? [] : ([['page', String(page)]] as [string, string][])),
    ...(cursor === undefined ? [] : ([['cursor', cursor]] as [string, string][])),
    ...(pageSize === undefined ? [] : ([['page_size', String(pageSize)]] as [string, string][])),
  ];
}

/**
 * The page in a response. The page size is the length of a page that isn't the last.
 * @throws UnreachableError for links with which a client that reads page after page would never end
 */
export function parseListPage<Item, T>(
  object: PageObject<Item>,
  { page: requested, pageSize, cursor }: Paging,
  item: (object: Item) => T,
): Page<T> {
  const { results, facets } = object;
  const count = object.count ?? results.length;
  const previous = pageNumberIn(object.previous);
  const page = requested === 'last' || requested === undefined ? (previous ?? 0) + 1 : requested;
  const isLast = object.next === null || object.next === undefined;
  if (!isLast && results.length === 0) throw unexpectedResponseFieldError('next');
  const size = isLast ? (pageSize ?? Math.max(1, results.length)) : results.length;
  const nextCursor = cursor === undefined ? undefined : isLast ? null : cursorIn(object.next, cursor);
  const isEndless = typeof nextCursor !== 'string' ? !isLast && page * size >= count : nextCursor === cursor;
  if (isEndless) throw unexpectedResponseFieldError('next');
  return {
    count,
    page,
    pages: isLast ? page : Math.max(page + 1, Math.ceil(count / size)),
    pageSize: size,
    items: results.map(item),
    ...(nextCursor !== undefined && { nextCursor }),
    ...(facets && { facets }),
  };
}

/** The items of all pages of a list, which is requested by the numbers of pages. */
export async function fetchAllPages<Item, T>(
  http: Http,
  path: string,
  pageShape: Shape<PageObject<Item>>,
  item: (object: Item) => T,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { value } = await http.requestJson({ path, query: [['page', String(page)]] }, pageShape);
    const { items, pages } = parseListPage(value, { page }, item);
    found.push(...items);
    if (page >= pages) return found;
  }
}

/** The page number in a link, by default 1; null if there is no link. */
function pageNumberIn(link: unknown): number | null {
  if (typeof link !== 'string') return null;
  return Number(/[?&]page=(\d+)/.exec(link)?.[1] ?? 1);
}

/**
 * The cursor in the link to the next page; undefined if the link of the first page has none: an older server knows no cursors.
 * @throws UnreachableError if the link of a later page has none
 */
function cursorIn(link: unknown, cursor: string): string | undefined {
  const next = typeof link === 'string' ? new URLSearchParams(link.replace(/^[^?]*/, '')).get('cursor') : null;
  if (next === null && cursor !== '') throw unexpectedResponseFieldError('next');
  return next ?? undefined;
}
