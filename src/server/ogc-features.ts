/** OGC API - Features: pages of features, and single features. */
import type { FeaturesPage, OgcLink } from '../catalogue/feature-parameters.ts';
import { refOf } from '../catalogue/ref.ts';
import { geoJson, html, json } from '../standards/ogc/collection.ts';
import { cacheControl } from './headers.ts';
import { formatLinkHeader, type Relations, urlWithParameters } from './link-header.ts';
import { type FoundCollection, findCollection, ogcRepresentation, refuseParameters } from './ogc.ts';
import type { Handler, Representation, RequestContext } from './route.ts';
import { workBudgetOf } from './rows-page.ts';
import { streamDocument } from './stream.ts';

/** Features of a page for people, if no number is asked for, and at most: it shows the start of their JSON only. */
const featuresPerPage = 20;
const mostPerPage = 100;

/** A page of features: GeoJSON as it is found, or a page for people. */
export const ogcFeaturesHandler: Handler = async (request) => {
  const { ctx, viewer, type } = request;
  const found = await findCollection(request);
  const rows = await findFeatures(request, found);
  if (type === html) return featuresPage(request, found, rows);
  const { dataset, slug } = rows.version;
  await streamDocument(ctx, {
    tag: rows.tag,
    // The time of the response is in it.
    isWeak: true,
    compressible: true,
    headers: {
      'Cache-Control': cacheControl(viewer),
      Link: formatLinkHeader(relationsOf(request, found, rows.part)),
      ...(rows.part && { 'X-Total-Count': String(rows.part.matched) }),
    },
    contentType: type === json ? json : geoJson,
    fileName: `${dataset}-${slug}.geojson`,
    stream: () => rows.stream(),
  });
  return undefined;
};

function findFeatures(request: RequestContext, { collection, version }: FoundCollection, id?: string) {
  const { app, catalogue, ctx, query, type } = request;
  const parameters = type === html ? withLimit(query) : [...query];
  return catalogue.rows(refOf(version), {
    parameters,
    length: Buffer.byteLength(ctx.querystring),
    budget: workBudgetOf(request),
    features: {
      id,
      links: (part) => linksOfPage(request, collection.url, part),
      ...(app.staticExport && { timeStamp: version.datetime, isWhole: type !== html }),
    },
  });
}

/** The parameters of a page for people. A limit that is no number is left, as the reason of an error. */
function withLimit(query: URLSearchParams): [string, string][] {
  if (!query.has('limit')) return [...query, ['limit', String(featuresPerPage)]];
  const isMore = (text: string) => /^\d+$/.test(text) && Number(text) > mostPerPage;
  return [...query].map(([name, value]) => [name, name === 'limit' && isMore(value) ? String(mostPerPage) : value]);
}

/** Addresses of a page of features and of those beside it. Every part of their query strings has a value. */
function pageAddresses({ query }: RequestContext, url: string, { matched, offset, limit }: FeaturesPage) {
  const at = (first: number) => urlWithParameters(`${url}/items`, query, { f: null, limit, offset: first || null });
  const self = urlWithParameters(`${url}/items`, query, { f: null });
  return {
    self,
    html: urlWithParameters(`${url}/items`, query, { f: 'html' }),
    next: offset + limit < matched ? at(offset + limit) : null,
    prev: offset > 0 ? at(Math.max(0, offset - limit)) : null,
  };
}

function linksOfPage(request: RequestContext, url: string, part: FeaturesPage): readonly OgcLink[] {
  const { self, html: page, next, prev } = pageAddresses(request, url, part);
  return [
    { href: self, rel: 'self', type: geoJson, title: 'This document' },
    { href: page, rel: 'alternate', type: html, title: 'This document as a page' },
    ...(next ? [{ href: next, rel: 'next', type: geoJson, title: 'Next features' }] : []),
    ...(prev ? [{ href: prev, rel: 'prev', type: geoJson, title: 'Features before' }] : []),
    { href: url, rel: 'collection', type: json, title: 'Collection' },
  ];
}

function relationsOf(request: RequestContext, { collection }: FoundCollection, part: FeaturesPage | null): Relations {
  const { url, facts } = collection;
  const { self, next, prev } = part
    ? pageAddresses(request, url, part)
    : { self: `${url}/items`, next: null, prev: null };
  return {
    ...{ self, next, prev, collection: url, license: facts.licence?.url ?? null },
    'http://www.opengis.net/def/rel/ogc/1.0/queryables': `${url}/queryables`,
  };
}

type FeatureRows = Awaited<ReturnType<typeof findFeatures>>;

async function readDocument(rows: FeatureRows) {
  const chunks: Buffer[] = [];
  for await (const chunk of rows.stream()) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly features: readonly { readonly id: string | number }[];
    readonly links: readonly OgcLink[];
    readonly timeStamp?: string;
  };
}

async function featuresPage(
  request: RequestContext,
  { collection }: FoundCollection,
  rows: FeatureRows,
): Promise<Representation> {
  // Without the time of the response, equal pages have equal bytes, and one ETag.
  const { timeStamp: _time, ...document } = await readDocument(rows);
  const beside = (rel: string) => {
    const href = document.links.find((link) => link.rel === rel)?.href;
    return href ? `${href}&f=html` : null;
  };
  return ogcRepresentation(request, document, {
    title: collection.facts.title,
    next: beside('next'),
    previous: beside('prev'),
    dependsOn: [],
  });
}

/** A single feature, with links to its collection. */
export const ogcFeatureHandler: Handler = async (request) => {
  const { params, query, type } = request;
  const found = await findCollection(request);
  const { collection, dataset } = found;
  refuseParameters(query);
  const rows = await findFeatures({ ...request, query: new URLSearchParams(), type: geoJson }, found, params.feature);
  const [feature] = (await readDocument(rows)).features;
  const url = `${collection.url}/items/${encodeURIComponent(String(feature?.id))}`;
  const links: readonly OgcLink[] = [
    { href: `${url}?f=json`, rel: 'self', type: geoJson, title: 'This document' },
    { href: `${url}?f=html`, rel: 'alternate', type: html, title: 'This document as a page' },
    { href: collection.url, rel: 'collection', type: json, title: 'Collection' },
  ];
  const title = `${collection.facts.title}: ${feature?.id}`;
  return {
    ...ogcRepresentation(request, { ...feature, links }, { title, dependsOn: [dataset] }),
    type: type === html ? html : type === json ? json : geoJson,
  };
};
