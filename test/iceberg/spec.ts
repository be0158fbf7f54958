/**
 * Checks of documents with the Iceberg table spec (version 2) and the REST catalog's OpenAPI: the required fields and types of
 * their tables, written down as JSON Schema; and the rules between fields that readers in Java assert. Compared with
 * ErrorModel, CatalogConfig, Namespace, TableIdentifier, Schema, Snapshot, SnapshotReference, TableMetadata and LoadTableResult in
 * `open-api/rest-catalog-open-api.yaml` of Apache Iceberg at commit 00342e565ac02181766b432331a157bd08c7e0d3: what these schemas
 * take, those take. They are stricter, since we write version 2 of the format only, and no fields that aren't named here.
 */
import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';

// The package is CommonJS, with types for both.
const Ajv = createRequire(import.meta.url)('ajv').default as typeof import('ajv').default;

/** A number that JavaScript reads exactly: those of the OpenAPI have 64 bits. */
const int = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const string = { type: 'string' };
const texts = { type: 'object', additionalProperties: string };
const list = (items: object) => ({ type: 'array', items });
const record = (required: Readonly<Record<string, object>>, optional: Readonly<Record<string, object>> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});

const primitive = { enum: ['boolean', 'int', 'long', 'float', 'double', 'date', 'time', 'timestamp', 'timestamptz', 'string', 'uuid', 'binary'] }; // biome-ignore format: a line
const field = record({ id: int, name: string, required: { type: 'boolean' }, type: primitive }, { doc: string });
const schema = record(
  { type: { const: 'struct' }, 'schema-id': int, fields: { ...list(field), minItems: 1 } },
  { 'identifier-field-ids': list(int) },
);
const unpartitioned = record({ 'spec-id': { const: 0 }, fields: { const: [] } });
const unsorted = record({ 'order-id': { const: 0 }, fields: { const: [] } });
const summary = {
  ...texts,
  required: ['operation'],
  properties: { operation: { enum: ['append', 'replace', 'overwrite', 'delete'] } },
};
const snapshot = record(
  { 'snapshot-id': int, 'sequence-number': int, 'timestamp-ms': int, 'manifest-list': string, summary },
  { 'parent-snapshot-id': int, 'schema-id': int },
);
const reference = record({ 'snapshot-id': int, type: { enum: ['branch', 'tag'] } });
const logEntry = record({ 'timestamp-ms': int, 'snapshot-id': int });
const tableMetadata = record(
  {
    'format-version': { const: 2 },
    'table-uuid': { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
    location: { type: 'string', pattern: '[^/]$' },
    'last-sequence-number': int,
    'last-updated-ms': int,
    'last-column-id': int,
    schemas: list(schema),
    'current-schema-id': int,
    'partition-specs': list(unpartitioned),
    'default-spec-id': int,
    'last-partition-id': int,
    'sort-orders': list(unsorted),
    'default-sort-order-id': int,
  },
  {
    properties: texts,
    'current-snapshot-id': int,
    snapshots: list(snapshot),
    'snapshot-log': list(logEntry),
    'metadata-log': list(record({ 'timestamp-ms': int, 'metadata-file': string })),
    refs: { type: 'object', additionalProperties: reference },
  },
);
const token = { type: ['string', 'null'] };
const namespace = { type: 'array', items: string, minItems: 1 };

const ajv = new Ajv({ strict: false, allErrors: true });
const validators = Object.fromEntries(
  Object.entries({
    CatalogConfig: record({ defaults: texts, overrides: texts }, { endpoints: list(string) }),
    ListNamespacesResponse: record({ namespaces: list(namespace) }, { 'next-page-token': token }),
    GetNamespaceResponse: record({ namespace }, { properties: texts }),
    ListTablesResponse: record(
      { identifiers: list(record({ namespace, name: string })) },
      { 'next-page-token': token },
    ),
    LoadTableResult: record({ metadata: tableMetadata }, { 'metadata-location': string, config: texts }),
    TableMetadata: tableMetadata,
    IcebergErrorResponse: record({
      error: record({ message: string, type: string, code: { ...int, minimum: 400, maximum: 600 } }),
    }),
  }).map(([name, one]) => [name, ajv.compile(one)]),
);

/** Problems of a document. @param name of its schema in the OpenAPI of the REST catalog */
export function icebergErrors(name: string, document: unknown): readonly string[] {
  const validate = validators[name] as ValidateFunction;
  if (!validate(document)) return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  if (name === 'LoadTableResult') return brokenRules((document as { metadata: Metadata }).metadata);
  return name === 'TableMetadata' ? brokenRules(document as Metadata) : [];
}

export interface Metadata {
  readonly location: string;
  readonly 'table-uuid': string;
  readonly 'last-column-id': number;
  readonly 'last-sequence-number': number;
  readonly 'last-updated-ms': number;
  readonly 'current-schema-id': number;
  readonly 'current-snapshot-id': number;
  readonly schemas: readonly {
    readonly 'schema-id': number;
    readonly fields: readonly { readonly id: number; readonly name: string; readonly type: string }[];
  }[];
  readonly snapshots: readonly {
    readonly 'snapshot-id': number;
    readonly 'sequence-number': number;
    readonly 'timestamp-ms': number;
    readonly 'schema-id': number;
    readonly 'manifest-list': string;
    readonly summary: Readonly<Record<string, string>>;
  }[];
  readonly 'snapshot-log': readonly { readonly 'timestamp-ms': number; readonly 'snapshot-id': number }[];
  readonly refs: Readonly<Record<string, { readonly 'snapshot-id': number; readonly type: string }>>;
}

/** Rules of the spec between fields that a document breaks. */
function brokenRules(metadata: Metadata): readonly string[] {
  const { schemas, snapshots, refs, 'snapshot-log': log } = metadata;
  const schemaIds = schemas.map((one) => one['schema-id']);
  const ids = snapshots.map((one) => one['snapshot-id']);
  const ascending = (numbers: readonly number[]) => numbers.every((n, i) => i === 0 || n > (numbers[i - 1] as number));
  const types = new Map<number, string>();
  const keepsType = ({ id, type }: { id: number; type: string }) => {
    const known = types.get(id) ?? type;
    types.set(id, known);
    return known === type;
  };
  const rules: Readonly<Record<string, boolean>> = {
    'schema ids are unique': new Set(schemaIds).size === schemaIds.length,
    'the current schema exists': schemaIds.includes(metadata['current-schema-id']),
    'a field id keeps its type': schemas.every(({ fields }) => fields.every(keepsType)),
    'field ids are unique': schemas.every(({ fields }) => new Set(fields.map(({ id }) => id)).size === fields.length),
    'names are unique': schemas.every(({ fields }) => new Set(fields.map(({ name }) => name)).size === fields.length),
    'last-column-id is the highest': Math.max(...types.keys()) === metadata['last-column-id'],
    'snapshot ids are unique': new Set(ids).size === ids.length,
    'sequence numbers ascend': ascending(snapshots.map((one) => one['sequence-number'])),
    'last-sequence-number is the highest': snapshots.at(-1)?.['sequence-number'] === metadata['last-sequence-number'],
    'the log is in the order of time': ascending(log.map((one) => one['timestamp-ms'])),
    'the log ends at the current snapshot': log.at(-1)?.['snapshot-id'] === metadata['current-snapshot-id'],
    'last-updated-ms is not before the log': metadata['last-updated-ms'] >= (log.at(-1)?.['timestamp-ms'] ?? 0),
    'main is the current snapshot': refs.main?.['snapshot-id'] === metadata['current-snapshot-id'],
    'references lead to snapshots': Object.values(refs).every((one) => ids.includes(one['snapshot-id'])),
    'schemas of snapshots exist': snapshots.every((one) => schemaIds.includes(one['schema-id'])),
  };
  return Object.entries(rules).flatMap(([rule, isKept]) => (isKept ? [] : [rule]));
}
