/** Sorts the rows of a table by the values of columns. */
import { sortIndexesWithoutBlocking, type Turns, workInRanges } from '../event-loop.ts';
import { columnIndex } from '../row.ts';
import type { RowTable } from '../table/table.ts';
import { compareSortKeys, type OrderingColumn, type SortKey, sortKey } from './ordering.ts';

/** The numbers of all rows in an order; equal rows stay in file order. */
export async function sortRows(
  table: RowTable,
  ordering: readonly OrderingColumn[],
  turns: Turns,
): Promise<Uint32Array> {
  const comparisons: Comparison[] = [];
  for (const { column, descending } of ordering)
    comparisons.push(await comparisonOf(table, columnIndex(column, table.schema), descending ? -1 : 1, turns));
  const [first, ...others] = comparisons as [Comparison, ...Comparison[]];
  const compare: Comparison =
    others.length === 0
      ? (a, b) => first(a, b) || a - b
      : (a, b) => {
          for (const comparison of comparisons) {
            const difference = comparison(a, b);
            if (difference !== 0) return difference;
          }
          return a - b;
        };
  return sortIndexesWithoutBlocking(table.rowCount, turns, compare);
}

/** Compares two rows by their numbers. */
type Comparison = (a: number, b: number) => number;

/** @param direction 1 for ascending, -1 for descending */
async function comparisonOf(table: RowTable, index: number, direction: number, turns: Turns): Promise<Comparison> {
  const numbers = await readNumbers(table, index, turns);
  if (!numbers) {
    const keys = await readKeys(table, index, turns);
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

/** The sort keys of a column, by row. */
async function readKeys(table: RowTable, index: number, turns: Turns): Promise<readonly SortKey[]> {
  const { type } = table.schema.columns[index] ?? {};
  const keys: SortKey[] = [];
  for await (const group of table.scanRowGroups({ columns: [index], needsGeometry: false }))
    for (const row of group) {
      keys.push(sortKey(row.value(index), type));
      if (turns.isOverAfterItem()) await turns.next();
    }
  return keys;
}
