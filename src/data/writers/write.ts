/** The output formats by name, and the rows written in one of them. */
import { breathing } from './breathing.ts';
import { csv } from './csv.ts';
import { csvt } from './csvt.ts';
import { geojson } from './geojson.ts';
import { geojsonl } from './geojsonl.ts';
import type { RowsInput, WriteOptions } from './input.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { objects } from './objects.ts';
import { prj } from './prj.ts';
import type { TextBuffer } from './text-buffer.ts';
import { type TextWriter, textChunks } from './text-writer.ts';

export interface OutputFormat {
  /** Of a file name, without the dot. */
  readonly extension: string;
  /** The Content-Type. JSON has no charset (RFC 8259, section 11); text has, or old clients assume Latin 1. */
  readonly contentType: string;
  /** Media types of an Accept header that ask for it; none where the format has to be asked for by name. */
  readonly accept: readonly string[];
}

/**
 * In the order of preference. Whatever JSON type is asked for means `geojson`; `json` and `objects` are for those who
 * say so. Newline-delimited GeoJSON has no media type of its own: `application/geo+json-seq` promises the record
 * separators of RFC 8142, so it goes by what it is to any reader, newline-delimited JSON.
 */
export const formats = {
  geojson: {
    extension: 'geojson',
    contentType: 'application/geo+json',
    accept: ['application/geo+json', 'application/json', 'application/vnd.geo+json'],
  },
  json: { extension: 'json', contentType: 'application/json', accept: [] },
  objects: { extension: 'json', contentType: 'application/json', accept: [] },
  ndjson: {
    extension: 'ndjson',
    contentType: 'application/x-ndjson',
    accept: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
  },
  geojsonl: { extension: 'geojsonl', contentType: 'application/x-ndjson', accept: [] },
  csv: { extension: 'csv', contentType: 'text/csv; charset=utf-8; header=present', accept: ['text/csv'] },
  parquet: {
    extension: 'parquet',
    contentType: 'application/vnd.apache.parquet',
    accept: ['application/vnd.apache.parquet', 'application/x-parquet'],
  },
  csvt: { extension: 'csvt', contentType: 'text/plain; charset=utf-8', accept: [] },
  prj: { extension: 'prj', contentType: 'text/plain; charset=utf-8', accept: [] },
} as const satisfies Record<string, OutputFormat>;

export type FormatName = keyof typeof formats;

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
  return breathing(chunksOf(format, input, options));
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
    const { parquet } = await import('./parquet.ts');
    yield* parquet(input, options);
  } else {
    const write = textFormats[format];
    yield* textChunks(input.rows, (out) => write(input, out, options));
  }
}
