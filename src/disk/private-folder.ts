/** `.catalogue`, the private folder within a catalogue's. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { codeOf, explained } from './durable.ts';

/** The catalogue's folder was moved away or unmounted. */
export const folderIsGone = () => new UnavailableError('The catalogue folder is gone. Put it back and try again.');

/**
 * Makes a folder in it. The catalogue's own folder is never made: where that was moved away or unmounted, one in its
 * place would be taken for it, or be in the way when it comes back.
 * @returns its path
 * @throws UnavailableError
 */
export async function makePrivateFolder(root: string, ...names: readonly string[]): Promise<string> {
  let path = root;
  try {
    for (const name of [privateFolder, ...names]) {
      path = join(path, name);
      await mkdir(path, { mode: 0o700 }).catch((error) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    }
    return path;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw explained(error, path);
    throw folderIsGone();
  }
}
