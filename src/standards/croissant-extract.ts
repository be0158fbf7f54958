/** Where Croissant 1.1 finds the values of a column in a file of some format. */
import type { FileColumn } from './file-columns.ts';

/** Media types of what is in files, as the reader of MLCommons knows them, by short name of the format. */
const encodingFormats: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['parquet', 'application/x-parquet'],
  ['geoparquet', 'application/x-parquet'],
  ['geojson', 'application/json'],
  ['ndjson', 'application/jsonlines'],
  ['jsonl', 'application/jsonlines'],
]);

/** The `encodingFormat` of a file: a compressed one is named by what is in it. */
export const encodingFormatOf = (mediaType: string, { format }: { readonly format: string }): string =>
  encodingFormats.get(format) ?? mediaType;

/** Where a column is in a file, in the words of Croissant. */
type Extractor = (column: FileColumn) => Readonly<Record<string, string>>;

const byColumn: Extractor = ({ name }) => ({ column: name });
/** Where the values of a column are in a file; undefined for formats that Croissant can't look into. */
export function extractorOf(format: string): Extractor | undefined {
  if (['csv', 'tsv', 'parquet', 'geoparquet'].includes(format)) return byColumn;
  if (format === 'geojson')
    return ({ name, column: { type } }) => ({
      jsonPath: type === 'geometry' ? '$.features[*].geometry' : `$.features[*].properties[${JSON.stringify(name)}]`,
    });
  if (['ndjson', 'jsonl'].includes(format)) return ({ name }) => ({ jsonPath: `$[${JSON.stringify(name)}]` });
  return undefined;
}
