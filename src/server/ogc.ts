/** OGC API - Features: landing page, conformance, definition of the API, collections and their schemas. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { excerpt, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import type { OgcLink } from '../catalogue/feature-parameters.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { refOf } from '../catalogue/ref.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Column, Dataset, Version } from '../catalogue/types.ts';
import { Turns } from '../data/event-loop.ts';
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
import { type Handler, type Representation, type RequestContext, refFromRouteParams } from './route.ts';
import { allDatasets, factsOf, namespaceOf } from './standards.ts';

/** Refuses parameters besides that of the format (core, query-param-unknown). @throws ValidationError */
function refuseParameters(query: URLSearchParams): void {
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

/** The list of collections: all in one response, written in turns with other work. */
export const ogcCollectionsHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { catalogue, type } = request;
  const links = collectionsLinks(factsOf(request));
  const turns = new Turns();
  const items: string[] = [];
  const shown: OgcCollection[] = [];
  for await (const collection of allCollections(request)) {
    if (type === 'text/html') shown.push(collection);
    else items.push(toJson(collectionDocument(collection)));
    if (turns.isOver) await turns.next();
  }
  const text = `${toJson({ links }).slice(0, -1)},"collections":[${items.join(',\n')}]}`;
  const title = 'Collections';
  return {
    ...ogcRepresentation(request, { links }, { title, links, collections: shown, dependsOn: [catalogue.revision] }),
    json: () => text,
  };
};

/** The definition of the API in OpenAPI 3.0, written in turns with other work, and kept until the catalogue changes. */
export const ogcApiHandler: Handler = async (request) => {
  refuseParameters(request.query);
  const { catalogue, type } = request;
  const turns = new Turns();
  const { paths, ...frame } = openApiFrame(factsOf(request));
  const items = [toJson(paths).slice(1, -1)];
  if (type !== 'text/html')
    for await (const collection of allCollections(request)) {
      items.push(toJson(collectionPaths(collection)).slice(1, -1));
      if (turns.isOver) await turns.next();
    }
  const text = `${toJson(frame).slice(0, -1)},"paths":{${items.join(',\n')}}}`;
  const document = { paths, ...frame };
  return {
    ...ogcRepresentation(request, document, { title: 'API', dependsOn: [catalogue.revision] }),
    json: () => text,
    ...(type === openApiType.split(';')[0] && { type: openApiType }),
  };
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
