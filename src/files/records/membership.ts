/**
 * Groups in other records: users list their groups, namespaces their owners. Renaming or removing a group changes these
 * records, and so does a new list of its members.
 */
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { type RecordRef, recordStem } from '../../catalogue/layout.ts';
import type { GroupRef } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { findRecord } from '../tree/file-tree.ts';
import type { Change } from '../writing/change.ts';

type ListChange = (names: readonly string[]) => readonly string[];

/**
 * Changes of users and namespaces when a group is renamed or removed, or gets other members.
 * @param target its reference afterwards; null if it is removed
 * @param members usernames; undefined if they stay
 * @throws ValidationError if there is no such user
 */
export async function membershipChanges(
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
  if (missing.length) throw new ValidationError({ members: missing.map((name) => `There is no user ${name}.`) });
  const slug = target?.slug ?? null;
  const pathOf = (ref: RecordRef) => findRecord(files.store.tree, ref) ?? `${recordStem(ref)}.yaml`;
  const changes: Change[] = [];
  for (const user of usersToChange(snapshot, group.slug, wanted, slug !== group.slug)) {
    const isMember = wanted?.includes(user) ?? snapshot.users.get(user)?.groups.includes(group.slug);
    const list: ListChange = (groups) =>
      slug !== null && isMember ? replaceName(groups, group.slug, slug) : groups.filter((name) => name !== group.slug);
    changes.push(editList(pathOf({ kind: 'user', slug: user }), 'groups', list));
  }
  if (slug !== group.slug)
    for (const [name, { namespace }] of snapshot.folders)
      if (namespace?.owners.includes(group.slug)) {
        const list: ListChange = (owners) =>
          slug === null ? owners.filter((owner) => owner !== group.slug) : replaceName(owners, group.slug, slug);
        changes.push(editList(pathOf({ kind: 'namespace', slug: name }), 'owners', list));
      }
  return changes;
}

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

/** The list with `old` replaced by `name`; with `name` appended if it lacks `old`. */
function replaceName(names: readonly string[], old: string, name: string): readonly string[] {
  const replaced = names.map((one) => (one === old ? name : one));
  return [...new Set(replaced.includes(name) ? replaced : [...replaced, name])];
}

function editList(path: string, key: string, change: ListChange): Change {
  return {
    do: 'edit',
    path,
    set(record) {
      const names = record[key] ?? [];
      if (!Array.isArray(names)) throw new ConflictError(`${path}: ${key} is not a list.`);
      return { [key]: change(names.map(String)) };
    },
  };
}
