/** The home page, lists of datasets as pages, and suggestions while a search is typed. */
import type { ListOptions } from '../catalogue/catalogue.ts';
import { lastUpdateOf } from '../catalogue/dataset-filters.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import { resourceUrl, toJson } from '../catalogue/represent.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { apiRoot } from '../catalogue/urls.ts';
import type { DatasetList } from '../pages/dataset-list.tsx';
import { findDatasets, suggestDatasets } from '../pages/find-datasets.ts';
import { renderHomePage, renderHomePageStart } from '../pages/home.tsx';
import { mayWriteIn } from './dataset-state.ts';
import { runInTurns } from './in-turns.ts';
import { lastParameterValue, parseListOptions } from './query-string.ts';
import { type CompletePage, pathPrefix, type Representation, type RequestContext } from './route.ts';

/** Datasets that changed last, and queries, that the home page names. */
const newsCount = 5;

/** Milliseconds after which figures of differences are looked up again: somebody may have asked for those of large versions. */
const beforeFiguresAreReadAgain = 5000;

/** The first page for people; programs are redirected to the API. */
export async function homeHandler(request: RequestContext): Promise<Representation | undefined> {
  const { app, catalogue, ctx, type } = request;
  if (type === 'application/json') {
    ctx.redirect(pathPrefix(app) + apiRoot);
    return undefined;
  }
  const list = await datasetListFor(request, parseListOptions('dataset', request.query));
  return {
    title: catalogue.settings.title,
    dependsOn: dependenciesOf(list),
    json: () => '{}',
    description: catalogue.settings.description,
    pageInParts: { head: renderHomePageStart, complete: () => completeHomePage(request, list) },
  };
}

async function completeHomePage(request: RequestContext, list: DatasetList): Promise<CompletePage> {
  const { app, catalogue } = request;
  const { items } = await catalogue.list('dataset', { ordering: '-updated', pageSize: newsCount });
  const updated = items.filter(({ versions }) => versions.length > 0);
  const since = updated.length === newsCount ? lastUpdateOf(updated.at(-1) as Dataset) : '';
  const news = await Promise.all(
    updated.map(async (dataset) => {
      const [version, ...older] = dataset.versions as readonly [Version, ...Version[]];
      const before = version.ready ? readyVersionBefore(dataset, version.slug) : undefined;
      const pair = before && { from: before, to: version, dataset };
      if (pair && app.staticExport) {
        app.differenceFigures.request(catalogue, pair);
        await app.differenceFigures.settle(Number.POSITIVE_INFINITY);
      }
      const change = pair && app.differenceFigures.request(catalogue, pair);
      const more = older.filter(({ datetime }) => datetime >= since).length;
      return { version, dataset, more, ...(change && { change }) };
    }),
  );
  const queries = await catalogue.list('query', { pageSize: newsCount });
  const { count: namespaceCount } = await catalogue.list('namespace', { pageSize: 1 });
  const shown = [...news.flatMap(({ dataset, change, more }) => [dataset, change, more]), ...queries.items];
  return {
    dependsOn: news.some(({ change }) => change === 'comparing')
      ? []
      : [...dependenciesOf(list), ...shown, namespaceCount],
    freshFor: beforeFiguresAreReadAgain,
    page: (context) => runInTurns(request, renderHomePage(context, { ...list, news, queries, namespaceCount })),
  };
}

/** A page of datasets with their facets. */
export async function datasetListFor(
  { app, catalogue, viewer }: RequestContext,
  options: ListOptions,
): Promise<DatasetList> {
  // What is recent isn't the same when a file is read.
  const list = await findDatasets(catalogue, { ...options, ...(app.staticExport && { updatedSince: [] }) });
  const slug =
    list.found.count === 0 && !app.staticExport && viewer.username !== null ? list.namespace?.slug : undefined;
  if (slug === undefined) return list;
  const namespace = await catalogue.get<'namespace'>({ kind: 'namespace', slug });
  return { ...list, mayPublishFirst: !viewer.readOnly && mayWriteIn(viewer, namespace) };
}

/** Values that the page of a list depends on. */
export const dependenciesOf = ({
  found,
  namespace,
  namespaces,
  words,
  obstacles,
  mayPublishFirst,
}: DatasetList): readonly unknown[] => [
  found.count,
  found.pages,
  ...found.items,
  JSON.stringify(found.facets),
  JSON.stringify([namespace, ...namespaces]),
  words.join('\n'),
  JSON.stringify(obstacles),
  mayPublishFirst,
];

/** Datasets for a search that is being typed: name and address, the best first. */
export async function suggestionsHandler({ catalogue, query, links }: RequestContext): Promise<Representation> {
  const search = lastParameterValue(query, 'search')?.trim() ?? '';
  const found = await suggestDatasets(catalogue, search);
  const suggestions = found.map(({ dataset, namespace }) => ({
    label: dataset.label,
    namespace,
    url: resourceUrl(links, refOf(dataset)),
  }));
  return {
    title: 'Suggestions',
    dependsOn: [search, ...found.map(({ dataset }) => dataset), JSON.stringify(suggestions)],
    json: () => toJson(suggestions),
  };
}
