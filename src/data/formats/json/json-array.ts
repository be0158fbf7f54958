/** JSON arrays of objects: plain ones, or GeoJSON Features. */
import { PayloadError } from '../../errors.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { PayloadInfo, RowBatch, RowsInput } from '../types.ts';
import { JsonBatchBuilder, readJsonItems } from './batch-builder.ts';
import { ItemScanner } from './item-scanner.ts';
import { arrayWriter, makeFeatureWriter, makeObjectWriter } from './row-writers.ts';

/**
 * Reads a JSON array.
 * @param chunks text in UTF-8
 * @param position offset of its first byte in the payload
 * @param info filled in while reading
 * @throws PayloadError with line and byte
 */
export async function* readJsonArray(
  chunks: AsyncIterable<Buffer>,
  position: number,
  info: PayloadInfo,
): AsyncGenerator<RowBatch, void, undefined> {
  const builder = new JsonBatchBuilder();
  const { hasItems } = yield* readJsonItems(chunks, () => new ItemScanner('array', position), builder);
  if (!hasItems) throw new PayloadError('expected an array of objects', { line: 1 });
  info.passthrough = builder.areAllFeatures ? 'features' : null;
  if (builder.geometryColumn !== undefined) info.geometryColumn = builder.geometryColumn;
  const last = builder.takeBatch();
  if (last) yield last;
}

/**
 * The writer of `json`: an array of Features, as older clients read it: `data[i].geometry.coordinates`,
 * `data[i].properties`.
 */
export function featureArrayWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, makeFeatureWriter(input, out));
}

/** The writer of `objects`: an array of plain objects, with the geometry as one of their members. */
export function objectArrayWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, makeObjectWriter(input, out));
}
