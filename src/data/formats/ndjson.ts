/**
 * JSON texts one after another: one a line (NDJSON, JSON Lines, newline-delimited GeoJSON), or one after each record
 * separator (GeoJSON text sequences, RFC 8142; they may go over several lines). Each is a GeoJSON Feature, a bare
 * geometry or a plain object. Blank lines are nothing; anything else, or a line that breaks off, is refused.
 */
import type { Batch, Findings } from './batch.ts';
import { ItemScanner } from './json-items.ts';
import { JsonRows } from './json-rows.ts';

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
