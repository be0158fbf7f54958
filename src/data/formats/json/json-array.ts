/**
 * A JSON array of objects: plain ones, or GeoJSON Features.
 */
import { PayloadError } from '../../errors.ts';
import type { TextBuffer, TextWriter } from '../text-buffer.ts';
import type { Batch, Findings, RowsInput } from '../types.ts';
import { JsonRows } from './batch-builder.ts';
import { ItemScanner } from './item-scanner.ts';
import { arrayWriter, featureWriter, objectWriter } from './row-writers.ts';

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

/** `json`: a bare array of Features, as older clients read it: `data[i].geometry.coordinates`, `data[i].properties`. */

export function json(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, featureWriter(input, out));
}

/** `objects`: an array of plain rows, the geometry being one more column. */

export function objects(input: Omit<RowsInput, 'rows'>, out: TextBuffer): TextWriter {
  return arrayWriter(out, objectWriter(input, out));
}
