/** Query strings: read as Django REST Framework reads the parameters of a list, and written for the links of a page. */
import type { ListOptions } from '../catalogue/catalogue.ts';
import { closestWord, didYouMean } from '../catalogue/closest.ts';
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { filterTests, orderFields } from '../catalogue/filters.ts';
import { parseBooleanInput } from '../catalogue/input.ts';
import type { Kind } from '../catalogue/types.ts';

/** The last value of a parameter; undefined if it is absent. */
export function lastParameterValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1);
}

/**
 * True if a write is only to be checked: `?dry_run=true`.
 * @throws ValidationError for another spelling of the name, for values that differ, or if the value isn't a boolean: it
 * would be a real write
 */
export function parseDryRun(query: URLSearchParams): boolean {
  const misspelled = [...query.keys()].find(
    (name) => name !== 'dry_run' && closestWord(name.toLowerCase().replace(/[^a-z]/g, ''), ['dryrun'], 1),
  );
  if (misspelled !== undefined) throw new ValidationError({ [misspelled]: [misspelledMessage(misspelled, 'dry_run')] });
  if (new Set(query.getAll('dry_run')).size > 1)
    throw new ValidationError({ dry_run: ['This parameter is given with different values: give it once.'] });
  return parseBooleanParameter(query, 'dry_run');
}

const misspelledMessage = (name: string, near: string) =>
  `Unknown parameter "${excerpt(name)}". Did you mean "${near}"?`;

/** A parameter that is true or false; false if it is absent. @throws ValidationError */
export function parseBooleanParameter(query: URLSearchParams, name: string): boolean {
  const verdict = parseBooleanInput(lastParameterValue(query, name) ?? false);
  if ('errors' in verdict) throw new ValidationError({ [name]: verdict.errors });
  return verdict.value === true;
}

/** Refuses a dry run of a write that has none, instead of changing something. @throws ValidationError */
export function refuseDryRun({ dryRun }: { readonly dryRun: boolean }): void {
  if (dryRun) throw new ValidationError({ dry_run: ['This write has no dry run.'] });
}

const formatParameters = ['format', '_format'];

/**
 * Refuses parameters that are probably misspelled. Others that are unknown are ignored, and kept in links.
 * @param known names of the parameters besides the format
 * @throws ValidationError
 */
export function refuseMisspelledParameters(query: URLSearchParams, known: readonly string[]): void {
  const names = [...formatParameters, ...known];
  const errors = [...new Set(query.keys())].flatMap((name) => {
    // A short name is near to many.
    const near = names.includes(name) ? undefined : closestWord(name, names, name.length < 6 ? 1 : 2);
    return near === undefined ? [] : [[name, [misspelledMessage(name, near)]]];
  });
  if (errors.length > 0) throw new ValidationError(Object.fromEntries(errors));
}

/**
 * Refuses all unknown parameters, for what can't be undone.
 * @param known names of the parameters besides the format
 * @throws ValidationError
 */
export function refuseUnknownParameters(query: URLSearchParams, known: readonly string[]): void {
  const names = [...formatParameters, ...known];
  const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name));
  const message = (name: string) => `Unknown parameter "${excerpt(name)}".${didYouMean(name, names)}`;
  if (unknown.length > 0) throw new ValidationError(Object.fromEntries(unknown.map((name) => [name, [message(name)]])));
}

/** The lists whose filters are those that people expect of every list. */
const mainKinds = ['dataset', 'version'] as const;

/**
 * Refuses what is a filter to its sender: a field with a lookup (`namespace__in`), or a filter of another list. The whole
 * list would be a wrong answer that looks right.
 * @param known names of the filters of the list
 * @throws ValidationError
 */
function refuseUnknownFilters(kind: Kind, query: URLSearchParams, known: readonly string[]): void {
  const others = mainKinds.flatMap((other) => Object.keys(filterTests[other]));
  const fields = new Set(
    [...known, ...others, ...Object.keys(orderFields[kind]), ...publicFieldNames(kind)].map(
      (name) => name.split('__')[0],
    ),
  );
  const errors = [...new Set(query.keys())].flatMap((name) => {
    if (known.includes(name)) return [];
    const [field = '', lookup] = name.split('__', 2);
    const isFilter = lookup === undefined ? others.includes(name) : fields.has(field);
    if (!isFilter) return [];
    const isSame = known.includes(field) && ['in', 'exact', 'iexact'].includes(lookup ?? '');
    const remedy = isSame
      ? `Send "${field}", repeated for several values.`
      : `There are ${known.toSorted().join(', ')}.`;
    return [[name, [`Unknown filter "${excerpt(name)}". ${remedy}`]] as const];
  });
  if (errors.length > 0) throw new ValidationError(Object.fromEntries(errors));
}

const publicFieldNames = (kind: Kind): readonly string[] =>
  kind === 'file' ? [] : fieldsOf(kind).flatMap(({ name, internal }) => (internal ? [] : [name]));

/** Most values of all filters of a list: a page has a link for each, with all the others in its address. */
const maxFilterValues = 100;

/**
 * The options of a list. Of a repeated parameter the last value counts; of a repeated filter any value may match.
 * @throws ValidationError if a parameter is probably misspelled, or a filter that the list lacks, or there are too many filters
 */
export function parseListOptions(
  kind: Kind,
  query: URLSearchParams,
  within: Pick<ListOptions, 'namespace' | 'dataset'> = {},
): ListOptions {
  const known = Object.keys(filterTests[kind]);
  const facets = kind === 'dataset' ? ['facets'] : [];
  refuseMisspelledParameters(query, ['search', 'ordering', 'page', 'page_size', 'cursor', ...facets, ...known]);
  refuseUnknownFilters(kind, query, known);
  const filters = known.filter((name) => query.has(name));
  const values = filters.reduce((sum, name) => sum + query.getAll(name).length, 0);
  if (values > maxFilterValues)
    throw new ValidationError({ non_field_errors: [`There are ${values} filters: at most ${maxFilterValues}.`] });
  return {
    ...within,
    search: lastParameterValue(query, 'search'),
    ordering: lastParameterValue(query, 'ordering'),
    ...parsePaging(query),
    cursor: lastParameterValue(query, 'cursor'),
    filters: Object.fromEntries(filters.map((name) => [name, query.getAll(name)])),
    ...(kind === 'dataset' && { facets: parseBooleanParameter(query, 'facets'), updatedSince: recentDates() }),
  };
}

/** The dates of 7, 30 and 365 days ago, UTC: the facets count the datasets that were updated since. */
const recentDates = (): readonly string[] =>
  [7, 30, 365].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));

/** The page of a list. An invalid page number is read as 0, which no list has; an invalid page size as absent. */
export function parsePaging(query: URLSearchParams): Pick<ListOptions, 'page' | 'pageSize'> {
  const page = lastParameterValue(query, 'page');
  return {
    page: page === undefined || page === 'last' ? page : (wholeNumber(page) ?? 0),
    pageSize: wholeNumber(lastParameterValue(query, 'page_size') ?? '') || undefined,
  };
}

function wholeNumber(text: string): number | undefined {
  return /^\s*\+?\d+\s*$/.test(text) ? Number(text) : undefined;
}

/**
 * The query string with some parameters replaced, as Django REST Framework writes it: sorted by name, encoded anew.
 * @param change new values by name; null removes a parameter
 */
export function replaceQueryStringParameters(
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
