/** Which row of one table is which row of another. */
import type { DifferenceKey } from '../../catalogue/difference.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { didYouMean } from '../lookups.ts';
import type { Table } from '../table.ts';
import { candidates } from './candidates.ts';
import { type SharedColumn, valueAt } from './columns.ts';
import { pairByColumns, pairById, pairWhole, type Repeated, type Tables } from './pair.ts';

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
