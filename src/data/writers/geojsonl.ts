/**
 * `geojsonl`: a Feature on each line. A GeoJSON text sequence (RFC 8142) differs in that a record separator (0x1E)
 * comes before each Feature, which may then span lines; line tools can't read that, while GDAL and QGIS read both.
 */
import { featureWriter } from './feature.ts';
import type { RowsInput } from './input.ts';
import { lineWriter } from './lines.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { TextWriter } from './text-writer.ts';

export function geojsonl(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, featureWriter(input, out));
}
