/** Sentences about who may see or write more after an edit, or see less. They fit a dry run, too. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type DatasetRef, formatRef, formatUserReader } from '../catalogue/ref.ts';
import type { Dataset, Group, Namespace, User } from '../catalogue/types.ts';
import type { Call } from './command.ts';
import { listEntities } from './lookup.ts';
import { typedCommand } from './typed-command.ts';

/** Sentences about a dataset. @param present its reference by which it can be edited */
export async function sentencesAboutDataset(
  call: Call,
  catalogue: Catalogue,
  before: Dataset,
  now: Dataset,
  present: DatasetRef,
): Promise<readonly string[]> {
  const isMoved = before.namespace !== now.namespace;
  const addsReaders = now.readers.some((name) => !before.readers.includes(name));
  const isOpened = before.visibility === 'private' && now.visibility === 'public';
  if (now.visibility === 'private' || !(isMoved || addsReaders || isOpened)) return [];
  const [from, to] = await Promise.all(
    [before, now].map(({ namespace }) => catalogue.get<'namespace'>({ kind: 'namespace', slug: namespace })),
  );
  if (to?.visibility === 'private')
    return isOpened
      ? [`The namespace ${to.slug} is private: only owners and readers may see the dataset, until that is public.`]
      : [];
  if (isMoved && from?.visibility === 'private')
    return [
      `The namespace ${now.namespace} is public, and ${before.namespace} is not: everybody may see the dataset there.`,
    ];
  return addsReaders ? [notOnlyReaders('it', call, `dataset edit ${formatRef(present)}`)] : [];
}

/** The sentence that readers of what is public may see no more than others. @param edit the words that edit it */
const notOnlyReaders = (what: string, call: Call, edit: string): string =>
  `Everybody may see ${what}, not only readers. To show it to owners and readers only: ${typedCommand(call, `${edit} --visibility private`)}`;

/** Sentences about the datasets of a namespace. @param present name by which they can be listed */
export async function sentencesAboutNamespace(
  call: Call,
  catalogue: Catalogue,
  before: Namespace,
  now: Namespace,
  present: string,
): Promise<readonly string[]> {
  const owners = now.owners.filter((name) => !before.owners.includes(name));
  const readers = now.readers.filter((name) => ![...before.readers, ...before.owners, ...owners].includes(name));
  if (before.visibility === now.visibility && owners.length + readers.length === 0) return [];
  const count = async (visibility: readonly Dataset['visibility'][]) =>
    (await catalogue.list('dataset', { namespace: present, pageSize: 1, filters: { visibility } })).count;
  const [open, closed] = await Promise.all([count(['public']), count(['private'])]);
  const all = open + closed;
  const some = closed === 0 ? datasetsText('its', all) : `${open} of its ${all} datasets`;
  const hidden = now.visibility === 'private' ? datasetsText('its', all) : datasetsText('its', closed, 'private ');
  const isHidden = now.visibility === 'private' ? all > 0 : closed > 0;
  return [
    ...(before.visibility === 'private' && now.visibility === 'public' && open > 0
      ? [`With this, everybody may see ${some}${closed ? '. The others are private themselves' : ''}.`]
      : []),
    ...(before.visibility === 'public' && now.visibility === 'private' && open > 0
      ? [`With this, only owners and readers may see ${some}${closed ? ', as the others before' : ''}.`]
      : []),
    ...(owners.length > 0 ? [`With this, ${listText(owners)} may write in ${now.slug}.`] : []),
    ...(readers.length > 0 && isHidden ? [`With this, ${listText(readers)} may see ${hidden}.`] : []),
    ...(readers.length > 0 && now.visibility === 'public' && !isHidden
      ? [notOnlyReaders(`${now.slug} with its datasets`, call, `namespace edit ${present}`)]
      : []),
  ];
}

/** Sentences about what a group gives to its new members, beside their other groups. */
export async function sentencesAboutGroup(catalogue: Catalogue, before: Group, now: Group): Promise<readonly string[]> {
  const usernames = now.members.filter((name) => !before.members.includes(name));
  if (usernames.length === 0) return [];
  const own = [before.slug, now.slug];
  const users = new Map((await listEntities(catalogue, 'user', {})).map((user) => [user.slug, user]));
  const members = usernames.map((username) => ({
    username,
    former: users.get(username)?.groups.filter((name) => !own.includes(name)) ?? [],
  }));
  return sentencesAboutMembers(catalogue, members, own);
}

/** Sentences about what new groups give to a user. */
export const sentencesAboutUser = (catalogue: Catalogue, before: User, now: User): Promise<readonly string[]> =>
  sentencesAboutMembers(
    catalogue,
    [{ username: now.slug, former: [...before.groups, formatUserReader(before.slug)] }],
    now.groups.filter((group) => !before.groups.includes(group)),
  );

interface NewMember {
  readonly username: string;
  /** Names by which the user may see and write already, besides the own one. */
  readonly former: readonly string[];
}

async function sentencesAboutMembers(
  catalogue: Catalogue,
  members: readonly NewMember[],
  groups: readonly string[],
): Promise<readonly string[]> {
  if (members.length === 0 || groups.length === 0) return [];
  const namespaces = await listEntities(catalogue, 'namespace', {});
  const usernames = new Map<string, string[]>();
  for (const { username, former } of members) {
    const rights = newRights(namespaces, groups, [...former, formatUserReader(username)]);
    usernames.set(rights, [...(usernames.get(rights) ?? []), username]);
  }
  usernames.delete('');
  return Array.from(usernames, ([rights, names]) => `With this, ${listText(names)} may ${rights}.`);
}

/** What groups give to a user who has other rights by former names: `write in parks, and see all of lakes`; '' for nothing. */
function newRights(namespaces: readonly Namespace[], groups: readonly string[], former: readonly string[]): string {
  const includeSome = (names: readonly string[], some: readonly string[]) => names.some((name) => some.includes(name));
  const owned = namespaces.filter(({ owners }) => includeSome(owners, groups) && !includeSome(owners, former));
  const read = namespaces.filter(
    ({ owners, readers }) =>
      includeSome(readers, groups) && !includeSome(owners, groups) && !includeSome([...owners, ...readers], former),
  );
  const parts = [
    ...(owned.length ? [`write in ${listText(owned.map(({ slug }) => slug))}`] : []),
    ...(read.length ? [`see all of ${listText(read.map(({ slug }) => slug))}`] : []),
  ];
  return parts.join(', and ');
}

/** `its 3 private datasets`. */
const datasetsText = (whose: string, count: number, which = ''): string =>
  count === 1 ? `${whose} ${which}dataset` : `${whose} ${count} ${which}datasets`;

const mostNames = 10;

/** `a, b and c`; of many, the first ones and the number of the others. */
function listText(names: readonly string[]): string {
  const shown =
    names.length > mostNames ? [...names.slice(0, mostNames - 1), `${names.length - mostNames + 1} others`] : names;
  const [last = ''] = shown.slice(-1);
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}
