/** Query strings: read as Django REST Framework reads the parameters of a list, and written for the links of a page. */
import type { ListOptions } from '../catalogue/catalogue.ts';
import { closest } from '../catalogue/closest.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { filterTests } from '../catalogue/filters.ts';
import { parseBoolean } from '../catalogue/input.ts';
import type { Kind } from '../catalogue/types.ts';

/** The last value of a parameter; undefined if it is absent. */
export function lastValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/** True if a write is only to be checked: `?dry_run=true`. @throws ValidationError if the value isn't a boolean */
export const dryRunFrom = (query: URLSearchParams): boolean => flagFrom(query, 'dry_run');

/** A parameter that is true or false; false if it is absent. @throws ValidationError */
export function flagFrom(query: URLSearchParams, name: string): boolean {
  const verdict = parseBoolean(lastValue(query, name) ?? false);
  if ('errors' in verdict) throw new ValidationError({ [name]: verdict.errors });
  return verdict.value === true;
}

/** Refuses a dry run of a write that has none, instead of changing something. @throws ValidationError */
export function refuseDryRun({ dryRun }: { readonly dryRun: boolean }): void {
  if (dryRun) throw new ValidationError({ dry_run: ['This write has no dry run.'] });
}

const listParameters = ['search', 'ordering', 'page', 'page_size', 'cursor', 'format', '_format'];

/**
 * Refuses parameters that are probably misspelled. Others that are unknown are ignored, and kept in links.
 * @param known names of further parameters
 * @throws ValidationError
 */
export function refuseMisspelled(query: URLSearchParams, known: readonly string[] = []): void {
  const names = [...listParameters, ...known];
  const errors = [...new Set(query.keys())].flatMap((name) => {
    // A short name is near to many.
    const near = names.includes(name) ? undefined : closest(name, names, name.length < 6 ? 1 : 2);
    return near === undefined ? [] : [[name, [`Unknown parameter "${name}". Did you mean "${near}"?`]]];
  });
  if (errors.length > 0) throw new ValidationError(Object.fromEntries(errors));
}

/**
 * The options of a list. Of a repeated parameter the last value counts; of a repeated filter any value may match.
 * @throws ValidationError if a parameter is probably misspelled
 */
export function listOptionsFrom(
  kind: Kind,
  query: URLSearchParams,
  within: Pick<ListOptions, 'namespace' | 'dataset'> = {},
): ListOptions {
  const known = Object.keys(filterTests[kind]);
  refuseMisspelled(query, known);
  const filters = known.filter((name) => query.has(name));
  return {
    ...within,
    search: lastValue(query, 'search'),
    ordering: lastValue(query, 'ordering'),
    ...pagingFrom(query),
    cursor: lastValue(query, 'cursor'),
    filters: Object.fromEntries(filters.map((name) => [name, query.getAll(name)])),
  };
}

/** The page of a list. An invalid page number is read as 0, which no list has; an invalid page size as absent. */
export function pagingFrom(query: URLSearchParams): Pick<ListOptions, 'page' | 'pageSize'> {
  const page = lastValue(query, 'page');
  return {
    page: page === undefined || page === 'last' ? page : (wholeNumber(page) ?? 0),
    pageSize: wholeNumber(lastValue(query, 'page_size') ?? '') || undefined,
  };
}

function wholeNumber(text: string): number | undefined {
  return /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
}

/**
 * The query string with some parameters replaced, as Django REST Framework writes it: sorted by name, encoded anew.
 * @param change new values by name; null removes a parameter
 */
export function withParameters(
  query: URLSearchParams,
  change: Readonly<Record<string, string | number | null>>,
): string {
  const pairs = [...query].filter(([name]) => !Object.hasOwn(change, name));
  for (const [name, value] of Object.entries(change)) if (value !== null) pairs.push([name, String(value)]);
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return pairs.map(([name, value]) => `${quotePlus(name)}=${quotePlus(value)}`).join('&');
}

/** Percent-encoding as Python's `quote_plus`: only letters, digits and `_.-~` stay as they are. */
function quotePlus(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}
