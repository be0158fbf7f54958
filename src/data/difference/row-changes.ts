/** The rows that differ, read again to be shown. */
import type { DifferenceKey, PlainRow, RowChange } from '../../catalogue/difference.ts';
import { visitInTurns } from '../event-loop.ts';
import { RowSet } from '../table/spatial-index.ts';
import type { Table } from '../table/table.ts';
import { plainRows } from './compare-columns.ts';
import type { Tables } from './pair-rows.ts';

/** What is known of the rows without showing them. */
export interface Findings {
  readonly key: DifferenceKey;
  /** For each row of `to`, its row of `from`; -1 where there is none. */
  readonly partners: Int32Array;
  /** Rows of `from`. */
  readonly removed: RowSet;
  /** Rows of `to`. */
  readonly changed: RowSet;
  readonly added: RowSet;
}

/** Rows in memory at once: at most so many, and such that they take about so many bytes on the disk. */
const batchRows = 5000;
const batchBytes = 16 * 1024 * 1024;

/** The rows removed, in the order of `from`; then those changed and those added, in the order of `to`. */
export async function* changes(tables: Tables, findings: Findings): AsyncGenerator<RowChange, void, undefined> {
  const { from, to } = tables;
  const { key, partners, removed, changed, added } = findings;
  const copy = plainRows(from.shape);
  for await (const run of from.runs({ rows: removed })) {
    for (const row of run) {
      const plain = copy(row);
      yield { change: 'removed', key: keyOf(key, plain, row.id()), row: plain };
    }
  }
  const size = Math.min(batchSize(from), batchSize(to));
  for await (const batch of batches(to, joined(to.rowCount, changed, added), size)) {
    const before = await rowsAt(
      from,
      batch.map(({ index }) => partners[index] as number),
    );
    for (const { index, row, id } of batch) {
      const old = before.get(partners[index] as number);
      const known = keyOf(key, row, id);
      if (!old || !known) yield { change: 'added', key: known, row };
      else yield { change: 'changed', key: known, from: old, to: row, columns: differing(tables, old, row) };
    }
  }
}

function keyOf({ kind, columns }: DifferenceKey, row: PlainRow, id: unknown): PlainRow | null {
  if (kind === 'row') return null;
  return kind === 'id' ? { id } : Object.fromEntries(columns.map((name) => [name, row[name]]));
}

function differing({ shared }: Tables, from: PlainRow, to: PlainRow): string[] {
  return shared.filter(({ name, form }) => form(from[name]) !== form(to[name])).map(({ name }) => name);
}

const batchSize = ({ bytes, rowCount }: Table) =>
  Math.max(1, Math.min(batchRows, Math.floor((batchBytes * rowCount) / (bytes + 1))));

function joined(rows: number, ...sets: readonly RowSet[]): RowSet {
  const all = new RowSet(rows);
  for (const set of sets) for (const row of set.within(0, rows)) all.add(row);
  return all;
}

interface Copied {
  readonly index: number;
  readonly row: PlainRow;
  readonly id: string | number | undefined;
}

/** Rows of a table, some at a time. */
async function* batches(table: Table, rows: RowSet, size: number): AsyncGenerator<Copied[], void, undefined> {
  const copy = plainRows(table.shape);
  let batch: Copied[] = [];
  for await (const run of table.runs({ rows })) {
    for (const row of run) {
      batch.push({ index: row.index, row: copy(row), id: row.id() });
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Rows by their places. They are read in file order, whatever order they are wanted in: the memory that pieces are kept
 * in may be less than the table takes.
 */
async function rowsAt(table: Table, places: readonly number[]): Promise<Map<number, PlainRow>> {
  const wanted = new RowSet(table.rowCount);
  for (const place of places) if (place >= 0) wanted.add(place);
  const copy = plainRows(table.shape);
  const rows = new Map<number, PlainRow>();
  if (wanted.count === 0) return rows;
  await visitInTurns(table.runs({ rows: wanted }), undefined, (row) => {
    rows.set(row.index, copy(row));
    return true;
  });
  return rows;
}
