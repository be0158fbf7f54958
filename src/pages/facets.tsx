/** Facets beside a list of datasets: values of filters with counts, each a link; and the chips of those chosen. */
import type { VNode } from 'preact';
import { type FacetName, type Facets, type FacetValue, facetNames } from '../catalogue/facets.ts';
import { foldCaseAndAccents } from '../catalogue/fold.ts';
import { AreaForm, nameOfArea } from './area.tsx';
import { geometryTexts, licenceName } from './figures.ts';
import { formatName } from './format-names.ts';
import { hrefWith, type PageContext } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

/** Names of the facets, and of the area. */
const titles = {
  namespace: 'facetNamespace',
  geometry: 'facetGeometry',
  keyword: 'facetKeyword',
  licence: 'facetLicence',
  file_format: 'facetFormat',
  updated__gte: 'facetUpdated',
  year: 'facetYear',
  bbox: 'facetWhere',
} as const satisfies Record<FacetName | 'bbox', TextKey>;

export interface FacetsProps {
  readonly context: PageContext;
  readonly facets: Facets;
  /** Labels of namespaces, by slug. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Facets that the page's address fixes. */
  readonly without?: readonly FacetName[];
}

/** Values shown before the rest is folded. */
const shownValues = 7;
/** Number of values above which there is a field to find one. */
const manyValues = 40;
/** Most values of a facet on a page. */
const maxValues = 100;

/** Address of the list with a parameter changed, from its first page. */
const hrefWithFilter = (context: PageContext, name: string, values: readonly string[]): string =>
  hrefWith(context, { [name]: values.length ? values : null, page: null });

/** A value as people read it. */
function nameOfValue(
  { context, namespaces }: Pick<FacetsProps, 'context' | 'namespaces'>,
  facet: string,
  value: string,
) {
  if (facet === 'namespace') return namespaces.get(value) ?? value;
  if (facet === 'licence') return licenceName(value);
  if (facet === 'file_format') return formatName(value);
  if (facet === 'bbox') return nameOfArea(context, value);
  if (facet === 'updated__gte') return nameOfDate(context, value);
  if (facet === 'geometry' && Object.hasOwn(geometryTexts, value))
    return context.locale.text(geometryTexts[value as keyof typeof geometryTexts]);
  return value;
}

/** Days before which the facets count updates, as words of the interface have them. */
const recentDays: readonly number[] = [7, 30, 365];

/** A date since which datasets were updated: `in the last 7 days`, `since 31 Jan 2026`. */
function nameOfDate({ locale, today }: PageContext, date: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(date)) / 86_400_000);
  return recentDays.includes(days)
    ? locale.text('lastDays', { count: days })
    : locale.text('sinceDate', { date: locale.date(date) });
}

export function FacetList({ context, facets, namespaces, without = [] }: FacetsProps): VNode {
  const { locale } = context;
  return (
    <aside class="facets" aria-label={locale.text('filters')}>
      <h2 class="vh">{locale.text('filters')}</h2>
      <details class="narrow">
        <summary>{locale.text('filters')}</summary>
        {facetNames
          .filter((name) => !without.includes(name))
          .map((name) => (
            <Facet
              key={name}
              name={name}
              values={facets.values[name] ?? []}
              context={context}
              namespaces={namespaces}
            />
          ))}
        <AreaForm context={context} bbox={facets.totals.bbox ?? null} />
      </details>
    </aside>
  );
}

interface FacetProps extends Pick<FacetsProps, 'context' | 'namespaces'> {
  readonly name: FacetName;
  readonly values: readonly FacetValue[];
}

function Facet({ name, values: counted, context, namespaces }: FacetProps): VNode | null {
  const { locale, query } = context;
  // As the filter compares them.
  const key = (value: string) => (name === 'keyword' ? foldCaseAndAccents(value) : value);
  const chosen = new Set(query.getAll(name).map(key));
  const values = counted.filter(({ value, count }) => count > 0 || chosen.has(key(value)));
  if (values.length === 0 || (values.length === 1 && chosen.size === 0)) return null;
  const item = ({ value, count }: FacetValue) => {
    const isOn = chosen.has(key(value));
    const isOther = (one: string) => key(one) !== key(value);
    // Of two dates the later one has no effect.
    const others = name === 'updated__gte' ? [] : query.getAll(name).filter(isOther);
    return (
      <li key={value}>
        <a
          class={isOn ? 'on' : undefined}
          aria-current={isOn ? 'true' : undefined}
          href={hrefWithFilter(context, name, isOn ? others : [...others, value])}
          rel="nofollow"
        >
          <span dir="auto">{nameOfValue({ context, namespaces }, name, value)}</span>
          <span>{locale.number(count)}</span>
        </a>
      </li>
    );
  };
  const rest = values.slice(shownValues, maxValues);
  const title = locale.text(titles[name]);
  return (
    <section class="facet">
      <h3>{title}</h3>
      {values.length > manyValues && (
        <p class="finder only-js">
          <label class="vh" for={`find-${name}`}>
            {locale.text('findIn', { name: title })}
          </label>
          <input
            id={`find-${name}`}
            type="search"
            placeholder={locale.text('findIn', { name: title })}
            data-filter="li"
          />
        </p>
      )}
      <ul>{values.slice(0, shownValues).map(item)}</ul>
      {rest.length > 0 && (
        <details open={rest.some(({ value }) => chosen.has(key(value)))}>
          <summary>{locale.text('moreValues', { count: rest.length })}</summary>
          <ul>{rest.map(item)}</ul>
          {values.length > maxValues && (
            <p class="s soft">{locale.text('furtherValues', { count: values.length - maxValues })}</p>
          )}
        </details>
      )}
    </section>
  );
}

/** A value of a filter with the filter's name: `Keyword GDP`. */
export function FilterName({
  context,
  namespaces,
  name,
  value,
}: Pick<FacetsProps, 'context' | 'namespaces'> & { readonly name: string; readonly value: string }): VNode {
  const title = Object.hasOwn(titles, name) ? context.locale.text(titles[name as FacetName]) : name;
  return (
    <>
      <span class="soft">{title}</span> <span dir="auto">{nameOfValue({ context, namespaces }, name, value)}</span>
    </>
  );
}

/** The filters that are chosen; each chip takes one away. */
export function FilterChips({
  context,
  namespaces,
  names,
}: Pick<FacetsProps, 'context' | 'namespaces'> & {
  /** Parameters that are filters. */
  readonly names: readonly string[];
}): VNode | null {
  const { locale, query } = context;
  const chosen = names.flatMap((name) => query.getAll(name).flatMap((value) => (value ? [{ name, value }] : [])));
  if (chosen.length === 0) return null;
  return (
    <p class="chips">
      {chosen.map(({ name, value }) => (
        <a
          key={`${name}=${value}`}
          href={hrefWithFilter(
            context,
            name,
            query.getAll(name).filter((one) => one !== value),
          )}
        >
          <span class="vh">{locale.text('removeFilter')}</span>
          <FilterName context={context} namespaces={namespaces} name={name} value={value} />
        </a>
      ))}
      <a class="clear" href={hrefWith(context, Object.fromEntries([...names, 'page'].map((name) => [name, null])))}>
        {locale.text('clearAll')}
      </a>
    </p>
  );
}
