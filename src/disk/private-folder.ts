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
  let path = root;
  try {
    for (const name of [privateFolder, ...names]) {
      path = join(path, name);
      await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw folderIsGone();
    const { toUnavailableError } = await import('./durable.ts');
    throw toUnavailableError(error, path);
  }
}
