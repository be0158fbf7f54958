/** `geojson`: a FeatureCollection (RFC 7946). */
import { arrayWriter } from './array.ts';
import { featureWriter } from './feature.ts';
import type { RowsInput } from './input.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

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
