/** A difference in figures and hints: how many values changed in which columns, and what may be the same under another key. */
import type {
  ChangeSelection,
  Difference,
  DifferenceSummary,
  OtherKey,
  PlainRow,
  RowChange,
} from '../../catalogue/difference.ts';
import type { WorkBudget } from '../../catalogue/types.ts';
import { Turns } from '../event-loop.ts';

/** Changed rows that are counted, at most. */
const mostCounted = 20_000;
/** Rows added and removed up to which another key is looked for. */
const mostForOtherKey = 1000;
/** Examples of a hint. */
const mostExamples = 3;

/**
 * Counts the changed values of a difference.
 * @throws the signal's reason; what the budget throws
 */
export async function summarizeDifference(
  difference: Pick<Difference, 'rows' | 'counts' | 'key'>,
  { signal, budget }: { readonly signal?: AbortSignal; readonly budget?: WorkBudget } = {},
): Promise<DifferenceSummary> {
  const turns = new Turns((milliseconds) => {
    budget?.spend(milliseconds);
    budget?.assertAvailable();
  });
  const read = async (change: ChangeSelection['change'], most: number, visit: (row: RowChange, at: number) => void) => {
    const count = Math.min(difference.counts[change], most);
    let at = 0;
    for await (const row of difference.rows({ change, positions: Array.from({ length: count }, (_, i) => i) })) {
      visit(row, at++);
      if (!turns.isOver) continue;
      await turns.next();
      signal?.throwIfAborted();
    }
  };
  const columns = new Map<string, { positions: number[]; caseOnly: number }>();
  let values = 0;
  await read('changed', mostCounted, (row, at) => {
    if (row.change !== 'changed') return;
    for (const name of row.columns) {
      const column = columns.get(name) ?? { positions: [], caseOnly: 0 };
      columns.set(name, column);
      column.positions.push(at);
      values++;
      if (differInCaseOnly(row.from[name], row.to[name])) column.caseOnly++;
    }
  });
  const rows: Record<'removed' | 'added', PlainRow[]> = { removed: [], added: [] };
  const { counts, key } = difference;
  if (key.kind === 'columns' && Math.max(counts.added, counts.removed) <= mostForOtherKey)
    for (const change of ['removed', 'added'] as const)
      await read(change, mostForOtherKey, (row) => row.change !== 'changed' && rows[change].push(row.row));
  return {
    counted: Math.min(counts.changed, mostCounted),
    values,
    columns: [...columns]
      .map(([name, { positions, caseOnly }]) => ({ name, positions: Uint32Array.from(positions), caseOnly }))
      .sort((a, b) => b.positions.length - a.positions.length),
    otherKey: findOtherKey(rows.removed, rows.added, key.columns, (name) => columns.get(name)?.positions.length ?? 0),
  };
}

/** Bytes of memory that a summary takes, approximately. */
export const sizeOfSummary = ({ columns }: DifferenceSummary): number =>
  columns.reduce((size, { positions }) => size + positions.byteLength + 200, 1024);

const foldCaseAndSpaces = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

const differInCaseOnly = (before: unknown, after: unknown): boolean =>
  typeof before === 'string' && typeof after === 'string' && foldCaseAndSpaces(before) === foldCaseAndSpaces(after);

/** The column, other than the key's, whose values most rows removed share with one row added; null if there is none. */
function findOtherKey(
  removed: readonly PlainRow[],
  added: readonly PlainRow[],
  key: readonly string[],
  changes: (column: string) => number,
): OtherKey | null {
  let best: OtherKey | null = null;
  for (const column of Object.keys(added[0] ?? {})) {
    if (key.includes(column)) continue;
    const before = rowsByValue(removed, column);
    const after = before && rowsByValue(added, column);
    if (!before || !after) continue;
    const pairs = [...after].flatMap(([value, now]) => {
      const old = before.get(value);
      return old ? [[old, now] as const] : [];
    });
    // Of several, the one that changes least in the other rows.
    const most: number = best?.rows ?? 0;
    if (pairs.length === 0 || pairs.length < most) continue;
    if (best && pairs.length === most && changes(column) >= changes(best.column)) continue;
    const keyOf = (row: PlainRow) => key.map((name) => String(row[name])).join(', ');
    const examples = pairs.slice(0, mostExamples).map(([old, now]) => [keyOf(old), keyOf(now)] as const);
    best = { column, rows: pairs.length, examples, isKey: false };
  }
  return best;
}

/** The rows by their value in a column; null if the column can't be a key: values repeat, are missing, or are measurements. */
function rowsByValue(rows: readonly PlainRow[], column: string): ReadonlyMap<unknown, PlainRow> | null {
  const found = new Map<unknown, PlainRow>();
  for (const row of rows) {
    const value = row[column];
    const isUsable = (typeof value === 'string' && value !== '') || Number.isInteger(value);
    if (!isUsable || found.has(value)) return null;
    found.set(value, row);
  }
  return found;
}
