/** The rows of a table that a query selects: streamed as they are found or, if they are sorted or paged, found first. */
import { UnavailableError } from '../../catalogue/errors.ts';
import type { WorkBudget } from '../../catalogue/types.ts';
import { itemsPerCheck, Turns, visitWithoutBlocking, workInRanges } from '../event-loop.ts';
import { columnIndex, type Row, type RowSource } from '../row.ts';
import type { RowTable, ScanOptions } from '../table/table.ts';
import { compilePredicate, type RowTest } from './compile.ts';
import type { DataQuery } from './parameters.ts';
import { alwaysTrue, referencedColumns } from './predicate.ts';
import { keptOrder, orderOfRows } from './row-order.ts';
import { boxesToSearch } from './search-boxes.ts';
import { sortRows } from './sort-rows.ts';

/** The part of the matching rows that is returned. */
export interface RowWindow {
  /** Number of matching rows in all. */
  readonly matched: number;
  /** Number of matching rows before the first one returned. */
  readonly offset: number;
  readonly limit: number;
}

export interface RowSelection {
  /** Null if all matching rows are returned, however many they are. */
  readonly window: RowWindow | null;
  readonly rows: RowSource;
}

export interface SelectionLimits {
  /** Length of a page by default, and at most. */
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** Most milliseconds of work for finding the rows, before the first is returned. */
  readonly timeout: number;
  readonly budget?: WorkBudget | undefined;
}

/** Columns that are read for the output, by index, and whether the geometry is. */
export interface NeededColumns {
  readonly columns: readonly number[];
  readonly needsGeometry: boolean;
}

/**
 * Selects rows, in turns with other work.
 * @returns null if the query is for a page that doesn't exist
 * @throws UnavailableError if finding them takes too long; what the budget throws; ValidationError if a geometry is not valid
 */
export async function selectRows(
  table: RowTable,
  query: DataQuery,
  needed: NeededColumns,
  limits: SelectionLimits,
): Promise<RowSelection | null> {
  const test = await rowTestOf(table, query);
  if (!isLimited(query) && query.ordering.length === 0)
    return { window: null, rows: matchingRows(table, query, test, needed, limits.budget) };
  const found = await findMatching(table, query, test, limits);
  const window = windowOf(query, found.length, limits);
  return window && { window: isLimited(query) ? window : null, rows: readRows(table, found, window, needed) };
}

/** The numbers in the file of the rows that a query selects, in its order. */
export interface SelectedRows {
  /** Null for all rows of the table, in file order. */
  readonly rows: Uint32Array | null;
  readonly window: RowWindow;
}

/** As `selectRows`, for work on the numbers of the rows alone: a map finds their geometries itself. */
export async function selectRowNumbers(
  table: RowTable,
  query: DataQuery,
  limits: SelectionLimits,
): Promise<SelectedRows | null> {
  const test = await rowTestOf(table, query);
  const found = await findMatching(table, query, test, limits);
  const window = windowOf(query, found.length, limits);
  if (!window) return null;
  const count = Math.max(0, Math.min(window.limit, found.length - window.offset));
  if (!test && query.ordering.length === 0 && count === table.rowCount) return { rows: null, window };
  const rows = new Uint32Array(count);
  await workInRanges(count, turnsWithinLimits(limits), (start, end) => {
    for (let n = start; n < end; n++) rows[n] = found.at(window.offset + n) as number;
  });
  return { rows, window };
}

/** True if a query asks for a part of the matching rows. */
export const isLimited = ({ limit, offset, page, pageSize }: DataQuery): boolean =>
  (limit ?? offset ?? page ?? pageSize) !== undefined;

/**
 * The part of the matching rows that a query asks for; all of them by default.
 * @param matched their number
 * @returns null if there is no such page
 */
export function windowOf(
  { limit, offset, page, pageSize }: DataQuery,
  matched: number,
  limits: Pick<SelectionLimits, 'pageSize' | 'maxPageSize'>,
): RowWindow | null {
  if (page === undefined && pageSize === undefined) return { matched, offset: offset ?? 0, limit: limit ?? matched };
  const size = Math.min(pageSize ?? limits.pageSize, limits.maxPageSize);
  const pageCount = Math.max(1, Math.ceil(matched / size));
  const pageNumber = page === 'last' ? pageCount : (page ?? 1);
  return pageNumber > pageCount ? null : { matched, offset: (pageNumber - 1) * size, limit: size };
}

/** Options of the scan for a query's predicate, and for further columns. */
export function scanOptions(
  table: RowTable,
  { predicate }: DataQuery,
  columns: readonly number[],
  needsGeometry = false,
) {
  const read = referencedColumns(predicate);
  const options: ScanOptions = {
    boxes: boxesToSearch(predicate),
    columns: [...new Set([...columns, ...read.columns.map((name) => columnIndex(name, table.schema))])],
    needsGeometry: needsGeometry || read.geometry,
  };
  return options;
}

/** The test of a query's rows; null if all match. */
export const rowTestOf = async ({ schema }: RowTable, { predicate }: DataQuery): Promise<RowTest | null> =>
  predicate === alwaysTrue ? null : compilePredicate(predicate, schema);

/** Matching rows in file order: whole row groups if all rows match. */
function matchingRows(
  table: RowTable,
  query: DataQuery,
  test: RowTest | null,
  needed: NeededColumns,
  budget?: WorkBudget,
): RowSource {
  if (!test) return { groups: table.scanRowGroups(scanOptions(table, query, needed.columns, needed.needsGeometry)) };
  budget?.assertAvailable();
  return streamMatching(table, query, test, needed, budget);
}

/** Matching rows in file order, each as it is found. The budget pays for the search, and not for waiting for the reader. */
async function* streamMatching(
  table: RowTable,
  query: DataQuery,
  test: RowTest,
  { columns, needsGeometry }: NeededColumns,
  budget: WorkBudget | undefined,
): AsyncGenerator<Row, void, undefined> {
  const options = scanOptions(table, query, columns, needsGeometry);
  const turns = new Turns((milliseconds) => budget?.spend(milliseconds));
  // A turn without a match is all work; one that has waited for the reader counts from some rows behind it.
  let countSinceMatch = itemsPerCheck;
  for await (const group of table.scanRowGroups(options)) {
    for (const row of group) {
      countSinceMatch++;
      if (test(row)) {
        yield row;
        countSinceMatch = 0;
      }
      if (!turns.isOverAfterItem()) continue;
      await turns.next(countSinceMatch >= itemsPerCheck);
      countSinceMatch = itemsPerCheck;
    }
  }
}

/** Turns of work that ends with an UnavailableError after the timeout, or with what the budget throws. */
export function turnsWithinLimits({ timeout, budget }: Pick<SelectionLimits, 'timeout' | 'budget'>): Turns {
  let spent = 0;
  return new Turns((milliseconds) => {
    spent += milliseconds;
    if (spent > timeout)
      throw new UnavailableError('Finding the rows takes too long. Ask for fewer: filter by a column or a box.');
    budget?.spend(milliseconds);
    budget?.assertAvailable();
  });
}

/** Indexes of rows in the file, in the order of the result. */
interface RowIndexes {
  readonly length: number;
  at(position: number): number | undefined;
}

async function findMatching(
  table: RowTable,
  query: DataQuery,
  test: RowTest | null,
  { timeout, budget }: SelectionLimits,
): Promise<RowIndexes> {
  const { ordering } = query;
  if (!test && ordering.length === 0) return { length: table.rowCount, at: (position) => position };
  budget?.assertAvailable();
  const turns = turnsWithinLimits({ timeout, budget });
  const kept = ordering.length ? keptOrder(table, ordering) : undefined;
  if (!test) return indexesOf(kept ?? (await orderOfRows(table, ordering, turns)));
  const rows: number[] = [];
  await visitWithoutBlocking(table.scanRowGroups(scanOptions(table, query, [])), { turns }, (row) => {
    if (test(row)) rows.push(row.index);
    return true;
  });
  if (ordering.length === 0) return rows;
  return indexesOf(
    kept ? await inOrder(rows, kept, turns) : await sortRows(table, ordering, turns, new Uint32Array(rows)),
  );
}

const indexesOf = (rows: Uint32Array): RowIndexes => ({ length: rows.length, at: (position) => rows[position] });

/** Some rows in the order of all rows. */
async function inOrder(rows: readonly number[], order: Uint32Array, turns: Turns): Promise<Uint32Array> {
  const isFound = new Uint8Array(order.length);
  for (const row of rows) isFound[row] = 1;
  const ordered = new Uint32Array(rows.length);
  let next = 0;
  for (let position = 0; position < order.length && next < ordered.length; position++) {
    const row = order[position] as number;
    if (isFound[row]) ordered[next++] = row;
    if (turns.isOverAfterItem()) await turns.next();
  }
  return ordered;
}

async function* readRows(
  table: RowTable,
  indexes: RowIndexes,
  { offset, limit }: RowWindow,
  needed: NeededColumns,
): AsyncGenerator<Row, void, undefined> {
  const end = Math.min(indexes.length, offset + limit);
  const turns = new Turns();
  for (let position = offset; position < end; position++) {
    yield table.row(indexes.at(position) as number, needed);
    // Of rows all over the file, each may read and decode chunks.
    if (turns.isOver) await turns.next();
  }
}
