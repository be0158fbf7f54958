/** The output formats by name, and the rows written in one of them. */
import { yieldToEventLoop } from '../event-loop.ts';
import { csvt, prj } from './csv/columns.ts';
import { csv } from './csv/writer.ts';
import { geojson } from './json/geojson.ts';
import { json, objects } from './json/json-array.ts';
import { geojsonl, ndjson } from './json/ndjson.ts';
import type { FormatName } from './output-formats.ts';
import { type TextBuffer, type TextWriter, textChunks } from './text-buffer.ts';
import type { RowsInput, WriteOptions } from './types.ts';

const textFormats = { geojson, json, objects, ndjson, geojsonl, csv } satisfies {
  [name: string]: (input: RowsInput, out: TextBuffer, options: WriteOptions) => TextWriter;
};

/**
 * The rows as a document, in chunks of 64 to 256 kB, each with memory of its own. Nothing is read ahead: rows are
 * taken from the iterator as chunks are asked for, so `Readable.from(writeRows(…))` passes a slow reader's pace on.
 * An error in the rows is an error of the iterable, and the document then lacks its end.
 *
 * @throws RangeError (from the first `next()`) where a field is no column, or the separator can't be one.
 */
export function writeRows(
  format: FormatName,
  input: RowsInput,
  options: WriteOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  return yieldToEventLoop(chunksOf(format, input, options));
}

async function* chunksOf(
  format: FormatName,
  input: RowsInput,
  options: WriteOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (format === 'csvt') yield Buffer.from(csvt(input));
  else if (format === 'prj') yield Buffer.from(prj);
  else if (format === 'parquet') {
    // Loaded when it is asked for: it takes 30 ms, which every start would wait.
    const { parquet } = await import('./parquet/writer.ts');
    yield* parquet(input, options);
  } else {
    const write = textFormats[format];
    yield* textChunks(input.rows, (out) => write(input, out, options));
  }
}
