/**
 * Users and groups. Each is a record like others, but parts of them stand elsewhere: who is in a group stands in the
 * users' files, what a group owns in those of the namespaces, and what a user signs in with in the accounts.
 */
import type { Input } from '../catalogue/catalogue.ts';
import { ConflictError, ValidationError } from '../catalogue/errors.ts';
import { parseInput } from '../catalogue/input.ts';
import { find } from '../catalogue/lookup.ts';
import type { GroupRef, UserRef } from '../catalogue/ref.ts';
import type { Group, User } from '../catalogue/types.ts';
import type { FileCatalogue } from './file-catalogue.ts';
import { mustBeFree } from './names.ts';
import { editRecord } from './pen.ts';
import { createRecordOf, editRecordOf, orderOf, recordPath, removeRecordOf } from './writing.ts';

/** Makes a user. What one of the same name had to sign in with, who was removed by hand, isn't theirs. */
export async function createUser(files: FileCatalogue, input: Input): Promise<User> {
  const fields = parseInput('user', input, { partial: false });
  await mustExist(files, 'group', 'groups', fields.groups);
  const user = await createRecordOf(files, 'user', input);
  await files.accounts.forget(user.slug);
  if (fields.password !== undefined) await files.accounts.setPassword(user.slug, String(fields.password));
  return user;
}

/** Edits a user, who keeps the username: it stands in too many places that aren't ours. */
export async function editUser(files: FileCatalogue, ref: UserRef, input: Input): Promise<User> {
  const { username = ref.slug, password, groups } = parseInput('user', input, { partial: true });
  if (username !== ref.slug) throw new ValidationError({ username: ['A user keeps the username.'] });
  await mustExist(files, 'group', 'groups', groups);
  const user = await editRecordOf<'user'>(files, ref, input);
  if (password !== undefined) await files.accounts.setPassword(ref.slug, String(password));
  return user;
}

/** Removes a user; without the record, nothing signs in as them any more. */
export async function removeUser(files: FileCatalogue, ref: UserRef): Promise<void> {
  await removeRecordOf(files, ref);
  await files.accounts.forget(ref.slug);
}

export async function createGroup(files: FileCatalogue, input: Input): Promise<Group> {
  const { members } = parseInput('group', input, { partial: false });
  await mustExist(files, 'user', 'members', members);
  const { slug } = await createRecordOf(files, 'group', input);
  await setMembers(files, slug, members);
  return find<'group'>(files.snapshot, { kind: 'group', slug });
}

/**
 * Edits a group. A new name is written first where the old one stands: should that be interrupted, nobody may do more
 * than before, and doing it again completes it.
 */
export async function editGroup(files: FileCatalogue, ref: GroupRef, input: Input): Promise<Group> {
  await files.load();
  const { label } = find<'group'>(files.snapshot, ref);
  const { slug = ref.slug, members } = parseInput('group', input, { partial: true, label });
  await mustExist(files, 'user', 'members', members);
  const target: GroupRef = { kind: 'group', slug: String(slug) };
  if (target.slug !== ref.slug) {
    await mustBeFree(files, target, ref);
    await replaceGroup(files, ref.slug, target.slug);
  }
  await editRecordOf<'group'>(files, ref, input);
  await setMembers(files, target.slug, members);
  return find<'group'>(files.snapshot, target);
}

/** Removes a group, and its name from where it stands: a later group of that name owns and has nobody. */
export async function removeGroup(files: FileCatalogue, ref: GroupRef): Promise<void> {
  await replaceGroup(files, ref.slug, null);
  await removeRecordOf(files, ref);
}

/** @throws ValidationError where a name in the list is nobody's */
async function mustExist(files: FileCatalogue, kind: 'group' | 'user', field: string, names: unknown): Promise<void> {
  if (names === undefined) return;
  await files.load();
  const known = kind === 'group' ? files.snapshot.groups : files.snapshot.users;
  const missing = (names as readonly string[]).filter((name) => !known.has(name));
  if (missing.length) throw new ValidationError({ [field]: missing.map((name) => `There is no ${kind} ${name}.`) });
}

/** Makes these users, and no others, members of a group. */
async function setMembers(files: FileCatalogue, group: string, members: unknown): Promise<void> {
  if (members === undefined) return;
  await files.load();
  const wanted = members as readonly string[];
  for (const { slug, groups } of files.snapshot.users.values()) {
    if (wanted.includes(slug) === groups.includes(group)) continue;
    const others = (now: readonly string[]) => now.filter((name) => name !== group);
    await editList(files, { kind: 'user', slug }, 'groups', (now) =>
      wanted.includes(slug) ? [...others(now), group] : others(now),
    );
  }
}

/** Writes another group, or none, wherever one stands: among the groups of users and the owners of namespaces. */
async function replaceGroup(files: FileCatalogue, group: string, other: string | null): Promise<void> {
  await files.load();
  const replaced = (now: readonly string[]) => [
    ...new Set(now.flatMap((name) => (name === group ? (other ?? []) : name))),
  ];
  const { users, folders } = files.snapshot;
  for (const { slug, groups } of users.values())
    if (groups.includes(group)) await editList(files, { kind: 'user', slug }, 'groups', replaced);
  for (const [slug, { namespace }] of folders)
    if (namespace?.owners.includes(group)) await editList(files, { kind: 'namespace', slug }, 'owners', replaced);
}

async function editList(
  files: FileCatalogue,
  unit: { readonly kind: 'user' | 'namespace'; readonly slug: string },
  key: string,
  change: (now: readonly string[]) => readonly string[],
): Promise<void> {
  const path = await recordPath(files, unit);
  const edited = (value: Readonly<Record<string, unknown>>) => {
    const now = value[key] ?? [];
    if (!Array.isArray(now)) throw new ConflictError(`${path}: ${key} is no list.`);
    return { [key]: change(now.map(String)) };
  };
  await editRecord(files.root, path, edited, orderOf(unit.kind));
  await files.refresh([unit]);
}
