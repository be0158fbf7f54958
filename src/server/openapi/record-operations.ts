/** Operations on records: lists, single records, their history. */
import type { CreatableKind, WritableKind } from '../../catalogue/catalogue.ts';
import type { EntityKind } from '../../catalogue/schemas.ts';
import {
  type Answer,
  binary,
  type Content,
  flag,
  type JsonSchema,
  jsonContent,
  type Operation,
  type Operations,
  queryParameter,
  schemaRef,
  type Tag,
} from './description.ts';
import { datasetExample, datasetInputExample } from './examples.ts';
import { dryRunParameter, ifMatchHeader, listParameters, pagingParameters, uploadFields } from './parameters.ts';
import { recordSchemas, schemaName } from './record-schemas.ts';

const tagOf: Readonly<Record<EntityKind, Tag>> = {
  dataset: 'Datasets',
  version: 'Versions',
  namespace: 'Namespaces',
  query: 'Queries',
  group: 'People',
  user: 'People',
};

/** Examples of records in responses and in requests. */
const examples: { readonly [K in EntityKind]?: unknown } = { dataset: datasetExample };
const inputExamples: { readonly [K in EntityKind]?: unknown } = { dataset: datasetInputExample };

const jsonOf = (kind: EntityKind): Content => jsonContent(schemaRef(schemaName(kind)), examples[kind]);

const list = (kind: EntityKind, summary: string): Operation => ({
  tag: tagOf[kind],
  summary,
  parameters: listParameters(kind),
  answers: {
    200: {
      description: 'A page of the list.',
      content: jsonContent(schemaRef(`${schemaName(kind)}Page`)),
      headers: ['ETag', 'Link'],
    },
  },
});

/** The fields of a record in JSON, in a form and in a form with images. */
function inputContent(kind: EntityKind, name: string, example?: unknown): Content {
  const schema = schemaRef(name);
  const { properties = {}, ...rest } = recordSchemas[name] as { properties?: Record<string, JsonSchema> };
  const hasImages = kind === 'dataset';
  const bytes = (field: string, own: JsonSchema) =>
    /image$/.test(field) ? { ...binary, description: own.description } : own;
  const withImages = {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).map(([field, own]) => [field, bytes(field, own)])),
  };
  return {
    ...jsonContent(schema, example),
    'application/x-www-form-urlencoded': { schema },
    'multipart/form-data': { schema: hasImages ? withImages : schema },
  };
}

const written = (kind: EntityKind, description: string): Answer => ({
  description,
  content: jsonOf(kind),
  headers: ['ETag'],
});

const create = (kind: CreatableKind, input = `${schemaName(kind)}Input`): Operation => ({
  tag: tagOf[kind],
  summary: `Create a ${kind}`,
  parameters: [dryRunParameter],
  body: inputContent(kind, input, inputExamples[kind]),
  answers: { 201: { ...written(kind, `The new ${kind}.`), headers: ['ETag', 'Location'] } },
});

const read = (kind: EntityKind, description = ''): Operation => ({
  tag: tagOf[kind],
  summary: `Read a ${kind}`,
  ...(description && { description }),
  answers: { 200: { description: `The ${kind}.`, content: jsonOf(kind), headers: ['ETag', 'Link'] } },
});

const edit = (kind: WritableKind, required: 'all' | 'some'): Operation => ({
  tag: tagOf[kind],
  summary: required === 'all' ? `Replace a ${kind}` : `Edit a ${kind}`,
  description: 'Fields that are left out stay as they are.',
  parameters: [dryRunParameter, ifMatchHeader],
  body: inputContent(kind, `${schemaName(kind)}${required === 'all' ? 'Input' : 'Patch'}`),
  answers: { 200: written(kind, `The ${kind} as it is now.`) },
});

/** What a client should know before, since the response has no body. */
const noteOnRemoval: { readonly [K in WritableKind]?: string } = {
  dataset: ' Saved queries of the dataset fail then: `GET /api/v1/queries/?dataset=<namespace>/<dataset>` lists them.',
  version:
    ' Saved queries of this version fail then: `GET /api/v1/queries/?dataset=<namespace>/<dataset>` lists those of its dataset, each ' +
    'with its `version`.',
};

const remove = (kind: WritableKind): Operation => ({
  tag: tagOf[kind],
  summary: `Remove a ${kind}`,
  description: `It stays in the trash, unless it is removed permanently.${noteOnRemoval[kind] ?? ''}`,
  parameters: [
    dryRunParameter,
    ifMatchHeader,
    queryParameter('permanently', 'True to keep nothing in the trash.', flag),
  ],
  answers: { 204: { description: 'It is removed.' } },
});

const instance = (kind: CreatableKind) => ({
  GET: read(kind),
  PUT: edit(kind, 'all'),
  PATCH: edit(kind, 'some'),
  DELETE: remove(kind),
});

const collection = (kind: CreatableKind, summary: string) => ({ GET: list(kind, summary), POST: create(kind) });

/** An upload: the payload in a form with its details, or as raw bytes with the details in the query string. */
const upload: Operation = {
  tag: 'Versions',
  summary: 'Publish a version',
  description:
    'The payload is streamed. In a form, options for reading stand before the file; with raw bytes, all fields are parameters.',
  parameters: [
    dryRunParameter,
    queryParameter('name', 'Name of the file, of raw bytes; or in Content-Disposition.'),
    ...Object.entries(uploadFields).map(([name, { description, ...schema }]) =>
      queryParameter(name, String(description ?? 'As in the form.'), schema),
    ),
  ],
  body: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { ...uploadFields, file: binary },
      },
    },
    '*/*': { schema: binary },
  },
  answers: {
    200: { ...written('version', 'The newest version, which has the same bytes.'), content: published() },
    201: { ...written('version', 'The new version.'), content: published(), headers: ['ETag', 'Location'] },
  },
};

function published(): Content {
  return jsonContent(schemaRef('PublishedVersion'));
}

export const recordOperations = {
  'Dataset List': {
    GET: list('dataset', 'List datasets'),
    POST: ({ path }) =>
      path.includes(':namespace') ? create('dataset', 'DatasetInNamespaceInput') : create('dataset'),
  },
  'Dataset Instance': instance('dataset'),
  'Version List': { GET: list('version', 'List versions, the newest first'), POST: upload },
  'Version Instance': { GET: read('version'), PATCH: edit('version', 'some'), DELETE: remove('version') },
  'Namespace List': collection('namespace', 'List namespaces'),
  'Namespace Instance': instance('namespace'),
  'Group List': collection('group', 'List groups'),
  'Group Instance': instance('group'),
  'User List': collection('user', 'List users'),
  'User Instance': {
    ...instance('user'),
    GET: ({ path }) => ({ ...read('user'), ...(path.endsWith('/me/') && { needsUser: true }) }),
  },
  'Query List': collection('query', 'List saved queries'),
  'Query Instance': instance('query'),
  History: {
    GET: ({ path }) => ({
      tag: path.includes(':version') ? 'Versions' : path.includes(':dataset') ? 'Datasets' : 'Namespaces',
      summary: 'List the commits that touched it, the newest first',
      parameters: pagingParameters,
      answers: {
        200: { description: 'A page of commits.', content: jsonContent(schemaRef('CommitPage')), headers: ['Link'] },
      },
    }),
  },
} as const satisfies Operations;
