/** The writer of `parquet`: GeoParquet 1.1, with the geometry as WKB, described by the metadata key `geo`. */
import type { RowGroup } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeIndexes } from 'hyparquet-writer/src/indexes.js';
import type { PageIndexes } from 'hyparquet-writer/src/types.js';
import type { TableField } from '../../../catalogue/table-fields.ts';
import { Turns } from '../../event-loop.ts';
import type { Row } from '../../row.ts';
import { columnsToWrite } from '../selected-columns.ts';
import type { RowsInput, WriteOptions } from '../types.ts';
import { parquetColumnWriters } from './column-writer.ts';
import { encodeColumn, magic } from './encode-column.ts';
import { encodeColumnsInThreads } from './encode-in-thread.ts';
import { Footer } from './footer.ts';

/** In bytes. */
const chunkSize = 1 << 18;
/** Most bytes of a row group, approximately. */
const maxRowGroupBytes = 1 << 24;
/**
 * Writes a file in chunks of up to 256 kB. Parquet's metadata come last, so each row group is written when it is full, at
 * 8,192 rows or about 16 MB of values; no more is in memory. After an error of the rows the file lacks its footer, and no
 * reader takes it for complete.
 */
export async function* writeParquet(
  input: RowsInput,
  { rowGroupRows = 1 << 13, workers }: WriteOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const columns = parquetColumnWriters(columnsToWrite(input), input.tableFields);
  const schema = [{ name: 'schema', num_children: columns.length }, ...columns.map((column) => column.element)];
  const encoder = workers ? encodeColumnsInThreads(workers) : encodeColumn;
  const footer = new Footer();
  let size = 0;
  let rows = 0;
  let bytes = 0;
  const add = (row: Row) => {
    for (const column of columns) bytes += column.add(row);
    rows++;
    return rows >= rowGroupRows || bytes >= maxRowGroupBytes;
  };
  function* inChunks(whole: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < whole.length; at += chunkSize) yield whole.subarray(at, at + chunkSize);
    size += whole.length;
  }
  /** Yields after each column: a whole row group would hold the event loop for a tenth of a second. */
  async function* writeGroup() {
    if (rows === 0) return;
    const groups: RowGroup[] = [];
    const indexes: PageIndexes[] = [];
    for (const column of columns) {
      const encoded = await column.encode(encoder, size);
      groups.push(encoded.group);
      indexes.push(...encoded.indexes);
      yield* inChunks(encoded.bytes);
    }
    const sink = new ByteWriter();
    sink.offset = size;
    writeIndexes(sink, indexes);
    yield* inChunks(sink.getBytes());
    footer.add(joinRowGroups(groups, rows), schema);
    rows = 0;
    bytes = 0;
  }
  if ('groups' in input.rows) {
    const turns = new Turns();
    for await (const group of input.rows.groups)
      for (const row of group) {
        if (add(row)) {
          yield* writeGroup();
          turns.restart();
        } else if (turns.isOverAfterItem()) await turns.next();
      }
  } else if (Symbol.iterator in input.rows) {
    for (const row of input.rows) if (add(row)) yield* writeGroup();
  } else {
    for await (const row of input.rows) if (add(row)) yield* writeGroup();
  }
  yield* writeGroup();
  const metadata = columns.flatMap((column) => column.finish() ?? []).map((value) => ({ key: 'geo', value }));
  if (input.tableFields) metadata.push({ key: 'iceberg.schema', value: tableSchemaText(input.tableFields) });
  if (size === 0) yield* inChunks(magic);
  yield* inChunks(footer.finish({ schema, created_by: 'catalogue', key_value_metadata: metadata }));
}

/** The schema of an Apache Iceberg table as its own writers put it into files. */
const tableSchemaText = (fields: readonly TableField[]): string =>
  JSON.stringify({
    type: 'struct',
    'schema-id': 0,
    fields: fields.map((field) => ({ ...field, required: false })),
  });

/** One row group of several that have a column each. */
function joinRowGroups(groups: readonly RowGroup[], rows: number): RowGroup {
  const sumOf = (field: 'total_byte_size' | 'total_compressed_size') =>
    groups.reduce((sum, group) => sum + (group[field] ?? 0n), 0n);
  return {
    columns: groups.flatMap(({ columns }) => columns),
    total_byte_size: sumOf('total_byte_size'),
    num_rows: BigInt(rows),
    total_compressed_size: sumOf('total_compressed_size'),
  };
}
