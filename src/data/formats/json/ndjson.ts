/**
 * JSON texts one after another: one a line (NDJSON, JSON Lines, newline-delimited GeoJSON), or one after each record
 * separator (GeoJSON text sequences, RFC 8142; they may span lines).
 */
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { PayloadInfo, RowBatch, RowsInput } from '../types.ts';
import { JsonBatchBuilder, readJsonItems } from './batch-builder.ts';
import { ItemScanner } from './item-scanner.ts';
import { lineWriter, makeFeatureWriter, makeObjectWriter } from './row-writers.ts';

/** Comes before each text of a sequence (RFC 8142). */
const recordSeparator = 0x1e;

/**
 * Reads JSON texts: each is a GeoJSON Feature, a bare geometry or a plain object. Blank lines are skipped; anything else,
 * or a line that breaks off, is refused.
 * @param chunks text in UTF-8
 * @param position offset of its first byte in the payload
 * @param info filled in while reading
 * @throws PayloadError with line and byte
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  position: number,
  info: PayloadInfo,
): AsyncGenerator<RowBatch, void, undefined> {
  const builder = new JsonBatchBuilder();
  let isSequence = false;
  const createScanner = (firstChunk: Buffer) => {
    isSequence = firstChunk[0] === recordSeparator;
    return new ItemScanner(isSequence ? 'records' : 'lines', position);
  };
  yield* readJsonItems(chunks, createScanner, builder);
  info.passthrough = builder.areAllFeatures && !isSequence ? 'lines' : null;
  if (builder.geometryColumn !== undefined) info.geometryColumn = builder.geometryColumn;
  const last = builder.takeBatch();
  if (last) yield last;
}

/** The writer of `ndjson`: a plain object on each line, as `pandas.read_json(lines=True)`, DuckDB and jq read it. */
export function ndjsonWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, makeObjectWriter(input, out));
}

/**
 * The writer of `geojsonl`: a Feature on each line. GDAL and QGIS read it like a GeoJSON text sequence (RFC 8142), and so
 * do line-based tools, which can't read the sequence's record separators.
 */
export function geojsonlWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, makeFeatureWriter(input, out));
}
