/** The home page, and the page of a search. */
import type { VNode } from 'preact';
import type { Page } from '../catalogue/catalogue.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Dataset, Query, Version } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections } from '../catalogue/urls.ts';
import { WhereAllIs } from './area.tsx';
import { CodeBlock } from './code-block.tsx';
import { boldCount } from './dataset-hit.tsx';
import { type DatasetList, DatasetListing, isFiltered, renderHits, SearchForm } from './dataset-list.tsx';
import { ChangesInBrief, type VersionChange } from './dataset-versions.tsx';
import { type PageParts, renderPage, renderPageStart } from './layout.tsx';
import { firstParagraph } from './markdown.ts';
import { hrefOf, hrefOfRef, type PageContext, queryStringOf } from './page-context.ts';
import { Prose } from './prose.tsx';

export interface HomeParts extends DatasetList {
  /** The datasets that changed last, each with its newest version. */
  readonly news: readonly {
    readonly version: Version;
    readonly dataset: Dataset;
    /** Number of its older versions since the first of these changes. */
    readonly more: number;
    /** Changes since the version before; undefined for the first. */
    readonly change?: VersionChange;
  }[];
  readonly queries: Page<Query>;
  /** Number of namespaces, with those that have no dataset. */
  readonly namespaceCount: number;
}

const homeHead = (context: PageContext): Omit<PageParts, 'children'> => ({
  title: context.settings.title,
  description: firstParagraph(context.settings.description),
  section: 'datasets',
  isWatched: true,
  hasSearch: false,
  json: hrefOf(context, `${apiRoot}${collections.dataset}/${queryStringOf(asJson(context.query))}`),
});

/** The parameters of a list with the format that programs read. */
const asJson = (query: URLSearchParams): [string, string][] => [
  ...[...query].filter(([name]) => !/^_?format$/.test(name)),
  ['format', 'json'],
];

/** The first page up to its content. */
export const renderHomePageStart = (context: PageContext): string => renderPageStart(context, homeHead(context));

/** The first page of the catalogue: what it is, how much there is, its datasets, what changed. */
export function* renderHomePage(context: PageContext, parts: HomeParts): Steps<string> {
  const { locale, settings } = context;
  const { found } = parts;
  const totals = found.facets?.totals;
  const isAll = !isFiltered(context.query);
  const isEmpty = found.count === 0 && isAll;
  const bbox = totals?.bbox ?? null;
  const list = yield* renderHits(context, parts);
  return renderPage(context, {
    ...homeHead(context),
    children: (
      <>
        <div class={bbox ? 'front with-map' : 'front'}>
          <div>
            <h1 dir="auto">{settings.title}</h1>
            <Prose context={context} text={settings.description} />
            {!isEmpty && <SearchForm context={context} />}
            {!isEmpty && totals && (
              <p class="sums dots">
                <span>{locale.fill('datasetCount', boldCount(context, found.count))}</span>
                <span>
                  {locale.fill('namespaceCount', boldCount(context, isAll ? parts.namespaceCount : totals.namespaces))}
                </span>
                <span>{locale.fill('versionCount', boldCount(context, totals.versions))}</span>
                <span>{locale.fill('rowCount', boldCount(context, totals.rows))}</span>
                <span>
                  <b>{locale.size(totals.bytes)}</b>
                </span>
              </p>
            )}
          </div>
          {bbox && <WhereAllIs context={context} bbox={bbox} />}
        </div>
        {isEmpty ? (
          <FirstSteps context={context} />
        ) : (
          <DatasetListing context={context} {...list} aside={<News context={context} {...parts} />} />
        )}
      </>
    ),
  });
}

function searchHead(context: PageContext, { found: { count }, namespace }: DatasetList): Omit<PageParts, 'children'> {
  const { locale, query } = context;
  const search = query.get('search')?.trim() ?? '';
  const title = search ? locale.text('datasetsWith', { count, search }) : locale.text('datasets');
  const ref = namespace && ({ kind: 'namespace', slug: namespace.slug } as const);
  return {
    title: namespace ? `${title} – ${namespace.label}` : title,
    section: 'datasets',
    ...(ref && {
      section: 'namespaces',
      feed: `${apiPath(ref)}feed.atom`,
      crumbs: [
        { text: locale.text('namespaces'), href: hrefOf(context, `${apiRoot}${collections.namespace}/`) },
        { text: ref.slug, href: hrefOfRef(context, ref) },
        { text: locale.text('datasets') },
      ],
    }),
    hasSearch: false,
    isHidden: [...query.keys()].some((name) => name !== 'page'),
  };
}

/** The page of a search up to its content. */
export const renderSearchPageStart = (context: PageContext, list: DatasetList): string =>
  renderPageStart(context, searchHead(context, list));

/** The page of a search, or of all datasets, of the catalogue or of a namespace. */
export function* renderSearchPage(context: PageContext, list: DatasetList): Steps<string> {
  const { locale } = context;
  const { namespace } = list;
  const rendered = yield* renderHits(context, list);
  return renderPage(context, {
    ...searchHead(context, list),
    children: (
      <>
        {!namespace && <h1 class="vh">{locale.text('datasets')}</h1>}
        <div class="front">
          <div>
            {namespace && <h1 dir="auto">{namespace.label}</h1>}
            <SearchForm context={context} />
          </div>
        </div>
        <DatasetListing context={context} {...rendered} without={namespace ? ['namespace'] : []} />
      </>
    ),
  });
}

function News({
  context,
  news,
  queries,
}: Pick<HomeParts, 'news' | 'queries'> & { readonly context: PageContext }): VNode {
  const { locale } = context;
  return (
    <aside class="news">
      {news.length > 0 && (
        <section aria-labelledby="news">
          <h2 id="news">{locale.text('whatChangedLately')}</h2>
          <ol>
            {news.map(({ version, dataset, more, change = 'none' }) => (
              <li key={version.id}>
                <time dateTime={version.datetime}>{locale.date(version.datetime)}</time>
                <a href={hrefOfRef(context, refOf(version), change === 'none' ? '' : 'diff/')} dir="auto">
                  {dataset.label}
                </a>
                <p class="faint">{newsOf(context, version, dataset)}</p>
                <NewsChanges {...{ context, dataset, version, change }} />
                {more > 0 && (
                  <a href={hrefOfRef(context, refOf(dataset), '#versions')}>
                    {locale.text('andMoreVersions', { count: more })}
                  </a>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      {queries.items.length > 0 && (
        <section aria-labelledby="saved">
          <h2 id="saved">{locale.text('savedQueries')}</h2>
          <ul>
            {queries.items.map((query) => (
              <li key={query.id}>
                <a href={hrefOfRef(context, refOf(query))} dir="auto">
                  {query.label}
                </a>
                <p class="faint" dir="auto">
                  {firstParagraph(query.description, 120)}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </aside>
  );
}

/** What changed since the version before, once the two were compared. */
function NewsChanges({
  context,
  dataset,
  version,
  change,
}: Omit<Required<HomeParts['news'][number]>, 'more'> & { readonly context: PageContext }): VNode | null {
  const before = typeof change === 'object' && readyVersionBefore(dataset, version.slug);
  if (!before) return null;
  return (
    <p class="since">
      <ChangesInBrief {...{ context, dataset, before, version, change }} />
    </p>
  );
}

/** A version in a few words: its notes, else its rows. */
function newsOf({ locale }: PageContext, version: Version, dataset: Dataset): string {
  const notes = firstParagraph(version.notes, 120);
  if (notes) return notes;
  const rows = version.rows === null ? '' : locale.text('rowCount', { count: version.rows });
  const isFirst = dataset.versions.at(-1)?.slug === version.slug;
  return [isFirst && locale.text('firstVersion'), rows].filter(Boolean).join(', ');
}

/** The commands that make the first dataset. */
function FirstSteps({ context }: { readonly context: PageContext }): VNode {
  const { locale } = context;
  const commands = [
    'catalogue namespace add parks --label "Parks department"',
    'catalogue dataset add parks/trees --label "Street trees"',
    'catalogue publish trees.csv --to parks/trees',
  ];
  return (
    <div class="empty">
      <h2>{locale.text('noDatasetsYet')}</h2>
      <p>{locale.text('firstIsMadeWith')}</p>
      <CodeBlock context={context} label="Shell" code={commands.join('\n')} wraps />
    </div>
  );
}
