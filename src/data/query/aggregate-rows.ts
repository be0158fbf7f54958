/** Groups of the rows that a query selects, with their aggregates, as rows. */
import { sortIndexesWithoutBlocking, type Turns } from '../event-loop.ts';
import { defaultQueryLimits } from '../limits.ts';
import { columnIndex, geometryColumnName, type Row, type TableSchema, type Value } from '../row.ts';
import { type ColumnChunk, decodeColumn } from '../table/column-chunk.ts';
import type { RowTable, ScannedRows } from '../table/table.ts';
import type { Aggregation } from './aggregation.ts';
import { type AggregateBudgets, type Aggregator, createAggregator } from './aggregators.ts';
import type { RowTest } from './compile.ts';
import { Grouping } from './grouping.ts';
import { compareSortKeys, type SortKey, sortKey } from './ordering.ts';
import type { DataQuery } from './parameters.ts';
import {
  isLimited,
  type RowSelection,
  rowTestOf,
  type SelectionLimits,
  scanOptions,
  turnsWithinLimits,
  windowOf,
} from './select-rows.ts';

/** An aggregator with the column whose values it is given. */
interface Feed {
  /** Index of a column; null for none. */
  readonly source: number | 'geometry' | null;
  readonly aggregator: Aggregator;
}

/**
 * Groups the matching rows, in turns with other work. Without an order, groups are sorted by their columns.
 * @returns null if the query is for a page that doesn't exist
 * @throws UnavailableError if it takes too long; what the budget throws; ValidationError if there are too many groups, or a
 *   geometry of the query is not valid
 */
export async function aggregateRows(
  table: RowTable,
  query: DataQuery,
  aggregation: Aggregation,
  limits: SelectionLimits,
  { groups: maxGroups, medianValues, groupMemory } = defaultQueryLimits,
): Promise<(RowSelection & { readonly rows: Iterable<Row> }) | null> {
  const { schema } = table;
  const test = await rowTestOf(table, query);
  limits.budget?.assertAvailable();
  const turns = turnsWithinLimits(limits);
  const columns = aggregation.groupBy.map((name) => columnIndex(name, schema));
  const memory = { limit: groupMemory, used: 0 };
  const grouping = new Grouping(
    columns.map((index) => ({ index, type: schema.columns[index]?.type ?? 'string' })),
    maxGroups,
    memory,
  );
  const budgets = { medianValues: { limit: medianValues, used: 0 }, memory };
  const { feeds, readers } = createAggregators(aggregation, schema, budgets);
  await addRows(table, query, test, { grouping, columns, feeds, turns });
  for (const { aggregator } of feeds) await aggregator.finish?.(grouping.count, turns);

  const value = (group: number, column: number): Value =>
    column < columns.length ? grouping.value(group, column) : (readers[column - columns.length]?.(group) ?? null);
  const window = windowOf(query, grouping.count, limits);
  if (!window) return null;
  const order = await orderGroups(grouping.count, value, query, aggregation, turns);
  const rows = groupRows(order.subarray(window.offset, window.offset + window.limit), value);
  return { window: isLimited(query) ? window : null, rows };
}

/** The aggregators of an aggregation, of which several aggregates may use the same, and functions that read the aggregates. */
function createAggregators({ aggregates }: Aggregation, schema: TableSchema, budgets: AggregateBudgets) {
  const feeds = new Map<string, Feed>();
  const readers = aggregates.map(({ function: name, column }): ((group: number) => Value) => {
    const isMean = name === 'mean' || name === 'avg';
    const kind = column === null ? 'rows' : isMean ? 'sum' : name;
    const isGeometry = schema.hasGeometry && column === geometryColumnName;
    const source = column === null ? null : isGeometry ? 'geometry' : columnIndex(column, schema);
    const type = typeof source === 'number' ? schema.columns[source]?.type : undefined;
    const key = `${kind} ${source}`;
    const { aggregator } = feeds.get(key) ?? { aggregator: createAggregator(kind, type ?? 'string', budgets) };
    feeds.set(key, { source, aggregator });
    return (group) => (isMean ? (aggregator.mean?.(group) ?? null) : aggregator.value(group));
  });
  return { feeds: [...feeds.values()], readers };
}

interface AddedRows {
  readonly grouping: Grouping;
  /** Indexes of the columns of groups. */
  readonly columns: readonly number[];
  readonly feeds: readonly Feed[];
  readonly turns: Turns;
}

/** Adds the matching rows to their groups. */
async function addRows(
  table: RowTable,
  query: DataQuery,
  test: RowTest | null,
  { grouping, columns, feeds, turns }: AddedRows,
): Promise<void> {
  const sources = feeds.flatMap(({ source }) => (typeof source === 'number' ? [source] : []));
  const needsGeometry = feeds.some(({ source }) => source === 'geometry');
  const options = scanOptions(table, query, [...columns, ...sources], needsGeometry);
  const finder = new RowFinder(test, turns);
  for await (const group of table.scanRowGroups(options)) {
    const rows = await finder.find(group);
    const chunk = (column: number) => group.chunk(column);
    const groups = grouping.numberRows(chunk, rows);
    const added = { rows, groups, groupCount: grouping.count };
    for (const { source, aggregator } of feeds) {
      const values = source === 'geometry' ? geometryFlags(group) : source === null ? undefined : chunk(source);
      aggregator.add(values, added);
      if (turns.isOver) await turns.next();
    }
    if (turns.isOver) await turns.next();
  }
}

/** Finds the matching rows of row groups, counted from the start of each. */
class RowFinder {
  readonly #test: RowTest | null;
  readonly #turns: Turns;
  #all = new Uint32Array(0);
  #found = new Uint32Array(0);

  constructor(test: RowTest | null, turns: Turns) {
    this.#test = test;
    this.#turns = turns;
  }

  /** @returns rows that are valid until the next call */
  async find(group: ScannedRows): Promise<Uint32Array> {
    const { groupRows: length, start } = group;
    if (!this.#test && group.isWholeGroup) {
      if (this.#all.length < length) this.#all = Uint32Array.from({ length }, (_, row) => row);
      return this.#all.subarray(0, length);
    }
    if (this.#found.length < length) this.#found = new Uint32Array(length);
    let found = 0;
    for (const row of group) {
      if (!this.#test || this.#test(row)) this.#found[found++] = row.index - start;
      if (this.#turns.isOverAfterItem()) await this.#turns.next();
    }
    return this.#found.subarray(0, found);
  }
}

/** A chunk that is true for a row with a geometry, and null for one without. */
function geometryFlags(group: ScannedRows): ColumnChunk {
  const codes = new Uint8Array(group.groupRows);
  for (const row of group) if (row.bbox() !== null || row.geometry() !== null) codes[row.index - group.start] = 2;
  return decodeColumn('booleans', codes.buffer);
}

/** The groups in the order of a query; those that are equal in it, by their columns. */
async function orderGroups(
  count: number,
  value: (group: number, column: number) => Value,
  { ordering }: DataQuery,
  { groupBy, schema }: Aggregation,
  turns: Turns,
): Promise<Uint32Array> {
  const sorts: { readonly keys: readonly SortKey[]; readonly direction: number }[] = [];
  for (const { column, descending } of [...ordering, ...groupBy.map((name) => ({ column: name, descending: false }))]) {
    const index = columnIndex(column, schema);
    const type = schema.columns[index]?.type;
    const keys: SortKey[] = [];
    for (let group = 0; group < count; group++) {
      keys.push(sortKey(numberOf(value(group, index), type), type));
      if (turns.isOverAfterItem()) await turns.next();
    }
    sorts.push({ keys, direction: descending ? -1 : 1 });
  }
  return sortIndexesWithoutBlocking(count, turns, (a, b) => {
    for (const { keys, direction } of sorts) {
      const difference = compareSortKeys(keys[a] ?? null, keys[b] ?? null, direction);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

/** A sum beyond 2^53 is a text with its digits: it is ordered as a number. */
const numberOf = (value: Value, type: string | undefined): Value =>
  type === 'integer' && typeof value === 'string' ? Number(value) : value;

/** The groups as rows: one object, moved from group to group. */
function* groupRows(
  order: Uint32Array,
  value: (group: number, column: number) => Value,
): Generator<Row, void, undefined> {
  let group = 0;
  const row: Row = {
    value: (column) => value(group, column),
    geometry: () => null,
    bbox: () => null,
    id: () => undefined,
  };
  for (group of order) yield row;
}
