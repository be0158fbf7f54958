/** Durable renames of files and folders: after a crash, each is at its old path or the new one. */
import { lstatSync, renameSync } from 'node:fs';
import { cp, lstat, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  errorCode,
  flushFolderToDisk,
  flushTreeToDisk,
  makeFoldersDurably,
  removeDurably,
  temporaryPathBeside,
} from './durable.ts';
import { toUnavailableError } from './not-writable.ts';
import { inheritOwnerOfTree } from './owner.ts';
import { betweenSyncRounds } from './sync-rounds.ts';

export interface MoveOptions {
  readonly isUndo?: boolean;
  readonly replace?: boolean;
  readonly renamed?: typeof rename;
}

/**
 * Renames a file or folder, and makes the folders that the target needs. If a folder can't be synced, it gets its old name back.
 * @param options.isUndo true for what gets its old name back by this: it keeps it, synced or not
 * @param options.replace true to replace a file that has the target's name
 * @param options.renamed performs the rename
 * @throws UnavailableError if the disk is full or not writable; Error with code ENOENT if there is nothing to move, one that
 *   `isTargetTaken` knows if the target exists, EXDEV if it is on another file system, or another code of the system
 */
export async function moveDurably(source: string, target: string, options: MoveOptions = {}): Promise<void> {
  const { isUndo = false, replace = false, renamed = async () => renameSync(source, target) } = options;
  let isMoved = false;
  try {
    // Before any folder is made: nothing appears under a former name of the folder above, from which another process has moved it.
    await lstat(source);
    await makeFoldersDurably(dirname(target));
    await betweenSyncRounds();
    if (!replace) assertNoFileAt(target, source);
    await renamed(source, target);
    isMoved = true;
    await flushFolderToDisk(dirname(target));
    if (dirname(source) !== dirname(target)) await flushFolderToDisk(dirname(source));
  } catch (error) {
    if (isMoved && !isUndo) await rename(target, source).catch(() => {});
    throw toUnavailableError(error, target);
  }
}

/** Checks that a rename would replace no other file. @throws Error with code EEXIST */
function assertNoFileAt(target: string, source: string): void {
  const [there, moved] = [target, source].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  // On a file system that doesn't tell cases apart, it may be the same file.
  if (!there || there.isDirectory() || (there.ino === moved?.ino && there.dev === moved.dev)) return;
  throw Object.assign(new Error(`${target} exists.`), { code: 'EEXIST', path: target });
}

/** True for the error of a move whose target exists. */
export const isTargetTaken = (error: unknown): boolean =>
  ['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EISDIR'].includes(errorCode(error));

/** Moves a file or folder; copies it if the target is on another file system. */
export async function moveOrCopyFile(from: string, to: string, options: MoveOptions = {}): Promise<void> {
  try {
    await moveDurably(from, to, options);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    const aside = temporaryPathBeside(to);
    try {
      await cp(from, aside, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      await inheritOwnerOfTree(aside);
      await flushTreeToDisk(aside);
      if (!options.replace) assertNoFileAt(to, aside);
      await rename(aside, to);
      await flushFolderToDisk(dirname(to));
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    await removeDurably(from);
  }
}
