/** Which row of one table is which row of another. */
import type { DifferenceKey } from '../../catalogue/difference.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import type { ColumnType } from '../../catalogue/types.ts';
import { didYouMean } from '../query/column-names.ts';
import type { Table } from '../table/table.ts';
import { type Form, type SharedColumn, scanOf, valueAt } from './compare-columns.ts';
import { pairByColumns, pairById, pairWhole, type Repeated, type Tables } from './pair-rows.ts';

/** The parameter that names the key. */
const parameter = '_key';

/** Rows of both tables, known by the same key. */
export interface Match {
  readonly key: DifferenceKey;
  /** For each row of `to`, its row of `from`; -1 where there is none. */
  readonly partners: Int32Array;
}

/**
 * Matches rows by the key that was given, or by the first that tells all rows apart and most of them again: the
 * features' ids, a column, or else all that both tables have.
 * @throws ValidationError under `_key`
 */
export async function matchRows(tables: Tables, given?: readonly string[]): Promise<Match> {
  if (given) return byGiven(tables, given);
  const { from, to, shared } = tables;
  const whole = { kind: 'row', columns: [] } as const;
  // Of no rows, anything is unique.
  if (from.rowCount === 0 || to.rowCount === 0) return { key: whole, partners: await pairWhole(tables) };
  const byId = await pairById(tables);
  if (byId.partners && isTelling(byId.partners, from))
    return { key: { kind: 'id', columns: [] }, partners: byId.partners };
  for (const column of await candidates(from, to, shared)) {
    const { partners } = await pairByColumns(tables, [column], false);
    if (partners && isTelling(partners, from)) return { key: { kind: 'columns', columns: [column.name] }, partners };
  }
  return { key: whole, partners: await pairWhole(tables) };
}

/** Whether a key that was found knows half of the rows again: numbers given anew with each version don't. */
function isTelling(partners: Int32Array, from: Table): boolean {
  const known = partners.reduce((sum, row) => (row < 0 ? sum : sum + 1), 0);
  return 2 * known >= Math.min(from.rowCount, partners.length);
}

async function byGiven(tables: Tables, given: readonly string[]): Promise<Match> {
  const names = [...new Set(given)];
  const columns = names.map((name) => columnNamed(tables, name));
  if (columns.length === 0) throw new ValidationError({ [parameter]: ['A key is made of one column at least.'] });
  const { partners, repeated } = await pairByColumns(tables, columns, true);
  if (partners) return { key: { kind: 'columns', columns: names }, partners };
  const { side, row } = repeated as Repeated;
  const found = await tables[side].row(row);
  const values = columns.map((column) => JSON.stringify(valueAt(found, column[side]))).join(', ');
  const what = names.map((name) => `"${name}"`).join(', ');
  throw new ValidationError({
    [parameter]: [`${what} can't be the key: more than one row has ${values}.`],
  });
}

function columnNamed({ from, to, shared }: Tables, name: string): SharedColumn {
  const column = shared.find((each) => each.name === name);
  if (column) return column;
  const isIn = ({ shape }: Table) =>
    shape.columns.some((each) => each.name === name) || (shape.hasGeometry && name === 'geometry');
  const known = shared.map((each) => each.name);
  const message =
    isIn(from) || isIn(to)
      ? `Only one of the versions has a column "${name}".`
      : `Unknown column "${name}".${didYouMean(name, known)}`;
  throw new ValidationError({ [parameter]: [message] });
}

/** Which columns may tell rows apart, the likeliest first. */

/** Types of values that are made to tell things apart: a float is a measurement, however different from all others. */
const telling: readonly ColumnType[] = ['integer', 'string', 'date', 'datetime'];

/** How names begin that end in these: at the start, or behind a blank or sign. */
const start = '(?:^|.*[\\s_.:-])';

/** Names in the order in which they are believed. `gid`, `fid` and their like are what GIS programs number rows by. */
const likely: readonly RegExp[] = [
  /^(?:id|uid|uuid|guid|fid|gid|oid|pk|key|objectid|ogc_fid)$/i,
  new RegExp(`${start}(?:id|uuid|guid|key)$`, 'i'),
  /[a-z](?:Id|ID)$/,
  new RegExp(`${start}(?:code|slug|symbol|number|nr|no)$`, 'i'),
  /[a-z](?:Code|Number|Nr|No)$/,
  new RegExp(`${start}name$`, 'i'),
];

const rankOf = (name: string) => {
  const rank = likely.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? likely.length : rank;
};

/** Rows looked at to see that a column is none. */
const sampleSize = 1000;

/** Columns that are worth looking at from end to end. */
const most = 8;

/**
 * The columns whose values may all be there and all be different, as far as the first rows tell: those with a likely
 * name first (`id`, `…_id`, `…code`, `…name`), then the others in their order.
 */
export async function candidates(from: Table, to: Table, shared: readonly SharedColumn[]): Promise<SharedColumn[]> {
  const fit = shared.filter(({ types }) => telling.includes(types.from) && telling.includes(types.to));
  const inFrom = await distinct(from, fit, 'from');
  const inBoth = await distinct(to, inFrom, 'to');
  // The sort is stable: among equals the order of the columns remains.
  return inBoth.sort((a, b) => rankOf(a.name) - rankOf(b.name)).slice(0, most);
}

/** The columns that are never null and never repeat a value in the first rows of a table. */
async function distinct(table: Table, columns: readonly SharedColumn[], side: 'from' | 'to'): Promise<SharedColumn[]> {
  let left = columns.map((column) => ({ column, seen: new Set<Form>() }));
  let looked = 0;
  for await (const row of table.scan(scanOf(columns.map((column) => column[side])))) {
    left = left.filter(({ column, seen }) => {
      const value = column.form(valueAt(row, column[side]));
      if (value === null || seen.has(value)) return false;
      seen.add(value);
      return true;
    });
    if (++looked === sampleSize || left.length === 0) break;
  }
  return left.map(({ column }) => column);
}
