/** Pairs of rows: hashes of a part of each row of two tables, and which are the same. */
import { rangesInTurns, visitInTurns } from '../event-loop.ts';
import type { Row } from '../row.ts';
import type { Table } from '../table/table.ts';
import { type SharedColumn, scanOf, valueAt } from './compare-columns.ts';
import { Hashes, HashIndex, RowHasher } from './row-hash.ts';

export interface Tables {
  readonly from: Table;
  readonly to: Table;
  readonly shared: readonly SharedColumn[];
  readonly signal: AbortSignal | undefined;
}
export type Side = 'from' | 'to';

/** Takes the part of a row that is to be compared into a hasher; false where it has none. */
type Part = (row: Row, hasher: RowHasher) => boolean;

export interface Repeated {
  readonly side: Side;
  readonly row: number;
}

/** Partners by a key; or else which row repeats another's, or only that some have none. */
export type Paired =
  | { readonly partners: Int32Array; readonly repeated?: never }
  | { readonly partners?: never; readonly repeated?: Repeated };

/**
 * Partners by the values of columns.
 * @param nulls whether null is a value like any other; a row without a value has no partner otherwise, and no row has
 */
export function pairByColumns(tables: Tables, columns: readonly SharedColumn[], nulls: boolean): Promise<Paired> {
  return pair(tables, columns, (side) => (row, hasher) => {
    for (const column of columns) {
      const value = column.form(valueAt(row, column[side]));
      if (value === null && !nulls) return false;
      hasher.add(value);
    }
    return true;
  });
}

/** Partners by the features' ids. */
export function pairById(tables: Tables): Promise<Paired> {
  return pair(tables, [], () => (row, hasher) => {
    const id = row.id();
    if (id === undefined) return false;
    hasher.add(id);
    return true;
  });
}

/** Finds partners by a part that has to be there and to be different in all rows of each table. */
async function pair(tables: Tables, columns: readonly SharedColumn[], partOf: (side: Side) => Part): Promise<Paired> {
  const hasher = new RowHasher();
  const { signal } = tables;
  const from = await hashesOf(tables, 'from', columns, partOf('from'), hasher);
  const index = from && (await HashIndex.of(from, signal));
  if (index?.repeated !== undefined) return { repeated: { side: 'from', row: index.repeated } };
  const to = index && (await hashesOf(tables, 'to', columns, partOf('to'), hasher));
  if (!to) return {};
  const { repeated } = await HashIndex.of(to, signal);
  if (repeated !== undefined) return { repeated: { side: 'to', row: repeated } };
  return { partners: await partnersOf(index, to, signal) };
}

/** Finds partners by all that both tables have; of several equal rows each has one of its own. */
export async function pairWhole(tables: Tables): Promise<Int32Array> {
  if (tables.shared.length === 0) return new Int32Array(tables.to.rowCount).fill(-1);
  const hasher = new RowHasher();
  const from = await wholeHashes(tables, 'from', hasher);
  const index = await HashIndex.of(from, tables.signal);
  return partnersOf(index, await wholeHashes(tables, 'to', hasher), tables.signal);
}

async function partnersOf(from: HashIndex, to: Hashes, signal: AbortSignal | undefined): Promise<Int32Array> {
  const partners = new Int32Array(to.rows);
  for await (const { start, end } of rangesInTurns(to.rows, signal))
    for (let row = start; row < end; row++) partners[row] = from.take(to, row);
  return partners;
}

/** The hashes of whole rows, as far as both tables have their columns. */
export async function wholeHashes(tables: Tables, side: Side, hasher: RowHasher): Promise<Hashes> {
  const { shared } = tables;
  const part: Part = (row) => {
    for (const column of shared) hasher.add(column.form(valueAt(row, column[side])));
    return true;
  };
  return (await hashesOf(tables, side, shared, part, hasher)) as Hashes;
}

/** The hashes of a part of all rows; null where one has no such part. */
async function hashesOf(
  tables: Tables,
  side: Side,
  columns: readonly SharedColumn[],
  part: Part,
  hasher: RowHasher,
): Promise<Hashes | null> {
  const table = tables[side];
  const hashes = new Hashes(table.rowCount);
  let complete = true;
  const scan = scanOf(columns.map((column) => column[side]));
  await visitInTurns(table.runs(scan), tables.signal, (row) => {
    hasher.start();
    if (part(row, hasher)) hashes.set(row.index, hasher);
    else complete = false;
    return complete;
  });
  return complete ? hashes : null;
}
