/**
 * Groups and users in other records: users list their groups, namespaces their owners, namespaces and datasets their
 * readers. Renaming or removing a group or user changes these records, and so does a new list of a group's members.
 */
import type { WritableKind } from '../../catalogue/catalogue.ts';
import { entitiesWithIds } from '../../catalogue/entities-by-id.ts';
import { ConflictError, excerpt, StaleError, ValidationError } from '../../catalogue/errors.ts';
import { type RecordRef, recordPathWithoutExtension } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { formatRef, formatUserReader, type GroupRef, type Refs, refOf, type UserRef } from '../../catalogue/ref.ts';
import { nameInReferences } from '../../catalogue/references-to.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { ListReference } from '../../catalogue/trash.ts';
import type { Entities, Namespace } from '../../catalogue/types.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { findRecordFile } from '../tree/file-tree.ts';
import type { Change } from '../writing/change.ts';

/** Number of times that an edit of a group's members is computed again because another one came first. */
const maxAttempts = 50;

/**
 * Edits the members of a group. They stand in the users' records, and which of these change is computed before the locks are
 * taken: it is computed again if the group has other members by then. So of two edits at once, the later one counts.
 * @param edit makes the edit if the group is as expected
 * @throws ConflictError if others always come first; what `edit` throws, but for its StaleError
 */
export async function editMembers<K extends WritableKind, T>(
  files: CatalogueFiles,
  group: Refs[K],
  edit: (expected: Entities[K]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++)
    try {
      return await edit(getEntity(files.snapshot, group) as Entities[K]);
    } catch (error) {
      if (!(error instanceof StaleError)) throw error;
    }
  throw new ConflictError(`Others change the members of ${formatRef(group)} all the time. Try again later.`);
}

type ListChange = (names: readonly string[]) => readonly string[];

/**
 * Changes of users, namespaces and datasets when a group is renamed or removed, or gets other members.
 * @param target its reference afterwards; null if it is removed
 * @param members usernames; undefined if they stay
 * @throws ValidationError if there is no such user
 */
export async function planGroupReferenceWrites(
  files: CatalogueFiles,
  group: GroupRef,
  target: GroupRef | null,
  members: unknown,
): Promise<readonly Change[]> {
  if (target?.slug === group.slug && members === undefined) return [];
  await files.load();
  const { snapshot } = files;
  const wanted = members as readonly string[] | undefined;
  const missing = (wanted ?? []).filter((name) => !snapshot.users.has(name));
  if (missing.length)
    throw new ValidationError({ members: missing.map((name) => `There is no user ${excerpt(name)}.`) });
  const slug = target?.slug ?? null;
  const changes: Change[] = [];
  for (const user of usersToChange(snapshot, group.slug, wanted, slug !== group.slug)) {
    const isWanted = wanted?.includes(user);
    const list: ListChange = (groups) => {
      const renamed = replaceName(groups, group.slug, isWanted === false ? null : slug);
      return isWanted && slug !== null ? withName(renamed, slug) : renamed;
    };
    changes.push(editLists(recordPathIn(files, { kind: 'user', slug: user }), ['groups'], list));
  }
  return slug === group.slug ? changes : [...changes, ...rightsChanges(files, group.slug, slug)];
}

/** Changes of namespaces and datasets when a user whom they name as a reader is renamed or removed. */
export async function planReaderReferenceWrites(
  files: CatalogueFiles,
  user: UserRef,
  target: UserRef | null,
): Promise<readonly Change[]> {
  await files.load();
  return rightsChanges(files, formatUserReader(user.slug), target && formatUserReader(target.slug));
}

/** Changes of the records that named a group or user before it was removed, and that are still there. */
export async function planRestoredReferenceWrites(
  files: CatalogueFiles,
  ref: GroupRef | UserRef,
  references: readonly ListReference[],
): Promise<readonly Change[]> {
  await files.load();
  const name = nameInReferences(ref) as string;
  const fieldsByPath = new Map<string, string[]>();
  for (const { kind, id, field } of references)
    for (const record of entitiesWithIds(files.snapshot, kind, new Set([id]))) {
      const path = recordPathIn(files, refOf(record) as RecordRef);
      fieldsByPath.set(path, [...(fieldsByPath.get(path) ?? []), field]);
    }
  return [...fieldsByPath].map(([path, fields]) => editLists(path, fields, (names) => withName(names, name)));
}

/**
 * Changes of namespaces and datasets whose owners or readers name a group or user.
 * @param name the group's slug or `user:<username>`; `target`: the new one, null to remove it
 */
function rightsChanges(files: CatalogueFiles, name: string, target: string | null): readonly Change[] {
  const list: ListChange = (names) => replaceName(names, name, target);
  return [...files.snapshot.folders.values()].flatMap(({ namespace, datasets }) =>
    [...(namespace ? [namespace] : []), ...datasets.values()].flatMap((record) => {
      const fields = record.kind === 'namespace' ? (['owners', 'readers'] as const) : (['readers'] as const);
      const naming = fields.filter((field) => (record as Namespace)[field].includes(name));
      return naming.length ? [editLists(recordPathIn(files, refOf(record) as RecordRef), naming, list)] : [];
    }),
  );
}

const recordPathIn = (files: CatalogueFiles, ref: RecordRef) =>
  findRecordFile(files.store.tree, ref) ?? `${recordPathWithoutExtension(ref)}.yaml`;

/** Users whose groups change. */
function usersToChange(
  { users }: Snapshot,
  group: string,
  wanted: readonly string[] | undefined,
  isRenamed: boolean,
): readonly string[] {
  return [...users.values()]
    .filter(({ slug, groups }) => {
      const isMember = groups.includes(group);
      return (wanted?.includes(slug) ?? isMember) !== isMember || (isRenamed && isMember);
    })
    .map(({ slug }) => slug);
}

/**
 * The list with `old` replaced by `name`, or without it (null). A list that lacks `old` stays: it may have been taken out since
 * the snapshot.
 */
function replaceName(names: readonly string[], old: string, name: string | null): readonly string[] {
  return [...new Set(names.flatMap((one) => (one === old ? (name ?? []) : one)))];
}

const withName = (names: readonly string[], name: string): readonly string[] => [...new Set([...names, name])];

/** An edit of the lists of a record, in one change: a second one of the same file would find it changed. */
function editLists(path: string, keys: readonly string[], change: ListChange): Change {
  return {
    do: 'edit',
    path,
    set: (record) =>
      Object.fromEntries(
        keys.flatMap((key) => {
          const names = record[key] ?? [];
          if (!Array.isArray(names)) throw new ConflictError(`${path}: ${key} is not a list.`);
          const changed = change(names.map(String));
          return changed.length || names.length ? [[key, changed]] : [];
        }),
      ),
  };
}
