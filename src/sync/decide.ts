/** Decisions of a run of pull or push before it changes anything. */
import type { Comparison, Pair } from './compare.ts';
import type { LocatedFile, Side } from './files.ts';
import { selectNamedPartOfPlan } from './named-part.ts';
import { baseFilesAfterConflictChoice, type Conflict, type SyncPlan } from './plan.ts';
import { assertNothingToDo } from './related.ts';
import { assertNothingReverted, baseFilesAfterRevert, findRevertingSteps } from './set-back.ts';
import type { SyncStep } from './steps.ts';

/** Options that decide on conflicts, and on a remote that lacks what it had. */
interface DecisionOptions {
  readonly names?: readonly string[];
  readonly choice?: Side | undefined;
  readonly force?: boolean | undefined;
}

/** The plan of a run, and the changes of the last common state that it is made with. */
export interface DecidedPlan {
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
export async function decide(
  comparison: Comparison,
  { state }: Pair,
  { names = [], choice, force = false }: DecisionOptions,
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
