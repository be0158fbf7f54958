/** What the verbs add, edit and remove of a noun do. */
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import { formatRef } from '../catalogue/ref.ts';
import type { Call } from './command.ts';
import { editRecordUntilSaved, wantsEditor } from './editing/edit-record.ts';
import { inputFromOptions } from './fields.ts';
import { runWithNameSuggestions } from './lookup.ts';
import type { EntityChange, Noun, NounOptions, RecordNoun } from './noun.ts';
import { confirmRemoval, linksOfCatalogue, showOutcome } from './output/outcome.ts';
import {
  assertInputNotEmpty,
  assertLabelMakesSlug,
  createEntity,
  editAndCompare,
  removeEntity,
  warnOfDoubtfulValues,
  warnOfQueriesWithoutData,
} from './writes.ts';

/** Words of a command line, as commander gives them. */
type Words = readonly (string | undefined)[];

/** Adds a record. @returns the exit code */
export async function addRecord<K extends CreatableKind, Own extends object>(
  noun: Noun<K, Own>,
  call: Call,
  args: Words,
  options: Own & NounOptions,
): Promise<number> {
  const { kind, add } = noun;
  const words = wordsOf(args);
  const input = await (add.input?.(call, words, options) ?? newInput(noun, call, words, options));
  const catalogue = await call.open();
  const entity = await createEntity(call, catalogue, kind, input, options);
  const object = noun.represent(entity, linksOfCatalogue(catalogue));
  showOutcome(call, { done: ['Added', 'add'], ref: entity, object, dryRun: options.dryRun });
  await warnOfDoubtfulValues(call.show, kind, input);
  return 0;
}

/** Changes fields of a record, or opens an editor on it where none is given. @returns the exit code */
export async function editRecordFields<K extends WritableKind, Own extends object>(
  noun: RecordNoun<K, Own>,
  call: Call,
  args: Words,
  options: Own & NounOptions,
): Promise<number> {
  const { kind, edit } = noun;
  const [name = '', ...words] = wordsOf(args);
  const requested = noun.parse(name);
  const { slug, namespace } = options;
  const moved = { ...(slug !== undefined && { slug }), ...(namespace !== undefined && { namespace }) };
  const given = { ...(await givenInput(noun, call, options, words)), ...moved };
  if (wantsEditor(call, given, options))
    return editRecordUntilSaved(
      call,
      requested,
      (entity, catalogue) => noun.represent(entity, linksOfCatalogue(catalogue)),
      (catalogue, change) => showConsequences(noun, call, catalogue, change),
    );
  assertInputNotEmpty(given);
  noun.parse(formatRef({ ...requested, ...moved }));
  const catalogue = await call.open();
  const ref = (await noun.resolve?.(call, catalogue, requested)) ?? requested;
  const input = (await edit.complete?.(call, catalogue, ref, given)) ?? given;
  const { before, entity, isUnchanged } = await editAndCompare(call, catalogue, ref, input, options);
  const object = noun.represent(entity, linksOfCatalogue(catalogue));
  showOutcome(call, { done: ['Changed', 'change'], ref, now: entity, isUnchanged, object, dryRun: options.dryRun });
  if (before) await showConsequences(noun, call, catalogue, { before, entity, input, dryRun: options.dryRun });
  await warnOfDoubtfulValues(call.show, kind, input);
  return 0;
}

/** Says what follows from an edit. It is made: that a remote can't be reached any more doesn't make it a failure. */
async function showConsequences<K extends WritableKind, Own extends object>(
  { edit }: RecordNoun<K, Own>,
  call: Call,
  catalogue: Catalogue,
  change: EntityChange<K>,
): Promise<void> {
  const sentences = await Promise.resolve(edit.consequences?.(call, catalogue, change)).catch(() => []);
  for (const sentence of sentences ?? []) call.show.message(sentence);
}

/** Removes a record, after a question. @returns the exit code */
export async function removeRecord<K extends WritableKind, Own extends object>(
  noun: RecordNoun<K, Own>,
  call: Call,
  [name = '']: Words,
  options: NounOptions,
): Promise<number> {
  const requested = noun.parse(name);
  const catalogue = await call.open();
  const ref = (await noun.resolve?.(call, catalogue, requested)) ?? requested;
  // Before the question: nobody is asked about a removal that would be refused.
  if (options.dryRun || !options.yes) await removeEntity(call, catalogue, ref, { dryRun: true });
  await warnOfQueriesWithoutData(call, catalogue, ref);
  const entity = await runWithNameSuggestions(call, catalogue, ref, () => catalogue.get<K>(ref));
  if (!options.dryRun) {
    const contents = noun.remove.contents?.(entity) ?? '';
    await confirmRemoval(call, `${ref.kind} ${formatRef(ref)}${contents}`, options.yes);
    await removeEntity(call, catalogue, ref);
  }
  // Behind a pipe, nothing is printed: the name was given.
  const object = call.show.asJson ? noun.represent(entity, linksOfCatalogue(catalogue)) : undefined;
  showOutcome(call, { done: ['Removed', 'remove'], ref, object, dryRun: options.dryRun });
  return 0;
}

/** The fields of a new record: its name, unless the label makes it, and those given. */
async function newInput<K extends CreatableKind, Own extends object>(
  noun: Noun<K, Own>,
  call: Call,
  [name, ...words]: readonly string[],
  options: Own & NounOptions,
): Promise<Input> {
  const slug = name === undefined ? {} : { slug: noun.parse(name).slug };
  if (name === undefined)
    await assertLabelMakesSlug(options.label ?? '', `catalogue ${noun.kind} add <${noun.argument}> --label …`);
  return { ...slug, ...(await givenInput(noun, call, options, words)) };
}

/** The fields that options and words give. */
async function givenInput<K extends WritableKind, Own extends object>(
  noun: RecordNoun<K, Own>,
  call: Call,
  options: Own,
  words: readonly string[],
): Promise<Input> {
  return {
    ...(await inputFromOptions(noun.kind, options as Readonly<Record<string, unknown>>, call.context)),
    ...noun.ownInput?.(options, words),
  };
}

const wordsOf = (args: Words) => args.filter((word) => word !== undefined);
