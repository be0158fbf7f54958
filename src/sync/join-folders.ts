/**
 * Folders of namespaces and datasets that a side has removed or replaced. If the other side has changed files in such a folder, the
 * folder is one conflict. Pure.
 */
import { isSameFile } from './extensions.ts';
import {
  containerFolder,
  type Files,
  membersOfFolders,
  type Side,
  type Status,
  syncFileKind,
  type ThreeWay,
} from './files.ts';

interface RemovedContainer {
  /** Path of the record that one side has removed. */
  readonly record: string;
  /** Files of the side that still has the record. */
  readonly keeper: Files;
  /** Files of the side that has removed the record. */
  readonly remover: Files;
  /** Paths of all files in the folder. */
  readonly members: readonly string[];
}

/**
 * Treats the folder of a dataset or a namespace as one if a side has removed its record: if the other side has changed a
 * file in it, record and files are one conflict.
 * @param moved files of records that the other side has moved: they count as changed
 */
export function joinContainers(
  { base, ours, theirs }: ThreeWay,
  statuses: Map<string, Status>,
  moved: ReadonlySet<string>,
): void {
  const removed = new Map<string, Omit<RemovedContainer, 'members'>>();
  for (const [record, status] of statuses) {
    const isRemoved = base.has(record) && ours.has(record) !== theirs.has(record);
    const folder = isRemoved && status !== 'blocked' ? containerFolder(record) : null;
    if (folder === null) continue;
    const [keeper, remover] = ours.has(record) ? [ours, theirs] : [theirs, ours];
    removed.set(folder, { record, keeper, remover });
  }
  const members = membersOfFolders(removed.keys(), statuses.keys());
  for (const [folder, container] of removed)
    joinContainer({ ...container, members: members.get(folder) ?? [] }, base, statuses, moved);
}

function joinContainer(
  { record, keeper, remover, members }: RemovedContainer,
  base: Files,
  statuses: Map<string, Status>,
  moved: ReadonlySet<string>,
): void {
  const isDataset = syncFileKind(record) === 'dataset';
  const isChanged = (path: string) => moved.has(path) || !isSameFile(keeper.get(path), base.get(path));
  // If both sides have the file, the remover had moved it into this folder.
  const survivors = members.filter(
    (path) => statuses.get(path) === 'blocked' || (keeper.has(path) && (remover.has(path) || isChanged(path))),
  );
  if (survivors.length === 0) {
    // A dataset's files are removed with it; a namespace's datasets are removed one by one.
    if (isDataset) for (const path of members) if (path !== record) statuses.set(path, 'ignored');
    return;
  }
  const concerned = isDataset ? members.filter((path) => keeper.has(path)) : survivors;
  for (const path of [record, ...concerned])
    if (statuses.get(path) !== 'blocked' && statuses.get(path) !== 'same') statuses.set(path, 'conflict');
}

/**
 * Treats the folder of a dataset or a namespace as one if a side has replaced its record by another one: files that the other side
 * has changed or added don't belong to the new record, and are in conflict. Of a dataset, all files that differ are in conflict.
 * @param replaced the record's path, the files in its folder, and the side that has replaced it
 */
export function joinReplaced(
  { record, members, by }: { readonly record: string; readonly members: readonly string[]; readonly by: Side },
  { base, ours, theirs }: ThreeWay,
  statuses: Map<string, Status>,
): void {
  const [keeper, replacer] = by === 'ours' ? [theirs, ours] : [ours, theirs];
  const isDataset = syncFileKind(record) === 'dataset';
  const isKept = (path: string) =>
    keeper.has(path) &&
    !isSameFile(keeper.get(path), base.get(path)) &&
    !isSameFile(keeper.get(path), replacer.get(path));
  for (const path of members)
    if (path === record || isDataset || isKept(path))
      if (['incoming', 'outgoing'].includes(statuses.get(path) ?? '')) statuses.set(path, 'conflict');
}
