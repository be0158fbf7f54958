/**
 * The definition of the API in OpenAPI 3.0, in parts: each collection has paths of its own, by which clients know the
 * columns that they can filter by.
 */
import { defaultFeatureLimit, maxFeatureLimit, supportedCrs } from '../../catalogue/feature-parameters.ts';
import type { CatalogueFacts } from '../facts.ts';
import { geoJson, html, json, type OgcCollection, ogcRoot, openApiType, schemaJson } from './collection.ts';
import { columnsWithParameter, schemaKinds, typeSchema } from './schema.ts';

type Part = Readonly<Record<string, unknown>>;

const parameter = (name: string, schema: Part, description: string): Part => ({
  ...{ name, in: 'query', description, required: false, schema, style: 'form', explode: false },
});
const sharedParameter = (name: string): Part => ({ $ref: `#/components/parameters/${name}` });
const sharedResponse = (name: string): Part => ({ $ref: `#/components/responses/${name}` });

/** Parameters that are written out at each path: a client need not follow references to find them. */
const ownParameters: readonly Part[] = [
  parameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: maxFeatureLimit, default: defaultFeatureLimit },
    'Most features in the response.',
  ),
  parameter(
    'bbox',
    {
      type: 'array',
      oneOf: [
        { minItems: 4, maxItems: 4 },
        { minItems: 6, maxItems: 6 },
      ],
      items: { type: 'number' },
    },
    'Features that intersect a box: west, south, east, north.',
  ),
  parameter('datetime', { type: 'string' }, 'Features at a time, or in an interval such as 2018-02-12T00:00:00Z/..'),
];

const sharedParameters: Readonly<Record<string, Part>> = {
  offset: parameter(
    'offset',
    { type: 'integer', minimum: 0, default: 0 },
    'Features that are left out before the first.',
  ),
  properties: parameter(
    'properties',
    { type: 'array', items: { type: 'string' } },
    'Columns to return, separated by commas; all by default.',
  ),
  sortby: parameter(
    'sortby',
    { type: 'array', minItems: 1, items: { type: 'string' } },
    'Columns to sort by, separated by commas; a minus before a column is for descending order.',
  ),
  filter: parameter('filter', { type: 'string' }, 'A condition in CQL2.'),
  'filter-lang': parameter(
    'filter-lang',
    { type: 'string', enum: ['cql2-text', 'cql2-json'], default: 'cql2-text' },
    'Language of the filter.',
  ),
  'filter-crs': parameter(
    'filter-crs',
    { type: 'string', format: 'uri-reference', enum: supportedCrs, default: supportedCrs[0] },
    'Reference system of the geometries in the filter.',
  ),
  f: parameter('f', { type: 'string', enum: ['json', 'html'] }, 'Format of the response; wins over Accept.'),
};

const response = (description: string, types: Readonly<Record<string, Part>>): Part => ({
  description,
  content: Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }])),
});
const asPage = { [html]: { type: 'string' } };
const anyObject: Part = { type: 'object' };
const links: Part = {
  type: 'array',
  items: {
    type: 'object',
    required: ['href', 'rel'],
    properties: { href: { type: 'string' }, rel: { type: 'string' }, type: { type: 'string' } },
  },
};
const collection: Part = {
  type: 'object',
  required: ['id', 'links'],
  properties: {
    ...{ id: { type: 'string' }, title: { type: 'string' }, description: { type: 'string' } },
    ...{ links, extent: anyObject, itemType: { type: 'string' }, crs: { type: 'array', items: { type: 'string' } } },
  },
};
const feature: Part = {
  type: 'object',
  required: ['type', 'id', 'geometry', 'properties'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    id: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    geometry: { type: 'object', nullable: true },
    properties: { type: 'object', nullable: true },
  },
};

const features: Part = {
  type: 'object',
  required: ['type', 'features'],
  properties: {
    type: { type: 'string', enum: ['FeatureCollection'] },
    features: { type: 'array', items: feature },
    links,
    timeStamp: { type: 'string', format: 'date-time' },
    numberMatched: { type: 'integer', minimum: 0 },
    numberReturned: { type: 'integer', minimum: 0 },
  },
};

/** Responses by name. JSON has its own media type, or `application/json`, whichever the client accepts. */
const responses: Readonly<Record<string, Part>> = {
  Landing: response('The landing page.', {
    [json]: { type: 'object', required: ['links'], properties: { links } },
    ...asPage,
  }),
  Conformance: response('The conformance classes.', {
    [json]: {
      type: 'object',
      required: ['conformsTo'],
      properties: { conformsTo: { type: 'array', items: { type: 'string' } } },
    },
    ...asPage,
  }),
  Api: response('This document.', { [openApiType]: anyObject, [json]: anyObject, ...asPage }),
  Functions: response('The functions of filters.', { [json]: anyObject, ...asPage }),
  Collections: response('The collections.', {
    [json]: {
      type: 'object',
      required: ['links', 'collections'],
      properties: { links, collections: { type: 'array', items: collection } },
    },
    ...asPage,
  }),
  Collection: response('A collection.', { [json]: collection, ...asPage }),
  Schema: response('A JSON Schema.', { [schemaJson]: anyObject, [json]: anyObject, ...asPage }),
  Features: response('Features.', { [geoJson]: features, [json]: features, ...asPage }),
  Feature: response('A feature.', { [geoJson]: feature, [json]: feature, ...asPage }),
  ...Object.fromEntries(
    [
      ['Invalid', 'A parameter is unknown, or its value is invalid.'],
      ['NotSignedIn', 'The credentials are not valid.'],
      ['NotFound', 'There is no such resource.'],
      ['NotAcceptable', 'None of the accepted media types is available.'],
      ['Throttled', 'Too much work was asked for: the header Retry-After tells when to ask again.'],
      ['Failed', 'The server has failed.'],
      ['Unavailable', 'Not possible at the moment: the header Retry-After tells when to ask again.'],
    ].map(([name, description]) => [name, response(description as string, { [json]: anyObject, ...asPage })]),
  ),
};

const errorResponses = {
  ...{ 400: sharedResponse('Invalid'), 401: sharedResponse('NotSignedIn'), 404: sharedResponse('NotFound') },
  ...{ 406: sharedResponse('NotAcceptable'), 429: sharedResponse('Throttled'), 500: sharedResponse('Failed') },
  503: sharedResponse('Unavailable'),
};

function path(operationId: string, summary: string, ok: string, parameters: readonly Part[] = []): Part {
  const get = { operationId, summary, parameters, responses: { 200: sharedResponse(ok), ...errorResponses } };
  return { get };
}

/** The document without the paths of collections. */
export function openApiFrame(facts: CatalogueFacts): Part & { readonly paths: Part } {
  const f = [sharedParameter('f')];
  return {
    openapi: '3.0.3',
    info: {
      title: facts.title,
      description: facts.description ?? facts.title,
      version: '1.0.0',
      ...(facts.contact && { contact: contactOf(facts.contact) }),
      ...(facts.licence && { license: { name: facts.licence.id ?? facts.licence.url, url: facts.licence.url } }),
    },
    servers: [{ url: ogcRoot(facts) }],
    // Private collections are for those who sign in.
    security: [{}, { token: [] }],
    paths: {
      '/': path('landingPage', 'Landing page', 'Landing', f),
      '/conformance': path('conformance', 'Conformance classes', 'Conformance', f),
      '/api': path('api', 'This document', 'Api', f),
      '/functions': path('functions', 'Functions of filters', 'Functions', f),
      '/collections': path('collections', 'Collections', 'Collections', f),
    },
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The word Token, a blank, a token.',
        },
      },
      parameters: {
        ...sharedParameters,
        featureId: { name: 'featureId', in: 'path', required: true, schema: { type: 'string' } },
      },
      responses,
    },
  };
}

/** A contact as a member of `info`. */
export const contactOf = ({ name, email, url }: NonNullable<CatalogueFacts['contact']>) => ({
  ...{ name, ...(email && { email }), ...(url && { url }) },
});

/** The paths of a collection. */
export function collectionPaths({ id, facts, columns, geometryFormat }: OgcCollection): Readonly<Record<string, Part>> {
  const f = [sharedParameter('f')];
  const at = `/collections/${id}`;
  const { title } = facts;
  const items = [
    ...ownParameters,
    ...Object.keys(sharedParameters).map(sharedParameter),
    ...columnsWithParameter(columns).map((column) => ({
      ...{ name: column.name, in: 'query', required: false, schema: typeSchema(column, geometryFormat) },
      ...{ style: 'form', explode: false },
    })),
  ];
  return {
    [at]: path(id, title, 'Collection', f),
    [`${at}/items`]: path(`${id}.items`, `Features: ${title}`, 'Features', items),
    [`${at}/items/{featureId}`]: path(`${id}.item`, `A feature: ${title}`, 'Feature', [
      sharedParameter('featureId'),
      ...f,
    ]),
    ...Object.fromEntries(
      (['queryables', 'schema', 'sortables'] as const).map((kind) => [
        `${at}/${kind}`,
        path(`${id}.${kind}`, `${schemaKinds[kind].title || 'Schema: '}${title}`, 'Schema', f),
      ]),
    ),
  };
}
