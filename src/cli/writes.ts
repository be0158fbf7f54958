/**
 * Creating, editing and removing at a prompt, with messages that say what to type instead. The API calls a name that is in
 * use an invalid input, as Django REST Framework does; here it is a conflict, with an exit code of its own.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, CreatableKind, Input, WritableKind } from '../catalogue/catalogue.ts';
import { ConflictError, NotPermittedError, ValidationError } from '../catalogue/errors.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { ownUserFields } from '../catalogue/permissions.ts';
import { datasetRefOf, formatRef, type RefOf, type Refs } from '../catalogue/ref.ts';
import type { Entities } from '../catalogue/types.ts';
import type { Call } from './command.ts';
import { isRemoteCatalogue } from './context.ts';
import { UsageError } from './errors.ts';
import { findBrokenRecord, listEntities, runWithNameSuggestions } from './lookup.ts';
import type { Output } from './output/show.ts';
import { typedCommand } from './typed-command.ts';

export interface WriteFlags {
  /** Check everything and write nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Creates a record. @throws ConflictError where its name is in use; ValidationError, NotPermittedError */
export function createEntity<K extends CreatableKind>(
  call: Call,
  catalogue: Catalogue,
  kind: K,
  input: Input,
  { dryRun }: WriteFlags = {},
): Promise<Entities[K]> {
  return explainNameConflict(call, catalogue, kind, input, null, async () => {
    await assertGroupsHaveTheirNames(catalogue, kind, input);
    return catalogue.create(kind, input, { dryRun });
  });
}

/**
 * Changes fields of a record; a new slug or namespace renames it.
 * @throws NotFoundError with a suggestion; ConflictError where the new name is in use; ValidationError, NotPermittedError
 */
export function editEntityFields<K extends WritableKind>(
  call: Call,
  catalogue: Catalogue,
  ref: RefOf<K>,
  input: Input,
  { dryRun }: WriteFlags = {},
): Promise<Entities[K]> {
  const current: Refs[WritableKind] = ref;
  const edit = async () => {
    await assertGroupsHaveTheirNames(catalogue, current.kind, input);
    if (current.kind === 'user') await assertMayGrant(catalogue, current, input);
    return catalogue.edit<K>(ref, input, { dryRun });
  };
  return runWithNameSuggestions(call, catalogue, current, () => {
    if (current.kind === 'version') return edit();
    return explainNameConflict(call, catalogue, current.kind, { ...current, ...input }, current, edit);
  });
}

/** The same, with a comparison: an edit may give only what is there already. @throws as `editEntityFields` */
export async function editAndCompare<K extends WritableKind>(
  call: Call,
  catalogue: Catalogue,
  ref: RefOf<K>,
  input: Input,
  flags: WriteFlags = {},
): Promise<{ readonly before: Entities[K] | null; readonly entity: Entities[K]; readonly isUnchanged: boolean }> {
  // What is wrong about the record, the edit says.
  const before = await catalogue.get<K>(ref).catch(() => null);
  const entity = await editEntityFields(call, catalogue, ref, input, flags);
  return { before, entity, isUnchanged: isDeepStrictEqual(entity, before) };
}

/** @throws ValidationError if an input for a remote has former names of groups */
async function assertGroupsHaveTheirNames(catalogue: Catalogue, kind: WritableKind, input: Input): Promise<void> {
  if (!isRemoteCatalogue(catalogue) || !fieldsOf(kind).some(({ name, link }) => link === 'group' && input[name]))
    return;
  const { assertNoFormerNames } = await import('./missing-members.ts');
  await assertNoFormerNames(catalogue, kind, input);
}

/**
 * Checks that fields of a user which grant rights would change: a server ignores those that only staff may write.
 * @throws NotPermittedError, before anything is written
 */
async function assertMayGrant(catalogue: Catalogue, ref: Refs['user'], input: Input): Promise<void> {
  const given = Object.keys(input).filter((name) => name !== 'username' && !ownUserFields.includes(name));
  if (given.length === 0) return;
  const tried = (await catalogue.edit<'user'>(ref, input, { dryRun: true })) as unknown as Input;
  const plain = (value: unknown) => (Array.isArray(value) ? [...new Set(value)].sort().join() : String(value));
  const ignored = given.filter((name) => plain(input[name]) !== plain(tried[name]));
  if (ignored.length)
    throw new NotPermittedError(
      `Only staff may change these fields of a user: ${ignored.join(', ')}. Nothing was changed.`,
    );
}

/** Checks that the user may edit a record, for a dry run of a write that has none. @throws NotPermittedError */
export async function assertMayEditUser(catalogue: Catalogue, ref: Refs['user']): Promise<void> {
  await catalogue.edit<'user'>(ref, {}, { dryRun: true });
}

/** Removes a record. @throws NotFoundError with a suggestion; ConflictError, NotPermittedError */
export function removeEntity(
  call: Call,
  catalogue: Catalogue,
  ref: Refs[WritableKind],
  { dryRun }: WriteFlags = {},
): Promise<void> {
  return runWithNameSuggestions(call, catalogue, ref, () => catalogue.remove(ref, { dryRun }));
}

/**
 * Names the saved queries that the removal of a dataset or version leaves without data: `catalogue check` reports them. A remote that
 * doesn't list them keeps nobody from removing.
 */
export async function warnOfQueriesWithoutData(
  call: Call,
  catalogue: Catalogue,
  ref: Refs[WritableKind],
): Promise<void> {
  if (ref.kind !== 'dataset' && ref.kind !== 'version') return;
  const dataset = formatRef(ref.kind === 'dataset' ? ref : datasetRefOf(ref));
  const queries = (await listEntities(catalogue, 'query', {}).catch(() => [])).filter(
    (query) => query.dataset === dataset && (ref.kind === 'dataset' || query.version === ref.slug),
  );
  const names = queries.map(({ slug }) => slug).sort();
  if (names.length)
    call.show.message(
      `Warning: without ${formatRef(ref)}, these saved queries fail: ${names.join(', ')}. ` +
        `Remove or change them, too: ${typedCommand(call, 'query remove', names.slice(0, 1))}`,
    );
}

/** @throws UsageError where no field is given to an edit */
export function assertInputNotEmpty(input: Input): void {
  if (Object.keys(input).length === 0)
    throw new UsageError('Nothing to change: give at least one field, as in --label "New label". See --help.');
}

/** Warns of values that are accepted and probably wrong: an unknown licence, a homepage that isn't a URL. */
export async function warnOfDoubtfulValues(show: Output, kind: WritableKind, input: Input): Promise<void> {
  const { findDoubtfulFieldValues } = await import('../catalogue/meaning.ts');
  for (const { message } of findDoubtfulFieldValues(kind, input)) show.message(`Warning: ${message}`);
}

/**
 * @param usage the command line with a name in it
 * @throws UsageError where a name has to be derived from a label without a letter or digit
 */
export async function assertLabelMakesSlug(label: string, usage: string): Promise<void> {
  const { slugify } = await import('../catalogue/slug.ts');
  if (label.trim() !== '' && slugify(label) === '')
    throw new UsageError(`No name can be made from the label ${JSON.stringify(label)}. Give one: ${usage}`);
}

/** The name of a record that can be created. */
type CreatableRef = Refs[CreatableKind];

/**
 * The reference of a record with these fields; the slug is derived from the label where none is given.
 * @param language of the label
 */
async function refFrom(kind: CreatableKind, fields: Input, language: string): Promise<CreatableRef> {
  const { slugify } = await import('../catalogue/slug.ts');
  const slug = String(fields.slug || (fields.username ?? slugify(String(fields.label), language)));
  return kind === 'dataset' ? { kind, namespace: String(fields.namespace), slug } : { kind, slug };
}

/**
 * Runs an action that gives a record its name, or groups and users.
 * @param fields that the record will have, with its name or a label that gives it
 * @param current the name that the record has; null for a new one
 * @throws ConflictError where another record has the name; ValidationError with what to type
 */
async function explainNameConflict<T>(
  call: Call,
  catalogue: Catalogue,
  kind: CreatableKind,
  fields: Input,
  current: CreatableRef | null,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    // Only after a failure: to know all names, the whole catalogue has to be read.
    if (!(error instanceof ValidationError)) throw error;
    await assertNameFree(call, catalogue, await refFrom(kind, fields, await catalogue.language()), current);
    const { withCommandsForMissing } = await import('./missing-members.ts');
    throw await withCommandsForMissing(call, catalogue, kind, fields, error);
  }
}

/**
 * Names are unique without regard to case: on some file systems they would be the same folder.
 * @throws ConflictError
 */
async function assertNameFree(
  call: Call,
  catalogue: Catalogue,
  name: CreatableRef,
  current: CreatableRef | null,
): Promise<void> {
  if (current && formatRef(current).toLowerCase() === formatRef(name).toLowerCase()) return;
  const records =
    name.kind === 'dataset'
      ? await listEntities(catalogue, 'dataset', { namespace: name.namespace })
      : await listEntities<Exclude<CreatableKind, 'dataset'>>(catalogue, name.kind, {});
  const other = records.find(({ slug }) => slug.toLowerCase() === name.slug.toLowerCase());
  if (!other) {
    const broken = await findBrokenRecord(call, catalogue, name);
    if (broken) throw new ConflictError(broken);
    return;
  }
  const existing = formatRef(other);
  throw new ConflictError(
    `There is a ${name.kind} ${existing} already. Choose another name, or change that one with: ` +
      typedCommand(call, `${name.kind} edit`, [existing]),
  );
}
