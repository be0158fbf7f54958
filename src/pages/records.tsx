/** Pages of namespaces, saved queries and groups, and of their lists. */
import type { VNode } from 'preact';
import type { Page } from '../catalogue/catalogue.ts';
import { refOf } from '../catalogue/ref.ts';
import { haveAggregates, haveGeometry, parametersFromRecord } from '../catalogue/row-parameters.ts';
import type { Steps } from '../catalogue/steps.ts';
import type { Column, Dataset, Group, Namespace, Query } from '../catalogue/types.ts';
import { apiPath, apiRoot, collections } from '../catalogue/urls.ts';
import { type DatasetList, DatasetListing, Pager, renderHits } from './dataset-list.tsx';
import { FirstRows, type Preview } from './first-rows.tsx';
import { renderPage } from './layout.tsx';
import { firstParagraph } from './markdown.ts';
import { absoluteUrl, hrefOf, hrefOfRef, type PageContext, queryStringOf } from './page-context.ts';
import { Prose } from './prose.tsx';
import { FilterInWords } from './row-filters.tsx';
import { UseIt } from './use-it.tsx';

/** The page of a namespace: what it is for, and its datasets. */
export function* renderNamespacePage(context: PageContext, namespace: Namespace, list: DatasetList): Steps<string> {
  const { locale } = context;
  // Filters lead to the list of its datasets.
  const listContext = { ...context, path: `${apiPath(refOf(namespace))}datasets/` };
  const rendered = yield* renderHits(listContext, list);
  return renderPage(context, {
    title: namespace.label,
    description: firstParagraph(namespace.description),
    section: 'namespaces',
    feed: `${apiPath(refOf(namespace))}feed.atom`,
    crumbs: [
      { text: locale.text('namespaces'), href: hrefOf(context, `${apiRoot}${collections.namespace}/`) },
      { text: namespace.slug },
    ],
    children: (
      <>
        <div class="lead-text">
          <h1 dir="auto">{namespace.label}</h1>
          {namespace.visibility === 'private' && <span class="tag private">{locale.text('private')}</span>}
          <Prose context={context} text={namespace.description} />
        </div>
        <DatasetListing context={listContext} {...rendered} without={['namespace']} />
      </>
    ),
  });
}

interface ListItem {
  readonly href: string;
  readonly label: string;
  readonly place: string;
  readonly text: string;
  readonly isPrivate: boolean;
}

/** A list of records of a kind: name, address, first paragraph. */
function renderRecordList(
  context: PageContext,
  kind: 'namespaces' | 'queries',
  page: Page<unknown>,
  items: readonly ListItem[],
): string {
  const { locale } = context;
  return renderPage(context, {
    title: locale.text(kind),
    section: kind,
    isHidden: [...context.query.keys()].some((name) => name !== 'page'),
    children: (
      <div class="records">
        <h1>{locale.text(kind)}</h1>
        {items.length === 0 && (
          <p class="empty">{locale.text(kind === 'queries' ? 'noQueriesYet' : 'noNamespacesYet')}</p>
        )}
        <ul>
          {items.map(({ href, label, place, text, isPrivate }) => (
            <li key={href} class="hit">
              <div>
                <h2>
                  <a href={href} dir="auto">
                    {label}
                  </a>{' '}
                  {isPrivate && <span class="tag private">{locale.text('private')}</span>}
                </h2>
                <p class="where-is">{place}</p>
                <p dir="auto">{text}</p>
              </div>
            </li>
          ))}
        </ul>
        <Pager context={context} page={page} />
      </div>
    ),
  });
}

/** @param counts numbers of datasets by namespace */
export const renderNamespaceList = (
  context: PageContext,
  page: Page<Namespace>,
  counts: ReadonlyMap<string, number>,
): string =>
  renderRecordList(
    context,
    'namespaces',
    page,
    page.items.map((namespace) => ({
      href: hrefOfRef(context, refOf(namespace)),
      label: namespace.label,
      place: `${namespace.slug} · ${context.locale.text('datasetCount', { count: counts.get(namespace.slug) ?? 0 })}`,
      text: firstParagraph(namespace.description),
      isPrivate: namespace.visibility === 'private',
    })),
  );

export const renderQueryList = (context: PageContext, page: Page<Query>): string =>
  renderRecordList(
    context,
    'queries',
    page,
    page.items.map((query) => ({
      href: hrefOfRef(context, refOf(query)),
      label: query.label,
      place: context.locale.text('asksDataset', { dataset: query.dataset }),
      text: firstParagraph(query.description),
      isPrivate: false,
    })),
  );

export interface QueryPageParts {
  readonly query: Query;
  /** The dataset that it asks; null if there is none that the viewer may see. */
  readonly dataset: Dataset | null;
  /** True if not everybody sees the dataset. */
  readonly isPrivate: boolean;
  readonly preview: Preview | null;
  /** Why there are no rows; '' if they are only not ready yet. */
  readonly reason: string;
  /** Number of all rows that it finds. */
  readonly matched: number;
  /** Number of all their columns. */
  readonly columnCount: number;
  /** Columns of texts that other tools would read as numbers or truth values. */
  readonly textColumns: readonly string[];
}

/** The page of a saved query: what it asks, and the first rows that it finds. */
export function renderQueryPage(context: PageContext, parts: QueryPageParts): string {
  const { locale } = context;
  const { query, dataset, isPrivate, preview, reason, matched, columnCount, textColumns } = parts;
  const columns: readonly Column[] = dataset?.columns ?? [];
  const parameters = parametersFromRecord(query.parameters);
  const isAggregated = haveAggregates(parameters);
  const hasGeometry = haveGeometry(parameters, columns);
  const rows = hrefOfRef(context, refOf(query), 'data/');
  const datasetLink = dataset ? (
    <a href={hrefOfRef(context, refOf(dataset))} dir="auto">
      {dataset.label}
    </a>
  ) : (
    query.dataset
  );
  return renderPage(context, {
    title: query.label,
    description: firstParagraph(query.description),
    section: 'queries',
    crumbs: [
      { text: locale.text('queries'), href: hrefOf(context, `${apiRoot}${collections.query}/`) },
      { text: query.slug },
    ],
    children: (
      <>
        <div class="lead-text">
          <h1 dir="auto">{query.label}</h1>
          <Prose context={context} text={query.description} />
          <p>{locale.fill('asksDataset', { dataset: datasetLink })}</p>
        </div>
        <section class="part" aria-labelledby="asks">
          <header>
            <h2 id="asks">{locale.text('itsFilters')}</h2>
          </header>
          <ul class="asks">
            {parameters.map(([name, value]) => (
              <li key={`${name}=${value}`}>
                <FilterInWords {...{ locale, name, value, columns }} />
              </li>
            ))}
          </ul>
        </section>
        {dataset && (
          <section class="part" aria-labelledby="rows">
            <header>
              <h2 id="rows">{locale.text('rows')}</h2>
              {preview && <p>{locale.text('rowCount', { count: matched })}</p>}
            </header>
            <div>
              <FirstRows
                {...{ context, preview, reason }}
                rows={matched}
                columns={columnCount}
                rowsPath={rows}
                noRows={`${locale.text('noRowMatches')}.`}
                areGroups={isAggregated}
              />
            </div>
          </section>
        )}
        {dataset && !reason && (
          <section class="part" aria-labelledby="use">
            <header>
              <h2 id="use">{locale.text('useIt')}</h2>
              <p>{locale.text('copyPasteRun')}</p>
            </header>
            <UseIt
              context={context}
              source={{
                address: absoluteUrl(context, `${apiPath(refOf(query))}data`),
                query: queryStringOf([]),
                name: query.slug,
                hasGeometry,
                isAggregated,
                isPrivate,
                textColumns,
                subject: `@${query.slug}`,
                title: query.label,
                server: context.base,
              }}
            />
          </section>
        )}
      </>
    ),
  });
}

/** The page of a group. @param showsMembers true if the viewer may see people */
export function renderGroupPage(context: PageContext, group: Group, showsMembers: boolean): string {
  const { locale } = context;
  return renderPage(context, {
    title: group.label,
    isHidden: true,
    crumbs: [{ text: locale.text('group') }, { text: group.slug }],
    children: (
      <div class="lead-text">
        <h1 dir="auto">{group.label}</h1>
        {showsMembers && <Members context={context} group={group} />}
        {!showsMembers && !context.isExport && <p class="soft">{locale.text('membersAreHidden')}</p>}
      </div>
    ),
  });
}

function Members({ context, group }: { readonly context: PageContext; readonly group: Group }): VNode {
  const { locale } = context;
  if (group.members.length === 0) return <p class="soft">{locale.text('noMembers')}</p>;
  return (
    <>
      <h2>{locale.text('members')}</h2>
      <ul>
        {group.members.map((name) => (
          <li key={name}>
            <a href={hrefOfRef(context, { kind: 'user', slug: name })}>{name}</a>
          </li>
        ))}
      </ul>
    </>
  );
}
