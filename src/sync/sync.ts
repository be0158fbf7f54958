/** Keeping two catalogues in step: taking what the other side has, and giving it what is here. */

import { NotFoundError } from '../catalogue/errors.ts';
import { type Comparison, compare, type Pair } from './compare.ts';
import type { Files, Side } from './files.ts';
import { inLanes } from './lanes.ts';
import { isBytes } from './paths.ts';
import type { Agreed, Conflict, Plan, Step } from './plan.ts';
import type { Outcome, Progress } from './run.ts';
import { isMeantBy, selected } from './select.ts';
import { takingTheirs } from './settle.ts';
import type { State } from './state.ts';
import { Spool, type Texts, textsOf } from './texts.ts';
import { transfer } from './transfer.ts';

export interface SyncOptions {
  /** What is meant; all where none is named. */
  readonly names?: readonly string[];
  /** Whose state counts where both have changed the same; nothing is done about those without it. */
  readonly choice?: Side | undefined;
  /** Whether nothing is to be done. */
  readonly rehearse?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Told of what is about to be done. */
  readonly onPlan?: ((told: Told) => Promise<void>) | undefined;
}

/** What is to be done, before it is. */
export interface Told {
  readonly plan: Plan;
  /** In their order. */
  readonly steps: readonly Step[];
  readonly comparison: Comparison;
}

export interface Synced extends Outcome {
  /** As it was at the beginning, as far as it was meant. */
  readonly plan: Plan;
  /** Those that nothing was done about. */
  readonly conflicts: readonly Conflict[];
}

/** From so many texts on, all are read at once. */
const manyTexts = 500;

/**
 * Takes what the other side has changed. Where both have, `choice` says what becomes of it: `theirs` is taken, or
 * `ours` stays and is sent by the next push.
 * @throws NotFoundError where nothing is called as named; what broke the connection: the next run goes on then
 */
export function pull(pair: Pair, options: SyncOptions = {}): Promise<Synced> {
  return synced(pair, options, 'theirs', (plan, conflicts) => [
    ...plan.incoming,
    ...(options.choice === 'theirs' ? takingTheirs(conflicts) : []),
  ]);
}

/** Gives the other side what was changed here. What both have changed is left alone. */
export function push(pair: Pair, options: Omit<SyncOptions, 'choice'> = {}): Promise<Synced> {
  return synced(pair, options, 'ours', (plan) => plan.outgoing);
}

async function synced(
  pair: Pair,
  options: SyncOptions,
  from: Side,
  stepsOf: (plan: Plan, conflicts: readonly Conflict[]) => readonly Step[],
): Promise<Synced> {
  const { names = [], choice, rehearse = false, signal, onProgress } = options;
  const { state } = pair;
  const comparison = await compare(pair, from === 'theirs' && !rehearse);
  let spool: Spool | undefined;
  try {
    mustBeKnown(names, comparison);
    const plan = selected(comparison.plan, names);
    const steps = stepsOf(plan, plan.conflicts);
    const left = choice === undefined ? plan.conflicts : [];
    await options.onPlan?.({ plan, steps, comparison });
    if (rehearse) return { plan, conflicts: left, done: [], failures: [], skipped: [] };
    await noteAgreed(state, plan.agreed, comparison.texts.ours);
    const [source, target] = from === 'theirs' ? [pair.theirs, pair.ours] : [pair.ours, pair.theirs];
    spool = await spoolFor(pair, comparison, from, steps);
    const texts = spool ? textsOf(source, spool) : comparison.texts[from];
    const outcome = await transfer({ steps, source, target, texts, state, signal, onProgress });
    // Not before renames are done: what they have lies where it will be by then.
    if (choice === 'ours') await noteTheirs(state, plan.conflicts, comparison.texts.theirs);
    const isWhole = from === 'theirs' || outcome.done.length === 0;
    const tag = isWhole && isInStep(state.files, comparison.theirs) ? comparison.tag : null;
    await state.finish({ tag, signedIn: pair.signedIn });
    return {
      ...outcome,
      done: outcome.done,
      failures: outcome.failures,
      skipped: outcome.skipped,
      plan,
      conflicts: left,
    };
  } finally {
    await spool?.close();
    await comparison.close();
  }
}

function mustBeKnown(names: readonly string[], { knows }: Comparison): void {
  const unknown = names.find((name) => !knows((path) => isMeantBy(name, path)));
  if (unknown !== undefined)
    throw new NotFoundError(
      `There is no ${unknown}, neither here nor there. Names are written parks, parks/trees, parks/trees@… or users/ann.`,
    );
}

/** What both have, and nobody knew. */
async function noteAgreed(state: State, agreed: readonly Agreed[], texts: Texts): Promise<void> {
  await inLanes(agreed, 8, async ({ from, now }) => {
    if (now === null) return state.drop(from);
    await state.note(from, now, isBytes(now.path) ? undefined : await texts.get(now.path, now.checksum));
  });
}

/** What they have is known now, and what is here builds on it: the next push sends it. */
async function noteTheirs(state: State, conflicts: readonly Conflict[], texts: Texts): Promise<void> {
  for (const { from, theirs } of conflicts)
    if (theirs === null) await state.drop(from);
    else
      await state.note(from, theirs, isBytes(theirs.path) ? undefined : await texts.get(theirs.path, theirs.checksum));
}

/** The texts of many records, read at once; undefined where they are few, or there already. */
async function spoolFor(
  pair: Pair,
  { texts }: Comparison,
  from: Side,
  steps: readonly Step[],
): Promise<Spool | undefined> {
  const wanted = new Set(steps.flatMap((step) => (step.do === 'write' ? [step.now.checksum] : [])));
  if (wanted.size <= manyTexts || texts[from].isWhole) return undefined;
  const manifest = await pair[from].manifest({ texts: true });
  const spool = await Spool.open(pair.spool);
  try {
    for await (const entry of manifest?.entries ?? []) if (wanted.has(entry.checksum)) await spool.add(entry);
    return spool;
  } catch (error) {
    await spool.close();
    throw error;
  }
}

/** Whether the last common state is all that the other side has. */
function isInStep(base: Files, theirs: Files): boolean {
  if (base.size !== theirs.size) return false;
  for (const [path, { checksum }] of theirs) if (base.get(path)?.checksum !== checksum) return false;
  return true;
}
