/**
 * The order of all rows of a table by its columns. It is kept: further pages of the ordered rows, and filters on them, don't sort again.
 */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { Turns } from '../event-loop.ts';
import type { Table } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { OrderingColumn } from './ordering.ts';
import { sortRows } from './sort-rows.ts';

/** Orders by table and columns: 4 bytes a row. */
const orders = new LRUCache<string, Uint32Array>({
  maxSize: 64 * 1024 ** 2,
  sizeCalculation: ({ byteLength }, key) => byteLength + key.length + 100,
});

/** Numbers of tables, which are part of the keys of their orders. */
const tableNumbers = new WeakMap<Table, number>();
let tableCount = 0;

function keyOf(table: Table, ordering: readonly OrderingColumn[]): string {
  let number = tableNumbers.get(table);
  if (number === undefined) {
    number = ++tableCount;
    tableNumbers.set(table, number);
  }
  return JSON.stringify([number, ordering.map(({ column, descending }) => [column, descending])]);
}

/** The numbers of all rows in an order, if it is kept. */
export const keptOrder = (table: Table, ordering: readonly OrderingColumn[]): Uint32Array | undefined =>
  orders.get(keyOf(table, ordering));

/** Orders that are being found: who wants the same one waits for it. */
const sorting = new Map<string, Promise<Uint32Array>>();

/**
 * The numbers of all rows in an order; equal rows stay in file order. The result is shared, and not to be changed.
 * @throws what `onTurn` of the turns throws
 */
export async function orderOfRows(
  table: Table,
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

async function find(table: Table, ordering: readonly OrderingColumn[], turns: Turns): Promise<Uint32Array> {
  const { workers, rowCount, sizeOnDisk } = table;
  const isForThread = rowCount >= fewestForThread && rowCount <= mostForThread && sizeOnDisk <= mostBytesForThread;
  const order = workers && isForThread ? await sortInThread(workers, table, ordering, turns) : undefined;
  return order ?? sortRows(table, ordering, turns);
}

/** Rows from which a thread sorts: fewer take some turns only. Of more than these, the texts could be too much for it. */
const fewestForThread = 20_000;
const mostForThread = 2_000_000;
const mostBytesForThread = 256 * 1024 ** 2;
/** Milliseconds after which the time of a thread is counted again. */
const countEvery = 100;

type Tasks = typeof import('./sort-rows-thread.ts');

const extension = extname(fileURLToPath(import.meta.url));
const tasks = new URL(`./sort-rows-thread${extension}`, import.meta.url).href;

/** @returns undefined if the thread fails @throws what `onTurn` of the turns throws about the time that the thread takes */
async function sortInThread(
  workers: WorkerPool,
  { folder, checksum }: Table,
  ordering: readonly OrderingColumn[],
  turns: Turns,
): Promise<Uint32Array | undefined> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let counted = 0;
  const count = () => {
    const now = performance.now();
    const since = now - counted;
    counted = now;
    turns.spend(since);
  };
  const start = () => {
    counted = performance.now();
    timer = setInterval(() => {
      try {
        count();
      } catch (error) {
        late.abort(error);
      }
    }, countEvery);
  };
  let order: Uint32Array;
  try {
    const args: Parameters<Tasks['sortRowsOfCopy']> = [folder, checksum, ordering];
    order = await workers.run<Tasks, 'sortRowsOfCopy'>(tasks, 'sortRowsOfCopy', args, late.signal, start);
  } catch {
    late.signal.throwIfAborted();
    return undefined;
  } finally {
    clearInterval(timer);
    turns.restart();
  }
  count();
  return order;
}
