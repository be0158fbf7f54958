/** The rows of a version of a static export: filtered, ordered, grouped, paged and written by the server's own functions. */
import { columnsByOtherName } from '../src/catalogue/column-names.ts';
import type { VersionProfile } from '../src/catalogue/column-statistics.ts';
import { csvWriter } from '../src/data/formats/csv/writer.ts';
import { objectArrayWriter } from '../src/data/formats/json/json-array.ts';
import { ndjsonWriter } from '../src/data/formats/json/ndjson.ts';
import { rowsAsTextChunks, TextBuffer, type TextWriter } from '../src/data/formats/text-buffer.ts';
import type { RowsInput, WriteOptions } from '../src/data/formats/types.ts';
import type { GeometryKind } from '../src/data/geometry/geometry.ts';
import { parseDataQuery } from '../src/data/query/parameters.ts';
import { profileMatching } from '../src/data/query/profile-matching.ts';
import { rowsOfQuery } from '../src/data/query/rows-of-query.ts';
import { columnNames, type TableColumn, type TableSchema } from '../src/data/row.ts';
import { type RowObject, tableOfRows } from '../src/data/table/memory-table.ts';
import type { RowsFinder } from '../src/pages/find-rows.ts';
import type { savedFormats } from '../src/pages/rows-address.tsx';
import type { ShownRows } from '../src/pages/rows-in-files.tsx';

export type SavedFormat = (typeof savedFormats)[number];
type Parameters = readonly (readonly [string, string])[];

export interface MemoryRows extends RowsFinder {
  /** A document of rows. @param csvHeader first line of `data.csv`, which tells whether points have columns of their own */
  write(format: SavedFormat, parameters: Parameters, csvHeader: string): Promise<Uint8Array<ArrayBuffer>[]>;
}

/** @param ndjson content of `data.ndjson` */
export function openRows(shown: ShownRows, profile: VersionProfile, ndjson: string): MemoryRows {
  const columns = profile.columns.filter(({ type }) => type !== 'geometry') as readonly TableColumn[];
  const plain: TableSchema = { hasGeometry: columns.length < profile.columns.length, columns };
  const schema = { ...plain, otherNames: columnsByOtherName(shown.dataset.former_names, columnNames(plain)) };
  const lines = ndjson.split('\n').filter(Boolean);
  const table = tableOfRows(
    plain,
    lines.map((line) => JSON.parse(line) as RowObject),
  );
  const geometry = profile.columns.find(({ type }) => type === 'geometry');
  const name = shown.dataset.slug;
  const tableFacts = { name, schema: plain, geometryKinds: geometry?.examples as readonly GeometryKind[] | undefined };
  const { page_size: pageSize, max_page_size: maxPageSize } = shown.settings;
  const limits = { pageSize, maxPageSize, timeout: Number.POSITIVE_INFINITY };

  const answer = async (
    format: SavedFormat,
    parameters: Parameters,
    pointColumns: RowsInput['pointColumns'] = null,
  ) => {
    const query = parseDataQuery(parameters, schema);
    const { window, rows } = await rowsOfQuery(table, query, limits);
    const { fields, aggregation, csv } = query;
    const facts = aggregation ? { name, schema: aggregation.schema } : { ...tableFacts, pointColumns };
    const chunks = [];
    for await (const chunk of rowsAsTextChunks(rows, (out) => makeWriter(format, { ...facts, fields }, out, csv)))
      chunks.push(chunk as Uint8Array<ArrayBuffer>);
    const paged = query.page !== undefined || query.pageSize !== undefined;
    return { part: window && { ...window, paged }, chunks };
  };
  return {
    async find(parameters) {
      const { part, chunks } = await answer('objects', parameters);
      return { items: JSON.parse(await new Blob(chunks).text()), part };
    },
    profile: (parameters) =>
      profileMatching(table, profile, parseDataQuery(parameters, schema), {
        ...limits,
        ...{ pageSize: table.rowCount, maxPageSize: table.rowCount },
      }),
    async write(format, parameters, csvHeader) {
      const out = new TextBuffer();
      csvWriter({ ...tableFacts, pointColumns }, out).start();
      const header = new TextDecoder().decode(out.take()).trimEnd();
      const { chunks } = await answer(format, parameters, header === csvHeader ? pointColumns : null);
      return chunks;
    },
  };
}

/** Columns of points that CSV doesn't write again. */
const pointColumns = ['longitude', 'latitude'];

function makeWriter(
  format: SavedFormat,
  input: Omit<RowsInput, 'rows'>,
  out: TextBuffer,
  options: WriteOptions,
): TextWriter {
  if (format === 'objects') return objectArrayWriter(input, out);
  if (format === 'ndjson') return ndjsonWriter(input, out);
  return csvWriter(input, out, format === 'excel' ? { bom: true, separator: ';', excel: true } : options);
}
