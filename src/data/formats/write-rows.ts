/** Rows as a document in any of the output formats that can be written from beginning to end. */

import type { StreamedFormatName } from '../../catalogue/output-formats.ts';
import { passWithoutBlocking } from '../event-loop.ts';
import { csvtText, prjText } from './csv/columns.ts';
import { csvWriter } from './csv/writer.ts';
import { geojsonWriter } from './json/geojson.ts';
import { featureArrayWriter, objectArrayWriter } from './json/json-array.ts';
import { geojsonlWriter, ndjsonWriter } from './json/ndjson.ts';
import { rowsAsTextChunks, type TextBuffer, type TextWriter } from './text-buffer.ts';
import type { RowsInput, WriteOptions } from './types.ts';

const textWriters = {
  geojson: geojsonWriter,
  json: featureArrayWriter,
  objects: objectArrayWriter,
  ndjson: ndjsonWriter,
  geojsonl: geojsonlWriter,
  csv: csvWriter,
  excel: (input: RowsInput, out: TextBuffer, _: WriteOptions) =>
    csvWriter(input, out, { bom: true, separator: ';', excel: true }),
} satisfies {
  [name: string]: (input: RowsInput, out: TextBuffer, options: WriteOptions) => TextWriter;
};

/**
 * Writes rows as a document, in chunks of 64 to 256 kB, each with memory of its own. Nothing is read ahead: rows are read
 * as chunks are requested, so `Readable.from(writeRows(…))` applies backpressure. An error of the rows is passed on, and
 * the document then lacks its end.
 *
 * @throws RangeError (from the first `next()`) if a field is no column, or the separator is invalid
 */
export function writeRows(
  format: StreamedFormatName,
  input: RowsInput,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  return passWithoutBlocking(createChunks(format, input, options));
}

async function* createChunks(
  format: StreamedFormatName,
  input: RowsInput,
  options: WriteOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (format === 'csvt') yield Buffer.from(csvtText(input));
  else if (format === 'prj') yield Buffer.from(prjText);
  else if (format === 'parquet') {
    // Loaded on demand: it takes 30 ms.
    const { writeParquet } = await import('./parquet/writer.ts');
    yield* writeParquet(input, options);
  } else {
    const createWriter = textWriters[format];
    yield* rowsAsTextChunks(input.rows, (out) => createWriter(input, out, options));
  }
}
