/** The filters of rows: in words as chips, the form that adds one, and the address that they make. */
import type { VNode } from 'preact';
import { aggregateParameters, formParameters, partParameters } from '../catalogue/row-parameters.ts';
import type { Column } from '../catalogue/types.ts';
import { escapeHtml } from './html.ts';
import type { Locale } from './locale.ts';
import { hrefOf, hrefWith, type PageContext } from './page-context.ts';
import { mostListedColumns } from './preview-columns.ts';
import type { TextKey } from './texts/english.ts';
import { hasNumbers, numbersInWords, otherReading } from './typed-numbers.ts';

/** Comparisons in words, by lookup; the first ones are offered by the form. */
const lookupTexts = {
  exact: 'isExactly',
  ne: 'isNot',
  gte: 'isAtLeast',
  lte: 'isAtMost',
  gt: 'isGreater',
  lt: 'isLess',
  icontains: 'contains',
  istartswith: 'beginsWith',
  iendswith: 'endsWith',
  in: 'isOneOf',
  range: 'isBetween',
  isnull: 'isMissing',
  contains: 'contains',
  startswith: 'beginsWith',
  endswith: 'endsWith',
  iexact: 'isExactly',
  bbox: 'liesInBox',
} as const satisfies Readonly<Record<string, TextKey>>;

/** Lookups that the form offers. */
const offered = ['exact', 'ne', 'gte', 'lte', 'icontains', 'istartswith', 'in', 'range', 'isnull'] as const;

/** Parameters that select a part of the rows or say how they are written, and are no filters. */
const otherParameters: readonly string[] = [
  ...[...partParameters, ...formParameters, ...aggregateParameters],
  ...['_fields', '_ordering'],
];

/** The filters in a query string. @param query with names as `withExactNames` gives them */
export const filtersIn = (query: URLSearchParams): readonly (readonly [string, string])[] =>
  [...query].filter(([name]) => !otherParameters.includes(name));

interface FilterInWordsProps {
  readonly locale: Locale;
  readonly name: string;
  readonly value: string;
  readonly columns: readonly Column[];
}

/** A filter in words: `mag at least 4.5`. Names and values may be written from right to left, and turn nothing else around. */
export function FilterInWords({ locale, name, value, columns }: FilterInWordsProps): VNode {
  if (name === '_ordering')
    return <>{locale.fill('orderedByNames', { names: <bdi>{orderInWords(locale, value)}</bdi> })}</>;
  if (name === '_group_by') return <>{locale.fill('groupedByNames', { names: <bdi>{value}</bdi> })}</>;
  if (name === '_aggregate') return <>{locale.fill('valuesOfGroups', { values: <bdi>{value}</bdi> })}</>;
  const own = columns.find((column) => column.name === name);
  const place = own ? -1 : name.lastIndexOf('__');
  const column = place > 0 ? name.slice(0, place) : name;
  const lookup = place > 0 ? name.slice(place + 2) : 'exact';
  const words = (before: string, between: string, after: string) => (
    <>
      {before && <bdi>{before}</bdi>}
      {between}
      {after && <bdi>{after}</bdi>}
    </>
  );
  if (/^_?bbox$/.test(name)) return words('', `${locale.text('liesInBox')} `, value);
  if (!own && !columns.some((one) => one.name === column)) return words(name.replace(/^_/, ''), ': ', value);
  if (lookup === 'isnull')
    return words(column, ` ${locale.text(/^(true|1|t|yes)$/i.test(value) ? 'isMissing' : 'isThere')}`, '');
  const text = Object.hasOwn(lookupTexts, lookup)
    ? locale.text(lookupTexts[lookup as keyof typeof lookupTexts])
    : lookup;
  return words(column, ` ${text} `, hasNumbers(columns, column) ? numbersInWords(locale, value) : value);
}

/** What a filter may have meant; null if there is no doubt. */
function otherFilter(locale: Locale, name: string, value: string, columns: readonly Column[]): string | null {
  const column = columns.some((one) => one.name === name) ? name : name.replace(/__[^_]+$/, '');
  return hasNumbers(columns, column) ? otherReading(locale, value) : null;
}

/** Names of columns that rows are ordered by: `mag (descending), place`. */
function orderInWords(locale: Locale, value: string): string {
  const names = value.match(/-?"(?:[^"]|"")*"|[^,]+/g) ?? [];
  return names
    .map((name) => (name.startsWith('-') ? `${name.slice(1)} (${locale.text('descending')})` : name.trim()))
    .join(', ');
}

interface FiltersProps {
  readonly context: PageContext;
  /** All columns that can be filtered. */
  readonly columns: readonly Column[];
}

/** The choice of a column, as text: elements would take long. */
const optionOf = ({ name }: Column) => `<option value="${escapeHtml(name)}">${escapeHtml(name)}</option>`;

/** @param isAggregated true for groups of rows: their filters can be removed, but the form is left out */
export function RowFilters({
  context,
  columns,
  isAggregated,
}: FiltersProps & { readonly isAggregated: boolean }): VNode | null {
  const { locale, query } = context;
  const filters = filtersIn(query);
  if (isAggregated && filters.length === 0) return null;
  return (
    <div class="filters">
      <h2 class="vh">{locale.text('filters')}</h2>
      {filters.length > 0 && (
        <p class="chips">
          {filters.map(([name, value]) => (
            <a key={`${name}=${value}`} href={hrefWithout(context, name, value)} rel="nofollow">
              <span class="vh">{locale.text('removeFilter')}</span>
              <span>
                <FilterInWords {...{ locale, name, value, columns }} />
              </span>
            </a>
          ))}
        </p>
      )}
      {filters.map(([name, value]) => {
        const other = otherFilter(locale, name, value, columns);
        if (other === null) return null;
        const others = query.getAll(name).map((one) => (one === value ? other : one));
        return (
          <p key={`${name}=${value}`} class="note">
            {locale.fill('numberWasReadAs', {
              value,
              number: numbersInWords(locale, value),
              other: (
                <a href={hrefWith(context, { [name]: others, ...fromFirst })} rel="nofollow">
                  {numbersInWords(locale, other)}
                </a>
              ),
            })}
          </p>
        );
      })}
      {!isAggregated && <FilterForm context={context} columns={columns} />}
    </div>
  );
}

/** Address of the rows without a filter, from the first of them. */
export const hrefWithout = (context: PageContext, name: string, value: string): string =>
  hrefWith(context, { [name]: context.query.getAll(name).filter((one) => one !== value), ...fromFirst });

/** Parameters that lead back to the first rows. */
export const fromFirst = { _offset: null, offset: null, _page: null, page: null };

/** The form of one more filter; the server redirects to the address that it makes. */
function FilterForm({ context, columns }: FiltersProps): VNode {
  const { locale, query } = context;
  const usable = columns.filter(({ type }) => type !== 'geometry' && type !== 'object' && type !== 'array');
  return (
    <form action={hrefOf(context, context.path)}>
      {[...query]
        .filter(([name]) => !Object.hasOwn(fromFirst, name))
        .map(([name, value]) => (
          <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
        ))}
      <label class="vh" for="filter-column">
        {locale.text('column')}
      </label>
      {usable.length > mostListedColumns ? (
        <input id="filter-column" name="_add" placeholder={locale.text('column')} required />
      ) : (
        <select id="filter-column" name="_add" dangerouslySetInnerHTML={{ __html: usable.map(optionOf).join('') }} />
      )}
      <label class="vh" for="filter-lookup">
        {locale.text('comparison')}
      </label>
      <select id="filter-lookup" name="_lookup">
        {offered.map((lookup) => (
          <option key={lookup} value={lookup}>
            {locale.text(lookupTexts[lookup])}
          </option>
        ))}
      </select>
      <label class="vh" for="filter-value">
        {locale.text('value')}
      </label>
      <input id="filter-value" name="_value" placeholder={locale.text('value')} />
      <button class="btn" type="submit">
        {locale.text('addFilter')}
      </button>
    </form>
  );
}
