/**
 * How the rows of one table differ from those of another.
 *
 * Each row becomes a hash of 64 bits, and hashes find their likes: some 50 bytes a row of memory and two readings of
 * each table, whatever the rows hold. Only the rows that differ are read once more, when they are asked for. Compared
 * are the columns that both tables have; one that came or went is told of once, and not of every row.
 */
import type { RowDifference } from '../../catalogue/difference.ts';
import { rangesInTurns } from '../event-loop.ts';
import { RowSet } from '../table/spatial-index.ts';
import type { Table } from '../table/table.ts';
import { compareColumns } from './compare-columns.ts';
import { matchRows } from './match-rows.ts';
import { type Tables, wholeHashes } from './pair-rows.ts';
import { changes, type Findings } from './row-changes.ts';
import { RowHasher } from './row-hash.ts';

export interface TableDifferenceOptions {
  /** Columns that together tell rows apart; found where absent. */
  readonly key?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Compares two tables.
 * @throws ValidationError under `_key` where the key given is none; the signal's reason
 */
export async function differenceOf(
  from: Table,
  to: Table,
  { key, signal }: TableDifferenceOptions = {},
): Promise<RowDifference> {
  const { shared, ...columns } = compareColumns(from.shape, to.shape);
  const tables: Tables = { from, to, shared, signal };
  const findings = await findingsOf(tables, key);
  const counts = {
    from: from.rowCount,
    to: to.rowCount,
    added: findings.added.count,
    removed: findings.removed.count,
    changed: findings.changed.count,
    unchanged: to.rowCount - findings.added.count - findings.changed.count,
  };
  return { columns, key: findings.key, counts, rows: () => changes(tables, findings) };
}

async function findingsOf(tables: Tables, given: readonly string[] | undefined): Promise<Findings> {
  const { key, partners } = await matchRows(tables, given);
  const removed = new RowSet(tables.from.rowCount);
  const changed = new RowSet(partners.length);
  const added = new RowSet(partners.length);
  const kept = new RowSet(tables.from.rowCount);
  for await (const { start, end } of rangesInTurns(partners.length, tables.signal))
    for (let row = start; row < end; row++) {
      const partner = partners[row] as number;
      if (partner < 0) added.add(row);
      else kept.add(partner);
    }
  for (let row = 0; row < tables.from.rowCount; row++) if (!kept.has(row)) removed.add(row);
  // Rows that are known by all they have are the same.
  if (key.kind !== 'row' && kept.count > 0) {
    const hasher = new RowHasher();
    const before = await wholeHashes(tables, 'from', hasher);
    const after = await wholeHashes(tables, 'to', hasher);
    for await (const { start, end } of rangesInTurns(partners.length, tables.signal))
      for (let row = start; row < end; row++) {
        const partner = partners[row] as number;
        if (partner >= 0 && !after.matches(row, before, partner)) changed.add(row);
      }
  }
  return { key, partners, removed, changed, added };
}
