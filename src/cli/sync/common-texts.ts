/** Texts of records as a remote and the folder had them when they were last the same, for `catalogue check`. */
import { readdir } from 'node:fs/promises';
import { pathInRemotesFolder } from '../remote/origin.ts';

const extension = '.ndjson';

/** The texts by path, of all remotes that the folder was synchronised with; none of states that can't be read. */
export async function findCommonTexts(root: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { SyncState } = await import('../../sync/state.ts');
  const texts = new Map<string, string>();
  for (const name of await readdir(pathInRemotesFolder(root, '.')).catch(() => [])) {
    if (!name.endsWith(extension)) continue;
    const state = await SyncState.open(pathInRemotesFolder(root, name)).catch(() => null);
    if (state === null) continue;
    try {
      for (const path of paths) {
        const text = await state.text(path);
        if (text !== null) texts.set(path, text);
      }
    } finally {
      await state.close();
    }
  }
  return texts;
}
