/** A difference in figures and hints: how many values changed in which columns, and what may be the same under another key. */
import type {
  ChangeSelection,
  Difference,
  DifferenceSummary,
  OtherKey,
  PlainRow,
  RowChange,
} from '../../catalogue/difference.ts';
import { normalizeText } from '../../catalogue/normalize.ts';
import type { WorkBudget } from '../../catalogue/types.ts';
import { Turns } from '../event-loop.ts';

/** Changed rows that are counted, at most, and changed values of them, about. */
const mostCounted = 20_000;
const mostValues = 2_000_000;
/** Rows added and removed up to which another key is looked for, and cells of both together. */
const mostForOtherKey = 1000;
const mostCellsForOtherKey = 1 << 18;
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
  /** @param visit returns false to stop */
  const read = async (change: ChangeSelection['change'], most: number, visit: (row: RowChange) => boolean) => {
    const count = Math.min(difference.counts[change], most);
    for await (const row of difference.rows({ change, positions: Array.from({ length: count }, (_, i) => i) })) {
      if (!visit(row)) return;
      if (!turns.isOver) continue;
      await turns.next();
      signal?.throwIfAborted();
    }
  };
  const columns = new Map<string, { positions: number[]; caseOnly: number }>();
  let values = 0;
  let counted = 0;
  await read('changed', mostCounted, (row) => {
    if (row.change !== 'changed') return true;
    for (const name of row.columns) {
      const column = columns.get(name) ?? { positions: [], caseOnly: 0 };
      columns.set(name, column);
      column.positions.push(counted);
      values++;
      if (differInCaseOnly(row.from[name], row.to[name])) column.caseOnly++;
    }
    counted++;
    return values < mostValues;
  });
  const rows: Record<'removed' | 'added', PlainRow[]> = { removed: [], added: [] };
  const { counts, key } = difference;
  let cells = 0;
  if (key.kind === 'columns' && Math.max(counts.added, counts.removed) <= mostForOtherKey)
    for (const change of ['removed', 'added'] as const)
      await read(change, mostForOtherKey, (row) => {
        if (row.change === 'changed') return true;
        rows[change].push(row.row);
        cells += Object.keys(row.row).length;
        return cells <= mostCellsForOtherKey;
      });
  const changesOf = (name: string) => columns.get(name)?.positions.length ?? 0;
  return {
    counted,
    values,
    columns: [...columns]
      .map(([name, { positions, caseOnly }]) => ({ name, positions: Uint32Array.from(positions), caseOnly }))
      .sort((a, b) => b.positions.length - a.positions.length),
    otherKey: cells > mostCellsForOtherKey ? null : findOtherKey(rows.removed, rows.added, key.columns, changesOf),
  };
}

/** Bytes of memory that a summary takes, approximately. */
export const sizeOfSummary = ({ columns }: DifferenceSummary): number =>
  columns.reduce((size, { positions }) => size + positions.byteLength + 200, 1024);

const foldCaseAndSpaces = (text: string) => normalizeText(text, 'NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

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
