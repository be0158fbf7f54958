/** Durable renames of files and folders: after a crash, each is at its old path or the new one. */
import { cp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  errorCode,
  flushFolderToDisk,
  flushTreeToDisk,
  makeFoldersDurably,
  removeDurably,
  temporaryPathBeside,
  toUnavailableError,
} from './durable.ts';
import { inheritOwnerOfTree } from './owner.ts';

export interface MoveOptions {
  readonly isUndo?: boolean;
  readonly renamed?: typeof rename;
}

/**
 * Renames a file or folder, and makes the folders that the target needs. If a folder can't be synced, it gets its old name back.
 * @param options.isUndo true for what gets its old name back by this: it keeps it, synced or not
 * @param options.renamed performs the rename
 * @throws UnavailableError if the disk is full or not writable; Error with code EXDEV if the target is on another file system,
 *   or another code of the system
 */
export async function moveDurably(source: string, target: string, options: MoveOptions = {}): Promise<void> {
  const { isUndo = false, renamed = rename } = options;
  let isMoved = false;
  try {
    await makeFoldersDurably(dirname(target));
    await renamed(source, target);
    isMoved = true;
    await flushFolderToDisk(dirname(target));
    if (dirname(source) !== dirname(target)) await flushFolderToDisk(dirname(source));
  } catch (error) {
    if (isMoved && !isUndo) await rename(target, source).catch(() => {});
    throw toUnavailableError(error, target);
  }
}

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
      await rename(aside, to);
      await flushFolderToDisk(dirname(to));
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
    await removeDurably(from);
  }
}
