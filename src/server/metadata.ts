/** The fields of a resource in an answer to OPTIONS: Django REST Framework's "actions", from the table of fields. */
import type { WritableKind } from '../catalogue/catalogue.ts';
import { type Field, labelFromName, type NamedField } from '../catalogue/field.ts';
import { apiFieldsOfKind } from '../catalogue/fields.ts';

type Metadata = Record<string, unknown>;

/** Django REST Framework's names for the types of fields. A `field` is one that it doesn't describe, such as a link. */
const types: Readonly<Record<Field['type'], string>> = {
  text: 'string',
  image: 'string',
  username: 'string',
  password: 'string',
  secret: 'string',
  slug: 'slug',
  choice: 'choice',
  boolean: 'boolean',
  integer: 'integer',
  datetime: 'datetime',
  list: 'list',
  numbers: 'list',
  json: 'nested object',
  object: 'nested object',
  reading: 'nested object',
  link: 'field',
  links: 'field',
  url: 'field',
  columns: 'field',
  versions: 'field',
};

/** The fields of a kind, by name, each with what a form needs to know of it. */
export const optionsMetadata = (kind: WritableKind): Metadata =>
  Object.fromEntries(
    apiFieldsOfKind(kind)
      .filter(({ metadata }) => metadata !== 'absent')
      .map((field) => [field.name, fieldMetadata(field)]),
  );

function fieldMetadata({ type, title, description, schema, metadata, ...field }: NamedField): Metadata {
  // Columns are written by their names; the recorded service had them from the data alone.
  const readOnly = (field.readOnly ?? false) || type === 'columns';
  const required = (field.required ?? false) && !readOnly;
  return {
    type: types[type],
    required,
    read_only: readOnly,
    label: title,
    ...(metadata === 'help' && { help_text: description }),
    ...(schema.maxLength !== undefined && { max_length: schema.maxLength }),
    ...(schema.enum && { choices: schema.enum.map((value) => ({ value, display_name: labelFromName(value) })) }),
    ...((type === 'columns' || type === 'versions') && { child: recordedItem(type) }),
    ...(type === 'list' && { child: leaf('string', 'Item', false, schema.items?.maxLength) }),
  };
}

const leaf = (type: string, label: string, required: boolean, max_length?: number): Metadata => ({
  type,
  required,
  read_only: false,
  label,
  ...(max_length !== undefined && { max_length }),
});

/** The items of the nested lists of a dataset, as they were recorded. */
function recordedItem(type: 'versions' | 'columns'): Metadata {
  const children =
    type === 'versions'
      ? {
          id: { ...leaf('integer', 'ID', false), read_only: true },
          dataset: { ...leaf('field', 'Dataset', false), read_only: true },
          label: leaf('string', 'Label', true, 200),
          slug: leaf('slug', 'Slug', true, 100),
          datetime: leaf('datetime', 'Datetime', true),
          checksum: leaf('string', 'Checksum', true, 64),
          metadata: leaf('string', 'Metadata', false),
          ready: leaf('boolean', 'Ready', false),
          url: { ...leaf('field', 'Url', false), read_only: true },
        }
      : {
          type: leaf('string', 'Type', true, 20),
          name: leaf('string', 'Name', true, 100),
          label: leaf('string', 'Label', true, 200),
          description: leaf('string', 'Description', false),
        };
  return { type: 'nested object', required: false, read_only: true, children };
}
