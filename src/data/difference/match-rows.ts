/** Matching the rows of two tables, by a given key or by one that is detected. */

import { didYouMean } from '../../catalogue/closest.ts';
import type { DifferenceKey } from '../../catalogue/difference.ts';
import { excerpt, ValidationError } from '../../catalogue/errors.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { visitWithoutBlocking } from '../event-loop.ts';
import { columnType, type TableSchema } from '../row.ts';
import type { Table } from '../table/table.ts';
import { type ComparableValue, columnValue, type SharedColumn, scanOptionsForColumns } from './compare-columns.ts';
import {
  type ComparedTables,
  type DuplicateRow,
  matchByColumns,
  matchById,
  matchByWholeRow,
  type Side,
} from './match-by-key.ts';

/** Name of the parameter with the key. */
const parameter = '_key';

export interface RowMatch {
  readonly key: DifferenceKey;
  /** For each row of `to`, the row of `from` with the same key; -1 if there is none. */
  readonly partners: Int32Array;
}

/**
 * Matches rows by the given key, or by the first of these that identifies all rows of each table and matches at least
 * half of them: the features' ids, a column, or else all columns that both tables have.
 * @throws ValidationError under `_key`
 */
export async function matchRowsOfTables(tables: ComparedTables, givenKey?: readonly string[]): Promise<RowMatch> {
  if (givenKey) return matchByGivenKey(tables, givenKey);
  const { from, to } = tables;
  const wholeRow = { kind: 'row', columns: [] } as const;
  // In an empty table, every column is unique.
  if (from.rowCount === 0 || to.rowCount === 0) return { key: wholeRow, partners: await matchByWholeRow(tables) };
  const byId = await matchById(tables);
  if (byId.partners && matchesHalf(byId.partners, from))
    return { key: { kind: 'id', columns: [] }, partners: byId.partners };
  for (const column of await keyCandidates(tables)) {
    const { partners } = await matchByColumns(tables, [column], false);
    if (partners && matchesHalf(partners, from)) return { key: { kind: 'columns', columns: [column.name] }, partners };
  }
  return { key: wholeRow, partners: await matchByWholeRow(tables) };
}

/** True if a detected key matches at least half of the rows: numbers that are assigned anew in each version don't. */
function matchesHalf(partners: Int32Array, from: Table): boolean {
  const matched = partners.reduce((sum, row) => (row < 0 ? sum : sum + 1), 0);
  return 2 * matched >= Math.min(from.rowCount, partners.length);
}

async function matchByGivenKey(tables: ComparedTables, givenKey: readonly string[]): Promise<RowMatch> {
  const names = [...new Set(givenKey)];
  const columns = names.map((name) => sharedColumn(tables, name));
  if (columns.length === 0) throw new ValidationError({ [parameter]: ['A key needs at least one column.'] });
  const { partners, duplicate } = await matchByColumns(tables, columns, true);
  if (partners) return { key: { kind: 'columns', columns: names }, partners };
  const { side, row } = duplicate as DuplicateRow;
  const found = await tables[side].row(row);
  const values = columns.map((column) => excerpt(JSON.stringify(columnValue(found, column[side])))).join(', ');
  const quoted = names.map((name) => `"${excerpt(name)}"`).join(', ');
  throw new ValidationError({
    [parameter]: [`${quoted} can't be the key: more than one row has ${values}.`],
  });
}

function sharedColumn({ schemas: { from, to }, shared }: ComparedTables, name: string): SharedColumn {
  const column = shared.find((each) => each.name === name);
  if (column) return column;
  const isIn = (schema: TableSchema) => columnType(name, schema) !== undefined;
  const sharedNames = shared.map((each) => each.name);
  const message =
    isIn(from) || isIn(to)
      ? `Only one of the versions has a column "${excerpt(name)}".`
      : `Unknown column "${excerpt(name)}".${didYouMean(name, sharedNames)}`;
  throw new ValidationError({ [parameter]: [message] });
}

/** Types of columns that can be keys. Floats are measurements, even if all are different. */
const keyTypes: readonly ColumnType[] = ['integer', 'string', 'date', 'datetime'];

/** Start of a name pattern that matches whole words at the end of a name. */
const nameStart = '(?:^|.*[\\s_.:-])';

/** Patterns of key names, the likeliest first. `gid`, `fid` and the like are row numbers of GIS programs. */
const keyNamePatterns: readonly RegExp[] = [
  /^(?:id|uid|uuid|guid|fid|gid|oid|pk|key|objectid|ogc_fid)$/i,
  new RegExp(`${nameStart}(?:id|uuid|guid|key)$`, 'i'),
  /[a-z](?:Id|ID)$/,
  new RegExp(`${nameStart}(?:code|slug|symbol|number|nr|no)$`, 'i'),
  /[a-z](?:Code|Number|Nr|No)$/,
  new RegExp(`${nameStart}name$`, 'i'),
];

const rankOf = (name: string) => {
  const rank = keyNamePatterns.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? keyNamePatterns.length : rank;
};

/** Rows by which most columns are excluded. */
const sampleRows = 1000;

/** Most columns that are tried on all rows. */
const maxCandidates = 8;

/**
 * The columns whose values are never null and all different in the first rows of both tables: those with a likely name
 * first (`id`, `…_id`, `…code`, `…name`), then the others in their order.
 */
async function keyCandidates(tables: ComparedTables): Promise<SharedColumn[]> {
  const columns = tables.shared.filter(({ types }) => keyTypes.includes(types.from) && keyTypes.includes(types.to));
  const inFrom = await distinctColumns(tables, columns, 'from');
  const inBoth = await distinctColumns(tables, inFrom, 'to');
  // The sort is stable: names of the same rank keep their order.
  return inBoth.sort((a, b) => rankOf(a.name) - rankOf(b.name)).slice(0, maxCandidates);
}

/** The columns without nulls and repeated values in the first rows of a table. Works in turns: there may be ten thousand. */
async function distinctColumns(
  tables: ComparedTables,
  columns: readonly SharedColumn[],
  side: Side,
): Promise<SharedColumn[]> {
  let candidates = columns.map((column) => ({ column, seen: new Set<ComparableValue>() }));
  let rows = 0;
  const scan = scanOptionsForColumns(columns.map((column) => column[side]));
  await visitWithoutBlocking(tables[side].scanRowGroups(scan), tables, (row) => {
    candidates = candidates.filter(({ column, seen }) => {
      const value = column.normalize(columnValue(row, column[side]));
      if (value === null || seen.has(value)) return false;
      seen.add(value);
      return true;
    });
    return ++rows < sampleRows && candidates.length > 0;
  });
  return candidates.map(({ column }) => column);
}
