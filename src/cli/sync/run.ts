/** What `pull`, `push` and `clone` have in common: the run, with its progress, and what is told of it. */
import {
  ConflictError,
  NotPermittedError,
  StaleError,
  UnreachableError,
  ValidationError,
} from '../../catalogue/errors.ts';
import type { Change, ToldConflict } from '../../sync/changes.ts';
import type { Pair } from '../../sync/compare.ts';
import type { Held } from '../../sync/plan.ts';
import type { Failure } from '../../sync/run.ts';
import type { Synced, SyncOptions } from '../../sync/sync.ts';
import type { Call } from '../command.ts';
import { interruptible } from '../interruption.ts';
import { travel } from '../output/progress.ts';
import { bytesText, counted } from '../output/quantities.ts';
import { colours } from '../output/show.ts';
import { changeCells, changeLine, conflictCells, conflictLines } from './lines.ts';

export interface RunResult extends Synced {
  /** What was done, or would be. */
  readonly changes: readonly Change[];
  readonly told: readonly ToldConflict[];
}

const goesOn = 'What was done until then stays: the same command goes on with the rest.';

/** Runs it, shows how far it has come, and stops at Ctrl-C. */
export async function runSync(
  { context }: Call,
  what: string,
  pair: Pair,
  direction: 'pull' | 'push',
  options: SyncOptions,
): Promise<RunResult> {
  const [{ changesOf, conflictsOf }, sync] = await Promise.all([
    import('../../sync/changes.ts'),
    import('../../sync/sync.ts'),
  ]);
  let changes: readonly Change[] = [];
  let told: readonly ToldConflict[] = [];
  const { at, end } = travel(context, what);
  const result = await interruptible(context, goesOn, (signal) =>
    sync[direction](pair, {
      ...options,
      signal,
      onProgress: at,
      async onPlan({ plan, steps, comparison }) {
        changes = await changesOf(steps, pair, comparison.texts[direction === 'pull' ? 'theirs' : 'ours']);
        told = await conflictsOf(plan.conflicts, pair, comparison);
      },
    }),
  )
    .catch((error) => {
      throw error instanceof UnreachableError ? new UnreachableError(`${error.message} ${goesOn}`) : error;
    })
    .finally(end);
  const undone = new Set([...result.failures, ...result.skipped].map(({ path }) => path));
  return { ...result, told, changes: changes.filter(({ path }) => !undone.has(path)) };
}

/** More lines than that are a scroll that nobody reads. */
const mostLines = 100;

/** Shows changes in one direction. */
export function showChanges({ context, global, show }: Call, direction: string, changes: readonly Change[]): void {
  if (!show.forPeople) {
    show.table(
      [],
      changes.map((change) => changeCells(direction, change)),
    );
    return;
  }
  const paint = colours(context, global.color);
  for (const change of changes.slice(0, mostLines)) context.out(`${changeLine(change, paint)}\n`);
  if (changes.length > mostLines) show.line(`… and ${changes.length - mostLines} more. All of them: --json`);
}

/** Shows conflicts, field by field. */
export function showConflicts({ context, global, show }: Call, conflicts: readonly ToldConflict[]): void {
  const paint = colours(context, global.color);
  if (!show.forPeople) show.table([], conflicts.flatMap(conflictCells));
  else for (const conflict of conflicts) for (const line of conflictLines(conflict, paint)) context.out(`${line}\n`);
}

/** Says what was left alone and what failed; records by their names. */
export async function showFailures({ show }: Call, held: readonly Held[], failures: readonly Failure[]): Promise<void> {
  const { nameOf } = await import('../../sync/paths.ts');
  for (const { path, reason } of held) show.message(`${nameOf(path)}: left alone. ${reason}`);
  for (const { path, error } of failures.slice(0, mostLines)) show.message(`${nameOf(path)}: ${error.message}`);
  if (failures.length > mostLines) show.message(`… and ${failures.length - mostLines} more that failed.`);
}

/** `3 records and 1.2 MB`. */
export function amountOf({ done }: Pick<Synced, 'done'>): string {
  const records = done.filter((step) => step.do !== 'put').length;
  const bytes = done.reduce((sum, step) => sum + (step.do === 'put' ? step.now.size : 0), 0);
  const parts = [...(records ? [counted(records, 'record')] : []), ...(bytes ? [bytesText(bytes)] : [])];
  return parts.join(' and ') || counted(done.length, 'file');
}

/** 5 where something clashes, 4 where something isn't allowed, 1 where anything else failed. */
export function exitCodeOf({ plan, failures }: Pick<Synced, 'plan' | 'failures'>): number {
  const isAny = (...kinds: readonly (new (...args: never[]) => Error)[]) =>
    failures.some(({ error }) => kinds.some((kind) => error instanceof kind));
  if (plan.conflicts.length || isAny(ConflictError, StaleError)) return 5;
  if (isAny(NotPermittedError)) return 4;
  return failures.length ? (isAny(ValidationError) ? 2 : 1) : 0;
}

/** As an object of JSON: what is done, what isn't, and why. */
export async function objectOf(direction: 'incoming' | 'outgoing', result: RunResult, url: string): Promise<object> {
  const { nameOf } = await import('../../sync/paths.ts');
  const named = ({ path }: { readonly path: string }) => ({ name: nameOf(path), path });
  return {
    remote: url,
    incoming: direction === 'incoming' ? result.changes : [],
    outgoing: direction === 'outgoing' ? result.changes : [],
    conflicts: result.told,
    held: result.plan.held.map(({ path, reason }) => ({ ...named({ path }), reason })),
    failed: result.failures.map(({ path, error }) => ({ ...named({ path }), error: error.message })),
  };
}
