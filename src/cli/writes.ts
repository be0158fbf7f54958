/** Creating, editing and removing at a prompt, for real or as a dry run: the one place that chooses between the two. */
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import type { RefOf, Refs } from '../catalogue/ref.ts';
import { slugify } from '../catalogue/slug.ts';
import type { Entities } from '../catalogue/types.ts';
import { dryRunOf } from './dry-run.ts';
import { UsageError } from './errors.ts';
import { withSuggestions } from './lookup.ts';
import { refFrom, withNameConflict } from './name-conflict.ts';

export interface WriteFlags {
  /** Check everything and write nothing. */
  readonly dryRun?: boolean | undefined;
}

const writerOf = (catalogue: Catalogue, { dryRun }: WriteFlags) => (dryRun ? dryRunOf(catalogue) : catalogue);

/** Creates a record. @throws ConflictError where its name is in use; ValidationError, NotPermittedError */
export function createRecord<K extends CreatableKind>(
  catalogue: Catalogue,
  kind: K,
  input: Input,
  flags: WriteFlags = {},
): Promise<Entities[K]> {
  return withNameConflict(catalogue, refFrom(kind, input), null, () => writerOf(catalogue, flags).create(kind, input));
}

/**
 * Changes fields of a record; a new slug or namespace renames it.
 * @throws NotFoundError with a suggestion; ConflictError where the new name is in use; ValidationError, NotPermittedError
 */
export function editFields<K extends WritableKind>(
  catalogue: Catalogue,
  ref: RefOf<K>,
  input: Input,
  flags: WriteFlags = {},
): Promise<Entities[K]> {
  const current: Refs[WritableKind] = ref;
  const edit = () => writerOf(catalogue, flags).edit<K>(ref, input);
  return withSuggestions(catalogue, current, () => {
    if (current.kind === 'version') return edit();
    return withNameConflict(catalogue, refFrom(current.kind, { ...current, ...input }), current, edit);
  });
}

/** Removes a record. @throws NotFoundError with a suggestion; ConflictError, NotPermittedError */
export function removeRecord(catalogue: Catalogue, ref: Refs[WritableKind], flags: WriteFlags = {}): Promise<void> {
  return withSuggestions(catalogue, ref, () => writerOf(catalogue, flags).remove(ref));
}

/** @throws UsageError where no field is given to an edit */
export function assertChanges(input: Input): void {
  if (Object.keys(input).length === 0)
    throw new UsageError('Nothing to change: give at least one field, as in --label "New label". See --help.');
}

/**
 * @param usage the command line with a name in it
 * @throws UsageError where a name has to be derived from a label without a letter or digit
 */
export function assertLabelMakesSlug(label: string, usage: string): void {
  if (label.trim() !== '' && slugify(label) === '')
    throw new UsageError(`No name can be made from the label ${JSON.stringify(label)}. Give one: ${usage}`);
}
