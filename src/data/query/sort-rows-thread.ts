/** Work on the order of rows that a thread does (`row-order.ts`). */
import { Turns } from '../event-loop.ts';
import { createChunkCache } from '../table/chunk-reader.ts';
import { Table } from '../table/table.ts';
import type { OrderingColumn } from './ordering.ts';
import { sortRows } from './sort-rows.ts';

/** Bytes of chunks in memory: each is read once. */
const memory = 1 << 20;

/**
 * `sortRows` for the columnar copy in a folder.
 * @param checksum of the payload
 * @throws Error if there is no usable copy
 */
export async function sortRowsOfCopy(
  folder: string,
  checksum: string,
  ordering: readonly OrderingColumn[],
): Promise<Uint32Array> {
  const table = await Table.open(folder, checksum, createChunkCache(memory));
  if (!table) throw new Error(`There is no columnar copy in ${folder}.`);
  return sortRows(table, ordering, new Turns());
}
