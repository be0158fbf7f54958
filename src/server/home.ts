/** The home page, lists of datasets as pages, and suggestions while a search is typed. */
import type { Catalogue, ListOptions } from '../catalogue/catalogue.ts';
import { readyVersionBefore } from '../catalogue/ready-versions.ts';
import { datasetRefOf, refOf } from '../catalogue/ref.ts';
import { resourceUrl, toJson } from '../catalogue/represent.ts';
import { apiRoot } from '../catalogue/urls.ts';
import type { DatasetList, Obstacle } from '../pages/dataset-list.tsx';
import { renderHomePage } from '../pages/home.tsx';
import { lastParameterValue, parseListOptions } from './query-string.ts';
import { pathPrefix, type Representation, type RequestContext } from './route.ts';

/** Versions and queries that the home page names. */
const newsCount = 5;

/** The first page for people; programs are redirected to the API. */
export async function homeHandler(request: RequestContext): Promise<Representation | undefined> {
  const { app, catalogue, ctx, type } = request;
  if (type === 'application/json') {
    ctx.redirect(pathPrefix(app) + apiRoot);
    return undefined;
  }
  const list = await datasetListFor(request, parseListOptions('dataset', request.query));
  const versions = await catalogue.list('version', { pageSize: newsCount });
  const news = await Promise.all(
    versions.items.map(async (version) => {
      const dataset = await catalogue.get<'dataset'>(datasetRefOf(version));
      const before = version.ready ? readyVersionBefore(dataset, version.slug) : undefined;
      if (before && app.staticExport) {
        app.differenceFigures.request(catalogue, { from: before, to: version });
        await app.differenceFigures.settle(Number.POSITIVE_INFINITY);
      }
      const change = before && app.differenceFigures.request(catalogue, { from: before, to: version });
      return { version, dataset, ...(change && { change }) };
    }),
  );
  const queries = await catalogue.list('query', { pageSize: newsCount });
  return {
    title: catalogue.settings.title,
    dependsOn: news.some(({ change }) => change === 'comparing')
      ? []
      : [
          ...dependenciesOf(list),
          ...versions.items,
          ...news.flatMap(({ dataset, change }) => [dataset, change]),
          ...queries.items,
        ],
    json: () => '{}',
    page: (context) => renderHomePage(context, { ...list, news, queries }),
  };
}

/** A page of datasets with their facets: the best first if there is a search, else the newest. */
export async function datasetListFor({ app, catalogue }: RequestContext, options: ListOptions): Promise<DatasetList> {
  const ordering = options.ordering ?? (options.search?.trim() ? 'relevance' : '-updated');
  const found = await catalogue.list('dataset', {
    ...options,
    ...(app.staticExport && { updatedSince: [] }),
    ordering,
    facets: true,
  });
  const isInVain = found.count === 0;
  const words = isInVain && options.search?.trim() ? await wordsToSuggest(catalogue) : [];
  const obstacles = isInVain ? await obstaclesIn(catalogue, options) : [];
  return { found, ordering, words, obstacles, namespaces: await namespaceLabels(catalogue) };
}

/** Values of filters that are tried, at most. */
const mostObstacles = 10;

/** The values of the filters, each with the number of datasets without it. */
async function obstaclesIn(catalogue: Catalogue, options: ListOptions): Promise<readonly Obstacle[]> {
  const { filters = {} } = options;
  const chosen = Object.entries(filters).flatMap(([name, values]) =>
    values.filter(Boolean).map((value) => ({ name, value })),
  );
  const without = async ({ name, value }: Omit<Obstacle, 'count'>) => {
    const others = filters[name]?.filter((one) => one !== value) ?? [];
    const page = { page: 1, pageSize: 1, filters: { ...filters, [name]: others } };
    return { name, value, count: (await catalogue.list('dataset', { ...options, ...page })).count };
  };
  return Promise.all(chosen.slice(0, mostObstacles).map(without));
}

/** Values that the page of a list depends on. */
export const dependenciesOf = ({ found, namespaces, words, obstacles }: DatasetList): readonly unknown[] => [
  found.count,
  found.pages,
  ...found.items,
  JSON.stringify(found.facets),
  JSON.stringify([...namespaces]),
  words.join('\n'),
  JSON.stringify(obstacles),
];

/** Labels of the namespaces, by slug. */
async function namespaceLabels(catalogue: Catalogue): Promise<ReadonlyMap<string, string>> {
  const { items } = await catalogue.list('namespace', { pageSize: catalogue.settings.max_page_size });
  return new Map(items.map(({ slug, label }) => [slug, label]));
}

/** Words of labels and keywords, of which the nearest to a search in vain is suggested. */
async function wordsToSuggest(catalogue: Catalogue): Promise<readonly string[]> {
  const { items } = await catalogue.list('dataset', { pageSize: catalogue.settings.max_page_size });
  const words = items.flatMap(({ label, keywords }) => [...label.split(/[^\p{L}\p{N}]+/u), ...keywords]);
  return [...new Set(words.filter((word) => word.length > 3))];
}

/** Most datasets that are suggested. */
const suggestionCount = 7;

/** Datasets for a search that is being typed: name and address, the best first. */
export async function suggestionsHandler({ catalogue, query, links }: RequestContext): Promise<Representation> {
  const search = lastParameterValue(query, 'search')?.trim() ?? '';
  const options = { search, ordering: 'relevance', pageSize: suggestionCount };
  const { items } = search ? await catalogue.list('dataset', options) : { items: [] };
  const namespaces = await namespaceLabels(catalogue);
  const suggestions = items.map((dataset) => ({
    label: dataset.label,
    namespace: namespaces.get(dataset.namespace) ?? dataset.namespace,
    url: resourceUrl(links, refOf(dataset)),
  }));
  return {
    title: 'Suggestions',
    dependsOn: [search, ...items, JSON.stringify(suggestions)],
    json: () => toJson(suggestions),
  };
}
