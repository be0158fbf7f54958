/** Sentences about who may see or write more after an edit, or see less. They fit a dry run, too. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { formatUserReader } from '../catalogue/ref.ts';
import type { Dataset, Group, Namespace, User } from '../catalogue/types.ts';
import { listEntities } from './lookup.ts';

/** Sentences about the datasets of a namespace. @param present name by which they can be listed */
export async function sentencesAboutNamespace(
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
  ];
}

/** Sentences about what a group gives to its new members. */
export const sentencesAboutGroup = (catalogue: Catalogue, before: Group, now: Group): Promise<readonly string[]> =>
  sentencesAboutMembers(
    catalogue,
    now.members.filter((name) => !before.members.includes(name)),
    [before.slug, now.slug],
  );

/** Sentences about what new groups give to a user. */
export const sentencesAboutUser = (catalogue: Catalogue, before: User, now: User): Promise<readonly string[]> =>
  sentencesAboutMembers(
    catalogue,
    [now.slug],
    now.groups.filter((group) => !before.groups.includes(group)),
    [...before.groups, formatUserReader(before.slug)],
  );

/** @param former names by which all of these users may see and write already */
async function sentencesAboutMembers(
  catalogue: Catalogue,
  usernames: readonly string[],
  groups: readonly string[],
  former: readonly string[] = [],
): Promise<readonly string[]> {
  if (usernames.length === 0 || groups.length === 0) return [];
  const includeSome = (names: readonly string[], some: readonly string[]) => names.some((name) => some.includes(name));
  const namespaces = await listEntities(catalogue, 'namespace', {});
  const owned = namespaces.filter(({ owners }) => includeSome(owners, groups) && !includeSome(owners, former));
  const read = namespaces.filter(
    ({ owners, readers }) =>
      includeSome(readers, groups) && !includeSome(owners, groups) && !includeSome([...owners, ...readers], former),
  );
  const parts = [
    ...(owned.length ? [`write in ${listText(owned.map(({ slug }) => slug))}`] : []),
    ...(read.length ? [`see all of ${listText(read.map(({ slug }) => slug))}`] : []),
  ];
  return parts.length ? [`With this, ${listText(usernames)} may ${parts.join(', and ')}.`] : [];
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
