/** For programs that follow the catalogue from outside: sitemap.xml, robots.txt and feeds in Atom. */
import type { Catalogue, ChangesPage } from '../catalogue/catalogue.ts';
import { compareValues } from '../catalogue/compare.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import type { ChangedDataset, ChangedDatasetsOptions } from '../catalogue/feed.ts';
import { datasetRefOf, type RefOf, refOf } from '../catalogue/ref.ts';
import { resourceUrl } from '../catalogue/represent.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { apiRoot, type Links } from '../catalogue/urls.ts';
import { firstParagraph } from '../pages/markdown.ts';
import {
  atomDocument,
  atomType,
  dataEntryId,
  descriptionEntryId,
  type FeedEntry,
  maxFeedEntries,
  newestEntries,
} from '../standards/atom.ts';
import { catalogueFacts, datasetFacts, datasetUrl, timeOfModification } from '../standards/facts.ts';
import {
  robotsText,
  type SitemapEntry,
  sitemapIndexDocument,
  sitemapPartPath,
  sitemapParts,
} from '../standards/sitemap.ts';
import { representParts } from './document-in-parts.ts';
import { listInTurns, turnsOf } from './in-turns.ts';
import { type Handler, pathPrefix, type RequestContext, refFromRouteParams } from './route.ts';
import { namespaceOf, tryToDescribe } from './standards.ts';

/** Paths of the pages in a sitemap besides those of records. */
export const sitemapLists = ['/', ...['datasets', 'namespaces', 'queries'].map((list) => `${apiRoot}${list}/`)];

/** Kinds of the records in a sitemap, in their order. */
const sitemapKinds = ['namespace', 'query', 'dataset'] as const;

/**
 * Pages of a catalogue: its lists, and its records, datasets with the time of their newest data.
 * @param first number of the first page that is wanted, from 0; @param last number of that behind the last one
 */
async function* sitemapEntries(
  request: RequestContext,
  first: number,
  last: number,
): AsyncGenerator<SitemapEntry, void, undefined> {
  const { catalogue, links } = request;
  const facts = catalogueFacts(catalogue.settings, links.base);
  let number = 0;
  for (const path of sitemapLists) if (number++ >= first) yield { url: links.base + path, modified: undefined };
  for (const kind of sitemapKinds)
    for await (const entity of listInTurns(request, kind)) {
      if (number >= last) return;
      if (number++ >= first) {
        const entry = tryToDescribe(request, () => ({
          url: entity.kind === 'dataset' ? datasetUrl(facts, entity) : resourceUrl(links, refOf(entity)),
          modified: entity.kind === 'dataset' ? timeOfModification(entity) : undefined,
        }));
        if (entry) yield entry;
      }
    }
}

/** The sitemap, or a part of it by its number; above 50,000 addresses, the sitemap is the list of its parts. */
export const sitemapHandler: Handler = async (request) => {
  const { app, catalogue, links, params } = request;
  const lists = await Promise.all(sitemapKinds.map((kind) => catalogue.list(kind, { pageSize: 1 })));
  const count = lists.reduce((sum, list) => sum + list.count, sitemapLists.length);
  const parts = Math.ceil(count / app.sitemapLimit);
  const part = Number(params.part ?? 1);
  if (params.part !== undefined && !(/^[1-9]\d*$/.test(params.part) && part <= parts)) throw new NotFoundError();
  const sitemap = { title: 'Sitemap', type: 'application/xml', dependsOn: [catalogue.revision, links.base] };
  if (parts > 1 && params.part === undefined) {
    const urls = Array.from({ length: parts }, (_, i) => links.base + sitemapPartPath(i + 1));
    return { ...sitemap, json: () => sitemapIndexDocument(urls) };
  }
  const entries = () => sitemapEntries(request, (part - 1) * app.sitemapLimit, part * app.sitemapLimit);
  return representParts(request, sitemapPartPath(part).slice(1), sitemap, () => sitemapParts(entries()));
};

export const robotsHandler: Handler = async ({ app, links }) => ({
  title: 'Robots',
  type: 'text/plain; charset=utf-8',
  dependsOn: [links.base],
  json: () => robotsText(links.base, pathPrefix(app)),
});

/** Most characters of what an entry says. */
const longestSummary = 1000;

/** How far back a feed of many datasets looks for changed descriptions, in milliseconds. */
const descriptionsSince = 30 * 24 * 60 * 60 * 1000;

/** The feed of the whole catalogue. */
export const catalogueFeedHandler: Handler = async (request) => {
  const { catalogue, links } = request;
  const newestFirst = { ordering: '-datetime', filters: { ready: ['true'] }, pageSize: maxFeedEntries };
  const versions: Version[] = [];
  for await (const version of listInTurns(request, 'version', newestFirst))
    if (versions.push(version) === maxFeedEntries) break;
  return feed(request, catalogue.settings.title, `${links.base}/`, versions, await changedDatasets(request));
};

/** The feed of one namespace. */
export const namespaceFeedHandler: Handler = async (request) => {
  const { catalogue, links, params } = request;
  const { label, slug } = await catalogue.get<'namespace'>(refFromRouteParams('namespace', params));
  let versions: readonly Version[] = [];
  for await (const dataset of listInTurns(request, 'dataset', { namespace: slug })) {
    versions = [...versions, ...dataset.versions];
    if (versions.length > mostSorted) versions = newestVersions(versions);
  }
  const changes = await changedDatasets(request, { kind: 'namespace', slug });
  return feed(request, label || slug, resourceUrl(links, { kind: 'namespace', slug }), versions, changes);
};

/** The feed of one dataset. */
export const datasetFeedHandler: Handler = async (request) => {
  const { catalogue, links, params } = request;
  const dataset = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
  const ref = { kind: 'dataset', namespace: dataset.namespace, slug: dataset.slug } as const;
  const changes = await changedDatasets(request, ref, 0);
  return feed(request, dataset.label || dataset.slug, resourceUrl(links, ref), dataset.versions, changes);
};

/** Datasets whose own files changed lately, the newest change first: as many as a feed has. @param since milliseconds since 1970 */
async function changedDatasets(
  request: RequestContext,
  within?: RefOf<'namespace' | 'dataset'>,
  since = Date.now() - descriptionsSince,
): Promise<readonly ChangedDataset[]> {
  const { app, catalogue } = request;
  // Times of files are others on each machine.
  if (app.staticExport) return [];
  const options = { within, since, limit: maxFeedEntries };
  return catalogue.changedDatasets?.(options) ?? changedDatasetsInFeed(request, options);
}

/** The same from all pages of the changes, for a catalogue that can only list those. @throws BadRequestError if the client has left */
async function changedDatasetsInFeed(
  request: RequestContext,
  { within, since, limit }: ChangedDatasetsOptions,
): Promise<readonly ChangedDataset[]> {
  const { catalogue } = request;
  const turns = turnsOf(request);
  const found: { readonly ref: RefOf<'dataset'>; readonly datetime: string }[] = [];
  const options = { since: new Date(since).toISOString(), pageSize: catalogue.settings.max_page_size };
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string'; ) {
    const page: ChangesPage = await catalogue.changes({ ...options, cursor });
    for (const { ref, recordDatetime } of page.items)
      if (ref.kind === 'dataset' && recordDatetime !== null && isWithin(ref, within))
        found.push({ ref, datetime: recordDatetime });
    cursor = page.nextCursor;
    await turns.next();
  }
  const newest = found.toReversed().toSorted((a, b) => compareValues(b.datetime, a.datetime));
  return Promise.all(
    newest
      .slice(0, limit)
      .map(async ({ ref, datetime }) => ({ dataset: await catalogue.get<'dataset'>(ref), datetime })),
  );
}

function isWithin(ref: RefOf<'dataset'>, within: ChangedDatasetsOptions['within']): boolean {
  if (!within) return true;
  if (within.kind === 'namespace') return ref.namespace === within.slug;
  return ref.namespace === within.namespace && ref.slug === within.slug;
}

/** Versions of several datasets that are gathered before they are sorted. */
const mostSorted = 1000;

/** Those with data, the newest first: as many as a feed has. */
const newestVersions = (versions: readonly Version[]): readonly Version[] =>
  versions
    .filter(({ ready }) => ready)
    .toSorted((a, b) => (a.datetime < b.datetime ? 1 : -1))
    .slice(0, maxFeedEntries);

async function feed(
  request: RequestContext,
  title: string,
  page: string,
  versions: readonly Version[],
  changes: readonly ChangedDataset[],
) {
  const { catalogue, links } = request;
  const entries: FeedEntry[] = [];
  for (const version of newestVersions(versions)) {
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
    summary: firstParagraph(version.notes, longestSummary),
    author: publisher.name,
  };
}

async function descriptionEntry(request: RequestContext, { dataset, datetime }: ChangedDataset): Promise<FeedEntry> {
  const { title, url, description, hasDescription, publisher } = await factsOf(request, dataset);
  return {
    kind: 'description',
    id: descriptionEntryId(dataset),
    title,
    updated: datetime,
    url,
    // A sentence about the table is no Markdown: names of columns may look like it.
    summary: hasDescription ? firstParagraph(description, longestSummary) : description,
    author: publisher.name,
  };
}

async function factsOf({ catalogue, links }: { catalogue: Catalogue; links: Links }, dataset: Dataset) {
  return datasetFacts(catalogueFacts(catalogue.settings, links.base), dataset, await namespaceOf(catalogue, dataset));
}

const datasetAndSlug = ({ namespace, dataset, slug }: Version) => ({ namespace, dataset, slug });
