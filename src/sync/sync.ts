/** Pull and push: one side receives the changes of the other. */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { describeFilePath, isBytesPath, recordPaths } from '../catalogue/layout.ts';
import { type Comparison, compareReplicas, type Pair } from './compare.ts';
import { assertNoFolderEmptied } from './emptied-folder.ts';
import { actualPath } from './extensions.ts';
import type { Files, LocatedFile, Side } from './files.ts';
import { nameCoversPath, selectNamedPartOfPlan } from './named-part.ts';
import { makePayloadCheck } from './payloads.ts';
import { baseFilesAfterConflictChoice, type Conflict, type SyncPlan } from './plan.ts';
import { assertNothingToDo } from './related.ts';
import { type RemoteViewer, RemovedUserError, rightsOf } from './rights.ts';
import type { Progress, TransferOutcome } from './run.ts';
import { assertNothingReverted, baseFilesAfterRevert, findRevertingSteps } from './set-back.ts';
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
  const { names = [], choice, isClone, force, dryRun = false, signal, onProgress } = options;
  const { state } = pair;
  const comparison = await compareReplicas(pair, { source: dryRun ? undefined : from, names, signal });
  let spool: TextSpool | undefined;
  try {
    assertNamesExist(names, comparison);
    const decided = await decide(comparison, pair, options, from);
    const { plan, resolved, keptOurs, isSetBack, reverting, isSentAgain } = decided;
    const steps = from === 'theirs' ? plan.incoming : plan.outgoing;
    if (from === 'ours') {
      assertUserStays(pair.viewer, steps, names);
      if (!force && names.length === 0) assertNoFolderEmptied(state.files, plan);
    }
    const job = {
      texts: comparison.texts[from],
      payloadCheck: makePayloadCheck(steps, plan.files[from === 'ours' ? 'theirs' : 'ours'], from),
      keepsIds: from === 'ours',
      state,
      signal,
    };
    await options.onPlan?.({ plan, steps, comparison });
    signal?.throwIfAborted();
    if (dryRun) {
      const outgoing = from === 'ours' ? steps : [];
      const failures = await findForbiddenSteps({ ...job, steps: outgoing, target: pair.theirs });
      return { plan, keptOurs, done: [], failures, skipped: [] };
    }
    if (steps.length + plan.agreed.length + resolved.size > 0)
      await state.begin(rightsOf(pair.viewer), comparison.removedBefore);
    const otherTexts = comparison.texts[choice === 'ours' || isSentAgain ? 'theirs' : 'ours'];
    for (const [path, file] of resolved) await setStateFile(state, path, file, otherTexts);
    await forEachConcurrent(plan.agreed, textsAtOnce, ({ from: path, now }) =>
      setStateFile(state, path, now, comparison.texts.ours),
    );
    await state.flush();
    const [source, target] = from === 'theirs' ? [pair.theirs, comparison.ours] : [comparison.ours, pair.theirs];
    spool = await spoolTexts(pair, comparison, from, steps, signal);
    const { done, failures, skipped } = await performSyncSteps({
      ...job,
      steps,
      source,
      target,
      ...(spool && { texts: makeRecordTextReader(source, spool, signal) }),
      isClone,
      onProgress,
    });
    if (from === 'theirs') await target.fitColumns?.(done.map(finalPath));
    signal?.throwIfAborted();
    const isRemoteUnchanged = from === 'theirs' || done.length === 0;
    const tag = isRemoteUnchanged && haveSameFiles(state.files, comparison.theirs) ? comparison.tag : null;
    // Files that may be hidden are blocked, or their removal waits, until a user with the rights of before comes.
    const isComplete = names.length === 0 && plan.blocked.length === 0 && !plan.hasHiddenRemovals;
    // A remote that was set back stays so until a pull or a forced push has seen all of it.
    const isDone = !isSetBack || (names.length === 0 && (from === 'theirs' || isSentAgain || reverting.length === 0));
    const timeline = (isDone ? comparison.timeline?.point : undefined) ?? state.header.timeline;
    await state.finish({
      tag,
      seenBy: isComplete ? rightsOf(pair.viewer) : state.header.seenBy,
      ...(timeline !== undefined && { timeline }),
      ...(Object.keys(comparison.removedBefore).length > 0 && { removedBefore: comparison.removedBefore }),
    });
    return { plan, keptOurs, done, failures, skipped };
  } finally {
    await spool?.close();
    await comparison.close();
  }
}

/** The plan of a run, and the changes of the last common state that it is made with. */
interface DecidedPlan {
  /** The plan of the named records. */
  readonly plan: SyncPlan;
  /** Changes of the last common state, by path; null removes the file from it. */
  readonly resolved: ReadonlyMap<string, LocatedFile | null>;
  /** The conflicts that were resolved with the local file, or its removal. */
  readonly keptOurs: readonly Conflict[];
  /** True if the remote was set back to an earlier state. */
  readonly isSetBack: boolean;
  /** Steps that would bring this earlier state. */
  readonly reverting: readonly SyncStep[];
  /** True if the remote gets again what it lost by that. */
  readonly isSentAgain: boolean;
}

/** Decides on conflicts, on a remote that has lost everything, and on one that was set back. @throws as `pull` */
async function decide(
  comparison: Comparison,
  { state }: Pair,
  { names = [], choice, force = false }: SyncOptions,
  from: Side,
): Promise<DecidedPlan> {
  const resolved = new Map<string, LocatedFile | null>();
  const makePlan = async () => selectNamedPartOfPlan(await comparison.plan(resolved), names);
  let plan = await makePlan();
  const lost = await comparison.findLostRecords();
  if (lost && !force) assertNothingToDo(lost, plan, from);
  if (choice) for (const [path, file] of baseFilesAfterConflictChoice(plan.conflicts, choice)) resolved.set(path, file);
  const keptOurs = choice === 'ours' ? plan.conflicts : [];
  // A push begins anew: what the remote has lost doesn't count as removed.
  if (lost && force && from === 'ours') for (const path of state.files.keys()) resolved.set(path, null);
  if (resolved.size) plan = await makePlan();
  const isSetBack = comparison.timeline?.hasPoint === false;
  const reverting = isSetBack ? findRevertingSteps(plan) : [];
  if (!force && from === 'theirs') assertNothingReverted(reverting);
  const isSentAgain = force && from === 'ours' && reverting.length > 0;
  if (isSentAgain) {
    for (const [path, file] of baseFilesAfterRevert(reverting, state.files, comparison.theirs))
      resolved.set(path, file);
    plan = await makePlan();
  }
  return { plan, resolved, keptOurs, isSetBack, reverting, isSentAgain };
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
