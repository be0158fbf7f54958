/**
 * Namespaces and datasets whose own record is missing. While records below it are still there, it counts as broken: an editor
 * has renamed it, or git has lost it. Without any record, the namespace or dataset was removed.
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
import { type FileTree, namesOrNone, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';

/** A unit with records below its own. */
export type Container = Extract<Unit, { kind: 'namespace' | 'dataset' }>;

/** Folder of a container. */
export const containerFolder = (unit: Container): string =>
  unit.kind === 'namespace' ? namespaceFolder(unit.slug) : datasetFolder(unit.namespace, unit.slug);

/** What is wrong with a container without a record, and what to do: a file whose name is nearly right has to be renamed. */
export function messageOfMissingRecord(tree: FileTree, { kind }: Container, folder: string): string {
  const similar = new RegExp(`^${kind}\\.(${extensions.join('|')})(?:\\.txt)?$`, 'i');
  for (const name of namesOrNone(tree, folder)) {
    const extension = similar.exec(name)?.[1];
    if (extension !== undefined)
      return `${kind}.yaml is missing. Rename ${name} to ${kind}.${extension.toLowerCase()}.`;
  }
  return `${kind}.yaml is missing. Add one with a line "label: …".`;
}

/**
 * True if there is a record below the one of a container. What can't be read may be one.
 * @param onSearch called with the stamps of the folders that were searched: while they are the same, so is the result
 */
export function hasRecordsBelow(
  tree: FileTree,
  unit: Container,
  onSearch: (path: string, stamp: Stamp | null) => void,
): boolean {
  const folder = unit.kind === 'namespace' ? datasetsFolder(unit.slug) : versionsFolder(unit.namespace, unit.slug);
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
      return tree.names(`${home}/`, true).some(isRecord) || hasRecordsBelow(tree, dataset, onSearch);
    });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    // A stamp that no folder has: it is searched again.
    onSearch(folder, null);
    return true;
  }
}
