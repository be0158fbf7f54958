/**
 * Namespaces and datasets whose own record is missing. While records below it are still there, it counts as broken: an editor
 * has renamed it, or git has lost it. So does one whose folder is empty, as a mount point without its disk is, or a link that
 * can't be followed. With other files, but without any record, the namespace or dataset was removed.
 */
import {
  datasetFolder,
  datasetsFolder,
  extensions,
  isValidName,
  namespaceFolder,
  parseRecordFileName,
  type Unit,
  versionsFolder,
} from '../../catalogue/layout.ts';
import { type FileTree, linkProblems, namesOrNone, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';

/** A unit with records below its own. */
export type Container = Extract<Unit, { kind: 'namespace' | 'dataset' }>;

/** Folder of a container. */
export const containerFolder = (unit: Container): string =>
  unit.kind === 'namespace' ? namespaceFolder(unit.slug) : datasetFolder(unit.namespace, unit.slug);

/** The folder of the records below the one of a container. */
export const folderOfRecords = (unit: Container): string =>
  unit.kind === 'namespace' ? datasetsFolder(unit.slug) : versionsFolder(unit.namespace, unit.slug);

/** A stamp that equals no other: what has it is read again. */
export const lostStamp: Stamp = { ino: 0, size: 0, mtime: -1, ctime: 0 };

/** True for a link that can't be followed. Only of a folder on disk. */
export function isDeadLink(tree: FileTree, path: string): boolean {
  try {
    return tree.stamp(path) === null && tree.isMissing?.(path) === false;
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return isLinkProblem(error.message);
  }
}

/** True if a message says that a link can't be followed. */
const isLinkProblem = (message: string): boolean => Object.values<string>(linkProblems).includes(message);

/** True for a file in the place of a folder. Only of a folder on disk. @param path of something that is there */
export const isFile = (tree: FileTree, path: string): boolean => tree.isMissing?.(`${path}/.`) === true;

/** True for a folder without any entry. Only of a folder on disk: git has no such folders. */
export function isEmptyFolder(tree: FileTree, path: string): boolean {
  if (tree.isMissing === undefined) return false;
  try {
    return tree.stamp(path) !== null && tree.names(`${path}/`, true).length === 0 && !isFile(tree, path);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return false;
  }
}

/** What is wrong with a container whose folder has no entry, and what to do. */
export const messageOfEmptyFolder = (kind: string): string =>
  `The folder is empty. If a disk belongs here, mount it; to remove the ${kind}, remove the folder.`;

/** What is wrong with a container without a record, and what to do: a file whose name is nearly right has to be renamed. */
export function messageOfMissingRecord(tree: FileTree, { kind }: Container, folder: string): string {
  if (isEmptyFolder(tree, folder)) return messageOfEmptyFolder(kind);
  const similar = new RegExp(`^${kind}\\.(${extensions.join('|')})(?:\\.txt)?$`, 'i');
  for (const name of namesOrNone(tree, folder)) {
    const extension = similar.exec(name)?.[1];
    if (extension !== undefined)
      return `${kind}.yaml is missing. Rename ${name} to ${kind}.${extension.toLowerCase()}.`;
  }
  return messageWithoutRecord(kind);
}

/** What is wrong with a container without any file that may be its record. */
export const messageWithoutRecord = (kind: string): string =>
  `${kind}.yaml is missing. Add one with a line "label: …".`;

/**
 * True if the folder of a container is empty, or there is a record below the one of the container. What can't be read may be one.
 * @param onSearch called with the stamps of the folders that were searched: while they are the same, so is the result
 */
export function mayHaveRecords(
  tree: FileTree,
  unit: Container,
  onSearch: (path: string, stamp: Stamp | null) => void,
): boolean {
  if (isEmptyFolder(tree, containerFolder(unit))) return true;
  const folder = folderOfRecords(unit);
  // A stamp that no folder has: it is searched again.
  if (isDeadLink(tree, folder)) {
    onSearch(folder, lostStamp);
    return true;
  }
  try {
    const stamp = tree.stamp(folder);
    onSearch(folder, stamp);
    const entries = stamp ? tree.names(`${folder}/`, true) : [];
    if (unit.kind === 'dataset')
      return entries.some(({ name }) => !name.startsWith('.') && parseRecordFileName(name) !== null);
    return entries.some((entry) => {
      if (!isValidName('dataset', entry.name) || !tree.isFolder(`${folder}/`, entry)) return false;
      const dataset = { kind: 'dataset', namespace: unit.slug, slug: entry.name } as const;
      const home = containerFolder(dataset);
      onSearch(home, tree.stamp(home));
      const isRecord = ({ name }: { readonly name: string }) => parseRecordFileName(name)?.stem === 'dataset';
      return tree.names(`${home}/`, true).some(isRecord) || mayHaveRecords(tree, dataset, onSearch);
    });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    onSearch(folder, lostStamp);
    return true;
  }
}
