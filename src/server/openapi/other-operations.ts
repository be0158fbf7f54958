/** Operations on what isn't a record: the catalogue as a whole, its files, tokens, the trash, standards. */
import {
  arrayOf,
  bytesContent,
  type Content,
  jsonContent,
  type Operation,
  type Operations,
  queryParameter,
  schemaRef,
  type Tag,
  text,
  textContent,
} from './description.ts';
import {
  byteHeaders,
  dryRunParameter,
  fileListParameters,
  ifMatchHeader,
  ifNoneMatchHeader,
  listParameters,
  pagingParameters,
  timelineDescription,
  webhookHeaders,
} from './parameters.ts';

/** A read that answers with one kind of document. */
const read = (tag: Tag, summary: string, content: Content, parameters: Operation['parameters'] = []): Operation => ({
  tag,
  summary,
  parameters,
  answers: { 200: { description: 'As asked for.', content, headers: ['ETag'] } },
});
/** A read that needs credentials. */
const readOfUser = (...parts: Parameters<typeof read>): Operation => ({ ...read(...parts), needsUser: true });
/** A read of stored bytes, as a whole or in ranges. */
const readOfBytes = (tag: Tag, summary: string, digest: readonly 'Repr-Digest'[] = []): Operation => ({
  tag,
  summary,
  parameters: byteHeaders,
  refusals: [412, 416],
  answers: {
    200: { description: 'The bytes.', content: bytesContent('*/*'), headers: ['ETag', ...digest] },
    206: { description: 'A part of the bytes.', content: bytesContent('*/*'), headers: ['Content-Range'] },
  },
});
const json = (name: string): Content => jsonContent(schemaRef(name));
const fieldsOf = (name: string): Content => ({
  ...json(name),
  'application/x-www-form-urlencoded': { schema: schemaRef(name) },
  'multipart/form-data': { schema: schemaRef(name) },
});

/** Parameters of the lists of the Iceberg REST catalog. */
const icebergParameters = [
  queryParameter('pageToken', 'Empty for the first part of the list; then the `next-page-token` of the part before.'),
  queryParameter('pageSize', 'Most items of a part.', { type: 'integer' }),
];

const removed = { 204: { description: 'It is removed.' } };

const fileOperations = {
  'Intrinsecus List': {
    GET: read(
      'Changes',
      'List the files of the catalogue, with their problems',
      json('FilePage'),
      listParameters('file'),
    ),
  },
  'Intrinsecus Instance': { GET: read('Changes', 'Read about a file of the catalogue', json('File')) },
  Changes: {
    GET: read('Changes', 'List the records that changed since a time', json('ChangePage'), [
      queryParameter('since', 'A date or time (RFC 3339): only changes at this time or later.'),
      queryParameter('cursor', 'As the address of the next page has it.'),
      ...pagingParameters.filter(({ name }) => name === 'page_size'),
    ]),
  },
  'File List': {
    GET: {
      ...read(
        'Changes',
        'List all files, for programs that pull and push',
        { ...textContent('application/x-ndjson', 'A FileEntry in each line.'), ...json('FileDigests') },
        fileListParameters,
      ),
      description: timelineDescription,
    },
    PATCH: {
      tag: 'Changes',
      summary: 'Apply changes to records, one after the other',
      parameters: [dryRunParameter],
      body: jsonContent(arrayOf(schemaRef('FileChange'))),
      answers: {
        200: { description: 'The outcome of each change.', content: jsonContent(arrayOf(schemaRef('FileOutcome'))) },
      },
    },
  },
  'File Instance': {
    GET: readOfBytes('Changes', 'Read the bytes of a file', ['Repr-Digest']),
    PUT: {
      tag: 'Changes',
      summary: 'Write a record as a whole, or add a payload or an image',
      description: 'A record needs If-Match, or If-None-Match: * if it is new. Other bytes need Repr-Digest.',
      parameters: [
        dryRunParameter,
        ifMatchHeader,
        { ...ifNoneMatchHeader, description: '`*` for a file that must not be there yet.' },
        { name: 'Repr-Digest', in: 'header', description: '`sha-256=:<base64>:` of the bytes.', schema: text },
      ],
      body: bytesContent('*/*'),
      answers: {
        200: { description: 'It is written.', content: json('FileEntry'), headers: ['ETag'] },
        201: { description: 'It is added.', content: json('FileEntry'), headers: ['ETag'] },
      },
    },
    DELETE: {
      tag: 'Changes',
      summary: 'Remove a record, with all that belongs to it',
      parameters: [dryRunParameter, ifMatchHeader],
      answers: removed,
    },
  },
} as const satisfies Operations;

const tokenOperations = {
  'Obtain Auth Token': {
    POST: {
      tag: 'Credentials',
      summary: 'Obtain a token with a password',
      isOpen: true,
      body: fieldsOf('Credentials'),
      answers: { 200: { description: 'A token for 30 days.', content: json('ObtainedToken') } },
    },
  },
  'Token List': {
    GET: readOfUser('Credentials', 'List tokens, without their secrets', json('TokenPage'), pagingParameters),
    POST: {
      tag: 'Credentials',
      summary: 'Create a token',
      body: fieldsOf('TokenInput'),
      answers: {
        201: {
          description: 'The token, whose secret is shown this once.',
          content: json('NewToken'),
          headers: ['Location'],
        },
      },
    },
  },
  'Token Instance': {
    GET: readOfUser('Credentials', 'Read about a token', json('Token')),
    DELETE: { tag: 'Credentials', summary: 'Revoke a token', answers: removed },
  },
} as const satisfies Operations;

const trashOperations = {
  'Trash List': {
    GET: readOfUser('Trash', 'List removed records, the last one first', json('TrashPage'), pagingParameters),
    DELETE: {
      tag: 'Trash',
      summary: 'Empty the trash',
      parameters: [queryParameter('before', 'Only records that were removed before this time.')],
      answers: { 200: { description: 'The deleted entries.', content: json('TrashPage') } },
    },
  },
  'Trash Instance': {
    GET: readOfUser('Trash', 'Read about a removed record', json('TrashEntry')),
    DELETE: { tag: 'Trash', summary: 'Delete a removed record for good', answers: removed },
  },
  Restore: {
    POST: {
      tag: 'Trash',
      summary: 'Restore a removed record',
      parameters: [dryRunParameter],
      answers: { 200: { description: 'The record is restored.', content: json('TrashEntry') } },
    },
  },
} as const satisfies Operations;

/** The media type of a document in a standard, by the end of its address. */
function documentContent(path: string): Content {
  if (path.endsWith('.ttl')) return textContent('text/turtle');
  const type = /\.jsonld$|croissant\.json$/.test(path) ? 'application/ld+json' : 'application/json';
  return { [type]: { schema: schemaRef('Document') } };
}

const standardOperations = {
  Document: {
    GET: ({ path }) => read('Standards', `Read the dataset as ${path.split('/').at(-1)}`, documentContent(path)),
  },
  'DCAT-US': { GET: read('Standards', 'Read all datasets in DCAT-US 1.1', json('Document')) },
  DCAT: { GET: ({ path }) => read('Standards', 'Read all datasets in DCAT-AP 3.0.1', documentContent(path)) },
  STAC: {
    GET: ({ path }) =>
      read(
        'Standards',
        path === '/stac/' ? 'Read the root of the STAC catalogue' : 'Read the STAC catalogue of a namespace',
        json('Document'),
      ),
  },
  'Iceberg Config': {
    GET: read('Standards', 'Read the configuration of the Iceberg REST catalog', json('Document'), [
      queryParameter('warehouse', 'Location of an export of tables.'),
    ]),
  },
  'Iceberg Namespaces': {
    GET: read('Standards', 'List the namespaces of the Iceberg REST catalog', json('Document'), [
      ...icebergParameters,
      queryParameter('parent', 'Namespaces within this one: there are none.'),
    ]),
  },
  'Iceberg Namespace': { GET: read('Standards', 'Read a namespace of the Iceberg REST catalog', json('Document')) },
  'Iceberg Tables': {
    GET: read('Standards', 'List the tables of a namespace: datasets with rows', json('Document'), icebergParameters),
  },
  'Iceberg Table': {
    GET: read('Standards', 'Load a table of Apache Iceberg, with a snapshot of each version', json('Document')),
  },
  'Iceberg File': {
    GET: readOfBytes('Standards', 'Read a file of a table: metadata, a manifest, or rows as Parquet'),
  },
  Feed: { GET: read('Standards', 'Read the news as an Atom feed', textContent('application/atom+xml')) },
  Sitemap: {
    GET: ({ path }) =>
      read(
        'Standards',
        path === '/sitemap.xml' ? 'Read the addresses of pages' : 'Read a part of a large sitemap',
        textContent('application/xml'),
      ),
  },
  Schemas: {
    GET: read('Standards', 'List the JSON Schemas of the files', jsonContent(arrayOf(schemaRef('Document')))),
  },
  Schema: {
    GET: read('Standards', 'Read the JSON Schema of a kind of file', {
      'application/schema+json': { schema: schemaRef('Document') },
      ...json('Document'),
    }),
  },
} as const satisfies Operations;

const siteOperations = {
  'Api Version 1': { GET: read('Catalogue', 'Read the addresses of the API', json('Root')) },
  OpenAPI: { GET: read('Catalogue', 'Read this document', openApiContent()) },
  Suggestions: {
    GET: read('Datasets', 'Suggest datasets while a search is typed', jsonContent(arrayOf(schemaRef('Suggestion'))), [
      queryParameter('search', 'What has been typed.'),
    ]),
  },
  Media: { GET: readOfBytes('Catalogue', 'Read an image') },
  Health: { GET: read('Operation', 'Check that the process is alive', json('Document')) },
  'Git Webhook': {
    POST: {
      tag: 'Operation',
      summary: 'Fetch new commits from the git remote that the server follows',
      description:
        'For the webhooks of GitHub, GitLab, Gitea and Forgejo. The body is signed with the secret of the server, or the secret is in X-Gitlab-Token or in Authorization (Bearer).',
      isOpen: true,
      parameters: [dryRunParameter, ...webhookHeaders],
      body: bytesContent('*/*'),
      answers: { 202: { description: 'It is fetched.', content: json('Document') } },
    },
  },
  Readiness: { GET: read('Operation', 'Check that the catalogue has been read', json('Document')) },
  Metrics: {
    GET: {
      ...read('Operation', 'Read figures for Prometheus', {}),
      answers: { 200: { description: 'The figures.', content: textContent('text/plain') } },
    },
  },
  // For browsers and crawlers.
  Home: null,
  Static: null,
  Robots: null,
  'Api Reference': null,
  Documentation: null,
  // OGC API - Features has a document of its own, at /ogc/api.
  'OGC API': null,
  'OGC API Definition': null,
  'OGC Collection': null,
  'OGC Collections': null,
  'OGC Conformance': null,
  'OGC Feature': null,
  'OGC Features': null,
  'OGC Functions': null,
  'OGC Schema': null,
} as const satisfies Operations;

function openApiContent(): Content {
  return { 'application/vnd.oai.openapi+json': { schema: schemaRef('Document') }, ...json('Document') };
}

export const otherOperations = {
  ...siteOperations,
  ...fileOperations,
  ...tokenOperations,
  ...trashOperations,
  ...standardOperations,
} as const satisfies Operations;
