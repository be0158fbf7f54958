/** `.catalogue`, the private folder in a catalogue folder. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';

/** Error for a catalogue folder that was moved or unmounted. */
export const folderIsGone = () => new UnavailableError('The catalogue folder is gone. Put it back and try again.');

/**
 * Makes a folder in the private folder. The catalogue folder itself is never made: after a move or unmount, a new one in
 * its place would look like the catalogue, or be in the way when that comes back.
 * @returns the path of the folder
 * @throws UnavailableError
 */
export async function makeFolderInPrivateFolder(root: string, ...names: readonly string[]): Promise<string> {
  let path = join(root, privateFolder, ...names);
  try {
    if (await makeFolder(path)) return path;
    path = root;
    for (const name of [privateFolder, ...names]) {
      path = join(path, name);
      if (!(await makeFolder(path))) throw folderIsGone();
    }
    return path;
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    const { toUnavailableError } = await import('./durable.ts');
    throw toUnavailableError(error, path);
  }
}

/** Makes a folder, unless it is there. @returns false if its parent is missing */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    return code === 'EEXIST';
  }
}
