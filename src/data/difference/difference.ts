/**
 * The difference between the rows of two tables.
 *
 * Rows are compared by 64-bit hashes, which takes some 50 bytes of memory a row and two scans of each table, whatever the
 * rows hold. Only the rows that differ are read again, when they are requested. Rows are compared by the columns that both
 * tables have; an added or dropped column is reported once, and not for every row.
 */

import type { ColumnDifference, Rename, RowDifference } from '../../catalogue/difference.ts';
import type { WorkBudget } from '../../catalogue/types.ts';
import { indexRangesWithoutBlocking, Turns } from '../event-loop.ts';
import { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import { compareTableColumns } from './compare-columns.ts';
import { type ComparedTables, hashRows } from './match-by-key.ts';
import { matchRowsOfTables } from './match-rows.ts';
import { findRenames } from './renames.ts';
import { type ClassifiedRows, readRowChanges } from './row-changes.ts';
import { RowHasher } from './row-hash.ts';

export interface CompareOptions {
  /** Columns whose values together identify a row; detected by default. */
  readonly key?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: WorkBudget | undefined;
}

/** A comparison that can be kept: it says which rows differ, and holds no row. */
export interface Comparison extends ClassifiedRows {
  readonly renames: readonly Rename[];
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
  { key, signal, budget, kept }: CompareOptions & { readonly kept?: Comparison | undefined } = {},
): Promise<RowDifference & { readonly comparison: Comparison }> {
  budget?.assertAvailable();
  const turns = new Turns((milliseconds) => {
    budget?.spend(milliseconds);
    budget?.assertAvailable();
  });
  const { shared, ...columns } = compareTableColumns(from.schema, to.schema);
  const tables: ComparedTables = { from, to, shared, signal, turns };
  const comparison = kept ?? (await compareAnew(tables, columns, key));
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

async function compareAnew(
  tables: ComparedTables,
  columns: ColumnDifference,
  key: readonly string[] | undefined,
): Promise<Comparison> {
  const rows = await classifyRows(tables, key);
  return { ...rows, renames: await findRenames(tables, columns, rows.partners) };
}

async function classifyRows(tables: ComparedTables, givenKey: readonly string[] | undefined): Promise<ClassifiedRows> {
  const { key, partners } = await matchRowsOfTables(tables, givenKey);
  const removed = new RowSet(tables.from.rowCount);
  const changed = new RowSet(partners.length);
  const added = new RowSet(partners.length);
  const kept = new RowSet(tables.from.rowCount);
  for await (const { start, end } of indexRangesWithoutBlocking(partners.length, tables.signal))
    for (let row = start; row < end; row++) {
      const partner = partners[row] as number;
      if (partner < 0) added.add(row);
      else kept.add(partner);
    }
  for (let row = 0; row < tables.from.rowCount; row++) if (!kept.has(row)) removed.add(row);
  // Rows that were matched as a whole are equal.
  if (key.kind !== 'row' && kept.count > 0) {
    const hasher = new RowHasher();
    const before = await hashRows(tables, 'from', hasher);
    const after = await hashRows(tables, 'to', hasher);
    for await (const { start, end } of indexRangesWithoutBlocking(partners.length, tables.signal))
      for (let row = start; row < end; row++) {
        const partner = partners[row] as number;
        if (partner >= 0 && !after.equals(row, before, partner)) changed.add(row);
      }
  }
  return { key, partners, removed, changed, added };
}
