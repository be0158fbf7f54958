/**
 * The order of all rows of a table by its columns. It is kept: further pages of the ordered rows, and filters on them, don't sort again.
 */
import { LRUCache } from 'lru-cache';
import type { Turns } from '../event-loop.ts';
import type { RowTable } from '../table/table.ts';
import type { OrderingColumn } from './ordering.ts';
import { sortRows } from './sort-rows.ts';

/** Orders by table and columns: 4 bytes a row. */
const orders = new LRUCache<string, Uint32Array>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: ({ byteLength }, key) => byteLength + key.length + 100,
});

/** Numbers of tables, which are part of the keys of their orders. */
const tableNumbers = new WeakMap<RowTable, number>();
let tableCount = 0;

function keyOf(table: RowTable, ordering: readonly OrderingColumn[]): string {
  let number = tableNumbers.get(table);
  if (number === undefined) {
    number = ++tableCount;
    tableNumbers.set(table, number);
  }
  return JSON.stringify([number, ordering.map(({ column, descending }) => [column, descending])]);
}

/** The numbers of all rows in an order, if it is kept. */
export const keptOrder = (table: RowTable, ordering: readonly OrderingColumn[]): Uint32Array | undefined =>
  orders.get(keyOf(table, ordering));

/** Orders that are being found: who wants the same one waits for it. */
const sorting = new Map<string, Promise<Uint32Array>>();

/**
 * The numbers of all rows in an order; equal rows stay in file order. The result is shared, and not to be changed.
 * @throws what `onTurn` of the turns throws
 */
export async function orderOfRows(
  table: RowTable,
  ordering: readonly OrderingColumn[],
  turns: Turns,
): Promise<Uint32Array> {
  const key = keyOf(table, ordering);
  const kept = orders.get(key);
  if (kept) return kept;
  const awaited = sorting.get(key);
  // If somebody else has used up the time, the work goes on for this one.
  if (awaited) return awaited.catch(() => orderOfRows(table, ordering, turns));
  const finding = find(table, ordering, turns);
  sorting.set(key, finding);
  try {
    const order = await finding;
    orders.set(key, order);
    return order;
  } finally {
    if (sorting.get(key) === finding) sorting.delete(key);
  }
}

async function find(table: RowTable, ordering: readonly OrderingColumn[], turns: Turns): Promise<Uint32Array> {
  return (await table.sortInThread?.(ordering, turns)) ?? sortRows(table, ordering, turns);
}
