/** The run of `pull`, `push` and `clone`, with its progress, and its result. */
import {
  ConflictError,
  NotPermittedError,
  StaleError,
  UnreachableError,
  ValidationError,
} from '../../catalogue/errors.ts';
import { describeFilePath } from '../../catalogue/layout.ts';
import { escapeToOneLine } from '../../catalogue/printable-text.ts';
import type { Blocked } from '../../sync/classify.ts';
import type { Pair } from '../../sync/compare.ts';
import type { Failure } from '../../sync/run.ts';
import type { SyncStep } from '../../sync/steps.ts';
import type { ChangeSummary, ConflictSummary } from '../../sync/summary.ts';
import type { SyncOptions, SyncResult } from '../../sync/sync.ts';
import type { Call } from '../command.ts';
import { runInterruptible } from '../interruption.ts';
import { showSyncProgress } from '../output/progress.ts';
import { bytesText, countText } from '../output/quantities.ts';
import { type Paint, terminalColours } from '../output/terminal.ts';
import { typedCommand } from '../typed-command.ts';

export interface RunResult extends SyncResult {
  /** The changes that were made; in a dry run, those that would be. */
  readonly changes: readonly ChangeSummary[];
  /** The conflicts, field by field. */
  readonly conflicts: readonly ConflictSummary[];
}

const howToGoOn = 'What was done until then stays: the same command goes on with the rest.';

/** Runs a pull or push, shows its progress, and stops at Ctrl-C and at the signal of the options. */
export async function runSync(
  call: Call,
  what: string,
  pair: Pair,
  direction: 'pull' | 'push',
  options: SyncOptions,
): Promise<RunResult> {
  const { context } = call;
  const [{ summarizeEachChange, summarizeEachConflict }, sync, ...errors] = await Promise.all([
    import('../../sync/summary.ts'),
    import('../../sync/sync.ts'),
    import('../../sync/related.ts'),
    import('../../sync/rights.ts'),
    import('../../sync/set-back.ts'),
    import('../../sync/emptied-folder.ts'),
  ]);
  const [{ LostRecordsError }, { RemovedUserError }, { SetBackError }, { EmptiedFolderError }] = errors;
  let changes: readonly ChangeSummary[] = [];
  let conflicts: readonly ConflictSummary[] = [];
  const { at, end } = showSyncProgress(context, what);
  const result = await runInterruptible(context, howToGoOn, (interrupted) =>
    sync[direction](pair, {
      ...options,
      signal: options.signal ? AbortSignal.any([interrupted, options.signal]) : interrupted,
      onProgress: at,
      async onPlan({ plan, steps, comparison }) {
        // A clone doesn't list its changes.
        if (options.isClone) return;
        changes = await summarizeEachChange(steps, pair, comparison.texts[direction === 'pull' ? 'theirs' : 'ours']);
        conflicts = await summarizeEachConflict(plan.conflicts, pair, comparison);
      },
    }),
  )
    .catch((error) => {
      if (error instanceof UnreachableError) throw new UnreachableError(`${error.message} ${howToGoOn}`);
      if (error instanceof LostRecordsError)
        throw new ConflictError(`${error.message}\n${lostRecordsHint(call, options.names)}`);
      if (error instanceof SetBackError)
        throw new ConflictError(`${error.message}\n${setBackHint(call, options.names)}`);
      if (error instanceof EmptiedFolderError)
        throw new ConflictError(
          `${error.message}\nTo remove them from the remote, too: ${typedCommand(call, 'push --force')}`,
        );
      if (!(error instanceof RemovedUserError)) throw error;
      const { message, username } = error;
      const command = typedCommand(call, 'push', [`users/${username}`]);
      throw new ConflictError(`${message}\nTo remove ${username} all the same: ${command}`);
    })
    .finally(end);
  const undone = new Set([...result.failures, ...result.skipped].map(({ path }) => path));
  return { ...result, conflicts, changes: changes.filter(({ path }) => !undone.has(path)) };
}

/** What to type if the remote has nothing left of what both sides had in common. */
const lostRecordsHint = (call: Call, names?: readonly string[]): string =>
  `If they were removed on purpose, to remove the local ones, too: ${typedCommand(call, 'pull --force', names)}\n` +
  `To send the local ones to this remote: ${typedCommand(call, 'push --force', names)}\n` +
  'If the catalogue has another address: catalogue remote set-url NAME URL';

/** What to type if the remote was set back to an earlier state. */
const setBackHint = (call: Call, names?: readonly string[]): string =>
  `To see them: ${typedCommand(call, 'pull --force --dry-run', names)}\n` +
  `To send the local ones to the remote again: ${typedCommand(call, 'push --force', names)}\n` +
  `To take the state of the remote: ${typedCommand(call, 'pull --force', names)}`;

/** The most lines that are shown to people. */
const mostLines = 100;

/** Shows changes in one direction. */
export function showSyncChanges(
  { context, global, show }: Call,
  direction: string,
  changes: readonly ChangeSummary[],
): void {
  if (!show.forPeople) {
    show.table(
      [],
      changes.map((change) => syncChangeCells(direction, change)),
    );
    return;
  }
  const paint = terminalColours(context, global.color);
  for (const change of changes.slice(0, mostLines)) context.out(`${syncChangeLine(change, paint)}\n`);
  if (changes.length > mostLines) show.line(`… and ${changes.length - mostLines} more. All of them: --json`);
}

/** Shows the blocked changes and the failures, by the names of the records. */
export function showSyncFailures(call: Call, blocked: readonly Blocked[], failures: readonly Failure[]): void {
  const { show } = call;
  const named = blocked.filter(({ isNotCheckedOut }) => !isNotCheckedOut);
  const leftOut = blocked.length - named.length;
  if (leftOut)
    show.message(
      `${countText(leftOut, 'record')} left alone: git leaves ${leftOut === 1 ? 'it' : 'them'} out of this folder ` +
        '(sparse checkout). To have all: git sparse-checkout disable',
    );
  for (const { path, reason } of named.slice(0, mostLines))
    show.failure(`${describeFilePath(path)}: left alone. ${reason}`);
  if (named.length > mostLines) show.failure(`… and ${named.length - mostLines} more that were left alone.`);
  for (const { path, error } of failures.slice(0, mostLines)) {
    // After a push, too: a pull shows what has changed.
    const message =
      error instanceof StaleError
        ? `It was changed meanwhile. Pull first: ${typedCommand(call, 'pull')}`
        : error.message;
    show.failure(`${describeFilePath(path)}: ${message}`);
  }
  if (failures.length > mostLines) show.failure(`… and ${failures.length - mostLines} more that failed.`);
}

/** Number of the records of steps: payloads and images aren't counted. */
export const countRecords = (steps: readonly SyncStep[]): number => steps.filter((step) => step.do !== 'put').length;

/** `3 records and 1.2 MB`. */
export function transferredAmountText({ done }: Pick<SyncResult, 'done'>): string {
  const records = countRecords(done);
  const bytes = done.reduce((sum, step) => sum + (step.do === 'put' ? step.now.size : 0), 0);
  const parts = [...(records ? [countText(records, 'record')] : []), ...(bytes ? [bytesText(bytes)] : [])];
  return parts.join(' and ') || countText(done.length, 'file');
}

/**
 * The exit code: 5 for a conflict, 4 for a change that isn't allowed, 2 for an invalid one, 1 for a file that can't be read
 * and any other failure.
 */
export function syncExitCode({ plan, failures }: Pick<SyncResult, 'plan' | 'failures'>): number {
  const isAny = (...kinds: readonly (new (...args: never[]) => Error)[]) =>
    failures.some(({ error }) => kinds.some((kind) => error instanceof kind));
  if (plan.conflicts.length || plan.blocked.some(({ isConflict }) => isConflict) || isAny(ConflictError, StaleError))
    return 5;
  if (isAny(NotPermittedError)) return 4;
  if (isAny(ValidationError)) return 2;
  return failures.length || plan.blocked.some(({ isUnreadable }) => isUnreadable) ? 1 : 0;
}

/** The result as an object of JSON: the changes made, and those that weren't, with the reasons. */
export function syncResultJson(direction: 'incoming' | 'outgoing', result: RunResult, url: string): object {
  return {
    remote: url,
    incoming: direction === 'incoming' ? result.changes : [],
    outgoing: direction === 'outgoing' ? result.changes : [],
    conflicts: result.conflicts,
    held: blockedJson(result.plan.blocked),
    failed: result.failures.map(({ path, error }) => ({ name: describeFilePath(path), path, error: error.message })),
    skipped: result.skipped.map(({ path }) => ({ name: describeFilePath(path), path })),
  };
}

/** Blocked changes as objects of JSON. */
export const blockedJson = (blocked: readonly Blocked[]): readonly object[] =>
  blocked.map((one) => ({ name: describeFilePath(one.path), ...one }));

const signs = { add: '+', change: '~', remove: '-', move: '~' } as const;
const colourOf = { add: 'green', change: 'yellow', remove: 'red', move: 'yellow' } as const;

/** A change for people: `+ parks/trees@2020… (1.2 MB)`. */
function syncChangeLine({ change, name, to, size, fields }: ChangeSummary, paint: Paint): string {
  const parts = [to === undefined ? name : `${name} → ${to}`];
  if (size !== undefined) parts.push(`(${bytesText(size)})`);
  if (fields) parts.push(` ${fields.join(', ') || 'comments or layout'}`);
  return `${paint(colourOf[change], signs[change])} ${escapeToOneLine(parts.join(' '))}`;
}

/** The cells of a change for programs: direction, change, name, size or new name, fields. */
function syncChangeCells(direction: string, { change, name, to, size, fields }: ChangeSummary): readonly string[] {
  return [direction, change, name, to ?? String(size ?? ''), fields?.join(',') ?? ''];
}
