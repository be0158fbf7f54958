/** Facets beside a list of datasets: values of filters with counts, each a link; and the chips of those chosen. */
import type { VNode } from 'preact';
import { type FacetName, type Facets, type FacetValue, facetNames } from '../catalogue/facets.ts';
import { foldCaseAndAccents } from '../catalogue/fold.ts';
import { formatName, geometryTexts, licenceName } from './figures.ts';
import { hrefOf, hrefWith, type PageContext } from './page-context.ts';
import type { TextKey } from './texts/english.ts';

const titles = {
  namespace: 'facetNamespace',
  geometry: 'facetGeometry',
  keyword: 'facetKeyword',
  licence: 'facetLicence',
  file_format: 'facetFormat',
  year: 'facetYear',
} as const satisfies Record<FacetName, TextKey>;

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
  if (facet === 'geometry' && Object.hasOwn(geometryTexts, value))
    return context.locale.text(geometryTexts[value as keyof typeof geometryTexts]);
  return value;
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
            <Facet key={name} name={name} values={facets.values[name]} context={context} namespaces={namespaces} />
          ))}
        <WhereForm context={context} />
      </details>
    </aside>
  );
}

interface FacetProps extends Pick<FacetsProps, 'context' | 'namespaces'> {
  readonly name: FacetName;
  readonly values: readonly FacetValue[];
}

function Facet({ name, values, context, namespaces }: FacetProps): VNode | null {
  const { locale, query } = context;
  const chosen = new Set(query.getAll(name).map(foldCaseAndAccents));
  if (values.length === 0 || (values.length === 1 && chosen.size === 0)) return null;
  const item = ({ value, count }: FacetValue) => {
    const isOn = chosen.has(foldCaseAndAccents(value));
    const others = query.getAll(name).filter((one) => foldCaseAndAccents(one) !== foldCaseAndAccents(value));
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
  return (
    <section class="facet">
      <h3>{locale.text(titles[name])}</h3>
      <ul>{values.slice(0, shownValues).map(item)}</ul>
      {rest.length > 0 && (
        <details open={rest.some(({ value }) => chosen.has(foldCaseAndAccents(value)))}>
          <summary>{locale.text('moreValues', { count: rest.length })}</summary>
          <ul>{rest.map(item)}</ul>
        </details>
      )}
    </section>
  );
}

/** The form of a box of coordinates. Its four numbers become one parameter: the server redirects. */
export function WhereForm({ context }: { readonly context: PageContext }): VNode {
  const { locale, query } = context;
  const [west, south, east, north] = (query.get('bbox') ?? '').split(',');
  const field = (name: string, label: TextKey, value: string | undefined, most: number) => (
    <div>
      <label for={`where-${name}`}>{locale.text(label)}</label>
      <input
        id={`where-${name}`}
        name={`_${name}`}
        type="number"
        step="any"
        min={-most}
        max={most}
        value={value}
        placeholder={`${name === 'west' || name === 'south' ? '−' : ''}${most}`}
      />
    </div>
  );
  return (
    <section class="facet">
      <h3>{locale.text('facetWhere')}</h3>
      <form class="where" action={hrefOf(context, context.path === '/' ? '/api/v1/datasets/' : context.path)}>
        {[...query]
          .filter(([name]) => !['bbox', 'page', '_west', '_south', '_east', '_north'].includes(name))
          .map(([name, value]) => (
            <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
          ))}
        {field('west', 'westLabel', west, 180)}
        {field('east', 'eastLabel', east, 180)}
        {field('south', 'southLabel', south, 90)}
        {field('north', 'northLabel', north, 90)}
        <button class="btn" type="submit">
          {locale.text('searchThisArea')}
        </button>
      </form>
    </section>
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
          {titles[name as FacetName] === undefined ? `${name} ` : ''}
          <span dir="auto">{nameOfValue({ context, namespaces }, name, value)}</span>
        </a>
      ))}
      <a class="clear" href={hrefWith(context, Object.fromEntries([...names, 'page'].map((name) => [name, null])))}>
        {locale.text('clearAll')}
      </a>
    </p>
  );
}
