/** Lists of datasets: home, search, the datasets of a namespace. */
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { Page } from '../catalogue/catalogue.ts';
import { closestWord } from '../catalogue/closest.ts';
import type { FacetName } from '../catalogue/facets.ts';
import { filtersOfKind } from '../catalogue/filters.ts';
import { searchTerms } from '../catalogue/search.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Dataset } from '../catalogue/types.ts';
import { apiRoot, collections } from '../catalogue/urls.ts';
import { CodeBlock } from './code-block.tsx';
import { DatasetHit, hasStrip } from './dataset-hit.tsx';
import { FacetList, FilterChips, FilterName } from './facets.tsx';
import { hrefOf, hrefOfSearch, hrefWith, type PageContext } from './page-context.ts';
import { StripFamilies } from './strip.tsx';
import type { TextKey } from './texts/english.ts';

/** A page of datasets, and what is needed to show it. */
export interface DatasetList {
  readonly found: Page<Dataset>;
  /** Labels of namespaces, by slug. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** The namespace whose datasets these are; null if they may be of all. */
  readonly namespace: { readonly slug: string; readonly label: string } | null;
  /** Order of the list, if the address names none. */
  readonly ordering: string;
  /** Labels and keywords of the datasets that are searched, to suggest one of them if nothing is found. */
  readonly words: readonly string[];
  /** Filters in the address with the number of datasets without each of them, if nothing is found. */
  readonly obstacles: readonly Obstacle[];
  /** True if the viewer may publish the first dataset of the namespace. */
  readonly mayPublishFirst?: boolean;
  /** The datasets as HTML, if they are rendered already. */
  readonly hits?: string;
}

/** A value of a filter in the address. */
export interface Obstacle {
  readonly name: string;
  readonly value: string;
  /** Number of datasets that match all the others. */
  readonly count: number;
  /** True for the namespace of the list, which is in the path of the address. */
  readonly isInPath?: boolean;
}

interface ListProps extends DatasetList {
  readonly context: PageContext;
  /** Facets that the page's address fixes. */
  readonly without?: readonly FacetName[];
  /** A column at the end of the page. */
  readonly aside?: ComponentChildren;
}

/** Parameters of a list of datasets that filter it. */
const filterNames = filtersOfKind('dataset').map(({ name }) => name);

/** True if the address has a search or a filter: without datasets, the catalogue may have some. */
export const isFiltered = (query: URLSearchParams): boolean =>
  [...query].some(([name, value]) => value.trim() !== '' && (name === 'search' || filterNames.includes(name)));

/** True if the address asks for another list than the first page of all datasets. */
export const hasListParameters = (query: URLSearchParams): boolean =>
  isFiltered(query) || ['ordering', 'page', 'page_size'].some((name) => query.has(name));

export function DatasetListing({ context, without = [], aside, ...list }: ListProps): VNode {
  const { found, namespaces } = list;
  return (
    <div
      class={aside ? 'three' : 'three two'}
      data-failed={context.isExport && context.path !== '/' ? context.locale.text('searchDidNotCome') : undefined}
    >
      {found.facets ? (
        <FacetList context={context} facets={found.facets} namespaces={namespaces} without={without} />
      ) : (
        <aside />
      )}
      <section aria-labelledby="results">
        {context.isExport && <p class="note no-js">{context.locale.text('searchNeedsScript')}</p>}
        <ResultBar context={context} {...list} />
        <FilterChips context={context} namespaces={namespaces} names={filterNames} />
        {found.items.some(hasStrip) && <StripFamilies locale={context.locale} />}
        <Hits context={context} {...list} />
      </section>
      {aside}
    </div>
  );
}

const orderings = [
  ['relevance', 'bestFirst'],
  ['-updated', 'newestFirst'],
  ['label', 'byName'],
] as const satisfies readonly (readonly [string, TextKey])[];

function ResultBar({ context, found, ordering }: DatasetList & { readonly context: PageContext }): VNode {
  const { locale, query } = context;
  const search = query.get('search')?.trim() ?? '';
  const { count } = found;
  return (
    <div class="resbar">
      <h2 id="results" aria-live="polite">
        {search ? locale.text('datasetsWith', { count, search }) : locale.text('datasetCount', { count })}
      </h2>
      <nav class="dots s" aria-label={locale.text('orderedBy')}>
        {orderings
          .filter(([name]) => name !== 'relevance' || search)
          .map(([name, text]) =>
            name === ordering ? (
              <span key={name} aria-current="true">
                {locale.text(text)}
              </span>
            ) : (
              <a key={name} href={hrefWith(context, { ordering: name, page: null })} rel="nofollow">
                {locale.text(text)}
              </a>
            ),
          )}
      </nav>
    </div>
  );
}

function Hits({ context, ...list }: DatasetList & { readonly context: PageContext }): VNode {
  const { found, hits } = list;
  if (found.items.length === 0) return <NothingFound context={context} {...list} />;
  return (
    <>
      {hits === undefined ? (
        <ol>{hitsOf(context, list).map((hit) => hit())}</ol>
      ) : (
        <ol dangerouslySetInnerHTML={{ __html: hits }} />
      )}
      <Pager context={context} page={found} />
    </>
  );
}

/** The datasets of a list, each as a function that makes its element. */
function hitsOf(context: PageContext, { found, namespaces }: DatasetList): readonly (() => VNode)[] {
  const terms = searchTerms(context.query.get('search') ?? '');
  return found.items.map((dataset) => () => (
    <DatasetHit
      key={dataset.id}
      context={context}
      dataset={dataset}
      namespace={namespaces.get(dataset.namespace) ?? dataset.namespace}
      terms={terms}
    />
  ));
}

/** The list with its datasets as HTML: each is rendered in a step. */
export function* renderHits(context: PageContext, list: DatasetList): Steps<DatasetList> {
  // The rule for files is a hook of preact while a whole page is rendered.
  if (context.isExport) return list;
  const hits: string[] = [];
  for (const hit of hitsOf(context, list)) {
    hits.push(render(hit()));
    yield;
  }
  return { ...list, hits: hits.join('') };
}

/** Links to the pages beside this one. */
export function Pager({
  context,
  page,
}: {
  readonly context: PageContext;
  readonly page: Page<unknown>;
}): VNode | null {
  const { locale } = context;
  const { page: number, pages } = page;
  if (pages < 2) return null;
  const link = (to: number, text: TextKey, rel: string) => (
    <a href={hrefWith(context, { page: to === 1 ? null : String(to) })} rel={rel}>
      {locale.text(text)}
    </a>
  );
  return (
    <nav class="pager" aria-label={locale.text('pages')}>
      {number > 1 ? link(number - 1, 'previousPage', 'prev') : <span />}
      <span>{locale.text('pageOf', { page: number, pages })}</span>
      {number < pages ? link(number + 1, 'nextPage', 'next') : <span />}
    </nav>
  );
}

function NothingFound({
  context,
  words,
  obstacles,
  namespace,
  namespaces,
  mayPublishFirst,
}: DatasetList & { readonly context: PageContext }): VNode {
  const { locale, query } = context;
  const all = <a href={hrefOfSearch(context)}>{locale.text('allDatasets')}</a>;
  if (!isFiltered(query))
    return (
      <div class="empty">
        <h3>{locale.text('noDatasetsYet')}</h3>
        {namespace && mayPublishFirst && (
          <>
            <p>{locale.text('firstIsPublishedWith')}</p>
            <CodeBlock
              context={context}
              label="Shell"
              code={`catalogue publish trees.csv --to ${namespace.slug}/trees`}
              wraps
            />
          </>
        )}
        {namespace && <p>{all}</p>}
      </div>
    );
  const search = query.get('search')?.trim() ?? '';
  const near = search && closestWord(search, words);
  const passable = obstacles.filter(({ count }) => count > 0);
  const isFoundNowhere = obstacles.every(({ isInPath, count }) => isInPath && count === 0);
  return (
    <div class="empty">
      <h3>{search && isFoundNowhere ? locale.text('noDatasetHas', { search }) : locale.text('noDatasetFound')}</h3>
      {near && (
        <p>
          {locale.fill('didYouMean', { word: <a href={hrefWith(context, { search: near, page: null })}>{near}</a> })}
        </p>
      )}
      {passable.length > 0 && (
        <>
          <p>{locale.text('takeAwayFilter')}</p>
          <ul class="obstacles">
            {passable.map((obstacle) => (
              <li key={JSON.stringify(obstacle)}>
                <a href={hrefWithout(context, obstacle)}>
                  <FilterName context={context} namespaces={namespaces} name={obstacle.name} value={obstacle.value} />
                </a>{' '}
                <span class="soft">{locale.text('datasetCount', { count: obstacle.count })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p>{near || passable.length > 0 ? locale.fill('orLookAtAll', { link: all }) : all}</p>
    </div>
  );
}

/** Address of the list without a filter, or of that of all namespaces. */
function hrefWithout(context: PageContext, { name, value, isInPath }: Obstacle): string {
  if (isInPath) return hrefWith({ ...context, path: `${apiRoot}${collections.dataset}/` }, { page: null });
  const others = context.query.getAll(name).filter((one) => one !== value);
  return hrefWith(context, { [name]: others, page: null });
}

/** The large field of home and search. It keeps the filters that are chosen. */
export function SearchForm({ context }: { readonly context: PageContext }): VNode {
  const { locale, query, path } = context;
  const kept = [...query].filter(([name, value]) => value && (filterNames.includes(name) || name === 'ordering'));
  return (
    <form role="search" action={path === '/' ? hrefOfSearch(context) : hrefOf(context, path)}>
      <div class="big">
        <label class="vh" for="q">
          {locale.text('searchDatasets')}
        </label>
        <input
          id="q"
          type="search"
          name="search"
          value={query.get('search') ?? ''}
          placeholder={locale.text('searchPlaceholder')}
          data-suggest={hrefOf(context, '/api/v1/suggestions/')}
        />
        <button class="btn main" type="submit">
          {locale.text('search')}
        </button>
      </div>
      {kept.map(([name, value]) => (
        <input key={`${name}=${value}`} type="hidden" name={name} value={value} />
      ))}
    </form>
  );
}
