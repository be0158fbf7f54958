/**
 * GeoJSON (RFC 7946): a FeatureCollection, whose members may come in any order, a Feature, or a bare geometry.
 * Features' own `bbox` and foreign members stay in their bytes and make no columns.
 */
import { PayloadError } from '../../errors.ts';
import { maxItemBytes } from '../../limits.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { Batch, Findings, RowsInput } from '../types.ts';
import { JsonRows } from './batch-builder.ts';
import { ItemScanner } from './item-scanner.ts';
import { parseValue } from './parse-value.ts';
import { arrayWriter, featureWriter } from './row-writers.ts';

/**
 * @param chunks text in UTF-8
 * @param position of its first byte in the payload
 * @param findings filled in along the way
 * @throws PayloadError with line and byte
 */
export async function* readGeojson(
  chunks: AsyncIterable<Buffer>,
  position: number,
  findings: Findings,
): AsyncGenerator<Batch, void, undefined> {
  const scanner = new ItemScanner('features', position);
  const rows = new JsonRows();
  const add = rows.addText.bind(rows);
  for await (const chunk of chunks) {
    for (const part of rows.partsOf(chunk)) {
      scanner.push(part, add);
      if (rows.full) yield rows.take() as Batch;
    }
  }
  const outside = scanner.end();
  if (scanner.found) {
    if (outside) readMembers(outside, position, findings);
    findings.ownBytes = rows.allFeatures ? 'features' : null;
  } else {
    if (outside === null) throw new PayloadError(`one item is longer than ${maxItemBytes} bytes`);
    addRoot(outside, position, rows, findings);
  }
  rows.hasGeometry = true;
  yield rows.take(true) as Batch;
}

/** A payload without an array of features: one Feature or one geometry. */
function addRoot(text: Buffer, position: number, rows: JsonRows, findings: Findings): void {
  const start = text.findIndex((byte) => byte > 0x20);
  if (start === -1) throw new PayloadError('the payload is empty');
  const end = text.findLastIndex((byte) => byte > 0x20) + 1;
  const { value } = parseValue(text, start, end, position + start, 1);
  const type = (value as { type?: unknown } | null)?.type;
  if (type === 'FeatureCollection') throw new PayloadError('a FeatureCollection without an array of features');
  if (
    type !== 'Feature' &&
    typeof (value as { coordinates?: unknown }).coordinates !== 'object' &&
    type !== 'GeometryCollection'
  ) {
    throw new PayloadError(`not GeoJSON: its type is ${JSON.stringify(type) ?? 'missing'}`, { line: 1 });
  }
  rows.addText(text, start, end, position + start, 1);
  findings.ownBytes = rows.allFeatures ? 'features' : null;
}

function readMembers(text: Buffer, position: number, findings: Findings): void {
  const members = parseValue(text, 0, text.length, position, 1).value as Record<string, unknown>;
  if (members.type !== undefined && members.type !== 'FeatureCollection') {
    throw new PayloadError(`not GeoJSON: its type is ${JSON.stringify(members.type)}`, { line: 1 });
  }
  if (typeof members.name === 'string') findings.title = members.name;
  // The member of GeoJSON 2008 (section 3); RFC 7946 has no other system than WGS 84.
  const crs = (members.crs as { properties?: { name?: unknown } } | null | undefined)?.properties?.name;
  if (typeof crs === 'string' && !/CRS84$|EPSG:{1,2}4326$/.test(crs)) findings.crs = crs;
}

/** `geojson`: a FeatureCollection (RFC 7946). */

/**
 * The members besides `features` are foreign members (section 6.1): `name`, by which GDAL names the layer, and those
 * of OGC API - Features where they are known. They come first, so that a reader has them before the rows. There is no
 * `crs` (section 4): coordinates are longitude and latitude.
 */
export function geojson(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  const { name, numberMatched, numberReturned, timeStamp, links } = input;
  const members = JSON.stringify({ type: 'FeatureCollection', name, numberMatched, numberReturned, timeStamp, links });
  return arrayWriter(out, featureWriter(input, out), { before: `${members.slice(0, -1)},"features":`, after: '}' });
}
