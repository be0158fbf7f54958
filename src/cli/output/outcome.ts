/** The outcome of a command, shown to a person or a program; and the question before something is removed. */
import type { Catalogue } from '../../catalogue/catalogue.ts';
import { formatRef, type Ref } from '../../catalogue/ref.ts';
import type { Links } from '../../catalogue/urls.ts';
import type { Call } from '../command.ts';
import { DeclinedError, UsageError } from '../errors.ts';

/** Addresses as the server would write them, as far as the catalogue knows its own. */
export const linksOfCatalogue = (catalogue: Catalogue): Links => ({ base: catalogue.settings.base_url, suffix: '' });

export interface Outcome {
  /** Past tense and infinitive: `['Added', 'add']`. */
  readonly done: readonly [did: string, would: string];
  /** The record, by its name before. */
  readonly ref: Ref;
  /** The part of the record, such as `column height of`. */
  readonly part?: string;
  /** The record by its name now; default the same. */
  readonly now?: Ref;
  /** True if an edit gave only what was there already. */
  readonly isUnchanged?: boolean;
  /** The API's object, of a removed record as it was. */
  readonly object?: unknown;
  readonly dryRun?: boolean | undefined;
}

/**
 * Shows what was done. Behind a pipe the record's name is the result, since it may have been derived from the label; at a
 * terminal the message names it.
 */
export function showOutcome(
  { show }: Call,
  { done: [did, would], ref, part, now = ref, isUnchanged, object, dryRun }: Outcome,
): void {
  const renamed = formatRef(now) === formatRef(ref) ? '' : `, now ${formatRef(now)}`;
  const sentence = `${part ? `${part} ` : ''}${ref.kind} ${formatRef(ref)}${renamed}`;
  if (show.asJson && object !== undefined) show.json(object);
  if (dryRun) show.planned(isUnchanged ? `Nothing would change in ${sentence}` : `Would ${would} ${sentence}`);
  else if (!show.forPeople && !show.asJson && object !== undefined) show.line(formatRef(now));
  if (!dryRun) show.message(isUnchanged ? nothingChangedText(sentence) : `${did} ${sentence}.`);
}

/** @param what such as `dataset parks/trees` */
export const nothingChangedText = (what: string): string => `Nothing was changed in ${what}.`;

/**
 * Asks for confirmation of a removal.
 * @param isConfirmed true with --yes: nothing is asked
 * @throws UsageError where there is no terminal; DeclinedError where the answer is no
 */
export async function confirmRemoval({ context }: Call, what: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  if (!context.isTerminal.in || !context.isTerminal.err)
    throw new UsageError(`There is no terminal to ask for confirmation. To remove ${what}, add --yes.`);
  if (!(await context.confirm(`Remove ${what}?`))) throw new DeclinedError('Nothing was removed.');
}
