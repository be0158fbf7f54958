/** For programs that follow the catalogue from outside: sitemap.xml, robots.txt and feeds in Atom. */
import type { Catalogue, Page } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { datasetRefOf, type Ref, type RefOf } from '../catalogue/ref.ts';
import { resourceUrl } from '../catalogue/represent.ts';
import type { Dataset, Entities, Version } from '../catalogue/types.ts';
import { apiRoot, type Links } from '../catalogue/urls.ts';
import {
  atomDocument,
  atomType,
  dataEntryId,
  descriptionEntryId,
  type FeedEntry,
  maxFeedEntries,
  newestEntries,
} from '../standards/atom.ts';
import { catalogueFacts, datasetFacts } from '../standards/facts.ts';
import {
  robotsText,
  type SitemapEntry,
  sitemapDocument,
  sitemapIndexDocument,
  sitemapPartPath,
} from '../standards/sitemap.ts';
import { type Handler, pathPrefix, type RequestContext, refFromRouteParams } from './route.ts';
import { allDatasetFacts, namespaceOf } from './standards.ts';

/** Paths of the pages in a sitemap besides those of records. */
export const sitemapLists = ['/', ...['datasets', 'namespaces', 'queries'].map((list) => `${apiRoot}${list}/`)];

/** Pages of a catalogue: its lists, and its datasets with the time of their newest data. */
async function* sitemapEntries(request: RequestContext): AsyncGenerator<SitemapEntry, void, undefined> {
  const { catalogue, links } = request;
  for (const path of sitemapLists) yield { url: links.base + path, modified: undefined };
  for (const kind of ['namespace', 'query'] as const)
    for await (const { slug } of allEntities(catalogue, kind))
      yield { url: resourceUrl(links, { kind, slug }), modified: undefined };
  for await (const { url, modified } of allDatasetFacts(request)) yield { url, modified };
}

async function* allEntities<K extends 'namespace' | 'query' | 'dataset'>(
  catalogue: Catalogue,
  kind: K,
  namespace?: string,
): AsyncGenerator<Entities[K], void, undefined> {
  const pageSize = catalogue.settings.max_page_size;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<Entities[K]> = await catalogue.list(kind, { cursor, pageSize, namespace });
    yield* page.items;
    cursor = page.nextCursor ?? null;
  }
}

/** The sitemap, or a part of it by its number; above 50,000 addresses, the sitemap is the list of its parts. */
export const sitemapHandler: Handler = async (request) => {
  const { app, catalogue, links, params } = request;
  const entries: SitemapEntry[] = [];
  for await (const entry of sitemapEntries(request)) entries.push(entry);
  const parts = Math.ceil(entries.length / app.sitemapLimit);
  const part = Number(params.part ?? 1);
  if (params.part !== undefined && !(/^[1-9]\d*$/.test(params.part) && part <= parts)) throw new NotFoundError();
  const text = () =>
    parts > 1 && params.part === undefined
      ? sitemapIndexDocument(Array.from({ length: parts }, (_, i) => links.base + sitemapPartPath(i + 1)))
      : sitemapDocument(entries.slice((part - 1) * app.sitemapLimit, part * app.sitemapLimit));
  return { title: 'Sitemap', type: 'application/xml', dependsOn: [catalogue.revision, links.base], json: text };
};

export const robotsHandler: Handler = async ({ app, links }) => ({
  title: 'Robots',
  type: 'text/plain; charset=utf-8',
  dependsOn: [links.base],
  json: () => robotsText(links.base, pathPrefix(app)),
});

/** How far back a feed of many datasets looks for changed descriptions, in milliseconds. */
const descriptionsSince = 30 * 24 * 60 * 60 * 1000;

/** The feed of the whole catalogue. */
export const catalogueFeedHandler: Handler = async (request) => {
  const { catalogue, links } = request;
  const { items } = await catalogue.list('version', { ordering: '-datetime', pageSize: maxFeedEntries });
  return feed(request, catalogue.settings.title, `${links.base}/`, items, await changedDatasets(request, () => true));
};

/** The feed of one namespace. */
export const namespaceFeedHandler: Handler = async (request) => {
  const { catalogue, links, params } = request;
  const { label, slug } = await catalogue.get<'namespace'>(refFromRouteParams('namespace', params));
  const versions: Version[] = [];
  for await (const dataset of allEntities(catalogue, 'dataset', slug)) versions.push(...dataset.versions);
  const changes = await changedDatasets(request, (ref) => ref.kind === 'dataset' && ref.namespace === slug);
  return feed(request, label || slug, resourceUrl(links, { kind: 'namespace', slug }), versions, changes);
};

/** The feed of one dataset. */
export const datasetFeedHandler: Handler = async (request) => {
  const { catalogue, links, params } = request;
  const dataset = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
  const ref = { kind: 'dataset', namespace: dataset.namespace, slug: dataset.slug } as const;
  const changes = await changedDatasets(
    request,
    (one) => one.kind === 'dataset' && one.namespace === ref.namespace && one.slug === ref.slug,
    0,
  );
  return feed(request, dataset.label || dataset.slug, resourceUrl(links, ref), dataset.versions, changes);
};

interface DescriptionChange {
  readonly dataset: Dataset;
  readonly datetime: string;
}

/** Datasets whose own files changed lately, the newest change first: as many as a feed has. @param since milliseconds since 1970 */
async function changedDatasets(
  { app, catalogue }: RequestContext,
  isWanted: (ref: Ref) => boolean,
  since = Date.now() - descriptionsSince,
): Promise<readonly DescriptionChange[]> {
  // Times of files are others on each machine.
  if (app.staticExport) return [];
  const found: { readonly ref: RefOf<'dataset'>; readonly datetime: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<Catalogue['changes']>> = await catalogue.changes({
      since: new Date(since).toISOString(),
      cursor,
      pageSize: catalogue.settings.max_page_size,
    });
    for (const { ref, recordDatetime } of page.items)
      if (ref.kind === 'dataset' && recordDatetime !== null && isWanted(ref))
        found.push({ ref, datetime: recordDatetime });
    cursor = page.nextCursor ?? null;
  }
  const newest = found.toSorted((a, b) => (a.datetime < b.datetime ? 1 : -1)).slice(0, maxFeedEntries);
  return Promise.all(
    newest.map(async ({ ref, datetime }) => ({ dataset: await catalogue.get<'dataset'>(ref), datetime })),
  );
}

async function feed(
  request: RequestContext,
  title: string,
  page: string,
  versions: readonly Version[],
  changes: readonly DescriptionChange[],
) {
  const { catalogue, links } = request;
  const entries: FeedEntry[] = [];
  const newest = versions.filter(({ ready }) => ready).toSorted((a, b) => (a.datetime < b.datetime ? 1 : -1));
  for (const version of newest.slice(0, maxFeedEntries)) {
    const dataset = await catalogue.get<'dataset'>(datasetRefOf(version));
    entries.push(await dataEntry(request, dataset, version));
  }
  for (const change of changes) entries.push(await descriptionEntry(request, change));
  const facts = catalogueFacts(catalogue.settings, links.base);
  const text = atomDocument({
    url: `${page}feed.atom`,
    title,
    page,
    author: facts.publisher?.name ?? facts.title,
    language: facts.language,
    entries: newestEntries(entries),
  });
  return { title, type: atomType, dependsOn: [], json: () => text };
}

async function dataEntry(request: RequestContext, dataset: Dataset, version: Version): Promise<FeedEntry> {
  const { title, publisher } = await factsOf(request, dataset);
  return {
    kind: 'data',
    id: dataEntryId(dataset, version),
    title: `${title}: ${version.label || version.slug}`,
    updated: version.datetime,
    url: resourceUrl(request.links, { kind: 'version', ...datasetAndSlug(version) }),
    summary: version.notes,
    author: publisher.name,
  };
}

async function descriptionEntry(request: RequestContext, { dataset, datetime }: DescriptionChange): Promise<FeedEntry> {
  const { title, url, description, publisher } = await factsOf(request, dataset);
  return {
    kind: 'description',
    id: descriptionEntryId(dataset),
    title,
    updated: datetime,
    url,
    summary: description,
    author: publisher.name,
  };
}

async function factsOf({ catalogue, links }: { catalogue: Catalogue; links: Links }, dataset: Dataset) {
  return datasetFacts(catalogueFacts(catalogue.settings, links.base), dataset, await namespaceOf(catalogue, dataset));
}

const datasetAndSlug = ({ namespace, dataset, slug }: Version) => ({ namespace, dataset, slug });
