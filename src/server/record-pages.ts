/** Pages of single records, and of lists of namespaces and queries. */
import type { HistoryRef, Page } from '../catalogue/catalogue.ts';
import { maySeePeople } from '../catalogue/permissions.ts';
import { datasetRefOf, refOf } from '../catalogue/ref.ts';
import type { Commit, Dataset, Entities, Kind, Namespace, Query, Version } from '../catalogue/types.ts';
import { renderDatasetPage, renderDatasetPageStart } from '../pages/dataset.tsx';
import { datasetCrumbs } from '../pages/dataset-crumbs.ts';
import { hasListParameters } from '../pages/dataset-list.tsx';
import { renderHistoryPage } from '../pages/history.tsx';
import { hrefOfRef } from '../pages/page-context.ts';
import {
  renderGroupPage,
  renderNamespaceList,
  renderNamespacePage,
  renderQueryList,
  renderQueryPage,
} from '../pages/records.tsx';
import { chartSoon } from './dataset-chart.ts';
import { beforeCommitsAreReadAgain } from './dataset-history.ts';
import { datasetHeadParts, datasetPageParts, pathOfComparison } from './dataset-page.ts';
import { isPrivate } from './dataset-state.ts';
import { datasetListFor, dependenciesOf } from './home.ts';
import { runInTurns } from './in-turns.ts';
import { datasetAskedBy } from './queried-dataset.ts';
import { parseListOptions } from './query-string.ts';
import { seeOther } from './redirects.ts';
import type { CompletePage, Representation, RequestContext } from './route.ts';
import { firstRowsOfQuery, workBudgetOf } from './rows-page.ts';
import { patienceOf } from './soon.ts';

/**
 * The representation of an entity with its page for people, if its kind has one.
 * @param dataset that the entity is, or is a version of
 */
export async function withPage(
  request: RequestContext,
  representation: Representation,
  entity: Entities[Exclude<Kind, 'file'>],
  dataset: Dataset | null,
): Promise<Representation | undefined> {
  const { catalogue, viewer } = request;
  const { dependsOn } = representation;
  switch (entity.kind) {
    case 'dataset':
    case 'version':
      return dataset ? withDatasetPage(request, representation, entity, dataset) : representation;
    case 'namespace': {
      if (hasListParameters(request.query)) {
        seeOther(request, `${request.ctx.path}datasets/${request.ctx.search}`);
        return undefined;
      }
      const list = await datasetListFor(
        request,
        parseListOptions('dataset', new URLSearchParams(), { namespace: entity.slug }),
      );
      const page: Representation['page'] = (context) => runInTurns(request, renderNamespacePage(context, entity, list));
      const { description } = entity;
      return { ...representation, dependsOn: [...dependsOn, ...dependenciesOf(list)], description, page };
    }
    case 'query': {
      const asked = await datasetAskedBy(entity, catalogue);
      const namespace =
        asked && (await catalogue.get<'namespace'>({ kind: 'namespace', slug: asked.namespace }).catch(() => null));
      const seenByFew = asked !== null && isPrivate(asked, namespace);
      const look = await firstRowsOfQuery(request, entity, asked);
      return {
        ...representation,
        // A page without its rows is made anew until they are ready.
        dependsOn: asked && !look.preview && !look.reason ? [] : [...dependsOn, asked, seenByFew, JSON.stringify(look)],
        description: entity.description,
        page: (context) => renderQueryPage(context, { query: entity, dataset: asked, isPrivate: seenByFew, ...look }),
      };
    }
    case 'group': {
      const showsMembers = maySeePeople(viewer, catalogue.settings);
      return { ...representation, page: (context) => renderGroupPage(context, entity, showsMembers) };
    }
    default:
      return representation;
  }
}

async function withDatasetPage(
  request: RequestContext,
  representation: Representation,
  entity: Entities['dataset'] | Entities['version'],
  dataset: Dataset,
): Promise<Representation | undefined> {
  const { catalogue, query } = request;
  const comparison = entity.kind === 'dataset' ? pathOfComparison(dataset, query) : null;
  if (comparison !== null) {
    seeOther(request, `${request.ctx.path}${comparison}`);
    return undefined;
  }
  const version = entity.kind === 'version' ? entity : undefined;
  const complete = () => completeDatasetPage(request, representation, dataset, version);
  // Columns that the address names may be refused.
  const { description } = dataset;
  if (query.size > 0) return { ...representation, description, ...(await complete()) };
  const head = await datasetHeadParts(catalogue, dataset, version);
  return {
    ...representation,
    description,
    pageInParts: { head: (context) => renderDatasetPageStart(context, head), complete },
  };
}

async function completeDatasetPage(
  request: RequestContext,
  { dependsOn }: Representation,
  dataset: Dataset,
  version: Version | undefined,
): Promise<CompletePage> {
  const { app, catalogue, query, viewer } = request;
  const { differenceFigures: figures, staticExport } = app;
  const budget = workBudgetOf(request);
  const options = {
    version,
    colour: query.get('_colour'),
    figures,
    viewer,
    isReadOnly: app.readOnly,
    staticExport,
    budget,
  };
  const parts = await datasetPageParts(catalogue, dataset, options);
  const chart =
    parts.version && parts.profile
      ? await chartSoon(catalogue, parts.dataset, parts.version, parts.profile, query, {
          wait: patienceOf(app),
          budget,
        })
      : null;
  // A page without its rows is made anew until they are ready.
  const isComplete = parts.isComplete && chart !== undefined;
  const shown = () => [
    parts.namespace,
    ...parts.queries,
    ...parts.others,
    parts.profile,
    JSON.stringify(parts.map),
    JSON.stringify([...parts.sizes]),
    ...parts.changes.values(),
    parts.history.map(({ id }) => id).join(),
  ];
  return {
    dependsOn: isComplete ? [...dependsOn, ...shown()] : [],
    freshFor: beforeCommitsAreReadAgain,
    page: (context) => runInTurns(request, renderDatasetPage(context, { ...parts, isComplete, chart: chart ?? null })),
  };
}

/** The page of a list of namespaces or queries. */
export async function recordListPage(
  { catalogue }: RequestContext,
  kind: 'namespace' | 'query',
  representation: Representation,
  found: Page<Namespace> & Page<Query>,
): Promise<Representation> {
  if (kind === 'query') return { ...representation, page: (context) => renderQueryList(context, found) };
  const { facets } = await catalogue.list('dataset', { facets: true, pageSize: 1 });
  const counts = facets?.values.namespace ?? [];
  return {
    ...representation,
    dependsOn: [...representation.dependsOn, JSON.stringify(counts)],
    page: (context) => renderNamespaceList(context, found, new Map(counts.map(({ value, count }) => [value, count]))),
  };
}

/** The page of the commits that touched a record. */
export async function historyPage(
  { catalogue }: RequestContext,
  representation: Representation,
  ref: HistoryRef,
  commits: Page<Commit>,
): Promise<Representation> {
  const entity = await catalogue.get<HistoryRef['kind']>(ref);
  const slug = entity.kind === 'namespace' ? entity.slug : entity.namespace;
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug });
  const dataset =
    entity.kind === 'version'
      ? await catalogue.get<'dataset'>(datasetRefOf(entity))
      : entity.kind === 'dataset'
        ? entity
        : null;
  return {
    ...representation,
    page: (context) => {
      const text = context.locale.text('historyPart');
      const own = { text: namespace.label, href: hrefOfRef(context, refOf(namespace)) };
      const crumbs = dataset ? datasetCrumbs(context, dataset, namespace.label, [{ text }]) : [own, { text }];
      const label = dataset?.label ?? namespace.label;
      return renderHistoryPage(context, { label, crumbs, page: commits });
    },
  };
}
