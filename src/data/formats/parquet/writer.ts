/** The writer of `parquet`: GeoParquet 1.1, with the geometry as WKB, described by the metadata key `geo`. */
import type { RowGroup } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeIndexes } from 'hyparquet-writer/src/indexes.js';
import type { TableField } from '../../../catalogue/table-fields.ts';
import { itemsPerCheck, Turns } from '../../event-loop.ts';
import type { Row } from '../../row.ts';
import { columnsToWrite } from '../selected-columns.ts';
import type { RowsInput, WriteOptions } from '../types.ts';
import { parquetColumnWriters } from './column-writer.ts';
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
  { rowGroupRows = 1 << 13 }: WriteOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const columns = parquetColumnWriters(columnsToWrite(input), input.tableFields);
  const sink = new ByteWriter();
  const schema = [{ name: 'schema', num_children: columns.length }, ...columns.map((column) => column.element)];
  // Writes the columns of one row group, and the magic number at the start of the file.
  const writer = new ParquetWriter({ writer: sink, schema });
  const footer = new Footer();
  let rows = 0;
  let bytes = 0;
  const add = (row: Row) => {
    for (const column of columns) bytes += column.add(row);
    rows++;
    return rows >= rowGroupRows || bytes >= maxRowGroupBytes;
  };
  /** Yields after each column: a whole row group would hold the event loop for a tenth of a second. */
  function* writeGroup() {
    if (rows === 0) return;
    for (const column of columns) {
      // Not awaited: ByteWriter writes synchronously.
      writer.write({ columnData: [column.take()], rowGroupSize: rows });
      yield* takeChunks(sink);
    }
    writeIndexes(sink, writer.pendingIndexes.splice(0));
    footer.add(joinRowGroups(writer.row_groups.splice(0), rows), schema);
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
        } else if (rows % itemsPerCheck === 0 && turns.isOver) await turns.next();
      }
  } else if (Symbol.iterator in input.rows) {
    for (const row of input.rows) if (add(row)) yield* writeGroup();
  } else {
    for await (const row of input.rows) if (add(row)) yield* writeGroup();
  }
  yield* writeGroup();
  const metadata = columns.flatMap((column) => column.finish() ?? []).map((value) => ({ key: 'geo', value }));
  if (input.tableFields) metadata.push({ key: 'iceberg.schema', value: tableSchemaText(input.tableFields) });
  sink.appendBytes(footer.finish({ schema, created_by: 'catalogue', key_value_metadata: metadata }));
  yield* takeChunks(sink);
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

/** Returns the sink's bytes in chunks, and empties its buffer; its count of all bytes goes on. */
function* takeChunks(sink: ByteWriter): Generator<Uint8Array> {
  const bytes = sink.getBytes();
  sink.buffer = new ArrayBuffer(chunkSize);
  sink.view = new DataView(sink.buffer);
  sink.index = 0;
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
}
