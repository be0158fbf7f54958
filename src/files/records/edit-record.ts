/** Edit of a record by its fields: computes the changes of files and commits them. */
import { aliasesAfterMove } from '../../catalogue/aliases.ts';
import type { Input, WritableKind, WriteOptions } from '../../catalogue/catalogue.ts';
import { columnsInRecordAfterInput } from '../../catalogue/columns.ts';
import { ValidationError } from '../../catalogue/errors.ts';
import { parseInput } from '../../catalogue/input.ts';
import { recordPathWithoutExtension, unitOfRecord } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { normalizeNewPassword } from '../../catalogue/passwords.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { datasetRefOf, formatRef, type Refs, refOf } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Entities } from '../../catalogue/types.ts';
import { type Access, type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import { editCommitMessage } from '../git/commit-messages.ts';
import { commitSingleStep } from '../transaction.ts';
import { anyVersion, type Change } from '../writing/change.ts';
import { assertEntityUnchanged } from '../writing/conditions.ts';
import { planAliasWrites } from './former-addresses.ts';
import { storeImagesAndWrite } from './images.ts';
import { editMembers, planGroupReferenceWrites } from './membership.ts';
import { metadataForRecord } from './metadata.ts';
import { planQueryDatasetWrites } from './query-datasets.ts';
import { assertNamespaceName, assertNotNameOfHidden, inputRefusal, languageOf, unitsInFields } from './record-input.ts';
import { isEmptyObject, type RecordFields, storedFields, withoutAbsentDefaults } from './stored-fields.ts';
import { planColumnWritesForNewestVersion } from './version-columns.ts';

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

/** An edit of a record: the fields that it sets, and the reference and path of the record before and after. */
interface RecordEdit {
  /** The entity before the edit. */
  readonly entity: Entities[WritableKind];
  readonly fields: RecordFields;
  readonly ref: Refs[WritableKind];
  readonly path: string;
  readonly newRef: Refs[WritableKind];
  readonly newPath: string;
  /** True if the edit changes the reference. */
  readonly isMove: boolean;
}

/** Edits a record that is as expected. */
async function editRecordOnce<K extends WritableKind>(
  access: Access,
  asked: Refs[K],
  input: Input,
  { ifMatch, passwordHash, dryRun }: WriteOptions<Entities[K]>,
): Promise<Entities[K]> {
  const { files } = access;
  const edit = await parseEdit(access, asked, input);
  const { entity, fields, ref, newRef, isMove } = edit;
  const snapshot = await storeImagesAndWrite(files, storedFields(ref.kind, fields), dryRun, async (stored, images) => {
    const changes = async () => [...images, ...(await planEdit(files, edit, stored))];
    // Records that have its name may become others until the locks are held.
    const isNamedByOthers = isMove || ref.kind === 'group';
    const assert = () => assertEntityUnchanged(files, ref, ifMatch);
    const message = () => editCommitMessage(entity, getEntity(files.snapshot, newRef));
    return commitSingleStep(
      access,
      { assert, changes: isNamedByOthers ? changes : await changes(), onlyEdits: !isMove },
      { dryRun, message, refusal: inputRefusal(newRef) },
    );
  });
  if (ref.kind === 'user' && fields.password !== undefined && !dryRun) {
    const keepTokens = fields.keep_tokens === true;
    await files.accounts.setPassword(ref.slug, String(fields.password), { keepTokens, passwordHash });
  }
  return getEntity(snapshot, newRef as Refs[K]) as Entities[K];
}

/** Parses the input of an edit, and reads the records that it refers to. @throws NotFoundError, ValidationError, ConflictError */
async function parseEdit(access: Access, asked: Refs[WritableKind], input: Input): Promise<RecordEdit> {
  const { files } = access;
  const entity = getEntity(files.snapshot, asked) as Entities[WritableKind];
  const ref = refOf(entity) as Refs[WritableKind];
  const { label = '' } = entity as Partial<Entities['dataset']>;
  const language = await languageOf(files);
  const own = ref.kind === 'user' ? {} : { label };
  const fields = parseInput(ref.kind, input, { partial: true, language, ...own }) as RecordFields;
  if (ref.kind === 'user' && (fields.username ?? ref.slug) !== ref.slug)
    throw new ValidationError({ username: ["A username can't be changed."] });
  assertNamespaceName(fields);
  if (fields.password !== undefined) normalizeNewPassword(String(fields.password), ref.slug);
  const newRef = refAfterEdit(ref, fields);
  const isMove = formatRef(newRef) !== formatRef(ref);
  await files.ensureRead([unitOfRecord(newRef), ...unitsInFields(ref.kind, { ...entity, ...fields })]);
  if (isMove) assertNotNameOfHidden(access, newRef);
  const path = requireRecordPath(files, ref);
  const newPath = recordPathWithoutExtension(newRef) + path.slice(path.lastIndexOf('.'));
  return { entity, fields, ref, path, newRef, newPath, isMove };
}

/**
 * Plans the changes of files that an edit makes, in their order.
 * @param stored the fields that the record itself stores
 */
async function planEdit(files: CatalogueFiles, edit: RecordEdit, stored: RecordFields): Promise<readonly Change[]> {
  const { entity, fields, ref, path, newRef, newPath, isMove } = edit;
  const { visibility, ...others } = stored;
  // In its former namespace, a dataset would be public that is to be public only behind the walls of its new one.
  const isShownAfterMove = isMove && ref.kind === 'dataset' && visibility === 'public';
  const set = (record: RecordValue) => changedFields(edit, isShownAfterMove ? others : stored, record, files.snapshot);
  const changes: Change[] = [];
  // Users and namespaces get the new name of a group first: an interruption gives nobody more permissions.
  if (ref.kind === 'group')
    changes.push(...(await planGroupReferenceWrites(files, ref, newRef as Refs['group'], fields.members)));
  changes.push({ do: 'edit', path, set });
  if (entity.kind === 'version' && fields.ready !== undefined)
    changes.push(...planColumnWritesForNewestVersion(files, datasetRefOf(entity), fields.ready ? entity : undefined));
  if (isMove) {
    // The former address leads to the new one: an interruption in between leaves no query without a dataset.
    changes.push({ do: 'move', path, to: newPath, ifMatch: anyVersion });
    changes.push(...(await planQueryDatasetWrites(files, ref, newRef)));
    if ('aliases' in entity) changes.push(...(await planAliasWrites(files, entity, newRef)));
  }
  if (isShownAfterMove) changes.push({ do: 'edit', path: newPath, set: () => ({ visibility }) });
  return changes;
}

/** The fields to set in a record; undefined for those to remove. */
function changedFields(
  { entity, fields, ref, newRef, isMove }: RecordEdit,
  stored: RecordFields,
  record: RecordValue,
  snapshot: Snapshot,
): RecordFields {
  const changed: Record<string, unknown> = { ...withoutAbsentDefaults(ref.kind, stored, record) };
  if (isEmptyObject(stored.reading)) changed.reading = undefined;
  if (typeof stored.metadata === 'string') changed.metadata = metadataForRecord(stored.metadata, record.metadata);
  if (fields.columns !== undefined) {
    const { columns: shown = [] } = entity as Partial<Entities['dataset']>;
    changed.columns = columnsInRecordAfterInput(record.columns, fields.columns, shown);
  }
  if (ref.kind === 'version' && fields.ready === true) Object.assign(changed, { draft: undefined, renames: undefined });
  if (isMove) changed.aliases = aliasesAfterMove(record.aliases, ref, newRef, snapshot);
  return changed;
}

/** The reference of a record after an edit of its fields. */
function refAfterEdit(ref: Refs[WritableKind], { slug = ref.slug, namespace }: RecordFields): Refs[WritableKind] {
  if (ref.kind === 'version' || ref.kind === 'user') return ref;
  if (ref.kind !== 'dataset') return { kind: ref.kind, slug: String(slug) };
  return { kind: 'dataset', namespace: String(namespace ?? ref.namespace), slug: String(slug) };
}
