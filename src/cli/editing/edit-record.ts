/** `edit` without a field: the record's own text in an editor, with its comments and the keys that people have added. */
import type { Catalogue, Input, WritableKind } from '../../catalogue/catalogue.ts';
import { NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import { recordPaths } from '../../catalogue/layout.ts';
import { formatRef, type RefOf, refOf } from '../../catalogue/ref.ts';
import type { Replica } from '../../catalogue/replica.ts';
import type { Entities } from '../../catalogue/types.ts';
import type { Call } from '../command.ts';
import { findEntityOrRenamed, type NamedRef, resolveVersionRef } from '../lookup.ts';
import type { EntityChange } from '../noun.ts';
import { nothingChangedText, showOutcome } from '../output/outcome.ts';
import { warnOfDoubtfulValues } from '../writes.ts';
import { editTextUntilSaved } from './edit-text.ts';

/** True if no field was given, and there is a terminal for an editor. */
export function wantsEditor({ context }: Call, input: Input, { dryRun }: { readonly dryRun?: boolean }): boolean {
  return Object.keys(input).length === 0 && !dryRun && context.isTerminal.in && context.isTerminal.out;
}

/**
 * Opens an editor on a record and saves the new text, unless the record was changed meanwhile.
 * @param represent makes the API's object
 * @param showConsequences says what follows from the edit, unless the record was broken before
 * @throws NotFoundError, StaleError, NotPermittedError; DeclinedError where the person gives up
 */
export async function editRecordUntilSaved<K extends WritableKind>(
  call: Call,
  requested: RefOf<K>,
  represent: (entity: Entities[K], catalogue: Catalogue) => unknown,
  showConsequences: (catalogue: Catalogue, change: EntityChange<K>) => Promise<void>,
): Promise<number> {
  const catalogue = await call.open();
  const { replica } = catalogue;
  const { ref, path } = await recordOf(call, catalogue, requested);
  const { collectRecordText } = await import('../../sync/texts.ts');
  const text = await collectRecordText(await replica.read(path));
  const { parseRecordText } = await import('../../text/parse.ts');
  const format = path.endsWith('.json') ? 'json' : 'yaml';
  const idOf = (source: string): unknown => {
    const parsed = parseRecordText(source, format);
    return 'value' in parsed ? (parsed.value as { readonly id?: unknown } | null)?.id : undefined;
  };
  const id = idOf(text);
  const { createHash } = await import('node:crypto');
  const ifMatch = createHash('sha256').update(text).digest('hex');
  let saved = text;
  const before = await catalogue.get<K>(ref as RefOf<K>).catch(() => null);
  const isChanged = await editTextUntilSaved(call.context, {
    path,
    text,
    async save(typed) {
      if (id !== undefined && 'value' in parseRecordText(typed, format) && idOf(typed) !== id)
        throw new ValidationError({ id: [`The id can't be changed. Write again: id: ${id}`] });
      const [outcome] = await replica.apply([{ do: 'write', path, text: typed, ifMatch }]);
      if (outcome && !outcome.done) throw outcome.error;
      saved = typed;
    },
  });
  if (!isChanged) {
    call.show.message(nothingChangedText(`${ref.kind} ${formatRef(ref)}`));
    return 0;
  }
  const entity = await catalogue.get<K>(ref as RefOf<K>);
  showOutcome(call, { done: ['Changed', 'change'], ref, object: represent(entity, catalogue) });
  if (before) await showConsequences(catalogue, { before, entity, input: {} });
  const parsed = parseRecordText(saved, format);
  if ('value' in parsed) await warnOfRecord(call, ref.kind, parsed.value as Input);
  return 0;
}

/** Warns of what `check` would warn of in the text of a record. */
async function warnOfRecord({ show }: Call, kind: WritableKind, record: Input): Promise<void> {
  const { findMisspelledKeys } = await import('../../catalogue/validators.ts');
  for (const { message } of findMisspelledKeys(kind, record)) show.message(`Warning: ${message}`);
  await warnOfDoubtfulValues(show, kind, record);
}

/**
 * The record's own reference, and the path of its file. A broken record is found as well: an editor can fix it.
 * @throws NotFoundError with a suggestion
 */
async function recordOf(
  call: Call,
  catalogue: Catalogue,
  requested: NamedRef,
): Promise<{ ref: NamedRef; path: string }> {
  const isNamed = requested.kind !== 'version' || requested.slug !== 'latest';
  const path = isNamed ? await pathOf(catalogue.replica, requested) : undefined;
  if (path !== undefined) return { ref: requested, path };
  const ref =
    requested.kind === 'version'
      ? (await resolveVersionRef(call, catalogue, requested)).ref
      : (refOf(await findEntityOrRenamed(call, catalogue, requested)) as NamedRef);
  const found = await pathOf(catalogue.replica, ref);
  if (found === undefined) throw new NotFoundError(`You may not read the file of ${ref.kind} ${formatRef(ref)}.`);
  return { ref, path: found };
}

/** The path of a record's file; undefined where there is none that the viewer may see. */
async function pathOf(replica: Replica, ref: NamedRef): Promise<string | undefined> {
  for (const path of recordPaths(ref)) {
    const entry = await replica.entry(path).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    if (entry) return path;
  }
  return undefined;
}
