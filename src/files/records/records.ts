/** Records that are created, edited and removed by their fields: the changes that this makes, committed. */

import { isDeepStrictEqual } from 'node:util';
import { aliasesAfter } from '../../catalogue/aliases.ts';
import type { CreatableKind, Input, WritableKind, WriteOptions } from '../../catalogue/catalogue.ts';
import { mergeColumns } from '../../catalogue/columns.ts';
import { ConflictError, NotFoundError, StaleError, ValidationError } from '../../catalogue/errors.ts';
import { drawId } from '../../catalogue/ids.ts';
import { parseInput } from '../../catalogue/input.ts';
import {
  isValidName,
  namespaceFolder,
  type RecordRef,
  recordFolders,
  recordStem,
  type Scope,
  unitOf,
} from '../../catalogue/layout.ts';
import { allOf } from '../../catalogue/listing.ts';
import { find } from '../../catalogue/lookup.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { formatRef, parseDatasetRef, type Ref, type Refs, refOf } from '../../catalogue/ref.ts';
import { schemas } from '../../catalogue/schemas.ts';
import type { Diagnostic, Entities, Kind } from '../../catalogue/types.ts';
import { newText } from '../../text/document.ts';
import type { Access, CatalogueFiles } from '../catalogue-files.ts';
import { added, edited, removed } from '../git/commit-message.ts';
import { runToEnd } from '../reading/event-loop.ts';
import { schemaComment } from '../scaffold.ts';
import { commitStep } from '../transaction.ts';
import { findRecord } from '../tree/file-tree.ts';
import { anyVersion, type Change } from '../writing/change.ts';
import { withImages } from './images.ts';
import { membershipChanges } from './membership.ts';

/** Reference of a kind that can be created from fields. */
type CreatableRef = Refs[CreatableKind];
type Fields = Readonly<Record<string, unknown>>;

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
  const fields = parseInput(kind, input, { partial: false }) as Fields;
  assertNamespaceName(fields);
  const slug = String(fields.slug ?? fields.username);
  const ref = (
    kind === 'dataset' ? { kind, namespace: String(fields.namespace), slug } : { kind, slug }
  ) as CreatableRef;
  await files.ensureRead([{ kind: 'settings' }, ref, ...referencedUnits(kind, fields)]);
  const memberships = ref.kind === 'group' ? await membershipChanges(files, ref, ref, fields.members) : [];
  const path = `${recordStem(ref)}.yaml`;
  const id = drawId((candidate) => [...allOf(files.snapshot, kind)].some((entity) => entity.id === candidate));
  const header = schemaComment(kind, path, files.snapshot.settings.base_url);
  const snapshot = await withImages(files, storedFields(kind, fields), dryRun, (kept, images) => {
    const text = newText({ id, ...withoutBlanks(kept) }, keyOrder(kind), header);
    const changes: Change[] = [...images, { do: 'create', path, text }, ...memberships];
    return commitStep(access, { changes }, { dryRun, message: () => added(ref), refusal: refusalFor(kind) });
  });
  if (kind === 'user' && fields.password !== undefined && !dryRun)
    await files.accounts.setPassword(slug, String(fields.password));
  return find(snapshot, ref as Refs[K]) as Entities[K];
}

/**
 * Edits a record; a new slug or namespace moves it, and the old address stays as an alias.
 * @throws NotFoundError, ValidationError, ConflictError, StaleError, NotPermittedError, UnavailableError
 */
export async function editRecord<K extends WritableKind>(
  access: Access,
  asked: Refs[K],
  input: Input,
  { ifMatch, dryRun }: WriteOptions<Entities[K]> = {},
): Promise<Entities[K]> {
  const { files } = access;
  const entity = find(files.snapshot, asked);
  const ref = refOf(entity) as Refs[WritableKind];
  const { label = '' } = entity as { readonly label?: string };
  const fields = parseInput(ref.kind, input, { partial: true, ...(ref.kind !== 'user' && { label }) }) as Fields;
  if (ref.kind === 'user' && (fields.username ?? ref.slug) !== ref.slug)
    throw new ValidationError({ username: ['A user keeps the username.'] });
  assertNamespaceName(fields);
  const target = targetOf(ref, fields);
  const moves = formatRef(target) !== formatRef(ref);
  await files.ensureRead([unitOf(target), ...referencedUnits(ref.kind, { ...(entity as object), ...fields })]);
  const memberships =
    ref.kind === 'group' ? await membershipChanges(files, ref, target as Refs['group'], fields.members) : [];
  const path = recordPath(files, ref);
  const to = recordStem(target) + path.slice(path.lastIndexOf('.'));
  const snapshot = await withImages(files, storedFields(ref.kind, fields), dryRun, (kept, images) => {
    const set = (record: RecordValue) => ({
      ...kept,
      ...(fields.columns !== undefined && { columns: mergeColumns(record.columns, fields.columns) }),
      ...(moves && { aliases: aliasesAfter(record.aliases, ref as CreatableRef, target as CreatableRef) }),
    });
    const changes: Change[] = [
      ...images,
      // The new name of a group is written first where it is used: an interruption gives nobody more rights.
      ...memberships,
      { do: 'edit', path, set },
      ...(moves ? [{ do: 'move', path, to, ifMatch: anyVersion } as const] : []),
    ];
    const assert = () => assertUnchanged(files, ref, ifMatch);
    const message = () => edited(entity as Entities[WritableKind], find(files.snapshot, target));
    return commitStep(access, { assert, changes }, { dryRun, message, refusal: refusalFor(ref.kind) });
  });
  if (ref.kind === 'user' && fields.password !== undefined && !dryRun)
    await files.accounts.setPassword(ref.slug, String(fields.password));
  return find(snapshot, target as Refs[K]) as Entities[K];
}

/**
 * Moves a record to the trash, with everything that belongs to it. A group is removed from users and namespaces, too.
 * @throws NotFoundError, ConflictError (a namespace with datasets, a broken file), StaleError, NotPermittedError
 */
export async function removeRecord(
  access: Access,
  asked: Ref,
  { ifMatch, dryRun }: WriteOptions<Entities[Kind]> = {},
): Promise<void> {
  const { files } = access;
  if (asked.kind === 'file')
    throw new ConflictError('A file of the catalogue is removed by hand, or with the record that it belongs to.');
  const ref = refOf(find(files.snapshot, asked) as Entities[WritableKind]) as RecordRef;
  if (ref.kind === 'namespace') await files.ensureRead([{ folder: `${namespaceFolder(ref.slug)}/` }]);
  const memberships = ref.kind === 'group' ? await membershipChanges(files, ref, null, undefined) : [];
  const path = recordPath(files, ref);
  const assert = () => assertUnchanged(files, ref, ifMatch as Entities[WritableKind] | undefined);
  const changes: Change[] = [...memberships, { do: 'remove', path, ifMatch: anyVersion }];
  await commitStep(access, { assert, changes }, { dryRun, message: () => removed(ref) });
}

/** Keys of a record in their order. */
export const keyOrder = (kind: WritableKind): readonly string[] => Object.keys(schemas[kind].properties);

/** The path of the record file that is there, whatever its extension. @throws NotFoundError */
export function recordPath(files: CatalogueFiles, ref: RecordRef): string {
  const path = findRecord(files.store.tree, ref);
  if (path === undefined) throw new NotFoundError();
  return path;
}

/** The fields that are stored in the record; the others are its place, or are stored with other records. */
function storedFields(kind: WritableKind, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => keyOrder(kind).includes(name)));
}

/** A new record has no empty fields: an absent text means the same. */
function withoutBlanks(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );
}

function targetOf(ref: Refs[WritableKind], { slug = ref.slug, namespace }: Fields): Refs[WritableKind] {
  if (ref.kind === 'version' || ref.kind === 'user') return ref;
  if (ref.kind !== 'dataset') return { kind: ref.kind, slug: String(slug) };
  return { kind: 'dataset', namespace: String(namespace ?? ref.namespace), slug: String(slug) };
}

/** Units that fields name, to be read before the rules ask for them. */
function referencedUnits(kind: WritableKind, { namespace, dataset, owners, groups }: Fields): readonly Scope[] {
  const groupUnits = [owners, groups].flatMap((names) => (Array.isArray(names) ? names : []));
  const asked = kind === 'query' && dataset !== undefined ? parseDatasetRef(String(dataset)) : null;
  return [
    ...groupUnits.map((slug) => ({ kind: 'group', slug: String(slug) }) as const),
    ...(kind === 'dataset' && namespace !== undefined ? [{ kind: 'namespace', slug: String(namespace) } as const] : []),
    ...(asked ? [asked, { kind: 'namespace', slug: asked.namespace } as const] : []),
  ];
}

/**
 * Reads the files again, and compares.
 * @param expected the entity that the writer has seen; undefined if any will do
 * @throws StaleError
 */
function assertUnchanged(files: CatalogueFiles, ref: RecordRef, expected: Entities[WritableKind] | undefined): void {
  if (expected === undefined) return;
  // The members of a group are in the users' records.
  const users: readonly Scope[] = ref.kind === 'group' ? [{ folder: `${recordFolders.user}/` }] : [];
  runToEnd(files.store.rescan([unitOf(ref), ...users]));
  let now: unknown;
  try {
    now = find(files.snapshot, ref as Refs[WritableKind]);
  } catch {
    throw new StaleError();
  }
  if (!isDeepStrictEqual(now, expected)) throw new StaleError();
}

/** @throws ValidationError if no namespace can have the name that the input gives */
function assertNamespaceName({ namespace }: Fields): void {
  if (namespace !== undefined && !isValidName('namespace', String(namespace)))
    throw new ValidationError({ namespace: [missingObject] });
}

const missingObject = 'Invalid hyperlink - Object does not exist.';

/** The error of an input that the rules refuse: messages by field, as Django REST Framework has them. */
function refusalFor(kind: WritableKind): (diagnostics: readonly Diagnostic[]) => Error {
  return (diagnostics) => {
    const id = diagnostics.find(({ code }) => code === 'id');
    if (id) return new ConflictError(id.message);
    if (diagnostics.some(({ code }) => code === 'name')) return new ValidationError(takenErrors(kind));
    const errors: Record<string, string[]> = {};
    for (const { code, pointer, message } of diagnostics) {
      const field = code === 'container' ? 'namespace' : (pointer.split('/')[1] ?? 'non_field_errors');
      const isLink = code === 'container' || kind === 'query';
      errors[field] = [...(errors[field] ?? []), isLink ? missingObject : message];
    }
    return new ValidationError(errors);
  };
}

/** Errors of a name that is taken. */
function takenErrors(kind: WritableKind): Readonly<Record<string, readonly string[]>> {
  if (kind === 'dataset') return { non_field_errors: ['The fields namespace, slug must make a unique set.'] };
  if (kind === 'user') return { username: ['A user with that username already exists.'] };
  return { slug: [`${kind} with this slug already exists.`] };
}
