/** Rows as their payload's own bytes, copied by their offsets: the fast way to return GeoJSON that was uploaded as such. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { RowOffsets } from './column-chunk.ts';
import type { Table } from './table.ts';

/** Fewer rows of a row group are read one by one; more in one read, with the bytes between them. */
const minRowsToReadTogether = 16;
const streamChunkSize = 1024 * 1024;
const truncatedMessage = 'The payload is shorter than it was.';

/**
 * The rows' own JSON, by `table.passthrough`: Features with commas between them, or one a line. Adjacent rows come in one
 * chunk, with the bytes between them.
 * @param path the table's payload
 * @param rows numbers of the rows in the file, ascending; null for all
 * @throws errors of the file system
 */
export async function* originalJsonOfRows(
  table: Table,
  path: string,
  rows: Iterable<number> | AsyncIterable<number> | null = null,
): AsyncGenerator<Buffer, void, undefined> {
  if (table.passthrough === null) throw new Error('The rows of this table have no bytes of their own.');
  if (table.rowCount === 0) return;
  if (rows === null) return yield* allBytes(table, path);
  const separator = Buffer.from(table.passthrough === 'lines' ? '\n' : ',\n');
  const file = await open(path);
  try {
    let first = true;
    for await (const [rowOffsets, selected] of groupByRowGroup(table, rows)) {
      for await (const chunk of sliceRows(file, rowOffsets, selected, separator)) {
        if (!first) yield separator;
        first = false;
        yield chunk;
      }
    }
  } finally {
    await file.close();
  }
}

async function* allBytes(table: Table, path: string): AsyncGenerator<Buffer, void, undefined> {
  let start: number | undefined;
  let end = 0;
  for await (const { rowOffsets } of table.rowOffsets()) {
    const { offsets, lengths } = rowOffsets;
    start ??= offsets[0] as number;
    end = (offsets.at(-1) as number) + (lengths.at(-1) as number);
  }
  if (start === undefined) return;
  let missing = end - start;
  for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: streamChunkSize })) {
    missing -= (chunk as Buffer).length;
    yield chunk as Buffer;
  }
  // The stream of a file that was truncated meanwhile ends without an error.
  if (missing > 0) throw new Error(truncatedMessage);
}

/** The selected rows of each row group, counted from its start. */
async function* groupByRowGroup(
  table: Table,
  rows: Iterable<number> | AsyncIterable<number>,
): AsyncGenerator<[RowOffsets, number[]], void, undefined> {
  const groups = table.rowOffsets();
  let group = (await groups.next()).value;
  let selected: number[] = [];
  try {
    for await (const row of rows) {
      while (group && row >= group.start + group.rowOffsets.offsets.length) {
        if (selected.length > 0) yield [group.rowOffsets, selected];
        selected = [];
        group = (await groups.next()).value;
      }
      if (group) selected.push(row - group.start);
    }
    if (group && selected.length > 0) yield [group.rowOffsets, selected];
  } finally {
    await groups.return();
  }
}

/** The bytes of a row group's selected rows; with a separator where they aren't adjacent. */
async function* sliceRows(
  file: FileHandle,
  { offsets, lengths }: RowOffsets,
  selected: readonly number[],
  separator: Buffer,
): AsyncGenerator<Buffer, void, undefined> {
  const endOf = (row: number) => (offsets[row] as number) + (lengths[row] as number);
  if (selected.length < minRowsToReadTogether) {
    for (const row of selected) yield await readRange(file, offsets[row] as number, endOf(row));
    return;
  }
  const start = offsets[selected[0] as number] as number;
  const bytes = await readRange(file, start, endOf(selected.at(-1) as number));
  const parts: Buffer[] = [];
  for (let i = 0; i < selected.length; ) {
    const first = selected[i] as number;
    let last = first;
    while (selected[++i] === last + 1) last++;
    if (parts.length > 0) parts.push(separator);
    parts.push(bytes.subarray((offsets[first] as number) - start, endOf(last) - start));
  }
  yield parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  if (bytesRead !== bytes.length) throw new Error(truncatedMessage);
  return bytes;
}
