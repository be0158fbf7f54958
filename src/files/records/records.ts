/** Creation and removal of records: computes the changes of files and commits them. */
import type { CreatableKind, Input, RemoveOptions, WritableKind, WriteOptions } from '../../catalogue/catalogue.ts';
import { parseColumnsOfNewDataset } from '../../catalogue/columns.ts';
import { hasId } from '../../catalogue/entities-by-id.ts';
import { ConflictError } from '../../catalogue/errors.ts';
import { randomUnusedId } from '../../catalogue/ids.ts';
import { parseInput } from '../../catalogue/input.ts';
import { namespaceFolder, type RecordRef, recordPathWithoutExtension } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { normalizeNewPassword } from '../../catalogue/passwords.ts';
import { datasetRefOf, type Ref, type Refs, refOf } from '../../catalogue/ref.ts';
import type { Entities } from '../../catalogue/types.ts';
import { type Access, requireRecordPath } from '../catalogue-files.ts';
import { additionCommitMessage, removalCommitMessage } from '../git/commit-messages.ts';
import { composeRecordText } from '../reading/large-records.ts';
import { editorSchemaComment } from '../scaffold.ts';
import { commit, commitSingleStep } from '../transaction.ts';
import { anyVersion, type Change } from '../writing/change.ts';
import { assertEntityUnchanged } from '../writing/conditions.ts';
import { assertMayRemovePermanently } from '../writing/rights.ts';
import { storeImagesAndWrite } from './images.ts';
import { planGroupReferenceWrites, planReaderReferenceWrites } from './membership.ts';
import { assertNamespaceName, assertNotNameOfHidden, inputRefusal, languageOf, unitsInFields } from './record-input.ts';
import { omitEmpty, type RecordFields, recordKeyOrder, storedFields } from './stored-fields.ts';
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
