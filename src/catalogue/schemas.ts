/**
 * The JSON Schemas (draft 2020-12) of the files in a catalogue folder.
 *
 * This is the one place where a stored field is described. The TypeScript types (`records.ts`), the validators
 * (`validators.ts`), the schemas served under `/schemas/`, OPTIONS, the command line's options and the documentation
 * all derive from it. `title` is the field's label, `description` its help text.
 *
 * Unknown keys are allowed everywhere: a file belongs to the people who write it, and an edit keeps what it doesn't know.
 */
import { aliases, id, image, label, slugPattern, text, visibility } from './schema-parts.ts';
import { settingsSchema } from './settings-schema.ts';
import { columnTypes } from './types.ts';

export { maxId } from './schema-parts.ts';

export const namespaceSchema = {
  $id: 'namespace.json',
  title: 'Namespace',
  description: 'namespaces/<slug>/namespace.yaml: who publishes a group of datasets.',
  type: 'object',
  required: ['label'],
  properties: {
    id,
    label,
    description: text('Description', 'What the namespace is for, in Markdown.'),
    visibility,
    owners: {
      title: 'Owners',
      description: 'Groups whose members may write the namespace.',
      type: 'array',
      items: { type: 'string', pattern: slugPattern },
      uniqueItems: true,
    },
    aliases,
  },
} as const;

export const columnSchema = {
  $id: 'column.json',
  title: 'Column',
  description: 'One typed column of a dataset.',
  type: 'object',
  required: ['type', 'name'],
  properties: {
    type: { title: 'Type', description: 'Type of the values.', enum: columnTypes },
    name: { title: 'Name', description: 'Machine name.', type: 'string', minLength: 1, maxLength: 255 },
    label: text('Label', 'Human readable label.'),
    description: text('Description', 'What the values mean.'),
    unit: text('Unit', 'Unit of the values, as in UCUM or as people write it: m, °C, EUR.'),
  },
} as const;

export const datasetSchema = {
  $id: 'dataset.json',
  title: 'Dataset',
  description: 'namespaces/<namespace>/datasets/<slug>/dataset.yaml: one dataset.',
  type: 'object',
  required: ['label'],
  properties: {
    id,
    label: { ...label, description: 'Human readable label of the dataset.' },
    description: text('Description', 'What the dataset holds, in Markdown.'),
    image: image('Image'),
    showcase_image: image('Showcase image'),
    thumbnail_image: image('Thumbnail image'),
    keywords: {
      title: 'Keywords',
      description: 'Words to find the dataset by.',
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 100 },
    },
    licence: text('Licence', 'SPDX identifier of the licence.'),
    homepage: text('Homepage', 'Website about the dataset.'),
    publisher: text('Publisher', 'Who publishes the dataset; attribution where the licence asks for it.'),
    contact: text('Contact', 'E-mail address or URL for questions.'),
    visibility,
    columns: {
      title: 'Columns',
      description: 'The columns of the newest version.',
      type: 'array',
      items: columnSchema,
    },
    aliases,
  },
} as const;

export const versionSchema = {
  $id: 'version.json',
  title: 'Version',
  description: 'namespaces/<namespace>/datasets/<dataset>/versions/<slug>.yaml: one snapshot of the data.',
  type: 'object',
  properties: {
    id,
    label,
    datetime: {
      title: 'Datetime',
      description: 'When the version was made: ISO 8601, UTC. Left out, the timestamp in the file name.',
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$',
    },
    checksum: {
      title: 'Checksum',
      description: 'SHA-256 of the payload, in lower-case hexadecimal.',
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
    },
    metadata: text('Metadata', 'Summary of the data: base64 of JSON, opaque to clients.'),
    ready: {
      title: 'Ready',
      description: 'Whether its data are served; false withdraws the version.',
      type: 'boolean',
      default: true,
    },
    notes: text('Notes', 'What changed, in Markdown.'),
    rows: { title: 'Rows', description: 'Number of rows.', type: 'integer', minimum: 0 },
    bbox: {
      title: 'Bounding box',
      description: 'West, south, east, north in degrees (RFC 7946, section 5); with heights, six numbers.',
      type: 'array',
      items: { type: 'number' },
      minItems: 4,
      maxItems: 6,
    },
    file: {
      title: 'File',
      description: 'The payload: a file in the data folder beside, or one that lies elsewhere.',
      type: 'object',
      properties: {
        name: {
          title: 'Name',
          description: 'Name of the file in the data folder.',
          type: 'string',
          pattern: '^[^/\\\\\\u0000-\\u001f]+$',
          maxLength: 255,
        },
        url: { title: 'URL', description: 'Where the payload lies.', type: 'string', pattern: '^https?://\\S+$' },
        format: text('Format', 'geojson, geojsonl, ndjson, json, csv, tsv, parquet or another short name.'),
        media_type: text('Media type', 'Media type of the payload (RFC 9110, section 8.3.1).'),
        size: { title: 'Size', description: 'Size in bytes.', type: 'integer', minimum: 0 },
      },
    },
  },
} as const;

export const querySchema = {
  $id: 'query.json',
  title: 'Query',
  description: 'queries/<slug>.yaml: a saved question about one dataset.',
  type: 'object',
  required: ['label', 'dataset'],
  properties: {
    id,
    label,
    description: text('Description', 'What the question is for, in Markdown.'),
    dataset: {
      title: 'Dataset',
      description: 'The dataset asked: <namespace>/<dataset>.',
      type: 'string',
      pattern: '^[-a-zA-Z0-9_]+/[-a-zA-Z0-9_]+$',
    },
    version: {
      title: 'Version',
      description: 'Slug of the version asked; left out or null, the newest ready one.',
      type: ['string', 'null'],
    },
    parameters: {
      title: 'Parameters',
      description: 'Parameters of the data address, such as height__gte or _limit.',
      type: 'object',
      additionalProperties: true,
    },
    aliases,
  },
} as const;

export const groupSchema = {
  $id: 'group.json',
  title: 'Group',
  description: 'groups/<slug>.yaml: people who own namespaces together.',
  type: 'object',
  required: ['label'],
  properties: {
    id,
    label,
    aliases,
  },
} as const;

export const userSchema = {
  $id: 'user.json',
  title: 'User',
  description: 'users/<username>.yaml: a person. Passwords and tokens lie elsewhere.',
  type: 'object',
  properties: {
    id,
    name: text('Name', 'Full name.'),
    email: text('Email', 'E-mail address, shown to the user and to staff only.'),
    staff: { title: 'Staff', description: 'May write everything.', type: 'boolean', default: false },
    groups: {
      title: 'Groups',
      description: 'Groups the user is a member of.',
      type: 'array',
      items: { type: 'string', pattern: slugPattern },
      uniqueItems: true,
    },
  },
} as const;

/** The schema of each kind of file, by the kind's name. */
export const schemas = {
  settings: settingsSchema,
  namespace: namespaceSchema,
  dataset: datasetSchema,
  version: versionSchema,
  query: querySchema,
  group: groupSchema,
  user: userSchema,
} as const;

export type RecordKind = keyof typeof schemas;
