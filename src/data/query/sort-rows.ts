/** Sorts the rows of a table by the values of columns. */
import { sortIndexesWithoutBlocking, type Turns, workInRanges } from '../event-loop.ts';
import { columnIndex } from '../row.ts';
import { RowSet } from '../table/row-set.ts';
import type { RowTable } from '../table/table.ts';
import { compareSortKeys, type OrderingColumn, type SortKey, sortKey } from './ordering.ts';

/**
 * The numbers of rows in an order; equal rows stay in file order. One column after the other is read, and of one of different texts only
 * the rows that are equal in those before: twenty columns take no more memory than one.
 * @param rows numbers of the rows, ascending; by default, all rows of the table
 */
export async function sortRows(
  table: RowTable,
  ordering: readonly OrderingColumn[],
  turns: Turns,
  rows?: Uint32Array,
): Promise<Uint32Array> {
  const count = rows?.length ?? table.rowCount;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  let ties: Ties = [0, count];
  for (const [at, { column, descending }] of ordering.entries()) {
    const index = columnIndex(column, table.schema);
    const compare = await comparisonOf({ table, rows, order, ties }, index, descending ? -1 : 1, turns);
    await sortTies(order, ties, compare, turns);
    if (at + 1 < ordering.length) ties = await findTies(order, ties, compare, turns);
    if (ties.length === 0) break;
  }
  if (rows)
    await workInRanges(count, turns, (from, end) => {
      for (let i = from; i < end; i++) order[i] = rows[order[i] as number] as number;
    });
  return order;
}

/** Ranges of an order whose rows are equal so far, each as its start and its end, which isn't included. */
type Ties = readonly number[];

/** Rows that are being sorted. */
interface SortedRows {
  readonly table: RowTable;
  /** As for `sortRows`. */
  readonly rows: Uint32Array | undefined;
  /** Positions in `rows`; without them, numbers of rows. */
  readonly order: Uint32Array;
  readonly ties: Ties;
}

/** Compares two rows by their positions. */
type Comparison = (a: number, b: number) => number;

/** Rows that are sorted at once. */
const fewRows = 1024;

/** Sorts each range of ties. Those that stay equal are in file order before and behind it. */
async function sortTies(order: Uint32Array, ties: Ties, compare: Comparison, turns: Turns): Promise<void> {
  for (let at = 0; at < ties.length; at += 2) {
    const range = order.subarray(ties[at], ties[at + 1]);
    const inFileOrder: Comparison = (a, b) => compare(a, b) || a - b;
    if (range.length <= fewRows) range.sort(inFileOrder);
    else if (range.length === order.length) {
      // All rows are equal so far, so the order is still that of the file.
      order.set(await sortIndexesWithoutBlocking(range.length, turns, inFileOrder));
    } else {
      const before = range.slice();
      const sorted = await sortIndexesWithoutBlocking(
        range.length,
        turns,
        (a, b) => compare(before[a] as number, before[b] as number) || a - b,
      );
      await workInRanges(range.length, turns, (start, end) => {
        for (let i = start; i < end; i++) range[i] = before[sorted[i] as number] as number;
      });
    }
    if (turns.isOverAfterItem()) await turns.next();
  }
}

/** The rows that are still equal, after their ranges were sorted. */
async function findTies(order: Uint32Array, ties: Ties, compare: Comparison, turns: Turns): Promise<Ties> {
  const found: number[] = [];
  for (let at = 0; at < ties.length; at += 2) {
    const end = ties[at + 1] as number;
    let start = ties[at] as number;
    for (let i = start + 1; i <= end; i++) {
      if (turns.isOverAfterItem()) await turns.next();
      if (i < end && compare(order[i - 1] as number, order[i] as number) === 0) continue;
      if (i - start > 1) found.push(start, i);
      start = i;
    }
  }
  return found;
}

/** @param direction 1 for ascending, -1 for descending */
async function comparisonOf(sorted: SortedRows, index: number, direction: number, turns: Turns): Promise<Comparison> {
  const numbers = sorted.rows ? null : await readNumbers(sorted.table, index, turns);
  if (!numbers) {
    const keys = await readKeys(sorted, index, turns);
    return (a, b) => compareSortKeys(keys[a] as SortKey, keys[b] as SortKey, direction);
  }
  return (a, b) => {
    const x = numbers[a] as number;
    const y = numbers[b] as number;
    if (x < y) return -direction;
    if (x > y) return direction;
    // Missing values come last in both directions.
    return x === y ? 0 : Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  };
}

/** Different texts of a column up to which each has a number, its place among them. */
const mostTexts = 200_000;

/**
 * The values of a column as numbers of the same order, NaN for a missing one: instants, and of texts that repeat their places.
 * @returns null if texts don't repeat
 */
async function readNumbers(table: RowTable, index: number, turns: Turns): Promise<Float64Array | null> {
  const { type } = table.schema.columns[index] ?? {};
  const isInstant = type === 'date' || type === 'datetime' || type === 'time';
  const numbers = new Float64Array(table.rowCount).fill(Number.NaN);
  const texts = new Map<string, number>();
  const numberOf = (value: string | null): number | null => {
    const key = sortKey(value, type);
    if (typeof key !== 'string') return key;
    let number = texts.get(key);
    if (number === undefined) {
      number = texts.size;
      texts.set(key, number);
    }
    return number;
  };
  let hasNumbers = false;
  for await (const group of table.scanRowGroups({ columns: [index], needsGeometry: false })) {
    const chunk = group.chunk(index);
    const { start, groupRows } = group;
    if (chunk?.kind === 'texts') {
      if (chunk.codes === null && !isInstant) return null;
      const entries = chunk.codes && Array.from({ length: chunk.entryCount }, (_, n) => numberOf(chunk.entry(n)));
      for (let row = 0; row < groupRows; row++) {
        const number = entries ? entries[chunk.codes?.[row] as number] : numberOf(chunk.at(row));
        numbers[start + row] = number ?? Number.NaN;
        if (turns.isOverAfterItem()) await turns.next();
      }
    } else if (chunk?.kind === 'numbers') numbers.set(chunk.numbers, start);
    else if (chunk?.kind === 'booleans')
      for (let row = 0; row < groupRows; row++) numbers[start + row] = chunk.codes[row] || Number.NaN;
    hasNumbers ||= chunk?.kind === 'numbers' || chunk?.kind === 'booleans';
    // Numbers and texts in one column are compared by their kinds.
    if (texts.size > mostTexts || (texts.size > 0 && hasNumbers)) return null;
    if (turns.isOver) await turns.next();
  }
  if (texts.size > 0) await replaceByPlaces(numbers, [...texts.keys()], turns);
  return numbers;
}

/** Replaces numbers of texts by the places of the texts in their order. */
async function replaceByPlaces(numbers: Float64Array, texts: readonly string[], turns: Turns): Promise<void> {
  const places = new Float64Array(texts.length);
  const sorted = await sortIndexesWithoutBlocking(
    texts.length,
    turns,
    (a, b) => compareSortKeys(texts[a] ?? null, texts[b] ?? null, 1) || a - b,
  );
  for (let place = 0; place < sorted.length; place++) places[sorted[place] as number] = place;
  await workInRanges(numbers.length, turns, (start, end) => {
    for (let row = start; row < end; row++) {
      const number = numbers[row] as number;
      if (!Number.isNaN(number)) numbers[row] = places[number] as number;
    }
  });
}

/** The sort keys of a column, by position, of the rows that are equal so far. */
async function readKeys({ table, rows, order, ties }: SortedRows, index: number, turns: Turns): Promise<SortKey[]> {
  const { type } = table.schema.columns[index] ?? {};
  const keys = new Array<SortKey>(order.length).fill(null);
  const tied = new RowSet(table.rowCount);
  for (let at = 0; at < ties.length; at += 2)
    for (let i = ties[at] as number; i < (ties[at + 1] as number); i++) {
      const position = order[i] as number;
      tied.add(rows ? (rows[position] as number) : position);
      if (turns.isOverAfterItem()) await turns.next();
    }
  const scan = { columns: [index], needsGeometry: false, ...(tied.count < table.rowCount && { rows: tied }) };
  let position = 0;
  for await (const group of table.scanRowGroups(scan))
    for (const row of group) {
      if (rows) while (rows[position] !== row.index) position++;
      else position = row.index;
      keys[position] = sortKey(row.value(index), type);
      if (turns.isOverAfterItem()) await turns.next();
    }
  return keys;
}
