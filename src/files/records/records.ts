/** Creation, edit and removal of records by their fields: computes the changes and commits them. */

import { aliasesAfterMove } from '../../catalogue/aliases.ts';
import type { CreatableKind, Input, RemoveOptions, WritableKind, WriteOptions } from '../../catalogue/catalogue.ts';
import { columnsInRecordAfterInput, parseColumnsOfNewDataset } from '../../catalogue/columns.ts';
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { hasId } from '../../catalogue/entities-by-id.ts';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { randomUnusedId } from '../../catalogue/ids.ts';
import { parseInput } from '../../catalogue/input.ts';
import {
  isValidName,
  namespaceFolder,
  type RecordRef,
  recordPathWithoutExtension,
  type Scope,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import { normalizeNewPassword } from '../../catalogue/passwords.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { datasetRefOf, formatRef, type Ref, type Refs, refOf } from '../../catalogue/ref.ts';
import { refFromLinkValue } from '../../catalogue/represent.ts';
import type { Entities } from '../../catalogue/types.ts';
import { type Access, type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import { additionCommitMessage, editCommitMessage, removalCommitMessage } from '../git/commit-messages.ts';
import { composeRecordText } from '../reading/large-records.ts';
import { editorSchemaComment } from '../scaffold.ts';
import { commit, commitSingleStep } from '../transaction.ts';
import { anyVersion, type Change } from '../writing/change.ts';
import { assertEntityUnchanged } from '../writing/conditions.ts';
import { assertMayRemovePermanently } from '../writing/rights.ts';
import { planAliasWrites } from './former-addresses.ts';
import { storeImagesAndWrite } from './images.ts';
import { editMembers, planGroupReferenceWrites, planReaderReferenceWrites } from './membership.ts';
import { metadataForRecord } from './metadata.ts';
import { planQueryDatasetWrites } from './query-datasets.ts';
import {
  isEmptyObject,
  omitEmpty,
  type RecordFields,
  recordKeyOrder,
  storedFields,
  withoutAbsentDefaults,
} from './stored-fields.ts';
import { planColumnWritesForNewestVersion } from './version-columns.ts';

/** Reference of a kind that can be created from fields. */
type CreatableRef = Refs[CreatableKind];

/**
 * Creates a record.
 * @throws ValidationError, ConflictError, NotPermittedError, UnavailableError
 */
export async function createRecord<K extends CreatableKind>(
  access: Access,
  kind: K,
  input: Input,
  { dryRun }: WriteOptions<never> = {},
): Promise<Entities[K]> {
  const { files } = access;
  const language = await languageOf(files);
  const { columns, ...given } = parseInput(kind, input, { partial: false, language }) as RecordFields;
  const fields = columns === undefined ? given : { ...given, columns: parseColumnsOfNewDataset(columns) };
  assertNamespaceName(fields);
  const slug = String(fields.slug ?? fields.username);
  if (fields.password !== undefined) normalizeNewPassword(String(fields.password), slug);
  const ref = (
    kind === 'dataset' ? { kind, namespace: String(fields.namespace), slug } : { kind, slug }
  ) as CreatableRef;
  await files.ensureRead([ref, ...unitsInFields(kind, fields)]);
  assertNotNameOfHidden(access, ref);
  const memberships = ref.kind === 'group' ? await planGroupReferenceWrites(files, ref, ref, fields.members) : [];
  const path = `${recordPathWithoutExtension(ref)}.yaml`;
  const id = randomUnusedId((candidate) => hasId(files.snapshot, kind, candidate));
  const header = editorSchemaComment(kind, path, files.snapshot.settings.base_url);
  const snapshot = await storeImagesAndWrite(files, storedFields(kind, fields), dryRun, async (kept, images) => {
    const record = { id, ...omitEmpty(kept) };
    const text = await composeRecordText(files.options.workers, kind, record, recordKeyOrder(kind), { header });
    const changes: Change[] = [...images, { do: 'create', path, text }, ...memberships];
    return commitSingleStep(
      access,
      { changes },
      { dryRun, message: () => additionCommitMessage(ref), refusal: inputRefusal(ref) },
    );
  });
  if (kind === 'user' && fields.password !== undefined && !dryRun)
    await files.accounts.setPassword(slug, String(fields.password));
  return getEntity(snapshot, ref as Refs[K]) as Entities[K];
}

/**
 * Edits a record; a new slug or namespace moves it, and the old address stays as an alias.
 * @throws NotFoundError, ValidationError, ConflictError, StaleError, NotPermittedError, UnavailableError
 */
export async function editRecord<K extends WritableKind>(
  access: Access,
  asked: Refs[K],
  input: Input,
  options: WriteOptions<Entities[K]> = {},
): Promise<Entities[K]> {
  if (asked.kind !== 'group' || input.members === undefined || options.ifMatch)
    return editRecordOnce(access, asked, input, options);
  const edit = (ifMatch: Entities[K]) => editRecordOnce(access, asked, input, { ...options, ifMatch });
  return editMembers(access.files, asked, edit);
}

/** Edits a record that is as expected. */
async function editRecordOnce<K extends WritableKind>(
  access: Access,
  asked: Refs[K],
  input: Input,
  { ifMatch, passwordHash, dryRun }: WriteOptions<Entities[K]>,
): Promise<Entities[K]> {
  const { files } = access;
  const entity = getEntity(files.snapshot, asked);
  const ref = refOf(entity) as Refs[WritableKind];
  const { label = '', columns: shown = [] } = entity as Partial<Entities['dataset']>;
  const language = await languageOf(files);
  const own = ref.kind === 'user' ? {} : { label };
  const fields = parseInput(ref.kind, input, { partial: true, language, ...own }) as RecordFields;
  if (ref.kind === 'user' && (fields.username ?? ref.slug) !== ref.slug)
    throw new ValidationError({ username: ["A username can't be changed."] });
  assertNamespaceName(fields);
  if (fields.password !== undefined) normalizeNewPassword(String(fields.password), ref.slug);
  const target = refAfterEdit(ref, fields);
  const moves = formatRef(target) !== formatRef(ref);
  await files.ensureRead([unitOfRecord(target), ...unitsInFields(ref.kind, { ...(entity as object), ...fields })]);
  if (moves) assertNotNameOfHidden(access, target);
  const path = requireRecordPath(files, ref);
  const to = recordPathWithoutExtension(target) + path.slice(path.lastIndexOf('.'));
  const snapshot = await storeImagesAndWrite(files, storedFields(ref.kind, fields), dryRun, async (kept, images) => {
    const { visibility, ...others } = kept;
    // In its former namespace, a dataset would be public that is to be public only behind the walls of its new one.
    const isShownAfterMove = moves && ref.kind === 'dataset' && visibility === 'public';
    const set = (record: RecordValue) => ({
      ...withoutAbsentDefaults(ref.kind, isShownAfterMove ? others : kept, record),
      ...(isEmptyObject(kept.reading) && { reading: undefined }),
      ...(typeof kept.metadata === 'string' && { metadata: metadataForRecord(kept.metadata, record.metadata) }),
      ...(fields.columns !== undefined && {
        columns: columnsInRecordAfterInput(record.columns, fields.columns, shown),
      }),
      ...(ref.kind === 'version' && fields.ready === true && { draft: undefined, renames: undefined }),
      ...(moves && { aliases: aliasesAfterMove(record.aliases, ref, target, files.snapshot) }),
    });
    const changes = async (): Promise<readonly Change[]> => [
      ...images,
      // Users and namespaces get the new name of a group first: an interruption gives nobody more permissions.
      ...(ref.kind === 'group'
        ? await planGroupReferenceWrites(files, ref, target as Refs['group'], fields.members)
        : []),
      { do: 'edit', path, set },
      ...(entity.kind === 'version' && fields.ready !== undefined
        ? planColumnWritesForNewestVersion(files, datasetRefOf(entity), fields.ready ? entity : undefined)
        : []),
      // The former address leads to the new one: an interruption in between leaves no query without a dataset.
      ...(moves ? [{ do: 'move', path, to, ifMatch: anyVersion } as const] : []),
      ...(moves ? await planQueryDatasetWrites(files, ref, target) : []),
      ...(moves && 'aliases' in entity ? await planAliasWrites(files, entity, target) : []),
      ...(isShownAfterMove ? [{ do: 'edit', path: to, set: () => ({ visibility }) } as const] : []),
    ];
    // Records that have its name may become others until the locks are held.
    const isNamedByOthers = moves || ref.kind === 'group';
    const assert = () => assertEntityUnchanged(files, ref, ifMatch);
    const message = () => editCommitMessage(entity as Entities[WritableKind], getEntity(files.snapshot, target));
    return commitSingleStep(
      access,
      { assert, changes: isNamedByOthers ? changes : await changes(), onlyEdits: !moves },
      { dryRun, message, refusal: inputRefusal(target) },
    );
  });
  if (ref.kind === 'user' && fields.password !== undefined && !dryRun) {
    const keepTokens = fields.keep_tokens === true;
    await files.accounts.setPassword(ref.slug, String(fields.password), { keepTokens, passwordHash });
  }
  return getEntity(snapshot, target as Refs[K]) as Entities[K];
}

/**
 * Moves a record to the trash, with everything that belongs to it. A group or user is removed from records that name it.
 * @throws NotFoundError, ConflictError (a namespace with datasets, a broken file), StaleError, NotPermittedError
 * @returns the ids of the entries of the trash that were made
 */
export async function removeRecord(
  access: Access,
  asked: Ref,
  { ifMatch, dryRun, permanently = false }: RemoveOptions = {},
): Promise<ReadonlySet<string>> {
  const { files } = access;
  if (asked.kind === 'file')
    throw new ConflictError('A file of the catalogue is removed by hand, or with the record that it belongs to.');
  const entity = getEntity(files.snapshot, asked) as Entities[WritableKind];
  const ref = refOf(entity) as RecordRef;
  await files.ensureRead(unitsInFields(entity.kind, { ...entity }));
  if (ref.kind === 'namespace') await files.ensureRead([{ folder: `${namespaceFolder(ref.slug)}/` }]);
  const path = requireRecordPath(files, ref);
  const assert = () => {
    if (permanently) assertMayRemovePermanently(access, ref);
    assertEntityUnchanged(files, ref, ifMatch as Entities[WritableKind] | undefined);
  };
  const columns = ref.kind === 'version' ? planColumnWritesForNewestVersion(files, datasetRefOf(ref)) : [];
  const changes = async (): Promise<readonly Change[]> => [
    ...(ref.kind === 'group' ? await planGroupReferenceWrites(files, ref, null, undefined) : []),
    ...(ref.kind === 'user' ? await planReaderReferenceWrites(files, ref, null) : []),
    { do: 'remove', path, ifMatch: anyVersion },
    ...columns,
  ];
  const options = { dryRun, message: () => removalCommitMessage(ref) };
  const { outcomes, trashed } = await commit(access, [{ assert, changes }], options);
  for (const outcome of outcomes) if (!outcome.done) throw outcome.error;
  return trashed;
}

/** The language in which slugs are spelled. */
async function languageOf(files: CatalogueFiles): Promise<string> {
  await files.ensureRead([{ kind: 'settings' }]);
  return files.snapshot.settings.language;
}

function refAfterEdit(ref: Refs[WritableKind], { slug = ref.slug, namespace }: RecordFields): Refs[WritableKind] {
  if (ref.kind === 'version' || ref.kind === 'user') return ref;
  if (ref.kind !== 'dataset') return { kind: ref.kind, slug: String(slug) };
  return { kind: 'dataset', namespace: String(namespace ?? ref.namespace), slug: String(slug) };
}

/** Units that fields refer to: they must be read before the rules check the references. */
function unitsInFields(
  kind: WritableKind,
  { namespace, dataset, owners, groups, readers }: RecordFields,
): readonly Scope[] {
  const members = [owners, groups, readers].flatMap((names) => (Array.isArray(names) ? names.map(String) : []));
  const asked = kind === 'query' && dataset !== undefined ? parseDatasetRef(String(dataset)) : null;
  return [
    ...members.map((member) => refFromLinkValue('group', member, {}) as Refs['group'] | Refs['user']),
    ...(kind === 'dataset' && namespace !== undefined ? [{ kind: 'namespace', slug: String(namespace) } as const] : []),
    ...(asked ? [asked, { kind: 'namespace', slug: asked.namespace } as const] : []),
  ];
}

/** @throws ValidationError if no namespace can have the name that the input gives */
function assertNamespaceName({ namespace }: RecordFields): void {
  if (namespace !== undefined && !isValidName('namespace', String(namespace)))
    throw new ValidationError({ namespace: [missingObject] });
}

const missingObject = 'Invalid hyperlink - Object does not exist.';

/** Makes the error of an input that the rules refuse: messages by field, with the wording of Django REST Framework. */
function inputRefusal(ref: Refs[WritableKind]): (diagnostics: readonly Diagnostic[]) => Error {
  const { kind } = ref;
  return (diagnostics) => {
    const id = diagnostics.find(({ code }) => code === 'id');
    if (id) return new ConflictError(id.message);
    if (diagnostics.some(({ code }) => code === 'name')) return new ValidationError(nameConflictErrors(ref));
    const errors: Record<string, string[]> = {};
    for (const { code, pointer, message } of diagnostics) {
      const field = code === 'container' ? 'namespace' : (pointer.split('/')[1] ?? 'non_field_errors');
      const isLink = code === 'container' || kind === 'query';
      errors[field] = [...(errors[field] ?? []), isLink ? missingObject : message];
    }
    return new ValidationError(errors);
  };
}

/** Errors by field for a name that another record has. */
function nameConflictErrors({ kind }: Refs[WritableKind]): Readonly<Record<string, readonly string[]>> {
  if (kind === 'dataset') return { non_field_errors: ['The fields namespace, slug must make a unique set.'] };
  if (kind === 'user') return { username: ['A user with that username already exists.'] };
  return { slug: [`${kind} with this slug already exists.`] };
}

/**
 * Refuses the name of a query or namespace that the viewer may not see, in words that don't tell that there is one.
 * @throws ValidationError
 */
function assertNotNameOfHidden({ files, visible }: Access, { kind, slug }: Refs[WritableKind]): void {
  if (kind !== 'query' && kind !== 'namespace') return;
  const records = kind === 'query' ? 'queries' : 'folders';
  const names = [...files.snapshot[records].keys()].filter((name) => name.toLowerCase() === slug.toLowerCase());
  const seen = visible()[records];
  if (names.length && !names.some((name) => seen.has(name)))
    throw new ValidationError({ slug: ['This slug is not available. Choose another.'] });
}
