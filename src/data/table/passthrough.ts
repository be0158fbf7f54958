/**
 * Rows as their payload's own bytes, found by their recorded places: the quick way to hand out GeoJSON as it came in.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Places } from './column-chunk.ts';
import type { Table } from './table.ts';

/** Fewer rows than this of a block are read one by one, more with all that lies between them. */
const fewRows = 16;
const readSize = 1024 * 1024;
const shorter = 'The payload is shorter than it was.';

/**
 * The rows' own JSON: in a table whose `ownBytes` are `features`, Features with commas between them; where they are
 * `lines`, one a line, with line breaks between them. Neighbours come in one piece, with what lies between them.
 * @param path of the payload that the table is of
 * @param rows places in the file, ascending; null for all of them
 * @throws whatever the disk throws
 */
export async function* ownBytes(
  table: Table,
  path: string,
  rows: Iterable<number> | AsyncIterable<number> | null = null,
): AsyncGenerator<Buffer, void, undefined> {
  if (table.ownBytes === null) throw new Error('The rows of this table have no bytes of their own.');
  if (table.rowCount === 0) return;
  if (rows === null) return yield* allBytes(table, path);
  const separator = Buffer.from(table.ownBytes === 'lines' ? '\n' : ',\n');
  const file = await open(path);
  try {
    let first = true;
    for await (const [places, chosen] of byBlock(table, rows)) {
      for await (const piece of slices(file, places, chosen, separator)) {
        if (!first) yield separator;
        first = false;
        yield piece;
      }
    }
  } finally {
    await file.close();
  }
}

async function* allBytes(table: Table, path: string): AsyncGenerator<Buffer, void, undefined> {
  let start: number | undefined;
  let end = 0;
  for await (const { places } of table.places()) {
    const last = places.offsets.length - 1;
    start ??= places.offsets[0] as number;
    end = (places.offsets[last] as number) + (places.lengths[last] as number);
  }
  if (start === undefined) return;
  let missing = end - start;
  for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: readSize })) {
    missing -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  // A file that was cut short meanwhile ends without an error of its own.
  if (missing > 0) throw new Error(shorter);
}

/** The chosen rows of each block, by their place in it. */
async function* byBlock(
  table: Table,
  rows: Iterable<number> | AsyncIterable<number>,
): AsyncGenerator<[Places, number[]], void, undefined> {
  const blocks = table.places();
  let block = (await blocks.next()).value;
  let chosen: number[] = [];
  try {
    for await (const row of rows) {
      while (block && row >= block.start + block.places.offsets.length) {
        if (chosen.length > 0) yield [block.places, chosen];
        chosen = [];
        block = (await blocks.next()).value;
      }
      if (block) chosen.push(row - block.start);
    }
    if (block && chosen.length > 0) yield [block.places, chosen];
  } finally {
    await blocks.return();
  }
}

/** The bytes of chosen rows of a block; with a separator between them wherever they are not neighbours. */
async function* slices(
  file: FileHandle,
  { offsets, lengths }: Places,
  chosen: readonly number[],
  separator: Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  const endOf = (row: number) => (offsets[row] as number) + (lengths[row] as number);
  if (chosen.length < fewRows) {
    for (const row of chosen) yield await readRange(file, offsets[row] as number, endOf(row));
    return;
  }
  const base = offsets[chosen[0] as number] as number;
  const whole = await readRange(file, base, endOf(chosen.at(-1) as number));
  const parts: Buffer[] = [];
  for (let i = 0; i < chosen.length; ) {
    const first = chosen[i] as number;
    let last = first;
    while (chosen[++i] === last + 1) last++;
    if (parts.length > 0) parts.push(separator);
    parts.push(whole.subarray((offsets[first] as number) - base, endOf(last) - base));
  }
  yield parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  if (bytesRead !== bytes.length) throw new Error(shorter);
  return bytes;
}
