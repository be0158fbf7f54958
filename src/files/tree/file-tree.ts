/** Tree of files that records are read from: a folder on disk, a tree in git, or either with pending changes over it. */
import type { Dirent } from 'node:fs';
import { posix } from 'node:path';
import { mediaFolder, parseRecordFileName, type RecordRef, recordPaths } from '../../catalogue/layout.ts';
import type { Parsed } from '../../text/parse.ts';

/** State of a file or folder: an equal stamp means that it is unchanged. */
export interface Stamp {
  readonly ino: number;
  readonly size: number;
  /** Milliseconds since 1970; -1 if so recent that a later change could have the same time. */
  readonly mtime: number;
  /** Time of the last change of the inode. Programs can't set it: it differs even if a copy keeps the other times. */
  readonly ctime: number;
}

/** A file or folder that can't be read: no permission, too large, not UTF-8, or a link that leaves the folder. */
export class UnreadableFileError extends Error {
  /** What can be read of a text that is not UTF-8, with U+FFFD for the rest; '' of other files. */
  readonly text: string;

  constructor(message: string, text = '') {
    super(message);
    this.text = text;
  }
}

/** True if an error of the system says that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The error of the system, in words for people. */
export function unreadable(error: unknown): UnreadableFileError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM')
    return new UnreadableFileError("It can't be read: give the user that runs catalogue permission to read it.");
  if (code === 'ELOOP') return new UnreadableFileError(linkProblems.itself);
  // The system's own message has the path on this machine, and diagnostics are public.
  return new UnreadableFileError(`It can't be read (${code}).`);
}

/** The place that a link may lead to, relative to a folder: the name of the path itself, any name, or anything below. */
interface LinkBound {
  readonly folder: string;
  readonly place: 'same' | 'child' | 'below';
}

/**
 * The place that a link at a path may lead to, so that it shows only what the same rule shows: media stay in
 * `site_media/`, the files of a dataset in its folder; a dataset may be a link to another of its namespace, and a
 * namespace to another one, since their records come along.
 */
function allowedTargetOfLink(path: string): LinkBound {
  const parts = path.split('/');
  const [top = '', , middle] = parts;
  const within = (count: number, place: LinkBound['place']) => ({ folder: parts.slice(0, count).join('/'), place });
  if (parts.length === 1) return within(0, parseRecordFileName(top) ? 'child' : 'same');
  if (top !== 'namespaces') return within(1, top === mediaFolder ? 'below' : 'child');
  if (parts.length === 2) return within(1, 'child');
  if (middle !== 'datasets') return within(2, 'child');
  if (parts.length === 3) return within(2, 'same');
  return parts.length === 4 ? within(3, 'child') : within(4, 'below');
}

/**
 * True if links on the way to a path may be followed.
 * @param path relative to the catalogue folder, as is the target
 * @param target the path without links
 * @param realOf the path of a folder without links; null if it is not in the catalogue folder
 */
export function mayFollowLink(path: string, target: string, realOf: (folder: string) => string | null): boolean {
  if (target === path) return true;
  if (/(^|\/)\./.test(target)) return false;
  const bound = allowedTargetOfLink(path);
  const folder = realOf(bound.folder);
  if (folder === null || !mayFollowLink(bound.folder, folder, realOf)) return false;
  const prefix = folder && `${folder}/`;
  if (!target.startsWith(prefix)) return false;
  const rest = target.slice(prefix.length);
  return bound.place === 'below' || rest === posix.basename(path) || (bound.place === 'child' && !rest.includes('/'));
}

/** What is said of a link that is not followed: by where it leads. */
export const linkProblems = {
  itself: 'It is a link to itself.',
  nowhere: 'It is a link that leads nowhere.',
  outside: 'It is a link that leaves the catalogue folder; links are followed within it only.',
  otherPart:
    'It is a link to another part of the catalogue; links are followed within site_media/ and the folder of a dataset only.',
} as const;

/** True for a folder, and what is below it. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The folder that a path lies in; '' at the top. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Entry of a folder. */
export type TreeEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>;

/** A tree of files. Paths are relative to the catalogue folder and have slashes. */
export interface FileTree {
  /** Stamp of a file or folder; null if there is none. @throws UnreadableFileError */
  stamp(path: string): Stamp | null;
  /** True if nothing is there, not even a link that leads nowhere. Only of a folder on disk, whose stamps are compared later. */
  isMissing?(path: string): boolean;
  /**
   * Names in a folder, sorted; none if it is missing.
   * @param hasStamp true if its stamp was made just now
   * @throws UnreadableFileError
   */
  names(path: string, hasStamp?: boolean): readonly TreeEntry[];
  /** True for a folder, or a link to one. @param parent path with a slash at its end */
  isFolder(parent: string, entry: TreeEntry): boolean;
  /** Text of a record, parsed if that has been done; null if there is no such file. @throws UnreadableFileError */
  read(path: string): { readonly text: string; readonly stamp: Stamp; readonly parsed?: Parsed } | null;
  /** True for a Git LFS pointer in the place of the file itself. */
  isLfsPointer(path: string): boolean;
}

/** True if there is a file or folder, and it can be read. */
export function existsInTree(tree: FileTree, path: string): boolean {
  try {
    return tree.stamp(path) !== null;
  } catch (error) {
    if (error instanceof UnreadableFileError) return false;
    throw error;
  }
}

/** Names in a folder; none if it is missing or can't be read. */
export function namesOrNone(tree: FileTree, folder: string): readonly string[] {
  try {
    return tree.names(folder).map(({ name }) => name);
  } catch (error) {
    if (error instanceof UnreadableFileError) return [];
    throw error;
  }
}

/** As `FileTree.read`; null, too, if the file can't be read. */
export function readOrNull(tree: FileTree, path: string): ReturnType<FileTree['read']> {
  try {
    return tree.read(path);
  } catch (error) {
    if (error instanceof UnreadableFileError) return null;
    throw error;
  }
}

/** Path of a record's file, with any extension; undefined if there is none. */
export const findRecordFile = (tree: FileTree, ref: RecordRef): string | undefined =>
  recordPaths(ref).find((path) => existsInTree(tree, path));

/** Text of a Git LFS pointer (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md), with the size of the file. */
export const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\/(?:[\s\S]*?\nsize (\d+)\n)?/;

/** Largest Git LFS pointer, in bytes. */
export const maxLfsPointerSize = 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a record. @throws UnreadableFileError */
export function decodeRecordText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // In UTF-16, each second byte of what is ASCII is zero.
    const text = bytes.toString().replaceAll('\0', '');
    throw new UnreadableFileError('It is not UTF-8. Save it as UTF-8.', text);
  }
}
