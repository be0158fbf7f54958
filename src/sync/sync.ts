/** Keeping two catalogues in step: taking what the other side has, and giving it what is here. */

import { mapConcurrent } from '../catalogue/concurrency.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { type Comparison, compare, type Pair } from './compare.ts';
import type { Files, Side } from './files.ts';
import { isBytes } from './paths.ts';
import { type FileAt, type Plan, type Step, settled } from './plan.ts';
import type { Outcome, Progress } from './run.ts';
import { isMeantBy, selected } from './select.ts';
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
  /** As it was at the beginning, as far as it was meant; its conflicts are those that nobody has decided. */
  readonly plan: Plan;
  /** Of how many conflicts what is here was chosen. */
  readonly kept: number;
}

/** From so many texts on, all are read at once. */
const manyTexts = 500;

/**
 * Takes what the other side has changed. Where both have, `choice` says what becomes of it: `theirs` is taken, or
 * `ours` stays and is sent by the next push.
 * @throws NotFoundError where nothing is called as named; what broke the connection: the next run goes on then
 */
export function pull(pair: Pair, options: SyncOptions = {}): Promise<Synced> {
  return synced(pair, options, 'theirs');
}

/** Gives the other side what was changed here. What both have changed is left alone. */
export function push(pair: Pair, options: Omit<SyncOptions, 'choice'> = {}): Promise<Synced> {
  return synced(pair, options, 'ours');
}

async function synced(pair: Pair, options: SyncOptions, from: Side): Promise<Synced> {
  const { names = [], choice, rehearse = false, signal, onProgress } = options;
  const { state } = pair;
  const comparison = await compare(pair, from === 'theirs' && !rehearse);
  let spool: Spool | undefined;
  try {
    mustBeKnown(names, comparison);
    let plan = selected(await comparison.plan(), names);
    const chosen = choice ? settled(plan.conflicts, choice) : new Map<string, FileAt | null>();
    const kept = choice === 'ours' ? chosen.size : 0;
    if (chosen.size) plan = selected(await comparison.plan(chosen), names);
    const steps = from === 'theirs' ? plan.incoming : plan.outgoing;
    await options.onPlan?.({ plan, steps, comparison });
    if (rehearse) return { plan, kept, done: [], failures: [], skipped: [] };
    const other = comparison.texts[choice === 'ours' ? 'theirs' : 'ours'];
    for (const [path, file] of chosen) await noteFile(state, path, file, other);
    await mapConcurrent(plan.agreed, 8, ({ from: path, now }) => noteFile(state, path, now, comparison.texts.ours));
    await state.flush();
    const [source, target] = from === 'theirs' ? [pair.theirs, pair.ours] : [pair.ours, pair.theirs];
    spool = await spoolFor(pair, comparison, from, steps);
    const texts = spool ? textsOf(source, spool) : comparison.texts[from];
    const { done, failures, skipped } = await transfer({ steps, source, target, texts, state, signal, onProgress });
    const isWhole = from === 'theirs' || done.length === 0;
    const tag = isWhole && isInStep(state.files, comparison.theirs) ? comparison.tag : null;
    // What was left alone because nobody was signed in is left alone until somebody is.
    const signedIn = pair.signedIn || (state.header.signedIn && (names.length > 0 || plan.held.length > 0));
    await state.finish({ tag, signedIn });
    return { plan, kept, done, failures, skipped };
  } finally {
    await spool?.close();
    await comparison.close();
  }
}

/** Notes what both have, or what is to be taken for it. */
async function noteFile(state: State, path: string, file: FileAt | null, texts: Texts): Promise<void> {
  if (file === null) return state.forget(path);
  await state.note(path, file, isBytes(file.path) ? undefined : await texts.get(file.path, file.checksum));
}

function mustBeKnown(names: readonly string[], { knows }: Comparison): void {
  const unknown = names.find((name) => !knows((path) => isMeantBy(name, path)));
  if (unknown !== undefined)
    throw new NotFoundError(
      `There is no ${unknown}, neither here nor there. Names are written parks, parks/trees, parks/trees@… or users/ann.`,
    );
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
