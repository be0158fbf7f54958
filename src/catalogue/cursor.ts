/**
 * Cursors: positions in a list that hold while records are added and removed, unlike numbers of pages. A cursor has the
 * values that the last item of a page is ordered by; the next page begins with the first item that is ordered after it.
 */
import type { ListOptions, Page } from './catalogue.ts';
import { NotFoundError } from './errors.ts';
import type { Settings } from './types.ts';

/** A value that items are ordered by. */
export interface SortValue<T> {
  readonly value: (item: T) => string | number;
  readonly isDescending: boolean;
}

type Position = readonly (string | number)[];

/** Number of items on a page: the default for numbers below 1, as for an invalid `page_size` of a request. */
export const pageSizeOf = ({ pageSize = 0 }: ListOptions, { page_size, max_page_size }: Settings): number =>
  Math.min(pageSize >= 1 ? Math.floor(pageSize) : page_size, max_page_size);

/**
 * The page after a cursor.
 * @param items all items, sorted by the values
 * @param compare compares two values, ascending
 * @throws NotFoundError if the cursor is not one of this list in this order
 */
export function pageAfterCursor<T>(
  items: readonly T[],
  options: ListOptions,
  settings: Settings,
  values: readonly SortValue<T>[],
  compare: (a: string | number, b: string | number) => number,
): Page<T> & { readonly nextCursor: string | null } {
  const { cursor = '' } = options;
  const size = pageSizeOf(options, settings);
  const positionOf = (item: T): Position => values.map(({ value }) => value(item));
  const isAfter = (item: T, position: Position) => {
    for (const [i, { value, isDescending }] of values.entries()) {
      const order = compare(value(item), position[i] ?? '');
      if (order !== 0) return isDescending ? order < 0 : order > 0;
    }
    return false;
  };
  let start = 0;
  if (cursor !== '') {
    const position = decodeCursor(cursor, values.length);
    // The items are sorted: half of the rest is excluded by each comparison.
    for (let end = items.length; start < end; ) {
      const middle = (start + end) >> 1;
      if (isAfter(items[middle] as T, position)) end = middle;
      else start = middle + 1;
    }
  }
  const page = items.slice(start, start + size);
  const last = page.at(-1);
  const isLast = start + size >= items.length || last === undefined;
  return {
    count: items.length,
    page: 1,
    pages: isLast ? 1 : 2,
    pageSize: size,
    items: page,
    nextCursor: isLast ? null : encodeCursor(positionOf(last)),
  };
}

/** Base64 for URLs (RFC 4648, section 5), without padding. */
const encodeCursor = (position: Position): string =>
  btoa(encodeURIComponent(JSON.stringify(position)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

function decodeCursor(cursor: string, length: number): Position {
  let position: unknown;
  try {
    position = JSON.parse(decodeURIComponent(atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    position = null;
  }
  const isPosition =
    Array.isArray(position) &&
    position.length === length &&
    position.every((value) => typeof value === 'string' || typeof value === 'number');
  if (!isPosition) throw new NotFoundError('Invalid cursor.');
  return position as Position;
}
