/**
 * JSON texts one after another: one a line (NDJSON, JSON Lines, newline-delimited GeoJSON), or one after each record
 * separator (GeoJSON text sequences, RFC 8142; they may go over several lines). Each is a GeoJSON Feature, a bare
 * geometry or a plain object. Blank lines are nothing; anything else, or a line that breaks off, is refused.
 */
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { Batch, Findings, RowsInput } from '../types.ts';
import { JsonRows } from './batch-builder.ts';
import { ItemScanner } from './item-scanner.ts';
import { featureWriter, lineWriter, objectWriter } from './row-writers.ts';

/**
 * @param chunks text in UTF-8
 * @param position of its first byte in the payload
 * @param findings filled in along the way
 * @throws PayloadError with line and byte
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  position: number,
  findings: Findings,
): AsyncGenerator<Batch, void, undefined> {
  let scanner: ItemScanner | undefined;
  const rows = new JsonRows();
  const add = rows.addText.bind(rows);
  let records = false;
  for await (const chunk of chunks) {
    if (scanner === undefined) {
      records = chunk[0] === 0x1e;
      scanner = new ItemScanner(records ? 'records' : 'lines', position);
    }
    for (const part of rows.partsOf(chunk)) {
      scanner.push(part, add);
      if (rows.full) yield rows.take() as Batch;
    }
  }
  scanner?.end();
  findings.ownBytes = rows.allFeatures && !records ? 'lines' : null;
  const last = rows.take();
  if (last) yield last;
}

/** `ndjson`: a plain row on each line, as `pandas.read_json(lines=True)`, DuckDB and jq read it. */

export function ndjson(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, objectWriter(input, out));
}

/**
 * `geojsonl`: a Feature on each line. A GeoJSON text sequence (RFC 8142) differs in that a record separator (0x1E)
 * comes before each Feature, which may then span lines; line tools can't read that, while GDAL and QGIS read both.
 */

export function geojsonl(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return lineWriter(out, featureWriter(input, out));
}
