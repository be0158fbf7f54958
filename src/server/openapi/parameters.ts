/** Parameters of operations: in paths, of lists, of rows and maps, of uploads, and headers. */
import type { Field } from '../../catalogue/field.ts';
import { filtersOfKind, orderFields } from '../../catalogue/filters.ts';
import { type OutputFormat, outputFormats } from '../../catalogue/output-formats.ts';
import { readingFields } from '../../catalogue/reading.ts';
import { aggregateFunctions } from '../../catalogue/row-parameters.ts';
import type { Kind } from '../../catalogue/types.ts';
import { reservedParameters } from '../../data/query/parameters.ts';
import { count, flag, type JsonSchema, type Parameter, queryParameter, text } from './description.ts';

const number: JsonSchema = { type: 'integer', minimum: 1 };

/** Parameters in paths, by name. */
const pathParameters: Readonly<Record<string, readonly [description: string, schema?: JsonSchema]>> = {
  namespace: ['Slug of the namespace.'],
  dataset: ['Slug of the dataset.'],
  version: ['Slug of the version; `latest` is the newest that is ready.'],
  query: ['Slug of the query.'],
  group: ['Slug of the group.'],
  user: ['Username.'],
  file: ['Identifier of the file; in tables and tile sets, its name.'],
  warehouse: ['Prefix of the REST catalog: the location of an export in base64url.'],
  token: ['Identifier of the token.'],
  entry: ['Identifier of the entry.'],
  column: ['Name of the column.'],
  name: ['Name of the file.'],
  part: ['Number of the part, from 1.', count],
  path: ['Path of the file; its slashes stay as they are.'],
  extension: ['Format of the rows.', { ...text, enum: Object.keys(outputFormats) }],
  z: ['Zoom.', count],
  x: ['Column of the tile, from the west.', count],
  schema: ['Name of the schema.'],
};

/** The parameters in the path of a route; '' describes one that isn't known. */
export function parametersInPath(path: string): readonly Parameter[] {
  return [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => {
    const [description, schema = text] = pathParameters[name] ?? [''];
    return { name, in: 'path', description, required: true, schema };
  });
}

/** `?format=` of routes with JSON and pages. */
export const formatParameter = queryParameter('format', 'Wins over Accept; `api` is the JSON in a page.', {
  ...text,
  enum: ['json', 'html', 'api'],
});

export const pagingParameters: readonly Parameter[] = [
  queryParameter('page', 'Number of the page, from 1; or `last`.', { type: ['integer', 'string'] }),
  queryParameter('page_size', 'Items on a page, as far as the catalogue grants them.', number),
];
const cursorParameter = queryParameter('cursor', 'Instead of `page`: empty for the first page, then as `next` has it.');

/** Descriptions of filters that the command line doesn't have. */
const filterTexts: Readonly<Record<string, string>> = {
  updated__gte: 'Only those whose newest version is of this time or later (RFC 3339).',
  updated__lte: 'Only those whose newest version is of this time or earlier (RFC 3339).',
  datetime__gte: 'Only those of this time or later (RFC 3339).',
  datetime__lte: 'Only those of this time or earlier (RFC 3339).',
};

/** The parameters of the list of a kind. */
export function listParameters(kind: Kind): readonly Parameter[] {
  const names = [...Object.keys(orderFields[kind]), ...(kind === 'dataset' ? ['relevance'] : [])];
  return [
    ...pagingParameters,
    cursorParameter,
    queryParameter('search', 'Words that must all occur, without regard to case and accents.'),
    queryParameter('ordering', `Fields to order by, with commas; a minus for descending: ${names.join(', ')}.`),
    ...(kind === 'dataset' ? [queryParameter('facets', 'True to count the values of some filters.', flag)] : []),
    ...filtersOfKind(kind).map(
      ({ name, help, choices, form }): Parameter => ({
        ...queryParameter(
          name,
          `${help ?? filterTexts[name] ?? `Only those of this ${name}.`} Repeated, any of the values may match.`,
          {
            type: 'array',
            items: { ...text, ...(choices && { enum: choices }), ...(form && { pattern: form.pattern }) },
          },
        ),
        style: 'form',
        explode: true,
      }),
    ),
  ];
}

const formats = Object.entries<OutputFormat>(outputFormats).flatMap(([name, { isSidecar }]) =>
  isSidecar ? [] : [name],
);

/** Descriptions of the parameters of rows. */
const rowTexts: Readonly<Record<string, readonly [description: string, schema?: JsonSchema]>> = {
  _format: ['Format; wins over Accept.', { ...text, enum: [...formats, 'html'] }],
  _fields: ['Names of columns, with commas.'],
  _group_by: ['Names of columns whose values make groups, with commas.'],
  _aggregate: [`Of each group: ${Object.keys(aggregateFunctions).join(', ')}, as in \`count,sum(height) AS total\`.`],
  _ordering: ['Columns to order by, with commas; a minus for descending.'],
  _limit: ['Most rows.', count],
  _offset: ['Rows to skip.', count],
  _page: ['Number of the page, from 1; or `last`.', { type: ['integer', 'string'] }],
  _page_size: ['Rows on a page.', number],
  _bbox: ['West, south, east, north in degrees; east may be smaller than west. Repeated, all must be met.'],
  _filter: ['CQL2, such as `height > 10 AND S_INTERSECTS(geometry, POINT(1 2))`. Repeated, all must hold.'],
  _bom: ['True for a byte order mark before CSV, by which Excel knows UTF-8.', flag],
  _excel: ['True to disarm cells of CSV that a spreadsheet would take for formulas.', flag],
  _sep: ['Separator of CSV.', { ...text, enum: [',', ';', '|', 'tab', '\t'] }],
};

/** Filters by column: every name without an underscore at its start is a column's. */
const columnFilters: Parameter = {
  name: 'filters',
  in: 'query',
  description:
    'Filters: `column=value`, or `column__lookup=value` with ne, gt, gte, lt, lte, in, range, isnull, contains, icontains, startswith, intersects, within, dwithin and others. All must hold; an unknown column is an error.',
  schema: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
  style: 'form',
  explode: true,
  example: { height__gte: 10 },
};

/** The parameters of rows: all that the query string of a data address knows. */
export const rowParameters: readonly Parameter[] = [
  ...reservedParameters.map((name) => {
    const [description, schema = text] = rowTexts[name] ?? [''];
    return queryParameter(name, description, schema);
  }),
  columnFilters,
];

const rowParametersBut = (...names: readonly string[]) => rowParameters.filter(({ name }) => !names.includes(name));

/** The parameters of profiles: those that choose rows and columns. */
export const profileParameters = rowParametersBut('_format', '_group_by', '_aggregate', '_bom', '_excel', '_sep');

/** The parameters of maps: those that choose rows, and the map's own. */
export const mapParameters: readonly Parameter[] = [
  ...rowParameters.filter(({ name }) => ['_bbox', '_filter', 'filters'].includes(name)),
  queryParameter('_colour', 'Column that colours the map.'),
];
export const widthParameter = queryParameter('_width', 'Width in pixels.', { ...count, minimum: 100, maximum: 2000 });

const viewParameter = queryParameter('_view', 'What the frame shows; by default a map, if the rows have a geometry.', {
  ...text,
  enum: ['map', 'table'],
});

/** The parameters of frames: those of the rows in a table, and of oEmbed. */
export const embedParameters: readonly Parameter[] = [
  ...rowParametersBut('_format', '_bom', '_excel', '_sep'),
  queryParameter('_colour', 'Column that colours the map.'),
  viewParameter,
  queryParameter('maxwidth', 'Most pixels of the width that JSON has.', number),
  queryParameter('maxheight', 'Most pixels of the height that JSON has.', number),
];

export const dryRunParameter = queryParameter('dry_run', 'True to check the write only: nothing changes.', flag);

const boundaries: JsonSchema = { ...text, description: 'An entity tag, or `*`.' };
export const ifMatchHeader: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'ETag of the state that the write is based on; another is refused with 412.',
  schema: boundaries,
};
export const ifNoneMatchHeader: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'ETags that the client has: 304 if one of them is current.',
  schema: boundaries,
};

/** Fields of an upload, in a form or a query string, with their schemas. */
export const uploadFields: Readonly<Record<string, JsonSchema>> = {
  label: { ...text, maxLength: 200 },
  notes: { ...text, description: 'What changed, in Markdown.' },
  metadata: { ...text, description: 'Summary of the data; left out, the catalogue makes its own.' },
  checksum: { ...text, description: 'The SHA-256 that the bytes must have.' },
  ready: { ...flag, description: 'False for a draft, which only owners see.' },
  force: { ...flag, description: 'True to publish a version without rows, or with none of the columns before.' },
  replace: { ...flag, description: 'True to publish a file without readable rows after one with rows.' },
  rename: { type: 'array', items: text, description: 'Renamed columns, as `<old name>=<new name>`.' },
  type: { type: 'array', items: text, description: 'Types of columns, as COLUMN=TYPE.' },
  ...Object.fromEntries(
    Object.entries<Field>(readingFields)
      .filter(([name]) => name !== 'types')
      .map(([name, { description, schema }]) => [
        name,
        { ...text, ...(schema.enum && { enum: schema.enum }), description },
      ]),
  ),
};

const rangeHeader: Parameter = {
  name: 'Range',
  in: 'header',
  description: 'A range of bytes.',
  schema: text,
  example: 'bytes=0-99',
};

const conditionHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: text,
});

export const ifMatchOfBytes = conditionHeader('If-Match', 'ETags: 412 if none of them is current.');

/** Headers of reads of stored bytes (RFC 9110, sections 13 and 14). */
export const byteHeaders: readonly Parameter[] = [
  rangeHeader,
  conditionHeader(
    'If-Range',
    'An ETag, or the date of Last-Modified: the range is sent if it is current, else all bytes.',
  ),
  ifMatchOfBytes,
  conditionHeader(
    'If-Modified-Since',
    'A date of HTTP: 304 if the bytes are not newer; of the latest version, if they are of this date.',
  ),
  conditionHeader('If-Unmodified-Since', 'A date of HTTP: 412 if the bytes are newer.'),
];

/** Parameters of the list of files. */
export const fileListParameters: readonly Parameter[] = [
  queryParameter('texts', 'True to include the texts of records.', flag),
  queryParameter('groups', 'Number of groups of files whose digests are asked for.', { type: 'integer' }),
  queryParameter('only', 'Numbers of groups, with commas: the files of these only.'),
  conditionHeader('X-Catalogue-Since', 'The X-Catalogue-Timeline that the client has seen last.'),
];

export const timelineDescription =
  'X-Catalogue-Timeline of the response is a point of the timeline of the folder. If the client sends the last one that it has seen ' +
  'as X-Catalogue-Since, X-Catalogue-Continues is `false` if the folder was set back to an earlier state since, as from a backup.';

/** Headers by which git hosts show that they know the secret of the server: one of them is needed. */
export const webhookHeaders: readonly Parameter[] = [
  conditionHeader(
    'X-Hub-Signature-256',
    '`sha256=` and the HMAC-SHA-256 of the body in hexadecimal, as GitHub sends it.',
  ),
  conditionHeader('X-Gitea-Signature', 'The HMAC-SHA-256 of the body in hexadecimal, as Gitea and Forgejo send it.'),
  conditionHeader('X-Gitlab-Token', 'The secret, as GitLab sends it.'),
];

/** The parameters of an operation behind the usual ones, but for those that it describes itself. */
export function withUsual(own: readonly Parameter[], usual: readonly Parameter[]): readonly Parameter[] {
  const isOwn = (one: Parameter) => own.some(({ name, in: place }) => name === one.name && place === one.in);
  return [...usual.filter((one) => !isOwn(one)), ...own];
}
