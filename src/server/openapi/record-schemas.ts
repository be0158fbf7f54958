/** Schemas of records in the API, from the table of fields: as responses have them, and as requests give them. */
import type { CreatableKind } from '../../catalogue/catalogue.ts';
import type { Field, InputType, NamedField } from '../../catalogue/field.ts';
import { apiFieldsOfKind, type FieldsKind } from '../../catalogue/fields.ts';
import { maxSlugLength } from '../../catalogue/ref.ts';
import type { EntityKind } from '../../catalogue/schemas.ts';
import { address, arrayOf, flag, type JsonSchema, orNull, schemaRef, text, time } from './description.ts';

type SchemaOf = (field: NamedField) => JsonSchema;

const stored: SchemaOf = ({ schema }) => schema as JsonSchema;
const asText: SchemaOf = () => text;

/** Schemas of values in responses, by the type of their field. */
const responseSchemas: Readonly<Record<Field['type'], SchemaOf>> = {
  text: asText,
  slug: asText,
  username: asText,
  password: asText,
  secret: asText,
  image: asText,
  choice: ({ schema }) => ({ type: 'string', enum: schema.enum }),
  boolean: () => flag,
  integer: ({ schema: { minimum, maximum } }) => ({
    type: 'integer',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }),
  numbers: stored,
  datetime: () => time,
  list: () => arrayOf(text),
  json: stored,
  object: stored,
  reading: stored,
  link: () => address,
  links: () => arrayOf(address),
  url: () => address,
  columns: ({ name }) => arrayOf(schemaRef(name === 'missing_columns' ? 'MissingColumn' : 'Column')),
  versions: () => arrayOf(schemaRef('Version')),
};

/** Schemas of values in requests. A text is trimmed, and an address may be a path. */
const requestSchemas: Readonly<Record<InputType, SchemaOf>> = {
  text: ({ schema: { minLength, maxLength, pattern } }) => ({
    ...text,
    ...(pattern !== undefined && { pattern: pattern.replace(/^\^/, '^\\s*').replace(/\$$/, '\\s*$') }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
  }),
  slug: () => ({ ...text, pattern: '^\\s*[-a-zA-Z0-9_]*\\s*$', maxLength: maxSlugLength }),
  username: stored,
  password: asText,
  secret: asText,
  image: ({ schema: { maxLength } }) => ({ ...text, ...(maxLength !== undefined && { maxLength }) }),
  choice: responseSchemas.choice,
  boolean: () => flag,
  list: stored,
  json: stored,
  reading: stored,
  link: () => ({ ...text, format: 'uri-reference' }),
  links: () => arrayOf({ ...text, format: 'uri-reference' }),
  columns: () => arrayOf(schemaRef('ColumnInput')),
};

/** The schema of a field with its description. A reference can't be null. */
function describe(field: NamedField, schema: JsonSchema): JsonSchema {
  const nullable = field.default === null ? orNull(schema) : schema;
  return field.description ? { ...nullable, description: field.description } : nullable;
}

function responseSchema(kind: FieldsKind): JsonSchema {
  const fields = apiFieldsOfKind(kind).filter(({ source }) => source !== 'secret');
  return {
    type: 'object',
    required: fields.filter(({ personal, sparse }) => !personal && !sparse).map(({ name }) => name),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, describe(field, responseSchemas[field.type](field))]),
    ),
  };
}

/** The writable fields of a kind. @param optional names of fields that aren't required; true for none required */
function requestSchema(kind: CreatableKind | 'version', optional: readonly string[] | true): JsonSchema {
  const fields = apiFieldsOfKind(kind).filter(({ readOnly }) => !readOnly);
  const required = optional === true ? [] : fields.filter(({ required, name }) => required && !optional.includes(name));
  return {
    type: 'object',
    ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    properties: Object.fromEntries(
      fields.map((field) => [field.name, describe(field, requestSchemas[field.type as InputType](field))]),
    ),
  };
}

/** Name of the schema of a kind. */
export const schemaName = (kind: EntityKind): string => kind.charAt(0).toUpperCase() + kind.slice(1);

const creatable = ['namespace', 'dataset', 'query', 'group', 'user'] as const satisfies readonly CreatableKind[];

const column = responseSchema('column');
const columnTexts = Object.fromEntries(
  apiFieldsOfKind('column')
    .filter(({ name }) => name !== 'name' && name !== 'type')
    .map((field) => [field.name, describe(field, text)]),
);

/** Schemas of records by name: `Dataset` in responses, `DatasetInput` to create or replace one, `DatasetPatch` to edit it. */
export const recordSchemas: Readonly<Record<string, JsonSchema>> = {
  Column: column,
  MissingColumn: {
    ...column,
    properties: { ...(column.properties as object), missing_since: { ...text, description: 'Slug of a version.' } },
  },
  ColumnInput: {
    type: 'object',
    description: 'Texts of a column. Its name says which one; a former name is followed.',
    required: ['name'],
    properties: { name: text, ...columnTexts, former_names: arrayOf(text) },
  },
  Version: responseSchema('version'),
  VersionPatch: requestSchema('version', true),
  ...Object.fromEntries(
    creatable.flatMap((kind) => [
      [schemaName(kind), responseSchema(kind)],
      [`${schemaName(kind)}Input`, requestSchema(kind, [])],
      [`${schemaName(kind)}Patch`, requestSchema(kind, true)],
    ]),
  ),
  DatasetInNamespaceInput: requestSchema('dataset', ['namespace']),
};
