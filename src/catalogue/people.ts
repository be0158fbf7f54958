/** People, whom anonymous clients don't see unless the settings say `people: public`. */
import { recordFolders } from './layout.ts';
import { usernameOfReader } from './ref.ts';
import { type Folder, replaceMapValues, type Snapshot, snapshotWithSmallerMembers } from './snapshot.ts';
import type { Dataset, Group, Namespace } from './types.ts';

/** The part of a snapshot without users, their diagnostics, the members of groups and the users among the readers. */
export function snapshotWithoutPeople(whole: Snapshot, part: Snapshot): Snapshot {
  const users = part.users.size ? new Map<string, never>() : part.users;
  const groups = replaceMapValues(part.groups, withoutMembers);
  const folders = replaceMapValues(part.folders, (folder) =>
    [...listNamespaceReaders(folder)].some(isUser) ? withoutUserReaders(folder) : folder,
  );
  const diagnostics = replaceMapValues(part.diagnostics, (found, path) =>
    path.startsWith(`${recordFolders.user}/`) ? null : found,
  );
  const isAll =
    users === part.users && groups === part.groups && folders === part.folders && diagnostics === part.diagnostics;
  return isAll ? part : snapshotWithSmallerMembers(whole, { ...part, users, groups, folders, diagnostics });
}

const isUser = (reader: string) => usernameOfReader(reader) !== undefined;

const readersByFolder = new WeakMap<Folder, ReadonlySet<string>>();

/** The readers of a namespace and of its datasets: slugs of groups, and users as `user:<username>`. */
export function listNamespaceReaders(folder: Folder): ReadonlySet<string> {
  let readers = readersByFolder.get(folder);
  if (!readers) {
    const records = [...(folder.namespace ? [folder.namespace] : []), ...folder.datasets.values()];
    readers = new Set(records.flatMap((record) => record.readers));
    readersByFolder.set(folder, readers);
  }
  return readers;
}

function withoutUserReaders(folder: Folder): Folder {
  const namespace = folder.namespace && withGroupReaders(folder.namespace);
  return Object.freeze({ ...folder, namespace, datasets: replaceMapValues(folder.datasets, withGroupReaders) });
}

/** Replacements of entities, which are the same objects in the next snapshot as long as the entities are. */
const replacements = new WeakMap<Namespace | Dataset | Group, Namespace | Dataset | Group>();

function replacementOf<T extends Namespace | Dataset | Group>(entity: T, changes: object): T {
  const replacement = (replacements.get(entity) as T | undefined) ?? Object.freeze({ ...entity, ...changes } as T);
  replacements.set(entity, replacement);
  return replacement;
}

const withoutMembers = (group: Group): Group => (group.members.length ? replacementOf(group, { members: [] }) : group);

function withGroupReaders<T extends Namespace | Dataset>(record: T): T {
  const readers = record.readers.filter((reader) => !isUser(reader));
  return readers.length === record.readers.length ? record : replacementOf(record, { readers });
}
