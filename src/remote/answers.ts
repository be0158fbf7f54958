/** The shapes of a catalogue's answers. Those of entities come from the table of fields. */

import type { VersionProfile } from '../catalogue/column-statistics.ts';
import type { Facets } from '../catalogue/facets.ts';
import type { Field, NamedField, Schema } from '../catalogue/field.ts';
import { type FieldsKind, fieldsOf } from '../catalogue/fields.ts';
import type { EntityKind } from '../catalogue/schemas.ts';
import type { ColumnType } from '../catalogue/types.ts';
import {
  anyObjectShape,
  listShape,
  objectShape,
  optional,
  type Shape,
  shape,
  textShape,
  timeShape,
  wholeNumberShape,
} from './shapes.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Fields that the API shows and the client reads. */
export const readableFields = (kind: FieldsKind): readonly NamedField[] =>
  fieldsOf(kind).filter(({ source, internal }) => source !== 'address' && source !== 'secret' && !internal);

const texts: Schema = { type: 'array', items: { type: 'string' } };
const toText = (): Schema => ({ type: 'string' });
const toTypes = ({ schema }: Field): Schema => typesOf(schema);

/** The values of a field in the API, by its type. */
const fieldSchemas: Readonly<Record<Field['type'], (field: NamedField) => Schema>> = {
  text: toText,
  image: toText,
  slug: toText,
  username: toText,
  password: toText,
  secret: toText,
  url: toText,
  link: toText,
  datetime: () => timeShape.schema,
  // A newer server may have other choices; a field with a default can do without.
  choice: ({ schema, fallback, default: value }) =>
    (fallback ?? value) === undefined ? { enum: schema.enum ?? [] } : { type: 'string' },
  boolean: toTypes,
  integer: toTypes,
  numbers: toTypes,
  list: () => texts,
  links: () => texts,
  json: toTypes,
  object: toTypes,
  reading: toTypes,
  columns: () => ({ type: 'array', items: schemaOfKind('column') }),
  versions: () => ({ type: 'array', items: schemaOfKind('version') }),
};

/** The types and ranges of a schema. Lengths and patterns are for those who write: a newer server may have others. */
function typesOf(schema: Schema): Schema {
  const { type, enum: words, minimum, maximum, minItems, maxItems, items, properties, additionalProperties } = schema;
  const kept = { type, enum: words, minimum, maximum, minItems, maxItems };
  const inner = Object.entries(properties ?? {}).map(([name, property]) => [name, orNull(typesOf(property))]);
  return {
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
    ...(items && { items: typesOf(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: typesOf(additionalProperties) }),
    ...(properties && { properties: Object.fromEntries(inner) }),
  };
}

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** The schema of a kind's objects. A field with a default may be missing, in an older service, or null. */
function schemaOfKind(kind: FieldsKind): Schema {
  const fields = readableFields(kind);
  const isRequired = (field: NamedField) => field.default === undefined && field.type !== 'versions';
  return {
    type: 'object',
    required: fields.filter(isRequired).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => {
        const schema = fieldSchemas[field.type](field);
        return [field.name, isRequired(field) ? schema : orNull(schema)];
      }),
    ),
  };
}

const entityShape = (kind: EntityKind) => shape<Json>(schemaOfKind(kind));

const commit = objectShape({ id: textShape, author: optional(textShape), datetime: timeShape, message: textShape });

/** A file of the catalogue. The details are missing in the service that this one re-creates. */
const file = objectShape({
  id: wholeNumberShape,
  path: textShape,
  kind: textShape,
  resource: optional(textShape),
  status: optional(textShape),
  problems: optional(
    listShape(
      objectShape({
        line: wholeNumberShape,
        column: wholeNumberShape,
        pointer: optional(textShape),
        message: textShape,
      }),
    ),
  ),
  checksum: optional(textShape),
  modified: optional(textShape),
  commit: optional(commit),
});

const token = objectShape({
  id: textShape,
  user: optional(textShape),
  label: textShape,
  scope: optional(textShape),
  created: timeShape,
  expires: optional(timeShape),
  last_used: optional(timeShape),
});

// A newer server may have other types.
const columnType = shape<ColumnType>({ type: 'string' });
const namedType = objectShape({ name: textShape, type: columnType });
const retyped = listShape(objectShape({ name: textShape, from: columnType, to: columnType }));
const column = shape<Json>(schemaOfKind('column'));

const checksum = shape<string>({ type: 'string', pattern: '^(?:[0-9a-f]{64})?$' });
const rowShape = anyObjectShape;

/** The answers of a catalogue, by what they are. */
export const answers = {
  namespace: entityShape('namespace'),
  dataset: entityShape('dataset'),
  version: entityShape('version'),
  group: entityShape('group'),
  user: entityShape('user'),
  query: entityShape('query'),
  file,
  commit,
  token,
  newToken: shape<{ readonly token: string } & ValueOf<typeof token>>({
    ...token.schema,
    required: [...(token.schema.required ?? []), 'token'],
    properties: { ...token.schema.properties, token: { type: 'string', minLength: 1 } },
  }),
  obtainedToken: objectShape({
    token: shape<string>({ type: 'string', minLength: 1 }),
    url: optional(textShape),
    expires: optional(timeShape),
  }),
  me: objectShape({ username: textShape }),
  profile: shape<VersionProfile>({
    type: 'object',
    required: ['rows', 'columns'],
    properties: {
      rows: wholeNumberShape.schema,
      columns: { type: 'array', items: { type: 'object', required: ['name', 'type', 'nulls', 'distinct'] } },
    },
  }),
  column: objectShape({
    versions: listShape(objectShape({ slug: textShape, type: optional(columnType) })),
  }),
  change: objectShape({
    url: textShape,
    datetime: timeShape,
    removed: optional(shape<boolean>({ type: 'boolean' })),
    record_datetime: optional(textShape),
    moved_to: optional(textShape),
  }),
  trashEntry: objectShape({
    id: textShape,
    kind: shape<EntityKind>({ enum: ['namespace', 'dataset', 'version', 'query', 'group', 'user'] }),
    name: textShape,
    paths: listShape(textShape),
    removed: timeShape,
    by: optional(textShape),
  }),
  /** Members that an upload adds to the representation of its version; an older server adds none. */
  published: objectShape({
    changes: optional(objectShape({ added: listShape(column), dropped: listShape(column), retyped })),
    remarks: optional(listShape(textShape)),
  }),
  digests: objectShape({ digests: listShape(shape<string>({ type: 'string', pattern: '^[0-9a-f]{32}$' })) }),
  manifestEntry: objectShape({
    path: shape<string>({ type: 'string', maxLength: 4096 }),
    checksum,
    size: wholeNumberShape,
    record: optional(shape<boolean>({ type: 'boolean' })),
    text: optional(textShape),
  }),
  outcomes: listShape(
    objectShape({ path: textShape, status: shape<number>({ type: 'integer', minimum: 200, maximum: 599 }) }),
  ),
  difference: objectShape({
    columns: objectShape({ added: listShape(namedType), dropped: listShape(namedType), retyped }),
    key: objectShape({
      kind: shape<'id' | 'columns' | 'row'>({ enum: ['id', 'columns', 'row'] }),
      columns: listShape(textShape),
    }),
    renames: optional(listShape(objectShape({ from: textShape, to: textShape }))),
    counts: objectShape({
      from: wholeNumberShape,
      to: wholeNumberShape,
      added: wholeNumberShape,
      removed: wholeNumberShape,
      changed: wholeNumberShape,
      unchanged: wholeNumberShape,
    }),
  }),
  rowChange: shape<Json>({
    anyOf: [
      objectShape({ change: shape({ enum: ['added', 'removed'] }), key: optional(rowShape), row: rowShape }).schema,
      objectShape({
        change: shape({ enum: ['changed'] }),
        key: rowShape,
        from: rowShape,
        to: rowShape,
        columns: listShape(textShape),
      }).schema,
    ],
  }),
  rows: listShape(anyObjectShape),
  /** An answer of which only the headers are used. */
  any: anyObjectShape,
};

export type ValueOf<S> = S extends Shape<infer Value> ? Value : never;
/** The value of an answer. */
export type Answer<Name extends keyof typeof answers> = ValueOf<(typeof answers)[Name]>;

export interface PageObject<Item> {
  readonly count?: number | null | undefined;
  readonly next?: string | null | undefined;
  readonly previous?: string | null | undefined;
  readonly results: readonly Item[];
  readonly until?: string | null | undefined;
  readonly complete_since?: string | null | undefined;
  readonly facets?: Facets | null | undefined;
}

const pages = new Map<Shape<unknown>, Shape<unknown>>();

/** A page of a list, as in Django REST Framework; that of the feed has two times. */
export function listPageShape<Item>(item: Shape<Item>): Shape<PageObject<Item>> {
  let page = pages.get(item);
  if (!page) {
    page = objectShape({
      count: optional(wholeNumberShape),
      next: optional(textShape),
      previous: optional(textShape),
      results: listShape(item),
      until: optional(timeShape),
      complete_since: optional(timeShape),
      facets: optional(shape<Facets>({ type: 'object', required: ['values', 'totals'] })),
    });
    pages.set(item, page);
  }
  return page as Shape<PageObject<Item>>;
}
