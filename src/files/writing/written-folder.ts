/**
 * Stamps of a folder that was written under a temporary name and then renamed, so that it needn't be read again. Nobody
 * else has written in it before it got its name: whatever has changed since has another stamp than it had then.
 */
import { lstatSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stamp } from '../tree/file-tree.ts';
import { exactStampFrom, stampFrom, tick } from '../tree/stamps.ts';

/** Stamps of a folder and of what is in it, the folder first; paths are relative to the catalogue folder. */
export type FolderStamps = readonly (readonly [path: string, stamp: Stamp])[];

/** Folders that were written whole, by path relative to the catalogue folder. */
export type WrittenFolders = Map<string, FolderStamps>;

/** A tick in milliseconds, with one more as `Date.now` leaves out fractions, and another as a timer may fire that much early. */
const wait = tick + 2;

/**
 * Waits until what was written has a time that no later change can get, on a file system whose clock isn't slow.
 * @param writtenAt time of the last write, in milliseconds since 1970
 */
export async function passTickSince(writtenAt: number): Promise<void> {
  const left = writtenAt + wait - Date.now();
  if (left > 0) await sleep(Math.min(left, wait));
}

/**
 * Stamps just before the folder gets its name. One that was written just now equals no other.
 * @param temporary its absolute path now, which `target` will be
 * @param written absolute paths of the folder and of what is in it, under the temporary name
 * @returns null if something is gone
 */
export function stampsBeforeNaming(
  root: string,
  { temporary, target }: { readonly temporary: string; readonly target: string },
  written: Iterable<string>,
): FolderStamps | null {
  const stamps: (readonly [string, Stamp])[] = [];
  for (const path of written) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return null;
    stamps.push([relativePath(root, target + path.slice(temporary.length)), stampFrom(stats)]);
  }
  return stamps;
}

/**
 * The same stamps after the folder got its name, which is a change of the folder itself.
 * @param target its absolute path
 * @returns null if names in the folder have changed since
 */
export function stampsAfterNaming(root: string, target: string, before: FolderStamps): FolderStamps | null {
  const [, folder] = before[0] ?? [];
  const stats = folder && lstatSync(target, { throwIfNoEntry: false });
  if (!stats) return null;
  const named = exactStampFrom(stats);
  if (named.ino !== folder.ino || (named.mtime !== folder.mtime && folder.mtime !== -1)) return null;
  // The name is as recent as its ctime; but whatever changes names in the folder from now on gives it another mtime.
  const stamp = folder.mtime === -1 ? folder : named;
  return [[relativePath(root, target), stamp], ...before.slice(1)];
}

const relativePath = (root: string, path: string): string => relative(root, path).replaceAll(sep, '/');
