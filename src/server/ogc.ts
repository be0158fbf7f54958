/** OGC API - Features: landing page, conformance, definition of the API, collections and their schemas. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { excerpt, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import type { OgcLink } from '../catalogue/feature-parameters.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Column, Dataset, Version } from '../catalogue/types.ts';
import { conformanceClasses, functionDescriptions } from '../data/query/cql2/conformance.ts';
import { type OgcPageParts, renderOgcPage } from '../pages/ogc.tsx';
import { datasetFacts } from '../standards/facts.ts';
import {
  collectionDocument,
  collectionsLinks,
  conformanceDocument,
  landingDocument,
  type OgcCollection,
  ogcCollection,
  openApiType,
} from '../standards/ogc/collection.ts';
import { collectionPaths, openApiFrame } from '../standards/ogc/openapi.ts';
import { collectionSchema, type SchemaKind, schemaKinds } from '../standards/ogc/schema.ts';
import { representParts } from './document-in-parts.ts';
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { allDatasets, factsOf, namespaceOf } from './standards.ts';

/** Refuses parameters besides that of the format (core, query-param-unknown). @throws ValidationError */
export function refuseParameters(query: URLSearchParams): void {
  const unknown = [...query.keys()].filter((name) => name !== 'f');
  if (unknown.length)
    throw new ValidationError(
      Object.fromEntries(unknown.map((name) => [name, [`Unknown parameter "${excerpt(name)}".`]])),
    );
}

/** The representation of a document: as JSON, and as a page that shows it. */
export function ogcRepresentation(
  { type, links }: Pick<RequestContext, 'type' | 'links'>,
  document: object,
  { dependsOn, ...parts }: Omit<OgcPageParts, 'document'> & Pick<Representation, 'dependsOn'>,
): Representation {
  return {
    title: parts.title,
    dependsOn: dependsOn.length ? [...dependsOn, links.base] : [],
    json: () => toJson(document),
    description: parts.description,
    page: type === 'text/html' ? (context) => renderOgcPage(context, { document, ...parts }) : undefined,
  };
}

export const ogcLandingHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { settings } = request.catalogue;
  const document = landingDocument(factsOf(request));
  const { title, description, links } = document;
  return ogcRepresentation(request, document, { title, description, links, dependsOn: [settings] });
};

export const ogcConformanceHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const document = conformanceDocument(conformanceClasses);
  return ogcRepresentation(request, document, { title: 'Conformance', dependsOn: [request.catalogue.settings] });
};

/** Functions of filters that are not of the standard (19-079r2, section 8.8). */
export const ogcFunctionsHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const functions = functionDescriptions.map(({ args, ...others }) => ({ ...others, arguments: args }));
  return ogcRepresentation(request, { functions }, { title: 'Functions', dependsOn: [request.catalogue.settings] });
};

/** All collections that the viewer may see. */
async function* allCollections(request: RequestContext): AsyncGenerator<OgcCollection, void, undefined> {
  for await (const { dataset, facts } of allDatasets(request)) {
    const collection = ogcCollection(facts, dataset);
    if (collection) yield collection;
  }
}

/**
 * The representation of a document about all collections.
 * @param parts its text, the part of each collection by itself
 */
const representAll = async (
  request: RequestContext,
  representation: Representation,
  parts: () => AsyncGenerator<string, void, undefined>,
): Promise<Representation | undefined> =>
  representation.page ? representation : representParts(request, 'ogc.json', representation, parts);

/** The list of collections: all in one response. */
export const ogcCollectionsHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { catalogue, type } = request;
  const links = collectionsLinks(factsOf(request));
  const shown: OgcCollection[] = [];
  if (type === 'text/html') for await (const collection of allCollections(request)) shown.push(collection);
  const parts = { title: 'Collections', links, collections: shown, dependsOn: [catalogue.revision] };
  return representAll(request, ogcRepresentation(request, { links }, parts), async function* () {
    yield `${toJson({ links }).slice(0, -1)},"collections":[`;
    let separator = '';
    for await (const collection of allCollections(request)) {
      yield separator + toJson(collectionDocument(collection));
      separator = ',\n';
    }
    yield ']}';
  });
};

/** The definition of the API in OpenAPI 3.0. */
export const ogcApiHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { catalogue, type } = request;
  const { paths, ...frame } = openApiFrame(factsOf(request));
  const parts = { title: 'API', dependsOn: [catalogue.revision] };
  const representation: Representation = {
    ...ogcRepresentation(request, { paths, ...frame }, parts),
    ...(type === openApiType.split(';')[0] && { type: openApiType }),
  };
  return representAll(request, representation, async function* () {
    yield `${toJson(frame).slice(0, -1)},"paths":${toJson(paths).slice(0, -1)}`;
    for await (const collection of allCollections(request))
      yield `,\n${toJson(collectionPaths(collection)).slice(1, -1)}`;
    yield '}}';
  });
};

/** A collection of the request, with the dataset that it is made of. */
export interface FoundCollection {
  readonly collection: OgcCollection;
  readonly dataset: Dataset;
  readonly version: Version;
}

/** The collection of an address. @throws NotFoundError if there is none that the viewer may see; MovedError */
export async function findCollection(request: RequestContext): Promise<FoundCollection> {
  const { catalogue, params } = request;
  const dataset = await catalogue.get<'dataset'>(refFromRouteParams('dataset', params));
  const facts = datasetFacts(factsOf(request), dataset, await namespaceOf(catalogue, dataset));
  const version = latestReadyVersion(dataset);
  const collection = version && ogcCollection(facts, dataset, await columnsOf(catalogue, dataset, version));
  if (!collection) throw new NotFoundError('This dataset has no rows that can be shown.');
  return { collection, dataset, version };
}

/** The columns of the rows; of a version whose record doesn't tell them, from the rows. */
async function columnsOf(catalogue: Catalogue, dataset: Dataset, version: Version): Promise<readonly Column[]> {
  if (version.columns) return dataset.columns;
  const described = new Map(dataset.columns.map((column) => [column.name, column]));
  const { columns } = await catalogue.profile(refOf(version));
  return columns.map(({ name, type }) => ({
    label: '',
    description: '',
    unit: '',
    ...described.get(name),
    name,
    type,
  }));
}

export const ogcCollectionHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { collection, dataset } = await findCollection(request);
  const document = collectionDocument(collection);
  const { title, description } = document;
  const links: readonly OgcLink[] = document.links;
  return ogcRepresentation(request, document, { title, description, links, dependsOn: [dataset] });
};

/** A handler of a schema of a collection. */
export function makeOgcSchemaHandler(kind: SchemaKind): Handler {
  return async (request) => {
    refuseParameters(request.query);
    const { collection, dataset, version } = await findCollection(request);
    const idType = kind === 'schema' ? await idTypeOf(request.catalogue, version) : 'string';
    const title = `${schemaKinds[kind].title}${collection.facts.title}`;
    return ogcRepresentation(request, collectionSchema(collection, kind, idType), { title, dependsOn: [dataset] });
  };
}

/** The type of the ids of features, by the first one. */
async function idTypeOf(catalogue: Catalogue, version: Version): Promise<'string' | 'integer'> {
  const parameters = [['limit', '1']] as const;
  const rows = await catalogue.rows(refOf(version), { parameters, features: { links: () => [] } });
  const chunks: Buffer[] = [];
  for await (const chunk of rows.stream()) chunks.push(chunk as Buffer);
  const { features } = JSON.parse(Buffer.concat(chunks).toString()) as { features: { id: unknown }[] };
  return Number.isInteger(features[0]?.id) ? 'integer' : 'string';
}
