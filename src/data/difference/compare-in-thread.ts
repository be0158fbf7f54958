/** Compares the rows of larger tables in a thread. */

import type { Rename } from '../../catalogue/difference.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { countWorkOfThread } from '../counted-work.ts';
import { moduleBeside } from '../module-beside.ts';
import { RowSet } from '../table/row-set.ts';
import type { Table } from '../table/table.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { Comparison } from './classify-rows.ts';
import type { ComparedTables } from './match-by-key.ts';

/** Rows of both tables from which a thread compares them: fewer take some turns only. */
const fewestForThread = 20_000;

type Tasks = typeof import('./compare-rows-thread.ts');

const tasks = moduleBeside(import.meta.url, './compare-rows-thread');

/** @returns undefined if the tables are small, or the thread fails @throws as `compareRows` */
export async function compareInThread(
  workers: WorkerPool,
  { from, to, signal, turns }: ComparedTables,
  renamed: readonly Rename[],
  key: readonly string[] | undefined,
): Promise<Comparison | undefined> {
  if (from.rowCount + to.rowCount < fewestForThread) return undefined;
  const args: Parameters<Tasks['compareCopies']> = [placeOf(from), placeOf(to), renamed, key];
  const found = await countWorkOfThread<Tasks, 'compareCopies'>(workers, tasks, 'compareCopies', args, turns, signal);
  if (!found) return undefined;
  if ('invalid' in found) throw new ValidationError(found.invalid);
  const { removed, changed, added, ...others } = found;
  return { ...others, removed: new RowSet(removed), changed: new RowSet(changed), added: new RowSet(added) };
}

const placeOf = ({ folder, checksum }: Table) => ({ folder, checksum });
