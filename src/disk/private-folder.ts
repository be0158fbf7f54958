/** `.catalogue`, the private folder in a catalogue folder. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { inheritOwner } from './owner.ts';

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
    const state = await makeFolder(path);
    if (state === 'there') return path;
    if (state === 'no parent') {
      path = root;
      for (const name of [privateFolder, ...names]) {
        path = join(path, name);
        if ((await makeFolder(path)) === 'no parent') throw folderIsGone();
      }
    }
    await keepOutOfGit(root);
    return path;
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    const { namePathIn, toUnavailableError } = await import('./not-writable.ts');
    throw namePathIn(root, toUnavailableError(error, path));
  }
}

/**
 * Writes `.catalogue/.gitignore`, unless it is there: the folder has hashes of passwords and tokens, which must not get into git,
 * whatever other settings say.
 */
export async function keepOutOfGit(root: string): Promise<void> {
  const path = join(root, privateFolder, '.gitignore');
  if (existsSync(path)) return;
  const { writeDurably } = await import('./durable.ts');
  // A folder that can't be written gets nothing secret either.
  await writeDurably(path, '*\n', { exclusive: true }).catch(() => {});
}

/** Makes a folder, unless it is there. */
async function makeFolder(path: string): Promise<'made' | 'there' | 'no parent'> {
  try {
    await mkdir(path, { mode: 0o700 });
    inheritOwner(path);
    return 'made';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    return code === 'EEXIST' ? 'there' : 'no parent';
  }
}
