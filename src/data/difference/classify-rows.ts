/** The rows of two tables by what has changed: the part of a comparison that reads all rows. */
import type { ColumnDifference, Rename } from '../../catalogue/difference.ts';
import { indexRangesWithoutBlocking } from '../event-loop.ts';
import { RowSet } from '../table/row-set.ts';
import { type ComparedTables, hashRows } from './match-by-key.ts';
import { matchRowsOfTables } from './match-rows.ts';
import { findRenames } from './renames.ts';
import type { ClassifiedRows } from './row-changes.ts';
import { RowHasher } from './row-hash.ts';

/** A comparison that can be kept: it says which rows differ, and holds no row. */
export interface Comparison extends ClassifiedRows {
  readonly renames: readonly Rename[];
}

/**
 * Compares the rows of two tables, in turns.
 * @param columns the columns of one table only, which may be renamed ones
 * @param key columns that together identify a row; detected by default
 * @throws ValidationError under `_key`; the signal's reason; what `onTurn` of the turns throws
 */
export async function compareRows(
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
