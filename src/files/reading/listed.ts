/** Names as they stand in a folder, without reading what they name: for whoever types one and can't wait. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { datasetsFolder, isValidName, parseRecordName, recordFolders, versionsFolder } from '../../catalogue/layout.ts';

/** What has the names that are asked for. */
export type NamesRequest =
  | { readonly kind: 'namespace' | 'group' | 'user' | 'query' }
  | { readonly kind: 'dataset'; readonly namespace: string }
  | { readonly kind: 'version'; readonly namespace: string; readonly dataset: string };

/**
 * The names, in the order of code points; none where there is no such folder. What they name may turn out to be broken.
 * @param root path of the catalogue folder
 */
export async function listNames(root: string, listed: NamesRequest): Promise<readonly string[]> {
  const entries = await readdir(join(root, folderOf(listed)), { withFileTypes: true }).catch(() => []);
  const inFolders = listed.kind === 'namespace' || listed.kind === 'dataset';
  const names = entries
    .filter((entry) => entry.isDirectory() === inFolders)
    .map(({ name }) => (inFolders ? name : (parseRecordName(name)?.stem ?? '')));
  return [...new Set(names)].filter((name) => isValidName(listed.kind, name)).sort();
}

function folderOf(listed: NamesRequest): string {
  switch (listed.kind) {
    case 'namespace':
      return 'namespaces';
    case 'dataset':
      return datasetsFolder(listed.namespace);
    case 'version':
      return versionsFolder(listed.namespace, listed.dataset);
    default:
      return recordFolders[listed.kind];
  }
}
