/** Where Croissant 1.1 finds the values of a column in a file of some format. */
import type { FileColumn } from './file-columns.ts';

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
