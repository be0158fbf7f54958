/** Which columns may tell rows apart, the likeliest first. */
import type { ColumnType } from '../../catalogue/types.ts';
import type { Table } from '../table.ts';
import { type Form, type SharedColumn, scanOf, valueAt } from './columns.ts';

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
