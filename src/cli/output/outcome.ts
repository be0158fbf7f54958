/** What was done, told to a person or a program; and the question before something is removed. */
import { formatRef, type Ref } from '../../catalogue/ref.ts';
import type { Call } from '../command.ts';
import { DeclinedError, UsageError } from '../errors.ts';

export interface Outcome {
  /** Past tense and infinitive: `['Added', 'add']`. */
  readonly done: readonly [did: string, would: string];
  readonly ref: Ref;
  /** Which part of it is meant: `column height of`. */
  readonly part?: string;
  /** What it is called now, where it was called otherwise before. */
  readonly now?: Ref;
  /** The API's object, where there is one (still). */
  readonly object?: unknown;
  readonly dryRun?: boolean | undefined;
}

/**
 * Tells what was done. Behind a pipe the name of the thing is the result, since it may have been derived from the
 * label; at a terminal the message names it.
 */
export function tell({ show }: Call, { done: [did, would], ref, part, now = ref, object, dryRun }: Outcome): void {
  const renamed = formatRef(now) === formatRef(ref) ? '' : `, now ${formatRef(now)}`;
  const sentence = `${part ? `${part} ` : ''}${ref.kind} ${formatRef(ref)}${renamed}`;
  if (show.asJson && object !== undefined) show.json(object);
  else if (dryRun) show.line(`Would ${would} ${sentence}`);
  else if (!show.forPeople && !show.asJson && object !== undefined) show.line(formatRef(now));
  if (!dryRun) show.message(`${did} ${sentence}.`);
}

/**
 * Asks whether something may be removed.
 * @throws UsageError where nobody can be asked; DeclinedError where the answer is no
 */
export async function confirmRemoval({ context }: Call, what: string, sure: boolean | undefined): Promise<void> {
  if (sure) return;
  if (!context.isTerminal.in || !context.isTerminal.err)
    throw new UsageError(`Nobody can be asked whether to remove ${what}. If you are sure, add --yes.`);
  if (!(await context.confirm(`Remove ${what}?`))) throw new DeclinedError('Nothing was removed.');
}
