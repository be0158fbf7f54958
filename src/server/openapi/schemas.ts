/** The schemas of the document that aren't records: pages of lists, errors, tokens, files, differences, rows. */
import { tokenScopes } from '../../catalogue/accounts.ts';
import { facetNames } from '../../catalogue/facets.ts';
import type { EntityKind } from '../../catalogue/schemas.ts';
import { columnTypes } from '../../catalogue/types.ts';
import {
  address,
  arrayOf,
  count,
  flag,
  type JsonSchema,
  objectSchema,
  orNull,
  schemaRef,
  text,
  time,
} from './description.ts';
import { recordSchemas, schemaName } from './record-schemas.ts';

const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
const columnType: JsonSchema = { type: 'string', enum: columnTypes };
const namedType = objectSchema({ name: text, type: columnType });
const retyped = arrayOf(objectSchema({ name: text, from: columnType, to: columnType }));
const renames = arrayOf(objectSchema({ from: text, to: text }));
const statistic: JsonSchema = { type: ['number', 'string', 'boolean'] };
const position: JsonSchema = { type: ['number', 'string'] };
const numbers: JsonSchema = { type: 'array', items: { type: 'number' } };
const nullableTime = orNull(time);

/** A page of a list. @param more further members, before the results */
function page(items: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const link = { ...orNull(address), description: 'Address of that page; null if there is none.' };
  const total = { ...count, description: 'Number of items on all pages.' };
  return objectSchema({ count: total, next: link, previous: link, ...more, results: arrayOf(items) });
}

const facets = objectSchema({
  values: objectSchema(
    Object.fromEntries(facetNames.map((name) => [name, arrayOf(objectSchema({ value: text, count }))])),
  ),
  totals: objectSchema({ namespaces: count, versions: count, rows: count, bytes: count, bbox: orNull(numbers) }),
});

const recordKinds: readonly EntityKind[] = ['dataset', 'version', 'namespace', 'query', 'group', 'user'];
const pages = Object.fromEntries(
  recordKinds.map((kind) => [
    `${schemaName(kind)}Page`,
    page(schemaRef(schemaName(kind)), kind === 'dataset' ? { 'facets?': facets } : {}),
  ]),
);

const problems: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    ...objectSchema({ detail: text }, 'Why the request was refused.'),
    properties: {
      detail: text,
      reason: { ...text, description: 'Of a payload that would lose data: what would be lost.' },
      advice: {
        ...text,
        description: 'Of a payload that would lose data: how its rows are read, if they seem to be read wrongly.',
      },
      override: { ...text, description: 'Of a payload that would lose data: the parameter that accepts it.' },
    },
  },
  IcebergError: objectSchema(
    { error: objectSchema({ message: text, type: text, code: count }) },
    'Why the request was refused, in the form of the Iceberg REST catalog.',
  ),
  FieldErrors: {
    type: 'object',
    description: 'Messages by field or parameter; `non_field_errors` has those about all of the input.',
    additionalProperties: { type: 'array', items: text },
  },
};

const tokenFields = {
  id: text,
  user: address,
  label: text,
  scope: { ...text, enum: tokenScopes },
  created: time,
  expires: nullableTime,
  last_used: nullableTime,
  url: address,
};

const credentials: Readonly<Record<string, JsonSchema>> = {
  Credentials: objectSchema({ username: text, password: text }),
  ObtainedToken: objectSchema({ token: text, expires: nullableTime, url: address }),
  Token: objectSchema(tokenFields),
  TokenPage: page(schemaRef('Token')),
  TokenInput: objectSchema({
    'label?': { ...text, maxLength: 200 },
    'scope?': tokenFields.scope,
    'expires?': { type: ['string', 'null'], description: 'A future date or time (RFC 3339); null for never.' },
    'user?': { ...text, description: 'Username or address; staff may name others than themselves.' },
  }),
  NewToken: objectSchema({ token: { ...text, description: 'The secret, shown this once.' }, ...tokenFields }),
};

const diagnostic = objectSchema({
  line: orNull({ type: 'integer' }),
  column: orNull({ type: 'integer' }),
  pointer: orNull(text),
  message: text,
});
const fileEntry = {
  path: text,
  checksum: { ...text, description: 'SHA-256 in hexadecimal.' },
  size: count,
  record: { ...flag, description: 'True for a record, false for a payload or an image.' },
  'text?': text,
  'mediaType?': text,
};
const condition = { ...text, description: 'Checksum of the file as the client knows it.' };
const replaced = { ...text, description: "Path of the record's present file, if it has another extension." };

const files: Readonly<Record<string, JsonSchema>> = {
  Commit: objectSchema({ id: text, author: text, datetime: time, message: text }),
  CommitPage: page(schemaRef('Commit')),
  File: objectSchema({
    id: { type: 'integer' },
    path: text,
    kind: text,
    resource: orNull(address),
    status: { ...text, enum: ['ok', 'invalid'] },
    problems: arrayOf(diagnostic),
    checksum: text,
    modified: text,
    commit: { oneOf: [schemaRef('Commit'), { type: 'null' }] },
  }),
  FilePage: page(schemaRef('File')),
  FileEntry: objectSchema(fileEntry),
  FileDigests: objectSchema({ digests: arrayOf(text) }),
  FileChange: {
    oneOf: [
      objectSchema({ do: { const: 'write' }, path: text, text, ifMatch: orNull(condition), 'replaces?': replaced }),
      objectSchema({ do: { const: 'remove' }, path: text, ifMatch: condition }),
      objectSchema({
        do: { const: 'move' },
        path: text,
        to: text,
        ifMatch: condition,
        'text?': text,
        'queries?': arrayOf(text),
      }),
    ],
  },
  FileOutcome: objectSchema({
    path: text,
    status: { type: 'integer' },
    'detail?': text,
    'errors?': schemaRef('FieldErrors'),
  }),
  Change: objectSchema({
    kind: text,
    url: address,
    datetime: time,
    record_datetime: nullableTime,
    removed: flag,
    moved_to: orNull(address),
  }),
  ChangePage: page(schemaRef('Change'), { until: orNull(text), complete_since: orNull(text) }),
  TrashEntry: objectSchema({
    id: text,
    kind: text,
    name: text,
    paths: arrayOf(text),
    removed: time,
    by: orNull(text),
    url: address,
  }),
  TrashPage: page(schemaRef('TrashEntry')),
};

const published: JsonSchema = {
  ...recordSchemas.Version,
  description: 'A version as it was taken in, with remarks about its reading.',
  properties: {
    ...(recordSchemas.Version?.properties as object),
    changes: objectSchema({ added: arrayOf(schemaRef('Column')), dropped: arrayOf(schemaRef('Column')), retyped }),
    warnings: arrayOf(text),
    remarks: arrayOf(text),
  },
};

const rows: Readonly<Record<string, JsonSchema>> = {
  PublishedVersion: published,
  Geometry: {
    type: ['object', 'null'],
    required: ['type'],
    properties: { type: text },
    description: 'GeoJSON (RFC 7946, section 3.1).',
    additionalProperties: true,
  },
  Feature: {
    type: 'object',
    required: ['type', 'geometry', 'properties'],
    properties: {
      type: { const: 'Feature' },
      id: { type: ['string', 'number'] },
      geometry: schemaRef('Geometry'),
      properties: { type: ['object', 'null'], additionalProperties: true },
    },
    additionalProperties: true,
  },
  FeatureCollection: {
    type: 'object',
    required: ['type', 'features'],
    properties: {
      type: { const: 'FeatureCollection' },
      name: text,
      numberMatched: count,
      numberReturned: count,
      features: arrayOf(schemaRef('Feature')),
    },
    additionalProperties: true,
  },
  Row: { ...anyObject, description: 'Values by the name of their column.' },
  ColumnProfile: objectSchema({
    name: text,
    type: columnType,
    nulls: count,
    distinct: orNull(count),
    'min?': position,
    'max?': position,
    'mean?': { type: 'number' },
    'median?': { type: 'number' },
    'histogram?': objectSchema({
      scale: { ...text, enum: ['linear', 'log'] },
      edges: arrayOf(position),
      counts: arrayOf(count),
    }),
    'top?': arrayOf(objectSchema({ value: statistic, count })),
    'examples?': arrayOf(text),
  }),
  Profile: objectSchema({
    rows: count,
    columns: arrayOf(schemaRef('ColumnProfile')),
    'matched?': objectSchema({
      rows: count,
      columns: arrayOf(objectSchema({ name: text, 'counts?': arrayOf(count), 'top?': arrayOf(count) })),
    }),
  }),
  ColumnDetails: objectSchema({
    url: address,
    dataset: address,
    ...(recordSchemas.Column?.properties as Readonly<Record<string, JsonSchema>>),
    rows: orNull(count),
    profile: orNull(schemaRef('ColumnProfile')),
    versions: arrayOf(objectSchema({ slug: text, datetime: text, name: orNull(text), type: orNull(columnType) })),
  }),
  RowChange: {
    type: 'object',
    required: ['change', 'key'],
    properties: {
      change: { ...text, enum: ['added', 'removed', 'changed'] },
      key: { type: ['object', 'null'], additionalProperties: true },
      row: schemaRef('Row'),
      from: schemaRef('Row'),
      to: schemaRef('Row'),
      columns: arrayOf(text),
    },
  },
  Difference: objectSchema({
    from: address,
    to: address,
    columns: objectSchema({ added: arrayOf(namedType), dropped: arrayOf(namedType), retyped, 'renamed?': renames }),
    'renames?': renames,
    key: objectSchema({ kind: { ...text, enum: ['id', 'columns', 'row'] }, columns: arrayOf(text) }),
    counts: objectSchema({ from: count, to: count, added: count, removed: count, changed: count, unchanged: count }),
    rows: arrayOf(schemaRef('RowChange')),
  }),
};

const links = arrayOf(objectSchema({ url: address, name: text }));
const catalogue: Readonly<Record<string, JsonSchema>> = {
  Root: objectSchema({ authentication: links, endpoints: links }),
  Suggestion: objectSchema({ label: text, namespace: text, url: address }),
  Metadata: {
    ...objectSchema({ name: text, description: text, renders: arrayOf(text), parses: arrayOf(text) }),
    description: 'The metadata of Django REST Framework; with `actions`, the fields that may be written.',
    additionalProperties: true,
  },
  Document: { ...anyObject, description: 'A document in a standard of the field.' },
};

/** Schemas of the document, by name. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  ...recordSchemas,
  ...pages,
  ...catalogue,
  ...rows,
  ...files,
  ...credentials,
  ...problems,
};
