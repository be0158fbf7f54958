/** Operations on rows: in formats, as maps, their statistics and differences; and downloads of payloads. */
import { type OutputFormat, outputFormats } from '../../catalogue/output-formats.ts';
import {
  type Answer,
  arrayOf,
  bytesContent,
  type Content,
  jsonContent,
  type Operation,
  type Operations,
  type Parameter,
  queryParameter,
  schemaRef,
  text,
  textContent,
} from './description.ts';
import { featureCollectionExample } from './examples.ts';
import {
  byteHeaders,
  embedParameters,
  ifMatchOfBytes,
  listParameters,
  mapParameters,
  profileParameters,
  rowParameters,
  widthParameter,
} from './parameters.ts';

/** Contents of rows by their media type, without its parameters. */
function rowContent(hasSidecars: boolean): Content {
  const contents: Record<string, Content[string]> = {};
  for (const { contentType, isSidecar } of Object.values<OutputFormat>(outputFormats)) {
    if (isSidecar && !hasSidecars) continue;
    const type = contentType.split(';')[0] ?? '';
    if (type === 'application/json')
      contents[type] = {
        schema: {
          anyOf: [schemaRef('FeatureCollection'), arrayOf(schemaRef('Feature')), arrayOf(schemaRef('Row'))],
        },
      };
    else if (type === 'application/geo+json')
      contents[type] = { schema: schemaRef('FeatureCollection'), example: featureCollectionExample };
    else contents[type] = type.startsWith('text/') || type.endsWith('ndjson') ? { schema: text } : { schema: {} };
  }
  return contents;
}

const rows: Operation = {
  tag: 'Rows',
  summary: 'Read rows',
  description:
    'All rows that match, streamed; JSON in general is GeoJSON. A limited response links to the next part. What is unknown or doesn’t fit is an error, and never ignored.',
  parameters: rowParameters,
  answers: {},
};

const rowHeaders: Answer['headers'] = ['ETag', 'Link', 'X-Total-Count', 'Content-Disposition'];

const countHeaders: Answer['headers'] = ['ETag', 'X-Total-Count', 'X-Feature-Count'];

/** A map: `file` is the last part of a tile's address. */
const map = (summary: string, content: Content, more: readonly Parameter[] = []): Operation => ({
  tag: 'Maps',
  summary,
  parameters: [...mapParameters, ...more],
  answers: { 200: { description: 'The map.', content, headers: ['ETag'] } },
});

const tileFile: Parameter = {
  name: 'file',
  in: 'path',
  description: 'Row of the tile, from the north, with its extension: `3.mvt`.',
  required: true,
  schema: { ...text, pattern: '^\\d+\\.(mvt|pbf)$' },
};

export const rowOperations = {
  Data: {
    GET: ({ path }) => ({
      ...rows,
      parameters: [...rowParameters, ...byteHeaders],
      refusals: [412, 416],
      answers: {
        200: { description: 'The rows.', content: rowContent(path.endsWith(':extension')), headers: rowHeaders },
        206: {
          description: 'A part of all rows as a file; ranges of other responses are ignored.',
          content: bytesContent('*/*'),
          headers: ['Content-Range'],
        },
      },
    }),
  },
  Map: {
    GET: {
      ...map('Draw a map of the rows', bytesContent('image/svg+xml'), [widthParameter]),
      answers: { 200: { description: 'The map.', content: bytesContent('image/svg+xml'), headers: countHeaders } },
    },
  },
  Embed: {
    GET: {
      ...map(
        'Describe a map or a table of the rows for a frame (oEmbed 1.0); as a page, it is that map or table',
        jsonContent(schemaRef('Document')),
      ),
      parameters: embedParameters,
    },
  },
  Overview: {
    GET: {
      tag: 'Maps',
      summary: 'Draw where the datasets of a list lie',
      parameters: listParameters('dataset'),
      answers: { 200: { description: 'The map.', content: bytesContent('image/svg+xml'), headers: ['ETag'] } },
    },
  },
  Plate: { GET: map('Draw a small picture of the rows', bytesContent('image/svg+xml')) },
  'Plate As PNG': {
    GET: map('Draw the rows as PNG, for programs that show no SVG', bytesContent('image/png'), [widthParameter]),
  },
  'Tile Set': { GET: map('Describe the vector tiles (TileJSON 3.0)', jsonContent(schemaRef('Document'))) },
  Tile: {
    GET: {
      ...map('Read a vector tile', bytesContent('application/vnd.mapbox-vector-tile')),
      parameters: [tileFile, ...mapParameters],
      answers: {
        200: {
          description: 'The tile.',
          content: bytesContent('application/vnd.mapbox-vector-tile'),
          headers: countHeaders,
        },
        204: { description: 'No row is in the tile.' },
      },
    },
  },
  Profile: {
    GET: {
      tag: 'Rows',
      summary: 'Read statistics of the columns',
      description: 'With filters, also how many matching rows are in each bin and have each value.',
      parameters: profileParameters,
      answers: {
        200: { description: 'The statistics.', content: jsonContent(schemaRef('Profile')), headers: ['ETag'] },
      },
    },
  },
  Column: {
    GET: {
      tag: 'Rows',
      summary: 'Read about a column: its texts, its statistics, its type in each version',
      answers: {
        200: { description: 'The column.', content: jsonContent(schemaRef('ColumnDetails')), headers: ['ETag'] },
      },
    },
  },
  Download: {
    GET: {
      tag: 'Versions',
      summary: 'Download the payload, byte for byte',
      parameters: byteHeaders,
      refusals: [412, 416],
      answers: {
        200: {
          description: 'The payload.',
          content: bytesContent('*/*'),
          headers: ['ETag', 'Link', 'Content-Disposition', 'Repr-Digest', 'Accept-Ranges'],
        },
        206: {
          description: 'A part of the payload.',
          content: bytesContent('*/*'),
          headers: ['ETag', 'Content-Range'],
        },
        302: {
          description: 'The payload is on another server.',
          content: { ...textContent('text/html'), ...textContent('text/plain') },
          headers: ['Location'],
        },
        307: {
          description: 'The payload is in the object store, at an address for some minutes.',
          headers: ['Location'],
        },
      },
    },
  },
  Diff: {
    GET: {
      tag: 'Rows',
      summary: 'Compare the rows of two versions',
      parameters: [
        queryParameter(
          '_from',
          'Slug of the version to compare with, or `<namespace>/<dataset>@<version>` of another dataset; by default the one before.',
        ),
        queryParameter('_key', 'Columns whose values together identify a row, with commas; by default detected.'),
        queryParameter('_format', 'Format; wins over Accept.', { ...text, enum: ['json', 'ndjson', 'html', 'api'] }),
        ifMatchOfBytes,
      ],
      refusals: [412],
      answers: {
        200: {
          description: 'The differences.',
          content: {
            ...jsonContent(schemaRef('Difference')),
            ...textContent(
              'application/x-ndjson',
              'A line with all but the rows, then a line for each row that differs.',
            ),
          },
          headers: ['ETag', 'Content-Disposition'],
        },
      },
    },
  },
} as const satisfies Operations;
