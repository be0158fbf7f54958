/** Sorts the rows of larger tables in a thread. */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Turns } from '../event-loop.ts';
import type { RowSorter, Table } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { OrderingColumn } from './ordering.ts';

/** Rows from which a thread sorts: fewer take some turns only. Of more than these, the texts could be too much for it. */
const fewestForThread = 20_000;
const mostForThread = 2_000_000;
const mostBytesForThread = 256 * 1024 ** 2;
/** Milliseconds after which the time of a thread is counted again. */
const countEvery = 100;

type Tasks = typeof import('./sort-rows-thread.ts');

const extension = extname(fileURLToPath(import.meta.url));
const tasks = new URL(`./sort-rows-thread${extension}`, import.meta.url).href;

/** Makes the function that finds the order of the rows of a table in one of these threads. */
export const makeRowSorter =
  (workers: WorkerPool): RowSorter =>
  async (table, ordering, turns) => {
    const { rowCount, sizeOnDisk } = table;
    if (rowCount < fewestForThread || rowCount > mostForThread || sizeOnDisk > mostBytesForThread) return undefined;
    return sortInThread(workers, table, ordering, turns);
  };

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
