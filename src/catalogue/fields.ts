/**
 * The fields of every kind of record, a row each. Schemas, entities, representations, inputs, filters, OPTIONS, the
 * client's reading and writing, and the options of the command line are loops over this table: adding a field is adding a
 * row here and a line to the interface in `types.ts`, which programs see. (`schemas.ts` makes the compiler compare them.)
 * Rows stand in the order of the keys in a file. What a row can say is in `field.ts`, the types in `field-types.ts`.
 */
import { type Fields, fieldsWithNames, type NamedField } from './field.ts';
import {
  booleanField,
  choiceField,
  columnsField,
  dateField,
  datetimeField,
  derivedField,
  groupsAndUsersField,
  imageField,
  integerField,
  jsonField,
  listField,
  mappingField,
  metadataField,
  numbersField,
  objectField,
  passwordField,
  pathField,
  referenceField,
  referencesField,
  requiredField,
  secretField,
  slugField,
  sourceField,
  textField,
  urlField,
  usernameField,
  versionsField,
  writeOnlyField,
} from './field-types.ts';
import { maxId } from './ids.ts';
import { column, columnInRecord, dataColumn, file, missingColumn } from './nested-fields.ts';
import { reading, writableReadingField } from './reading.ts';
import { settingsFields } from './settings.ts';
import { remoteUrl } from './urls.ts';

/** Labels and names: lists are searched, ordered and filtered by them, and OPTIONS explains them. */
const naming = { search: true, order: true, filter: true, metadata: 'help' } as const;

const id = integerField('Identifier, unique within its kind. Left out, one is derived from the address.', {
  title: 'ID',
  minimum: 1,
  maximum: maxId,
  order: true,
  filter: true,
});
/** Keywords of a dataset, and characters of one. */
export const maxKeywords = 2000;
export const maxKeywordLength = 100;
/** Links of a dataset. */
export const maxLinks = 10_000;
/** Characters of a licence, homepage, publisher or contact: a URL has at most some thousands. */
export const maxReference = 10_000;
const labelled = (description: string) => textField(description, { minLength: 1, maxLength: 200, ...naming });
const label = requiredField(labelled('Human readable label.'));
const derivedSlug = 'URL-friendly name. If none is specified, the label is used to derive it.';
const plainSlug = slugField(derivedSlug, naming);
const described = (description: string) => textField(description, { search: true });
const visibility = choiceField(['public', 'private'], 'Who may see it: everybody, or only its owners and readers.', {
  absent: 'public',
  filter: 'Only those of this visibility.',
});
/** Only the catalogue itself writes and reads it. */
const hidden = { readOnly: true, internal: true } as const;
const aliases = listField('Former addresses, which redirect to this one.', { maxLength: 201, ...hidden });
/** Shown by the API, and not by OPTIONS. */
const unrecorded = { readOnly: true, metadata: 'absent' } as const;
const address = urlField('', 'Address of this object.');

export const fields = {
  settings: settingsFields,
  namespace: {
    id,
    label,
    slug: plainSlug,
    description: described('What the namespace is for, in Markdown.'),
    url: address,
    visibility,
    owners: referencesField('group', 'Groups whose members may write the namespace.', { filter: true }),
    datasets: urlField('datasets/', 'Address of the list of its datasets.'),
    readers: groupsAndUsersField(
      'Groups, and users as user:<username>, who may see the namespace and its datasets while they are private.',
    ),
    aliases,
  },
  column,
  dataset: {
    id,
    label: requiredField(labelled('Human readable label of the dataset.')),
    slug: slugField('URL-friendly name of the dataset. If none is specified, the label is used to derive it.', naming),
    namespace: requiredField(
      pathField(
        referenceField('namespace', 'The namespace that the dataset belongs to.', {
          order: true,
          filter: 'Only those of this namespace.',
        }),
      ),
    ),
    description: described('What the dataset holds, in Markdown.'),
    image: imageField('Path below /site_media/, or a URL.'),
    showcase_image: imageField('Path below /site_media/, or a URL.'),
    thumbnail_image: imageField('Path below /site_media/, or a URL.'),
    url: address,
    versions: derivedField(versionsField('Its versions, the newest first.')),
    data: urlField('data/', 'Address of the rows of the newest version.'),
    keywords: listField('Words to find the dataset by.', {
      maxLength: maxKeywordLength,
      maxItems: maxKeywords,
      search: true,
      filter: 'Only those with this keyword; of several, any.',
    }),
    licence: textField('SPDX identifier, or URL.', {
      maxLength: maxReference,
      meaning: 'licence',
      filter: 'Only those of this licence.',
    }),
    homepage: textField('URL of a website about the dataset.', { maxLength: maxReference, meaning: 'homepage' }),
    publisher: textField('Who publishes the dataset; attribution where the licence asks for it.', {
      maxLength: maxReference,
      filter: 'Only those of this publisher.',
    }),
    contact: textField('E-mail address or URL for questions.', { maxLength: maxReference, meaning: 'contact' }),
    links: mappingField('Files and pages on other servers, by their titles.', remoteUrl, {
      maxProperties: maxLinks,
      sparse: true,
    }),
    issued: dateField('When it was first published, if before its first version'),
    modified: dateField('When it was last changed, if after its newest version'),
    visibility,
    readers: groupsAndUsersField('Groups, and users as user:<username>, who may see the dataset while it is private.'),
    columns: columnsField(column, 'The columns of the newest version.', {
      recorded: columnInRecord,
      items: { $id: 'column.json', title: 'Column', description: 'One typed column of a dataset.' },
    }),
    missing_columns: derivedField({
      ...columnsField(missingColumn, 'Described columns that the newest version lacks.', { sparse: true }),
      ...unrecorded,
    }),
    former_names: derivedField({
      ...jsonField<readonly string[]>('Present names of columns, by former name.'),
      ...hidden,
    }),
    download: urlField('download/', 'Address of the payload of the newest version.'),
    reading: writableReadingField('Options for reading the next version, as they were given for the last ones.'),
    source: sourceField('Origin of an import: place, identifier there, and a checksum of each field and of the file.'),
    aliases,
  },
  version: {
    id,
    dataset: pathField(
      referenceField('dataset', 'The dataset that the version belongs to.', { readOnly: true, filter: true }),
    ),
    label: labelled('Human readable label.'),
    slug: slugField(derivedSlug, { ...naming, readOnly: true }),
    datetime: datetimeField('When the version was made: ISO 8601, UTC. Left out, the timestamp in the file name.', {
      order: true,
    }),
    checksum: textField('SHA-256 of the payload, in lower-case hexadecimal.', {
      pattern: '^[0-9a-f]{64}$',
      readOnly: true,
      filter: true,
    }),
    metadata: metadataField('Summary of the data, opaque to clients: base64 of JSON; in the file, also YAML.'),
    ready: booleanField('Whether its data are served; false withdraws the version.', { default: true, filter: true }),
    url: address,
    draft: { ...booleanField('Not published yet: only owners see it.', { default: false }), ...hidden },
    withdrawn: derivedField({ ...booleanField('Not ready, and no draft.', { default: false }), ...hidden }),
    renames: {
      ...jsonField('New names of columns that a draft brings when it is made ready, by present name.'),
      ...hidden,
    },
    notes: textField('What changed, in Markdown.'),
    format: derivedField({ ...file.format, ...unrecorded }),
    media_type: derivedField({ ...file.media_type, ...unrecorded, filter: true }),
    size: derivedField({ ...integerField('Size in bytes.', { absent: null, order: true }), ...unrecorded }),
    rows: integerField('Number of rows.', { minimum: 0, absent: null, order: true, ...unrecorded }),
    bbox: numbersField('West, south, east, north in degrees (RFC 7946, section 5); with heights, six numbers.', {
      title: 'Bounding box',
      minItems: 4,
      maxItems: 6,
      ...unrecorded,
    }),
    reading: reading('Options with which the rows are read.'),
    file: objectField(file, 'The payload: the name of a file in the data folder, or a URL.', {
      toValue: ({ name = '', url }) => (url ? '' : name),
      internal: true,
    }),
    columns: {
      ...columnsField<typeof dataColumn, null>(dataColumn, 'The columns of the data.', { absent: null }),
      ...hidden,
    },
    href: derivedField(
      textField('URL of a payload that is not in the data folder.', { readOnly: true, internal: true }),
    ),
    data: urlField('data/', 'Address of the rows.', unrecorded),
    download: urlField('download/', 'Address of the payload.', unrecorded),
  },
  query: {
    id,
    label,
    slug: plainSlug,
    description: described('What the question is for, in Markdown.'),
    dataset: requiredField(
      referenceField('dataset', 'The dataset asked: <namespace>/<dataset>.', {
        pattern: '^[-a-zA-Z0-9_]+/[-a-zA-Z0-9_]+$',
        filter: 'Only those about this dataset.',
      }),
    ),
    version: referenceField('version', 'Slug of the version asked; left out or null, the newest ready one.', {
      absent: null,
    }),
    parameters: jsonField('Parameters of the data address, such as height__gte, _limit or _group_by.'),
    url: address,
    data: urlField('data/', 'Address of the rows that it finds.'),
    aliases,
  },

  group: {
    id,
    label,
    slug: plainSlug,
    url: address,
    members: derivedField(referencesField('user', 'Users who belong to the group.', { filter: true })),
    aliases,
  },

  user: {
    id,
    username: requiredField(
      usernameField('Name to sign in with.', { search: true, order: true, filter: true, own: true }),
    ),
    name: textField('Full name.', { search: true, own: true }),
    email: textField('E-mail address, shown to the user and staff only.', {
      personal: true,
      own: true,
      meaning: 'email',
    }),
    staff: booleanField('May write everything.', { default: false, personal: true }),
    groups: referencesField('group', 'Groups of the user.', {
      filter: 'Only members of this group; of several, of any.',
    }),
    url: address,
    password: passwordField('Password to sign in with. A new one ends sessions and tokens.', { own: true }),
    current_password: secretField('The present password, which users give to change their own.', { own: true }),
    keep_tokens: writeOnlyField(booleanField('Keep tokens if the password changes.', { default: false, own: true })),
  },
} satisfies Readonly<Record<string, Fields>>;

/** Kinds of objects that have fields: records and columns. */
export type FieldsKind = keyof typeof fields;

const byKind = Object.fromEntries(
  Object.entries(fields).map(([kind, rows]) => [kind, fieldsWithNames(rows)]),
) as unknown as Readonly<Record<FieldsKind, readonly NamedField[]>>;

/** The fields of a kind, in the order of the keys in a file. */
export const fieldsOf = (kind: FieldsKind): readonly NamedField[] => byKind[kind];

/** The field of a kind by its name; undefined if there is none. */
export const fieldNamed = (kind: FieldsKind, name: string): NamedField | undefined =>
  fieldsOf(kind).find((field) => field.name === name);

/** Fields that the API shows before the others, in the recorded order. */
const recorded: { readonly [K in FieldsKind]?: readonly (keyof (typeof fields)[K])[] } = {
  dataset: [
    ...(['id', 'label', 'slug', 'namespace', 'description', 'image', 'showcase_image', 'thumbnail_image'] as const),
    ...(['url', 'versions', 'data', 'columns', 'download'] as const),
  ],
  version: [
    ...(['id', 'dataset', 'label', 'slug', 'datetime', 'checksum', 'metadata', 'ready', 'url'] as const),
    ...(['format', 'media_type', 'size', 'rows', 'bbox'] as const),
  ],
  user: ['id', 'username', 'groups', 'url'],
};

/** The fields of a kind in the API, in its order: first the recorded ones, then the others. */
export function apiFieldsOfKind(kind: FieldsKind): readonly NamedField[] {
  const first: readonly string[] = recorded[kind] ?? [];
  const place = ({ name }: NamedField) => (first.includes(name) ? first.indexOf(name) : first.length);
  return fieldsOf(kind)
    .filter(({ internal }) => !internal)
    .sort((a, b) => place(a) - place(b));
}
