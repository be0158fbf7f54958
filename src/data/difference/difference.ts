/**
 * The difference between the rows of two tables.
 *
 * Rows are compared by 64-bit hashes, which takes some 50 bytes of memory a row and two scans of each table, whatever the
 * rows hold. Only the rows that differ are read again, when they are requested. Rows are compared by the columns that both
 * tables have; an added or dropped column is reported once, and not for every row.
 */

import type { Rename, RowDifference } from '../../catalogue/difference.ts';
import type { WorkBudget } from '../../catalogue/types.ts';
import { Turns } from '../event-loop.ts';
import type { Table } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';
import { type Comparison, compareRows } from './classify-rows.ts';
import { compareTableColumns } from './compare-columns.ts';
import { compareInThread } from './compare-in-thread.ts';
import type { ComparedTables } from './match-by-key.ts';
import { readRowChanges } from './row-changes.ts';

export interface CompareOptions {
  /** Columns whose values together identify a row; detected by default. */
  readonly key?: readonly string[] | undefined;
  /** Columns of `from` that have another name in `to`. */
  readonly renamed?: readonly Rename[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: WorkBudget | undefined;
  /** Threads that compare the rows of larger tables; by default, this one does it in turns. */
  readonly workers?: WorkerPool | undefined;
}

/** Bytes of memory that a comparison takes, approximately. */
export const sizeOfComparison = ({ partners }: Comparison): number => Math.ceil(partners.byteLength * 1.1) + 1024;

/**
 * Compares two tables.
 * @param options.kept result of an earlier comparison of the same tables by the same key
 * @throws ValidationError under `_key` if the given key is no key; the signal's reason; what the budget throws
 */
export async function compareTables(
  from: Table,
  to: Table,
  {
    key: givenKey,
    renamed = [],
    signal,
    budget,
    workers,
    kept,
  }: CompareOptions & { readonly kept?: Comparison | undefined } = {},
): Promise<RowDifference & { readonly comparison: Comparison }> {
  budget?.assertAvailable();
  const turns = new Turns((milliseconds) => {
    budget?.spend(milliseconds);
    budget?.assertAvailable();
  });
  const { columns, schemas, shared } = compareTableColumns(from.schema, to.schema, renamed);
  const tables: ComparedTables = { from, to, schemas, shared, signal, turns };
  const key = givenKey?.map((name) => renamed.find((one) => one.from === name)?.to ?? name);
  const comparison =
    kept ??
    (workers && (await compareInThread(workers, tables, renamed, key))) ??
    (await compareRows(tables, columns, key));
  const counts = {
    from: from.rowCount,
    to: to.rowCount,
    added: comparison.added.count,
    removed: comparison.removed.count,
    changed: comparison.changed.count,
    unchanged: to.rowCount - comparison.added.count - comparison.changed.count,
  };
  const { key: found, renames } = comparison;
  const rows: RowDifference['rows'] = (selected) => readRowChanges(tables, comparison, selected);
  return { columns, key: found, counts, renames, rows, comparison };
}
