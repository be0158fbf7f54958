/** Origin of a folder: the remote that it was cloned from. In commands it is called `origin`, as in git. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UnavailableError } from '../../catalogue/errors.ts';
import { originPath as originPathIn, privateFolder } from '../../catalogue/layout.ts';
import { presentServerUrl, type Remote, type Remotes } from './remotes.ts';

/** The remote that a folder was cloned from or first pushed to: the default of `pull`, `push` and `diff`. */
export interface Origin {
  readonly url: string;
  /** True while a clone isn't complete. */
  readonly cloning?: boolean;
}

/** The folder of the origin and of the common states, in the private folder. */
export const remotesFolder = 'remotes';
export const pathInRemotesFolder = (root: string, name: string): string =>
  join(root, privateFolder, remotesFolder, name);
const originPath = (root: string) => join(root, originPathIn);

/** The origin of a folder; null if it was neither cloned nor pushed. @throws UnavailableError if its file can't be read */
export async function readOrigin(root: string): Promise<Origin | null> {
  const text = await readFile(originPath(root), 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) return null;
    const { unreadableText } = await import('../../disk/durable.ts');
    throw new UnavailableError(unreadableText(originPathIn, error), { cause: error });
  });
  if (text === null) return null;
  try {
    const { url, cloning } = JSON.parse(text);
    return typeof url === 'string' ? { url, cloning: cloning === true } : null;
  } catch {
    return null;
  }
}

/** Writes the origin of a folder. */
export async function writeOrigin(root: string, { url, cloning = false }: Origin): Promise<void> {
  const [{ writeDurably }, { makeFolderInPrivateFolder }] = await Promise.all([
    import('../../disk/durable.ts'),
    import('../../disk/private-folder.ts'),
  ]);
  await makeFolderInPrivateFolder(root, remotesFolder);
  const text = JSON.stringify({ url, ...(cloning && { cloning }) }, null, 2);
  await writeDurably(originPath(root), `${text}\n`, { mode: 0o600 });
}

/** Removes the origin of a folder. */
export const removeOrigin = (root: string): Promise<void> => rm(originPath(root), { force: true });

/** The origin of a folder. If the server has moved, its new address replaces the one in the folder. */
export async function updateOrigin(root: string, env: NodeJS.ProcessEnv): Promise<Origin | null> {
  const [{ readRemotes }, origin] = await Promise.all([import('./remotes-file.ts'), readOrigin(root)]);
  const current = await findPresentOrigin(root, await readRemotes(env));
  if (current !== null && current.url !== origin?.url) await writeOrigin(root, current);
  return current;
}

/** The origin of a folder, with the present address of its server; null if it was neither cloned nor pushed. Writes nothing. */
export async function findPresentOrigin(root: string, remotes: Remotes): Promise<Origin | null> {
  const origin = await readOrigin(root);
  if (origin === null) return null;
  return { ...origin, url: presentServerUrl(remotes, origin.url) };
}

/** The name of the origin in commands, unless a person has given it to another remote. */
export const originName = 'origin';

/**
 * The remote that the name `origin` stands for in a folder.
 * @param root absolute path of the catalogue folder; null outside of a catalogue
 * @returns null if the folder has no origin, or if another remote has the name
 */
export async function findOriginRemote(root: string | null, data: Remotes): Promise<Remote | null> {
  const isTaken = data.remotes.some(({ name }) => name === originName);
  const origin = root === null || isTaken ? null : await findPresentOrigin(root, data);
  return origin && { name: originName, url: origin.url };
}

/**
 * The remotes with names, and the origin of a folder if its address has none, and its file can be read: that of another user can't.
 * @param root absolute path of the catalogue folder; null outside of a catalogue
 */
export async function listRemotesWithOrigin(root: string | null, data: Remotes): Promise<readonly Remote[]> {
  const origin = await findOriginRemote(root, data).catch((error) => {
    if (error instanceof UnavailableError) return null;
    throw error;
  });
  const hasName = data.remotes.some(({ url }) => url === origin?.url);
  return origin && !hasName ? [...data.remotes, origin] : data.remotes;
}
