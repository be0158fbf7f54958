/** The rows that differ, read again and copied. */
import type { ChangeSelection, DifferenceKey, PlainRow, RowChange } from '../../catalogue/difference.ts';
import { Turns, visitWithoutBlocking } from '../event-loop.ts';
import type { Row } from '../row.ts';
import { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import { makeRowCopier } from './compare-columns.ts';
import type { ComparedTables } from './match-by-key.ts';

/** Rows of both tables by what has changed. */
export interface ClassifiedRows {
  readonly key: DifferenceKey;
  /** For each row of `to`, the row of `from` with the same key; -1 if there is none. */
  readonly partners: Int32Array;
  /** Rows of `from`. */
  readonly removed: RowSet;
  /** Rows of `to`. */
  readonly changed: RowSet;
  readonly added: RowSet;
}

/** Most rows in memory at once, most cells of them, of which an empty one takes no bytes on disk, and most bytes there, approximately. */
const maxBatchRows = 5000;
const maxBatchCells = 1 << 19;
const maxBatchBytes = 16 * 1024 * 1024;

/** Rows of a selection, and no others. */
function selectRows(rows: ClassifiedRows, { change, positions }: ChangeSelection): ClassifiedRows {
  const select = (name: ChangeSelection['change']) => rows[name].at(name === change ? positions : []);
  return { ...rows, removed: select('removed'), changed: select('changed'), added: select('added') };
}

/** The rows removed, in the order of `from`; then those changed and those added, in the order of `to`. */
export async function* readRowChanges(
  tables: ComparedTables,
  all: ClassifiedRows,
  selected?: ChangeSelection,
): AsyncGenerator<RowChange, void, undefined> {
  const { from, to, schemas } = tables;
  const { key, partners, removed, changed, added } = selected ? selectRows(all, selected) : all;
  const copyRow = makeRowCopier(schemas.from);
  for await (const group of from.scanRowGroups({ rows: removed })) {
    for (const row of group) {
      const copy = copyRow(row);
      yield { change: 'removed', key: rowKey(key, copy, row.id()), row: copy };
    }
  }
  const size = Math.min(batchSize(from), batchSize(to));
  if (changed.count + added.count === 0) return;
  for await (const batch of copyInBatches(to, RowSet.union(to.rowCount, [changed, added]), size)) {
    const before = await copyRows(
      from,
      copyRow,
      batch.map(({ index }) => partners[index] as number),
    );
    for (const { index, row, id } of batch) {
      const old = before.get(partners[index] as number);
      const keyValues = rowKey(key, row, id);
      if (!old || !keyValues) yield { change: 'added', key: keyValues, row };
      else yield { change: 'changed', key: keyValues, from: old, to: row, columns: changedColumns(tables, old, row) };
    }
  }
}

function rowKey({ kind, columns }: DifferenceKey, row: PlainRow, id: unknown): PlainRow | null {
  if (kind === 'row') return null;
  return kind === 'id' ? { id } : Object.fromEntries(columns.map((name) => [name, row[name]]));
}

function changedColumns({ shared }: ComparedTables, from: PlainRow, to: PlainRow): string[] {
  return shared.filter(({ name, normalize }) => normalize(from[name]) !== normalize(to[name])).map(({ name }) => name);
}

/** Rows that may be in memory at once. */
function batchSize({ sizeOnDisk, rowCount, schema }: Table): number {
  const rowsOfCells = maxBatchCells / (schema.columns.length + 1);
  const rowsOfBytes = (maxBatchBytes * rowCount) / (sizeOnDisk + 1);
  return Math.max(1, Math.floor(Math.min(maxBatchRows, rowsOfCells, rowsOfBytes)));
}

interface CopiedRow {
  readonly index: number;
  readonly row: PlainRow;
  readonly id: string | number | undefined;
}

/** Copies rows of a table, some at a time. */
async function* copyInBatches(table: Table, rows: RowSet, size: number): AsyncGenerator<CopiedRow[], void, undefined> {
  const copyRow = makeRowCopier(table.schema);
  const turns = new Turns();
  let batch: CopiedRow[] = [];
  for await (const group of table.scanRowGroups({ rows })) {
    for (const row of group) {
      if (turns.isOver) await turns.next();
      batch.push({ index: row.index, row: copyRow(row), id: row.id() });
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Copies rows by their numbers; negative ones are ignored. Rows are read in file order, since the cache may hold less than
 * the table.
 */
async function copyRows(
  table: Table,
  copyRow: (row: Row) => PlainRow,
  numbers: readonly number[],
): Promise<Map<number, PlainRow>> {
  const rows = new RowSet(table.rowCount);
  for (const number of numbers) if (number >= 0) rows.add(number);
  const copies = new Map<number, PlainRow>();
  if (rows.count === 0) return copies;
  await visitWithoutBlocking(table.scanRowGroups({ rows }), {}, (row) => {
    copies.set(row.index, copyRow(row));
    return true;
  });
  return copies;
}
