/** What OPTIONS says of the fields of a resource: Django REST Framework's "actions", from the schemas of the files. */
import type { WritableKind } from '../catalogue/catalogue.ts';
import { writableFields } from '../catalogue/input.ts';
import { schemas } from '../catalogue/schemas.ts';

type Metadata = Record<string, unknown>;

interface Property {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly maxLength?: number;
}

/** The fields of each kind in the order of the interface, with the type of those that stand in no file. */
const fields: Readonly<Record<WritableKind, readonly (readonly [name: string, type?: string])[]>> = {
  namespace: [
    ['id'],
    ['label'],
    ['slug', 'slug'],
    ['description'],
    ['url', 'field'],
    ['visibility'],
    ['owners', 'field'],
    ['datasets', 'field'],
  ],
  dataset: [
    ['id'],
    ['label'],
    ['slug', 'slug'],
    ['namespace', 'field'],
    ['description'],
    ['image'],
    ['showcase_image'],
    ['thumbnail_image'],
    ['url', 'field'],
    ['versions', 'field'],
    ['data', 'field'],
    ['columns', 'field'],
    ['download', 'field'],
    ['keywords'],
    ['licence'],
    ['homepage'],
    ['publisher'],
    ['contact'],
    ['visibility'],
  ],
  version: [
    ['id'],
    ['dataset', 'field'],
    ['label'],
    ['slug', 'slug'],
    ['datetime', 'datetime'],
    ['checksum'],
    ['metadata'],
    ['ready'],
    ['url', 'field'],
    ['notes'],
  ],
  query: [
    ['id'],
    ['label'],
    ['slug', 'slug'],
    ['description'],
    ['dataset', 'field'],
    ['version', 'field'],
    ['parameters', 'nested object'],
    ['url', 'field'],
    ['data', 'field'],
  ],
  group: [['id'], ['label'], ['slug', 'slug'], ['url', 'field'], ['members', 'field']],
  user: [
    ['id'],
    ['username', 'string'],
    ['groups', 'field'],
    ['url', 'field'],
    ['name'],
    ['email'],
    ['staff'],
    ['password', 'string'],
  ],
};

/** Fields of the observed interface whose help text was seen; the others had none. */
const slugHelp: Readonly<Record<string, string>> = {
  dataset: 'URL-friendly name of the dataset. If none is specified, the label is used to derive it.',
};
const usualSlugHelp = 'URL-friendly name. If none is specified, the label is used to derive it.';
const helped = ['label', 'slug'];

/** The fields of a kind, by name, each with what a form needs to know of it. */
export function metadataOf(kind: WritableKind): Metadata {
  return Object.fromEntries(fields[kind].map(([name, type]) => [name, fieldOf(kind, name, type)]));
}

function fieldOf(kind: WritableKind, name: string, type?: string): Metadata {
  const schema: { readonly properties: object; readonly required?: readonly string[] } = schemas[kind];
  const property = (schema.properties as Record<string, Property>)[name] ?? {};
  const observed = name === 'columns' || name === 'versions';
  const readOnly = !writableFields(kind).includes(name) || (kind === 'dataset' && name === 'columns');
  const required = (schema.required?.includes(name) ?? false) || (kind === 'dataset' && name === 'namespace');
  const help = name === 'slug' ? (slugHelp[kind] ?? usualSlugHelp) : property.description;
  const length = name === 'slug' ? 100 : property.maxLength;
  return {
    type: type ?? typeOf(property),
    required: required && !readOnly,
    read_only: readOnly,
    label: name === 'id' ? 'ID' : capitalised(name),
    ...(helped.includes(name) && help && { help_text: help }),
    ...(length !== undefined && { max_length: length }),
    ...(property.enum && { choices: property.enum.map((value) => ({ value, display_name: capitalised(value) })) }),
    ...(observed && kind === 'dataset' && { child: childOf(name) }),
    ...(property.type === 'array' && !observed && type === undefined && { child: leaf('string', 'Item', false, 100) }),
  };
}

function typeOf({ type, enum: choices }: Property): string {
  if (choices) return 'choice';
  if (type === 'array') return 'list';
  return typeof type === 'string' ? type : 'string';
}

const capitalised = (name: string) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

const leaf = (type: string, label: string, required: boolean, max_length?: number): Metadata => ({
  type,
  required,
  read_only: false,
  label,
  ...(max_length !== undefined && { max_length }),
});

/** The nested lists of a dataset, as they were observed. */
function childOf(name: 'versions' | 'columns' | string): Metadata {
  const children =
    name === 'versions'
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
