/** Matching rows by a key: part of each row is hashed, and equal hashes are matched. */
import { indexRangesWithoutBlocking, type Turns, visitWithoutBlocking } from '../event-loop.ts';
import type { Row } from '../row.ts';
import type { Table } from '../table/table.ts';
import { type ComparedSchemas, columnValue, type SharedColumn, scanOptionsForColumns } from './compare-columns.ts';
import { HashIndex, RowHasher, RowHashes } from './row-hash.ts';

/** Two tables, and the columns that both have. */
export interface ComparedTables {
  readonly from: Table;
  readonly to: Table;
  readonly schemas: ComparedSchemas;
  readonly shared: readonly SharedColumn[];
  readonly signal: AbortSignal | undefined;
  readonly turns: Turns;
}
export type Side = 'from' | 'to';

/** Adds the key of a row to a hasher; returns false if the row has none. */
type HashKey = (row: Row, hasher: RowHasher) => boolean;

/** A row that has the same key as an earlier one. */
export interface DuplicateRow {
  readonly side: Side;
  readonly row: number;
}

/** Matched rows (see `RowMatch`); without them, a row whose key is repeated, or nothing if a row has no key. */
export type KeyMatch =
  | { readonly partners: Int32Array; readonly duplicate?: never }
  | { readonly partners?: never; readonly duplicate?: DuplicateRow };

/**
 * Matches rows by the values of columns.
 * @param allowNulls true if null is a value like any other; otherwise a null makes the columns unfit as a key
 */
export function matchByColumns(
  tables: ComparedTables,
  columns: readonly SharedColumn[],
  allowNulls: boolean,
): Promise<KeyMatch> {
  return matchByKey(tables, columns, (side) => (row, hasher) => {
    for (const column of columns) {
      const value = column.normalize(columnValue(row, column[side]));
      if (value === null && !allowNulls) return false;
      hasher.add(value);
    }
    return true;
  });
}

/** Matches rows by the features' ids. */
export function matchById(tables: ComparedTables): Promise<KeyMatch> {
  return matchByKey(tables, [], () => (row, hasher) => {
    const id = row.id();
    if (id === undefined) return false;
    hasher.add(id);
    return true;
  });
}

/** Matches rows by a key that all rows must have, and that must be unique in each table. */
async function matchByKey(
  tables: ComparedTables,
  columns: readonly SharedColumn[],
  hashKeyOf: (side: Side) => HashKey,
): Promise<KeyMatch> {
  const hasher = new RowHasher();
  const { signal } = tables;
  const from = await hashKeys(tables, 'from', columns, hashKeyOf('from'), hasher);
  const index = from && (await HashIndex.create(from, signal));
  if (index?.duplicate !== undefined) return { duplicate: { side: 'from', row: index.duplicate } };
  const to = index && (await hashKeys(tables, 'to', columns, hashKeyOf('to'), hasher));
  if (!to) return {};
  const { duplicate } = await HashIndex.create(to, signal);
  if (duplicate !== undefined) return { duplicate: { side: 'to', row: duplicate } };
  return { partners: await findPartners(index, to, signal) };
}

/** Matches rows by all columns that both tables have; equal rows are matched one by one. */
export async function matchByWholeRow(tables: ComparedTables): Promise<Int32Array> {
  if (tables.shared.length === 0) return new Int32Array(tables.to.rowCount).fill(-1);
  const hasher = new RowHasher();
  const from = await hashRows(tables, 'from', hasher);
  const index = await HashIndex.create(from, tables.signal);
  return findPartners(index, await hashRows(tables, 'to', hasher), tables.signal);
}

async function findPartners(from: HashIndex, to: RowHashes, signal: AbortSignal | undefined): Promise<Int32Array> {
  const partners = new Int32Array(to.rows);
  for await (const { start, end } of indexRangesWithoutBlocking(to.rows, signal))
    for (let row = start; row < end; row++) partners[row] = from.take(to, row);
  return partners;
}

/** Hashes the rows of a table by all columns that both tables have. */
export async function hashRows(tables: ComparedTables, side: Side, hasher: RowHasher): Promise<RowHashes> {
  const { shared } = tables;
  const hashKey: HashKey = (row) => {
    for (const column of shared) hasher.add(column.normalize(columnValue(row, column[side])));
    return true;
  };
  return (await hashKeys(tables, side, shared, hashKey, hasher)) as RowHashes;
}

/** Hashes the keys of all rows; null if a row has none. */
async function hashKeys(
  tables: ComparedTables,
  side: Side,
  columns: readonly SharedColumn[],
  hashKey: HashKey,
  hasher: RowHasher,
): Promise<RowHashes | null> {
  const table = tables[side];
  const hashes = new RowHashes(table.rowCount);
  let haveAllKeys = true;
  const scan = scanOptionsForColumns(columns.map((column) => column[side]));
  await visitWithoutBlocking(table.scanRowGroups(scan), tables, (row) => {
    hasher.start();
    if (hashKey(row, hasher)) hashes.set(row.index, hasher);
    else haveAllKeys = false;
    return haveAllKeys;
  });
  return haveAllKeys ? hashes : null;
}
