/** Documents in the standards at the addresses of what they describe: found by Accept, and linked. */
import { datasetRefOf } from '../catalogue/ref.ts';
import { resourceUrl } from '../catalogue/represent.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import type { Links } from '../catalogue/urls.ts';
import { geoJson, isOgcCollection } from '../standards/ogc/collection.ts';
import type { Alternate } from './link-header.ts';
import type { Representation, RequestContext, RouteDocument } from './route.ts';

/** URIs of the standards that share a media type with others. */
export const profiles = {
  dcat: 'http://data.europa.eu/r5r/',
  schemaOrg: 'https://schema.org/',
  croissant: 'http://mlcommons.org/croissant/1.1',
  stac: 'https://schemas.stacspec.org/v1.1.0/collection-spec/json-schema/collection.json',
} as const;

/** @param address of the resource, with a slash at its end */
const urlOfDocument = ({ path }: RouteDocument, address: string, base: string): string =>
  path.startsWith('/') ? base + path : address + path;

/** Links to documents. */
export const documentLinks = (
  documents: readonly RouteDocument[],
  address: string,
  base: string,
): readonly Alternate[] =>
  documents.map((document) => ({
    url: urlOfDocument(document, address, base),
    type: document.type,
    ...(document.profile !== undefined && { profile: document.profile }),
  }));

/** The document in place of the resource. @throws MissingDocumentError */
export async function negotiatedDocument(
  request: RequestContext,
  document: RouteDocument,
): Promise<Representation | undefined> {
  const { ctx, links } = request;
  const location = urlOfDocument(document, `${links.base}${ctx.path}`, links.base);
  ctx.set('Content-Location', location);
  const representation = await document.handler(request).catch((error) => {
    ctx.remove('Content-Location');
    throw error;
  });
  if (!representation) return undefined;
  return {
    ...representation,
    type: representation.type?.startsWith(document.type) ? representation.type : document.type,
    headers: [...(representation.headers ?? []), ['Content-Location', location]],
  };
}

/** A sentence with all media types of a resource, and the profiles of its documents. */
export function sentenceAboutTypes(types: readonly string[], documents: readonly RouteDocument[]): string {
  const named = documents.map(({ type, profile }) => (profile ? `${type}; profile="${profile}"` : type));
  return `There are ${[...types, ...named].join(', ')}.`;
}

/** Links of a dataset or a version: what it is a part of, and what describes it. @param license URL; null if unknown */
export function contextLinks(entity: Dataset | Version, links: Links, license: string | null): readonly Alternate[] {
  const plain = { ...links, suffix: '' };
  const dataset = datasetUrl(entity, links);
  const namespace = resourceUrl(plain, { kind: 'namespace', slug: entity.namespace });
  return [
    ...(license === null ? [] : [{ rel: 'license', url: license }]),
    { rel: 'collection', url: entity.kind === 'dataset' ? namespace : dataset },
    { rel: 'describedby', url: `${dataset}dcat.jsonld`, type: 'application/ld+json', profile: profiles.dcat },
    ...(entity.kind === 'dataset' && isOgcCollection(entity)
      ? [{ rel: 'items', url: `${links.base}/ogc/collections/${entity.namespace}.${entity.slug}/items`, type: geoJson }]
      : []),
  ];
}

/** URL of a dataset, or of that of a version. */
export const datasetUrl = (entity: Dataset | Version, { base }: Links): string =>
  resourceUrl(
    { base, suffix: '' },
    entity.kind === 'dataset'
      ? { kind: 'dataset', namespace: entity.namespace, slug: entity.slug }
      : datasetRefOf(entity),
  );
