/**
 * GeoJSON (RFC 7946): the reader of a FeatureCollection, whose members may come in any order, a Feature, or a bare
 * geometry; the writer of a FeatureCollection.
 */
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { crsOfEsri } from '../../geometry/esri.ts';
import { maxItemBytes } from '../../limits.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { PayloadInfo, RowBatch, RowsInput } from '../types.ts';
import { JsonBatchBuilder, readJsonItems } from './batch-builder.ts';
import { crsOfGeojson } from './features.ts';
import { ItemScanner } from './item-scanner.ts';
import { parseJsonBytes } from './parse-value.ts';
import { arrayWriter, makeFeatureWriter } from './row-writers.ts';

/**
 * Reads GeoJSON. A Feature's own `bbox` and foreign members make no columns.
 * @param chunks text in UTF-8
 * @param position offset of its first byte in the payload
 * @param info filled in while reading
 * @throws PayloadError with line and byte
 */
export async function* readGeojson(
  chunks: AsyncIterable<Buffer>,
  position: number,
  info: PayloadInfo,
): AsyncGenerator<RowBatch, void, undefined> {
  const builder = new JsonBatchBuilder(info);
  const { hasItems, outside } = yield* readJsonItems(chunks, () => new ItemScanner('features', position), builder);
  if (hasItems) {
    if (outside) readCollectionMembers(outside, position, info);
    info.passthrough = builder.areAllFeatures ? 'features' : null;
  } else {
    if (outside === null) throw new PayloadError(`one item is longer than ${maxItemBytes} bytes`);
    addSingleItem(outside, position, builder, info);
  }
  builder.hasGeometry = true;
  yield builder.takeBatch(true) as RowBatch;
}

/** Adds the row of a payload without an array of features: one Feature or one geometry. */
function addSingleItem(text: Buffer, position: number, builder: JsonBatchBuilder, info: PayloadInfo): void {
  const start = text.findIndex((byte) => byte > 0x20);
  if (start === -1) throw new PayloadError('the payload is empty');
  const end = text.findLastIndex((byte) => byte > 0x20) + 1;
  const { value } = parseJsonBytes(text, start, end, position + start, 1);
  const type = (value as { type?: unknown } | null)?.type;
  if (type === 'FeatureCollection') throw new PayloadError('a FeatureCollection without an array of features');
  if (
    type !== 'Feature' &&
    typeof (value as { coordinates?: unknown }).coordinates !== 'object' &&
    type !== 'GeometryCollection'
  ) {
    throw new PayloadError(`not GeoJSON: its type is ${excerpt(JSON.stringify(type) ?? 'missing')}`, { line: 1 });
  }
  builder.addItem(text, start, end, position + start, 1);
  info.passthrough = builder.areAllFeatures ? 'features' : null;
}

function readCollectionMembers(text: Buffer, position: number, info: PayloadInfo): void {
  const members = parseJsonBytes(text, 0, text.length, position, 1).value as Record<string, unknown>;
  if (members.type !== undefined && members.type !== 'FeatureCollection') {
    throw new PayloadError(`not GeoJSON: its type is ${excerpt(JSON.stringify(members.type))}`, { line: 1 });
  }
  if (typeof members.name === 'string') info.title = members.name;
  const crs = crsOfGeojson(members) ?? crsOfEsri(members);
  if (crs !== undefined) info.crs = crs;
}

/**
 * The writer of `geojson`: a FeatureCollection. Its foreign members (section 6.1) come first, so that a reader has them
 * before the rows: `name`, by which GDAL names the layer, and those of OGC API - Features if they are known. There is no
 * `crs` (section 4): coordinates are longitude and latitude.
 */
export function geojsonWriter(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  const { name, numberMatched, numberReturned, timeStamp, links } = input;
  const members = JSON.stringify({ type: 'FeatureCollection', name, numberMatched, numberReturned, timeStamp, links });
  return arrayWriter(out, makeFeatureWriter(input, out), { before: `${members.slice(0, -1)},"features":`, after: '}' });
}
