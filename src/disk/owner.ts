/**
 * Owners of new files and folders. What root writes into the folder of another user, such as that of a server, belongs to that
 * user: the server couldn't read or replace it otherwise.
 */
import { closeSync, constants, fchownSync, fstatSync, openSync, type Stats, statSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** User and group of a file or folder. */
export type Owner = Pick<Stats, 'uid' | 'gid'>;

/** The owner that new content of a folder gets: that of the folder if this process is root and the folder another user's, else null. */
function ownerWithin(folder: string): Owner | null {
  if (process.geteuid?.() !== 0) return null;
  try {
    const { uid, gid } = statSync(folder);
    return uid === 0 ? null : { uid, gid };
  } catch {
    return null;
  }
}

/** The owner that a new file or folder at a path gets; null for that of the process. */
export const ownerOfNew = (path: string): Owner | null => ownerWithin(dirname(path));

/**
 * Gives an open file or folder to an owner, as far as this process may: a user who isn't root may only give it to a group of
 * theirs. It takes the bits for setuid and setgid off the mode.
 */
export function giveToOwner(descriptor: number, { uid, gid }: Owner): void {
  const now = fstatSync(descriptor);
  if (now.uid === uid && now.gid === gid) return;
  for (const user of [uid, now.uid])
    try {
      fchownSync(descriptor, user, gid);
      return;
    } catch {
      // Its content is right in any case.
    }
}

/** Gives a file or folder that root has made to the owner of the folder that it lies in. A link stays as it is. */
export function inheritOwner(path: string): void {
  const owner = ownerOfNew(path);
  if (owner) giveNew(path, owner);
}

/** Gives a file or folder that root has made, with everything below it, to the owner of the folder that it lies in. */
export async function inheritOwnerOfTree(path: string): Promise<void> {
  const owner = ownerOfNew(path);
  if (owner) await giveTree(path, owner);
}

async function giveTree(path: string, owner: Owner): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.uid === 0) giveNew(path, owner);
  if (!found?.isDirectory()) return;
  for (const name of await readdir(path).catch((): string[] => [])) await giveTree(join(path, name), owner);
}

function giveNew(path: string, owner: Owner): void {
  try {
    // By a descriptor, since a path may lead to another file a moment later.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(descriptor);
      if (stats.isDirectory() || (stats.isFile() && stats.nlink === 1)) giveToOwner(descriptor, owner);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // It is gone, or a link.
  }
}
