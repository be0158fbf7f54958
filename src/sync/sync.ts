/** Pull and push: one side receives the changes of the other. */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { describeFilePath, isBytesPath, recordPaths } from '../catalogue/layout.ts';
import { type Comparison, compareReplicas, type Pair } from './compare.ts';
import { type DecidedPlan, decide } from './decide.ts';
import { assertNoFolderEmptied } from './emptied-folder.ts';
import { actualPath } from './extensions.ts';
import type { Files, LocatedFile, Side } from './files.ts';
import { nameCoversPath } from './named-part.ts';
import { makePayloadCheck } from './payloads.ts';
import type { Conflict, SyncPlan } from './plan.ts';
import { type RemoteViewer, RemovedUserError, rightsOf } from './rights.ts';
import type { Progress, TransferOutcome } from './run.ts';
import type { SyncState } from './state.ts';
import { finalPath, type SyncStep } from './steps.ts';
import { makeRecordTextReader, type TextReader, TextSpool, textsAtOnce } from './texts.ts';
import { findForbiddenSteps, performSyncSteps } from './transfer.ts';

export interface SyncOptions {
  /** Names of the records to synchronise; default all. */
  readonly names?: readonly string[];
  /** The side that wins conflicts; without it, conflicts are left alone. */
  readonly choice?: Side | undefined;
  /** True if the local catalogue is being made as a copy of the remote: nobody else writes in it. */
  readonly isClone?: boolean | undefined;
  /**
   * True to go on if the remote has nothing left of the last common state, or was set back: a pull brings its state; a push sends
   * what it lacks, also removals of all that is in a folder. Without it, such a run is refused.
   */
  readonly force?: boolean | undefined;
  /** True to make the plan only. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called before the first step. */
  readonly onPlan?: ((planned: PlannedSync) => Promise<void>) | undefined;
}

export interface PlannedSync {
  readonly plan: SyncPlan;
  /** The steps of this run, in order. */
  readonly steps: readonly SyncStep[];
  readonly comparison: Comparison;
}

export interface SyncResult extends TransferOutcome {
  /** The plan of the named records; its conflicts are the unresolved ones. */
  readonly plan: SyncPlan;
  /** The conflicts that were resolved with the local file, or its removal. */
  readonly keptOurs: readonly Conflict[];
}

/** For more texts than this, the manifest is read again with all of them. */
const manyTexts = 500;

/**
 * Brings the changes of the remote to the local catalogue. `choice` resolves conflicts: `theirs` replaces the local
 * file, `ours` keeps it, and the next push sends it.
 * @throws NotFoundError for an unknown name; ConflictError if the remote has nothing left of the last common state, or was set back;
 *   UnreachableError if the connection breaks: the next run continues
 */
export function pull(pair: Pair, options: SyncOptions = {}): Promise<SyncResult> {
  return synchronize(pair, options, 'theirs');
}

/** Sends local changes to the remote. Conflicts are left alone. @throws as `pull` */
export function push(pair: Pair, options: Omit<SyncOptions, 'choice'> = {}): Promise<SyncResult> {
  return synchronize(pair, options, 'ours');
}

async function synchronize(pair: Pair, options: SyncOptions, from: Side): Promise<SyncResult> {
  try {
    return await compareAndTransfer(pair, options, from);
  } catch (error) {
    // A connection that the signal has closed has an error of its own.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function compareAndTransfer(pair: Pair, options: SyncOptions, from: Side): Promise<SyncResult> {
  const { names = [], force, dryRun = false, signal } = options;
  const comparison = await compareReplicas(pair, { source: dryRun ? undefined : from, names, signal });
  try {
    assertNamesExist(names, comparison);
    const decided = await decide(comparison, pair, options, from);
    const { plan, keptOurs } = decided;
    const steps = from === 'theirs' ? plan.incoming : plan.outgoing;
    if (from === 'ours') {
      assertUserStays(pair.viewer, steps, names);
      if (!force && names.length === 0) assertNoFolderEmptied(pair.state.files, plan);
    }
    await options.onPlan?.({ plan, steps, comparison });
    signal?.throwIfAborted();
    const run = { pair, options, from, comparison, decided, steps };
    const { done, failures, skipped } = dryRun ? await tryOut(run) : await transfer(run);
    return { plan, keptOurs, done, failures, skipped };
  } finally {
    await comparison.close();
  }
}

/** A run of pull or push with its plan. */
interface Run {
  readonly pair: Pair;
  readonly options: SyncOptions;
  readonly from: Side;
  readonly comparison: Comparison;
  readonly decided: DecidedPlan;
  readonly steps: readonly SyncStep[];
}

/** What the steps of a run need, whether they are performed or tried out. */
const jobOf = ({ pair, options, from, comparison, decided: { plan }, steps }: Run) => ({
  texts: comparison.texts[from],
  payloadCheck: makePayloadCheck(steps, plan.files[from === 'ours' ? 'theirs' : 'ours'], from),
  keepsIds: from === 'ours',
  state: pair.state,
  signal: options.signal,
});

/** Finds the steps of a push that the remote would refuse. Nothing is changed. */
async function tryOut(run: Run): Promise<TransferOutcome> {
  const steps = run.from === 'ours' ? run.steps : [];
  const failures = await findForbiddenSteps({ ...jobOf(run), steps, target: run.pair.theirs });
  return { done: [], failures, skipped: [] };
}

/** Performs the steps of a run, and records the new common state. */
async function transfer(run: Run): Promise<TransferOutcome> {
  const { pair, options, from, comparison, steps } = run;
  const { isClone, signal, onProgress } = options;
  await recordDecisions(run);
  const [source, target] = from === 'theirs' ? [pair.theirs, comparison.ours] : [comparison.ours, pair.theirs];
  const spool = await spoolTexts(pair, comparison, from, steps, signal);
  try {
    const outcome = await performSyncSteps({
      ...jobOf(run),
      steps,
      source,
      target,
      ...(spool && { texts: makeRecordTextReader(source, spool, signal) }),
      isClone,
      onProgress,
    });
    if (from === 'theirs') await target.fitColumns?.(outcome.done.map(finalPath));
    signal?.throwIfAborted();
    await finishState(run, outcome.done.length > 0);
    return outcome;
  } finally {
    await spool?.close();
  }
}

/** Records in the last common state what was decided, and the files that both sides have changed alike. */
async function recordDecisions({ pair, options, comparison, decided, steps }: Run): Promise<void> {
  const { state, viewer } = pair;
  const { plan, resolved, isSentAgain } = decided;
  if (steps.length + plan.agreed.length + resolved.size > 0)
    await state.begin(rightsOf(viewer), comparison.removedBefore);
  const texts = comparison.texts[options.choice === 'ours' || isSentAgain ? 'theirs' : 'ours'];
  for (const [path, file] of resolved) await setStateFile(state, path, file, texts);
  await forEachConcurrent(plan.agreed, textsAtOnce, ({ from: path, now }) =>
    setStateFile(state, path, now, comparison.texts.ours),
  );
  await state.flush();
}

/** Completes the last common state. @param hasDone true if a step was done */
async function finishState({ pair, options, from, comparison, decided }: Run, hasDone: boolean): Promise<void> {
  const { state, viewer } = pair;
  const { plan, isSetBack, reverting, isSentAgain } = decided;
  const isWhole = !options.names?.length;
  const isRemoteUnchanged = from === 'theirs' || !hasDone;
  const tag = isRemoteUnchanged && haveSameFiles(state.files, comparison.theirs) ? comparison.tag : null;
  // Files that may be hidden are blocked, or their removal waits, until a user with the rights of before comes.
  const isComplete = isWhole && plan.blocked.length === 0 && !plan.hasHiddenRemovals;
  // A remote that was set back stays so until a pull or a forced push has seen all of it.
  const isRestored = isWhole && (from === 'theirs' || isSentAgain || reverting.length === 0);
  const timeline = (!isSetBack || isRestored ? comparison.timeline?.point : undefined) ?? state.header.timeline;
  await state.finish({
    tag,
    seenBy: isComplete ? rightsOf(viewer) : state.header.seenBy,
    ...(timeline !== undefined && { timeline }),
    ...(Object.keys(comparison.removedBefore).length > 0 && { removedBefore: comparison.removedBefore }),
  });
}

/** Sets a file of the last common state, with its text if it is a record; null removes it. */
async function setStateFile(
  state: SyncState,
  path: string,
  file: LocatedFile | null,
  texts: TextReader,
): Promise<void> {
  if (file === null) return state.forget(path);
  const text = isBytesPath(file.path) ? undefined : await texts.get(file.path, file.checksum);
  await state.replace(path, actualPath(path, file), file, text);
}

function assertNamesExist(names: readonly string[], { hasPath }: Comparison): void {
  const unknown = names.find((name) => !hasPath((path) => nameCoversPath(name, path)));
  if (unknown !== undefined)
    throw new NotFoundError(
      `Neither the local nor the remote catalogue has ${unknown}. ` +
        'Names look like parks, parks/trees, parks/trees@… or users/ann.',
    );
}

/**
 * Checks that a push doesn't remove the user who is signed in, with password and tokens, unless that user is named.
 * @throws RemovedUserError
 */
function assertUserStays({ username }: RemoteViewer, steps: readonly SyncStep[], names: readonly string[]): void {
  if (username === null) return;
  const paths = recordPaths({ kind: 'user', slug: username });
  const step = steps.find((one) => one.do === 'remove' && paths.includes(one.path));
  if (step && !names.some((name) => nameCoversPath(name, step.path)))
    throw new RemovedUserError(
      `This push would remove ${describeFilePath(step.path)} from the remote: you are signed in as ${username}, and ` +
        'could do nothing there any more. Nothing was changed.',
      username,
    );
}

/** A spool of the texts that the steps need; undefined if they are few, or all texts are spooled already. */
async function spoolTexts(
  pair: Pair,
  { texts, ours }: Comparison,
  from: Side,
  steps: readonly SyncStep[],
  signal: AbortSignal | undefined,
): Promise<TextSpool | undefined> {
  const wanted = new Set(steps.flatMap((step) => (step.do === 'write' ? [step.now.checksum] : [])));
  if (wanted.size <= manyTexts || texts[from].isSpooled) return undefined;
  const manifest = await (from === 'ours' ? ours : pair.theirs).manifest({ texts: true, signal });
  const spool = await TextSpool.open(pair.spool);
  try {
    for await (const entry of manifest?.entries ?? []) if (wanted.has(entry.checksum)) await spool.add(entry);
    return spool;
  } catch (error) {
    await spool.close();
    throw error;
  }
}

function haveSameFiles(base: Files, theirs: Files): boolean {
  if (base.size !== theirs.size) return false;
  for (const [path, { checksum }] of theirs) if (base.get(path)?.checksum !== checksum) return false;
  return true;
}
