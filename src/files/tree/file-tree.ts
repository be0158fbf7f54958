/** Tree of files that records are read from: a folder on disk, a tree in git, or either with pending changes over it. */
import type { Dirent } from 'node:fs';
import { type RecordRef, recordPaths } from '../../catalogue/layout.ts';
import type { Parsed } from '../../text/parse.ts';

/** Largest record that is read, in bytes. */
export const maxRecordSize = 1024 * 1024;

/** State of a file or folder: an equal stamp means that it is unchanged. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  /** Milliseconds since 1970; -1 if too recent to tell a later change by. */
  readonly mtime: number;
  /** Time of the last change of the inode, which nobody can set: it tells a copy that keeps times. */
  readonly ctime: number;
}

/** True if two stamps mean "unchanged". */
export function sameStamp(a: Stamp | null, b: Stamp | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mtime !== -1 && a.ino === b.ino && a.size === b.size && a.mtime === b.mtime && a.ctime === b.ctime;
}

/** A file or folder that cannot be read, whatever it says: no permission, too large, not UTF-8, a link to outside. */
export class UnreadableFileError extends Error {}

/** Name in a folder. */
export type TreeEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>;

/** Paths are relative to the catalogue folder and have slashes. */
export interface FileTree {
  /** Null if there is nothing. @throws UnreadableFileError */
  stamp(path: string): Stamp | null;
  /** Names in a folder, sorted; none if it is absent. @throws UnreadableFileError */
  names(path: string): readonly TreeEntry[];
  isFolder(parent: string, entry: TreeEntry): boolean;
  /** Text of a record, parsed if that has been done; null if there is no such file. @throws UnreadableFileError */
  read(path: string): { readonly text: string; readonly stamp: Stamp; readonly parsed?: Parsed } | null;
  isLfsPointer(path: string): boolean;
}

/** True if there is a file or folder that may be read. */
export function hasFile(tree: FileTree, path: string): boolean {
  try {
    return tree.stamp(path) !== null;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** Path of the record file that is there, whatever its extension. */
export const findRecord = (tree: FileTree, ref: RecordRef): string | undefined =>
  recordPaths(ref).find((path) => hasFile(tree, path));

/** Text of a Git LFS pointer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md), with the size of the file. */
export const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\/(?:[\s\S]*?\nsize (\d+)\n)?/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a record. @throws UnreadableFileError */
export function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnreadableFileError('It is not UTF-8. Save it as UTF-8.');
  }
}
