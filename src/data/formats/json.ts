/**
 * A JSON array of objects: plain ones, or GeoJSON Features.
 */
import { PayloadError } from '../payload-error.ts';
import type { Batch, Findings } from './batch.ts';
import { ItemScanner } from './json-items.ts';
import { JsonRows } from './json-rows.ts';

/**
 * @param chunks text in UTF-8
 * @param position of its first byte in the payload
 * @param findings filled in along the way
 * @throws PayloadError with line and byte
 */
export async function* readJson(
  chunks: AsyncIterable<Buffer>,
  position: number,
  findings: Findings,
): AsyncGenerator<Batch, void, undefined> {
  const scanner = new ItemScanner('array', position);
  const rows = new JsonRows();
  const add = rows.addText.bind(rows);
  for await (const chunk of chunks) {
    for (const part of rows.partsOf(chunk)) {
      scanner.push(part, add);
      if (rows.full) yield rows.take() as Batch;
    }
  }
  scanner.end();
  if (!scanner.found) throw new PayloadError('expected an array of objects', { line: 1 });
  findings.ownBytes = rows.allFeatures ? 'features' : null;
  const last = rows.take();
  if (last) yield last;
}
