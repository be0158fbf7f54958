/** Columns that have another name than before: a dropped one and an added one with the same values. */
import type { ColumnDifference, Rename } from '../../catalogue/difference.ts';
import { visitWithoutBlocking } from '../event-loop.ts';
import { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import { canonicalJson, columnValue, geometryIndex, scanOptionsForColumns } from './compare-columns.ts';
import type { ComparedTables } from './match-by-key.ts';

/** Matched rows that are compared, at most. */
const sampleRows = 1000;
/** Dropped and added columns that are compared, at most. */
const maxColumns = 50;

/**
 * Pairs of a dropped and an added column that have nearly the same values in the first rows that both tables have. A column with one
 * value in all rows proves nothing.
 * @param partners as in `RowMatch`
 */
export async function findRenames(
  tables: ComparedTables,
  { dropped, added }: ColumnDifference,
  partners: Int32Array,
): Promise<readonly Rename[]> {
  if (dropped.length === 0 || added.length === 0) return [];
  const rows: number[] = [];
  for (let row = 0; row < partners.length && rows.length < sampleRows; row++)
    if ((partners[row] as number) >= 0) rows.push(row);
  const names = (columns: ColumnDifference['added']) => columns.slice(0, maxColumns).map(({ name }) => name);
  const now = await readTexts(tables, 'to', names(added), rows);
  const before = await readTexts(
    tables,
    'from',
    names(dropped),
    rows.map((row) => partners[row] as number),
  );
  const free = new Map(now);
  const found: Rename[] = [];
  for (const [from, old] of before) {
    const to = [...free].find(([, texts]) => areNearlySame(old, texts))?.[0];
    if (to === undefined) continue;
    free.delete(to);
    found.push({ from, to });
  }
  return found;
}

/** Share of the rows that have to say the same, at least. */
const leastShare = 0.9;

function areNearlySame(old: readonly (string | null)[], now: readonly (string | null)[]): boolean {
  const same = old.filter((text, i) => text === now[i]);
  return same.length >= leastShare * old.length && new Set(same).size > 1;
}

/** The values of columns as texts, by name, in the order of the rows; null for null. */
async function readTexts(
  tables: ComparedTables,
  side: 'from' | 'to',
  names: readonly string[],
  numbers: readonly number[],
): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  const table: Table = tables[side];
  const indexes = names.map((name) => tables.schemas[side].columns.findIndex((column) => column.name === name));
  const rows = new RowSet(table.rowCount);
  for (const number of numbers) rows.add(number);
  const texts = new Map<number, readonly (string | null)[]>();
  const scan = { ...scanOptionsForColumns(indexes.map((index) => (index < 0 ? geometryIndex : index))), rows };
  await visitWithoutBlocking(table.scanRowGroups(scan), tables, (row) => {
    const values = indexes.map((index) => columnValue(row, index < 0 ? geometryIndex : index));
    texts.set(
      row.index,
      values.map((value) => (value === null ? null : typeof value === 'string' ? value : canonicalJson(value))),
    );
    return true;
  });
  return new Map(names.map((name, i) => [name, numbers.map((number) => texts.get(number)?.[i] ?? null)]));
}
