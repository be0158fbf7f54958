/** Going through all rows of a table, or some of them. */
import { setImmediate } from 'node:timers/promises';
import type { TableRow } from '../block-row.ts';
import type { ScanOptions, Table } from '../table.ts';

/** In milliseconds: what others may have to wait. */
const patience = 10;
/** Rows between two looks at the clock. */
const stride = 512;

/**
 * Visits rows in file order, and lets others have their turn in between.
 * @param visit whether to go on
 * @throws the signal's reason when it is aborted
 */
export async function walk(
  table: Table,
  scan: ScanOptions,
  signal: AbortSignal | undefined,
  visit: (row: TableRow) => boolean,
): Promise<void> {
  let since = performance.now();
  let visited = 0;
  for await (const run of table.runs(scan)) {
    for (const row of run) {
      if (!visit(row)) return;
      if (++visited % stride !== 0 || performance.now() - since < patience) continue;
      await setImmediate();
      signal?.throwIfAborted();
      since = performance.now();
    }
  }
  signal?.throwIfAborted();
}
