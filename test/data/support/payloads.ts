/** Payloads made for a test, ingested, and opened as tables. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Geometry } from '../../../src/data/geometry/geometry.ts';
import { type IngestOptions, type IngestResult, ingest } from '../../../src/data/ingest/ingest.ts';
import type { Value } from '../../../src/data/row.ts';
import { createChunkCache } from '../../../src/data/table/chunk-reader.ts';
import { type ScanOptions, Table } from '../../../src/data/table/table.ts';
import { temporaryParent } from '../../support/folder.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed when the file's tests have run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(temporaryParent(), 'catalogue-data-'));
  folders.push(folder);
  return folder;
}

export interface IngestedPayload {
  result: IngestResult;
  table: Table;
  path: string;
  folder: string;
}

/** Ingests a text, or bytes, under a file name. */
export async function ingestPayload(
  content: string | Uint8Array,
  fileName: string,
  options: IngestOptions = {},
): Promise<IngestedPayload> {
  const home = temporaryFolder();
  const path = join(home, fileName);
  writeFileSync(path, content);
  const folder = join(home, 'tables');
  const result = await ingest(path, { fileName, cacheFolder: folder, ...options });
  const table = await Table.open(result.columnarCopy ?? folder, result.checksum, createChunkCache(64 * 1024 ** 2));
  if (!table) throw new Error('no columnar copy');
  return { result, table, path, folder };
}

/** `name:type` of each column. */
export const typesOf = ({ columns }: Pick<IngestResult, 'columns'>) =>
  columns.map(({ name, type }) => `${name}:${type}`);

export interface PlainRow {
  values: Value[];
  geometry: Geometry | null;
  id: string | number | undefined;
}

export async function rowsOf(table: Table, options: ScanOptions = {}): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  for await (const row of table.scan(options)) {
    rows.push({
      values: table.schema.columns.map((_, place) => row.value(place)),
      geometry: row.geometry(),
      id: row.id(),
    });
  }
  return rows;
}

/** The values of each row, in a payload without anything else. */
export const valuesOf = async (table: Table) => (await rowsOf(table)).map(({ values }) => values);

export const collection = (...features: unknown[]) => JSON.stringify({ type: 'FeatureCollection', features });

export const point = (properties: unknown, coordinates: unknown = [1, 2], id?: unknown) => ({
  type: 'Feature',
  ...(id === undefined ? {} : { id }),
  properties,
  geometry: { type: 'Point', coordinates },
});
