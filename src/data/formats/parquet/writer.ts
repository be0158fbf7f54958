/** `parquet`: Parquet with the geometry as GeoParquet 1.1 has it: WKB, described under the key `geo`. */
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Row } from '../../row.ts';
import { select } from '../selected-columns.ts';
import type { RowsInput, WriteOptions } from '../types.ts';
import { parquetColumns } from './column-writer.ts';

const chunkSize = 1 << 18;
const rowGroupBytes = 1 << 24;

/**
 * The file in chunks of up to 256 kB. Parquet's directory comes last, so that each row group can leave as soon as it
 * is full, at 16,384 rows or about 16 MB of values: this much lies in memory, however many rows there are. An error
 * in the rows leaves a file without its footer, which no reader takes for complete.
 */
export async function* parquet(
  input: RowsInput,
  { rowGroupRows = 1 << 14 }: WriteOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const columns = parquetColumns(select(input));
  const sink = new ByteWriter();
  const schema = [{ name: 'schema', num_children: columns.length }, ...columns.map((column) => column.element)];
  const writer = new ParquetWriter({ writer: sink, schema, createdBy: 'catalogue' });
  let rows = 0;
  let bytes = 0;
  const add = (row: Row) => {
    for (const column of columns) bytes += column.add(row);
    rows++;
    return rows >= rowGroupRows || bytes >= rowGroupBytes;
  };
  const writeGroup = () => {
    // Without a promise: only a sink that flushes by itself would make one.
    if (rows > 0) writer.write({ columnData: columns.map((column) => column.take()), rowGroupSize: rows });
    rows = 0;
    bytes = 0;
    return take(sink);
  };
  if (Symbol.iterator in input.rows) {
    for (const row of input.rows) if (add(row)) yield* writeGroup();
  } else {
    for await (const row of input.rows) if (add(row)) yield* writeGroup();
  }
  yield* writeGroup();
  const metadata = columns.flatMap((column) => column.finish() ?? []);
  writer.kvMetadata = metadata.map((value) => ({ key: 'geo', value }));
  writer.finish();
  yield* take(sink);
}

/** What the sink holds, in chunks; it goes on with an empty buffer, and with its count of all bytes so far. */
function* take(sink: ByteWriter): Generator<Uint8Array> {
  const bytes = sink.getBytes();
  sink.buffer = new ArrayBuffer(chunkSize);
  sink.view = new DataView(sink.buffer);
  sink.index = 0;
  for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
}
