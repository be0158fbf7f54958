/** Encodes the columns of Parquet files in threads: a column of a row group takes 3 to 15 ms. */
import { moduleBeside } from '../../module-beside.ts';
import type { WorkerPool } from '../../worker-pool.ts';
import { type ColumnEncoder, encodeColumn } from './encode-column.ts';

/** Values from which a thread encodes: fewer take a fraction of a millisecond. */
const fewestForThread = 500;

type Task = typeof import('./encode-column.ts');

const task = moduleBeside(import.meta.url, './encode-column');

/** A thread that fails leaves the column to this one, which then says why. */
export const encodeColumnsInThreads =
  (workers: WorkerPool): ColumnEncoder =>
  (column) => {
    const count = 'bytes' in column.values ? column.values.lengths.length : column.values.length;
    if (count < fewestForThread) return encodeColumn(column);
    return workers.run<Task, 'encodeColumn'>(task, 'encodeColumn', [column]).catch(() => encodeColumn(column));
  };
