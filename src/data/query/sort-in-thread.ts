/** Sorts the rows of larger tables in a thread. */

import { countWorkOfThread } from '../counted-work.ts';
import { moduleBeside } from '../module-beside.ts';
import type { RowSorter } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';

/** Rows from which a thread sorts: fewer take some turns only. Of more than these, the texts could be too much for it. */
const fewestForThread = 20_000;
const mostForThread = 2_000_000;
const mostBytesForThread = 256 * 1024 ** 2;

type Tasks = typeof import('./sort-rows-thread.ts');

const tasks = moduleBeside(import.meta.url, './sort-rows-thread');

/** Makes the function that finds the order of the rows of a table in one of these threads. */
export const makeRowSorter =
  (workers: WorkerPool): RowSorter =>
  async (table, ordering, turns) => {
    const { rowCount, sizeOnDisk, folder, checksum } = table;
    if (rowCount < fewestForThread || rowCount > mostForThread || sizeOnDisk > mostBytesForThread) return undefined;
    const args: Parameters<Tasks['sortRowsOfCopy']> = [folder, checksum, ordering];
    return countWorkOfThread<Tasks, 'sortRowsOfCopy'>(workers, tasks, 'sortRowsOfCopy', args, turns);
  };
