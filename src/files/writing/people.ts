/**
 * Users and groups. Each is a record like others, but parts of them stand elsewhere: who is in a group stands in the
 * users' files, what a group owns in those of the namespaces, and what a user signs in with in the accounts.
 */
import type { Input, WriteOptions } from '../../catalogue/catalogue.ts';
import { ConflictError, ValidationError } from '../../catalogue/errors.ts';
import { parseInput } from '../../catalogue/input.ts';
import { find } from '../../catalogue/lookup.ts';
import type { GroupRef, UserRef } from '../../catalogue/ref.ts';
import type { Group, User } from '../../catalogue/types.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { mustBeAsSeen, mustBeSound } from './guard.ts';
import { mustBeFree } from './names.ts';
import { editRecord } from './pen.ts';
import { removeRecordOf } from './removing.ts';
import { show } from './shown.ts';
import { createRecordOf, editRecordOf, orderOf, recordPath } from './writing.ts';

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
export async function editUser(
  files: FileCatalogue,
  ref: UserRef,
  input: Input,
  basis?: WriteOptions<User>,
): Promise<User> {
  const { username = ref.slug, password, groups } = parseInput('user', input, { partial: true });
  if (username !== ref.slug) throw new ValidationError({ username: ['A user keeps the username.'] });
  await mustExist(files, 'group', 'groups', groups);
  const user = await editRecordOf<'user'>(files, ref, input, basis);
  if (password !== undefined) await files.accounts.setPassword(ref.slug, String(password));
  return user;
}

/** Removes a user; without the record, nothing signs in as them any more. */
export async function removeUser(files: FileCatalogue, ref: UserRef, basis?: WriteOptions<User>): Promise<void> {
  await removeRecordOf(files, ref, basis);
  await files.accounts.forget(ref.slug);
}

export async function createGroup(files: FileCatalogue, input: Input): Promise<Group> {
  const { members } = parseInput('group', input, { partial: false });
  await mustExist(files, 'user', 'members', members);
  await mustAllBeSound(files, usersIn(members));
  const { slug } = await createRecordOf(files, 'group', input);
  await setMembers(files, slug, members);
  return find<'group'>(files.snapshot, { kind: 'group', slug });
}

/**
 * Edits a group. A new name is written first where the old one stands: should that be interrupted, nobody may do more
 * than before, and doing it again completes it.
 */
export async function editGroup(
  files: FileCatalogue,
  ref: GroupRef,
  input: Input,
  { ifMatch: seen }: WriteOptions<Group> = {},
): Promise<Group> {
  await files.load();
  const { label } = find<'group'>(files.snapshot, ref);
  const { slug = ref.slug, members } = parseInput('group', input, { partial: true, label });
  await mustExist(files, 'user', 'members', members);
  const target: GroupRef = { kind: 'group', slug: String(slug) };
  const moves = target.slug !== ref.slug;
  const changing = members === undefined ? [] : membershipsToChange(files, ref.slug, members as readonly string[]);
  await mustAllBeSound(files, [ref, ...(moves ? holdersOf(files, ref.slug) : []), ...changing]);
  mustBeAsSeen(files, ref, seen);
  if (moves) {
    await mustBeFree(files, target, ref);
    await replaceGroup(files, ref.slug, target.slug);
  }
  await editRecordOf<'group'>(files, ref, input);
  await setMembers(files, target.slug, members);
  return find<'group'>(files.snapshot, target);
}

/** Removes a group, and its name from where it stands: a later group of that name owns and has nobody. */
export async function removeGroup(
  files: FileCatalogue,
  ref: GroupRef,
  { ifMatch: seen }: WriteOptions<Group> = {},
): Promise<void> {
  await files.load();
  await mustAllBeSound(files, [ref, ...holdersOf(files, ref.slug)]);
  mustBeAsSeen(files, ref, seen);
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
  const others = (now: readonly string[]) => now.filter((name) => name !== group);
  for (const user of membershipsToChange(files, group, wanted))
    await editList(files, user, 'groups', (now) =>
      wanted.includes(user.slug) ? [...others(now), group] : others(now),
    );
}

interface Holder {
  readonly kind: 'user' | 'namespace';
  readonly slug: string;
}

const usersIn = (members: unknown = []): readonly Holder[] =>
  (members as readonly string[]).map((slug) => ({ kind: 'user', slug }));

/** The users who come to a group or leave it, when these are to be its members. */
function membershipsToChange(files: FileCatalogue, group: string, wanted: readonly string[]): readonly Holder[] {
  const users = [...files.snapshot.users.values()];
  return usersIn(users.filter((user) => wanted.includes(user.slug) !== user.groups.includes(group)).map(slugOf));
}

/** Wherever a group stands: its members, and the namespaces that it owns. */
function holdersOf(files: FileCatalogue, group: string): readonly Holder[] {
  const users = [...files.snapshot.users.values()].filter(({ groups }) => groups.includes(group));
  const owned = [...files.snapshot.folders].filter(([, { namespace }]) => namespace?.owners.includes(group));
  return [...usersIn(users.map(slugOf)), ...owned.map(([slug]) => ({ kind: 'namespace', slug }) as const)];
}

const slugOf = ({ slug }: { readonly slug: string }) => slug;

/** Looked at before the first is written: what touches several files must not stop half-way at one that is broken. */
async function mustAllBeSound(files: FileCatalogue, units: readonly (Holder | GroupRef)[]): Promise<void> {
  for (const unit of units) mustBeSound(files, unit.kind, await recordPath(files, unit));
}

/** Writes another group, or none, wherever one stands: among the groups of users and the owners of namespaces. */
async function replaceGroup(files: FileCatalogue, group: string, other: string | null): Promise<void> {
  await files.load();
  const replaced = (now: readonly string[]) => [
    ...new Set(now.flatMap((name) => (name === group ? (other ?? []) : name))),
  ];
  for (const holder of holdersOf(files, group))
    await editList(files, holder, holder.kind === 'user' ? 'groups' : 'owners', replaced);
}

/**
 * Gives a group another name, or none, wherever it stands but in its own place.
 * @throws ConflictError where one of the files is broken: then none is written
 */
export async function renameGroup(files: FileCatalogue, group: string, other: string | null): Promise<void> {
  await mustAllBeSound(files, holdersOf(files, group));
  await replaceGroup(files, group, other);
}

async function editList(
  files: FileCatalogue,
  unit: Holder,
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
  await show(files, [unit]);
}
