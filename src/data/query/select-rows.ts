/** Which rows of a table a question means: found as they are asked for, or all at once where they have an order or an end. */
import { UnavailableError } from '../../catalogue/errors.ts';
import { instantOf, secondsOf } from '../date-time.ts';
import type { Row, TableShape, Value } from '../row.ts';
import type { Table } from '../table/table.ts';
import { compile, type RowTest } from './compile.ts';
import type { DataQuery } from './parameters.ts';
import { columnsOf, everything } from './predicate.ts';
import { boundsOf } from './search-boxes.ts';

/** The part of the rows found that is shown. */
export interface Window {
  /** How many rows there are in all. */
  readonly matched: number;
  /** Of the first row shown, from 0. */
  readonly offset: number;
  readonly limit: number;
}

export interface Choice {
  /** Null where all rows found are shown, however many they are. */
  readonly window: Window | null;
  readonly rows: AsyncIterable<Row>;
}

export interface ChoiceLimits {
  /** Length of a page where none is asked for, and the greatest. */
  readonly pageSize: number;
  readonly maxPageSize: number;
  /** Milliseconds that finding the rows may take before the first is given. */
  readonly patience: number;
}

/**
 * Finds the rows.
 * @param needed columns that will be shown, by their places
 * @returns null where a page is asked for that doesn't exist
 * @throws UnavailableError where finding them takes too long; ValidationError where a geometry is not valid
 */
export async function choose(
  table: Table,
  query: DataQuery,
  needed: readonly number[],
  needsGeometry: boolean,
  limits: ChoiceLimits,
): Promise<Choice | null> {
  const test = query.predicate === everything ? null : await compile(query.predicate, table.shape);
  const { ordering, limit, offset, page, pageSize } = query;
  const paged = page !== undefined || pageSize !== undefined;
  const limited = paged || limit !== undefined || offset !== undefined;
  if (!limited && ordering.length === 0)
    return { window: null, rows: passing(table, query, test, needed, needsGeometry) };

  const found =
    test || ordering.length
      ? await findAll(table, query, test, performance.now() + limits.patience)
      : { length: table.rowCount, at: (place: number) => place };
  const size = Math.min(pageSize ?? limits.pageSize, limits.maxPageSize);
  const pages = Math.max(1, Math.ceil(found.length / size));
  const number = page === 'last' ? pages : (page ?? 1);
  if (paged && number > pages) return null;
  const window: Window = {
    matched: found.length,
    offset: paged ? (number - 1) * size : (offset ?? 0),
    limit: paged ? size : (limit ?? found.length),
  };
  return { window: limited ? window : null, rows: placed(table, found, window) };
}

/** Rows as they lie in the file, each as it is found. */
async function* passing(
  table: Table,
  query: DataQuery,
  test: RowTest | null,
  needed: readonly number[],
  needsGeometry: boolean,
): AsyncGenerator<Row, void, undefined> {
  const wanted = columnsOf(query.predicate);
  const columns = [...new Set([...needed, ...wanted.columns.map((name) => placeOf(name, table.shape))])];
  const scan = { candidates: boundsOf(query.predicate), columns, needsGeometry: needsGeometry || wanted.geometry };
  for await (const run of table.runs(scan)) for (const row of run) if (!test || test(row)) yield row;
}

/** Places of rows in the file, in the order in which they are to be shown. */
interface Places {
  readonly length: number;
  at(place: number): number | undefined;
}

async function findAll(table: Table, query: DataQuery, test: RowTest | null, deadline: number): Promise<Places> {
  const wanted = columnsOf(query.predicate);
  const orders = query.ordering.map(({ column, descending }) => ({
    place: placeOf(column, table.shape),
    direction: descending ? -1 : 1,
    keys: [] as Key[],
  }));
  const columns = [...wanted.columns.map((name) => placeOf(name, table.shape)), ...orders.map(({ place }) => place)];
  const scan = {
    candidates: boundsOf(query.predicate),
    columns: [...new Set(columns)],
    needsGeometry: wanted.geometry,
  };
  const rows: number[] = [];
  for await (const run of table.runs(scan)) {
    for (const row of run) {
      if (test && !test(row)) continue;
      rows.push(row.index);
      for (const { place, keys } of orders) keys.push(keyOf(row.value(place), table.shape.columns[place]?.type));
    }
    if (performance.now() > deadline)
      throw new UnavailableError('Finding the rows takes too long. Ask for fewer: filter by a column or a box.');
  }
  if (orders.length === 0) return rows;
  // Sorted are places in `rows`, so that keys stay where they are; rows that are equal stay in file order.
  const order = Uint32Array.from(rows, (_, i) => i).sort((a, b) => {
    for (const { keys, direction } of orders) {
      const difference = compareKeys(keys[a] as Key, keys[b] as Key, direction);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
  return { length: rows.length, at: (place) => rows[order[place] as number] };
}

async function* placed(table: Table, places: Places, { offset, limit }: Window): AsyncGenerator<Row, void, undefined> {
  const end = Math.min(places.length, offset + limit);
  for (let place = offset; place < end; place++) yield table.row(places.at(place) as number);
}

const placeOf = (name: string, shape: TableShape) => shape.columns.findIndex((column) => column.name === name);

type Key = null | number | string;

/** What a value is ordered by: dates and times by the moment they mean, strings by code point. */
function keyOf(value: Value, type: string | undefined): Key {
  if (value === null || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const text = String(value);
  if (type === 'time') return secondsOf(text);
  return type === 'datetime' || type === 'date' ? instantOf(text) : text;
}

/** Nulls come last, whichever the direction. */
function compareKeys(a: Key, b: Key, direction: number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -direction : direction;
}
