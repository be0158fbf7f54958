/** Going through many rows, and letting others have their turn in between. */
import { setImmediate } from 'node:timers/promises';
import type { TableRow } from '../block-row.ts';
import type { ScanOptions, Table } from '../table.ts';

/** In milliseconds: what others may have to wait. */
const patience = 10;
/** Rows between two looks at the clock. */
const stride = 512;

/**
 * Visits rows in file order.
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

/** Places of rows that are gone through in one turn, where each takes a fraction of a microsecond. */
const span = 32_768;

/**
 * The places from 0 up to a count, a span at a time.
 * @throws the signal's reason when it is aborted
 */
export async function* spans(
  count: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly start: number; readonly end: number }, void, undefined> {
  for (let start = 0; start < count; start += span) {
    yield { start, end: Math.min(start + span, count) };
    await setImmediate();
    signal?.throwIfAborted();
  }
}
