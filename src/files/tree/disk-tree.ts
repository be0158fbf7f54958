/**
 * The catalogue folder on disk, read safely: links are followed only to what the same rule shows (`mayFollowLink`), files over the size of a
 * record are not read, and a file that vanishes between two calls is absent.
 */

import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import type { LRUCache } from 'lru-cache';
import { isPayloadPath, landmarks, maxRecordSize, recordFormat } from '../../catalogue/layout.ts';
import { folderIsGone } from '../../disk/private-folder.ts';
import { lruCache } from '../../text/packages.ts';
import { type Parsed, RecordText } from '../../text/parse.ts';
import {
  decodeRecordText,
  type FileTree,
  isAbsent,
  lfsPointer,
  linkProblems,
  maxLfsPointerSize,
  mayFollowLink,
  type Stamp,
  type TreeEntry,
  UnreadableFileError,
  unreadable,
} from './file-tree.ts';
import { mayBePointer, type PayloadPointer, parsePointer } from './payload-pointer.ts';
import { stampFrom } from './stamps.ts';

const ifExists = { throwIfNoEntry: false } as const;

/** Length of the texts that are remembered with what they say, in characters: those of a push of many records. */
const writtenSize = 2 * 1024 * 1024;

/** A cache of texts. The package is loaded by the first write: reading doesn't need it. */
function makeCacheOfTexts(): LRUCache<string, RecordText> {
  const LRUCache = lruCache();
  return new LRUCache({ maxSize: writtenSize, sizeCalculation: ({ text }) => text.length + 1 });
}

/** Takes the text of a record. */
export type OnRead = (path: string, text: string) => void;

export class DiskTree implements FileTree {
  /** Absolute path of the catalogue folder. */
  readonly root: string;
  /** Called with the text of each record that is read. */
  onRead: OnRead | undefined;
  /** The same without symbolic links. */
  #realRoot: string | undefined;
  /** The path whose stamp was asked for last, if nothing was there. */
  #absent: string | undefined;
  /** Texts of records that this process wrote last, by path: they are read again soon, and needn't be parsed for that. */
  #written: LRUCache<string, RecordText> | undefined;

  constructor(root: string) {
    this.root = root;
  }

  /** Absolute path of a file. */
  absolute(path: string): string {
    return join(this.root, path);
  }

  /**
   * Stamp of a file or folder; null if there is none. That of a payload in the object store has the size of the payload.
   * @param make by default, a file that was changed just now gets a stamp that equals no other
   * @throws UnreadableFileError without permission, or for a link that may not be followed
   */
  stamp(path: string, make = stampFrom): Stamp | null {
    const stats = this.#stats(path);
    if (!stats) return null;
    const pointer = mayBePointer(stats.size) ? this.pointer(path) : null;
    return pointer ? { ...make(stats), size: pointer.size } : make(stats);
  }

  /** The pointer in the place of a payload that lies in the object store; null if there is any other file, or none. */
  pointer(path: string): PayloadPointer | null {
    if (!isPayloadPath(path)) return null;
    try {
      const stats = this.#stats(path);
      return stats?.isFile() && mayBePointer(stats.size) ? parsePointer(readFileSync(this.absolute(path))) : null;
    } catch {
      return null;
    }
  }

  /** True if there is a catalogue. If a mount point has nothing mounted, that doesn't mean that all records were deleted. */
  isCatalogue(): boolean {
    // The root may be a link that leads to another folder now.
    this.#realRoot = undefined;
    return landmarks.some((name) => this.size(name) !== null);
  }

  /** @throws UnavailableError if the catalogue is gone */
  assertCatalogue(): void {
    if (!this.isCatalogue()) throw folderIsGone();
  }

  /**
   * Identity of a folder; null if there is none that may be read. It differs after the folder was deleted and made again,
   * or when something is mounted over it. (Inode numbers are often reused, but not with the same time of birth.)
   */
  identity(path: string): string | null {
    try {
      const stats = this.#stats(path);
      return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : null;
    } catch {
      return null;
    }
  }

  /** Size of a file, folder or link; null if there is none. */
  size(path: string): number | null {
    try {
      return lstatSync(this.#place(path), ifExists)?.size ?? null;
    } catch {
      return null;
    }
  }

  /** True if a link on the way to a path leads to what may not be shown there. */
  leadsOutside(path: string): boolean {
    try {
      return !this.mayFollow(path, this.#realpath(path));
    } catch {
      return false; // missing or unreadable: reading it reports that
    }
  }

  /**
   * True if links on the way to a path may be followed.
   * @param target absolute path of the file without symbolic links
   */
  mayFollow(path: string, target: string): boolean {
    const real = this.#relative(target);
    return (
      real !== null && mayFollowLink(path.replace(/\/$/, ''), real, (folder) => this.#relative(this.#realpath(folder)))
    );
  }

  /** Path of the file that links at a path lead to; the path itself if there are none, or they can't be followed. */
  linkTarget(path: string): string {
    try {
      return this.#relative(this.#realpath(path)) ?? path;
    } catch {
      return path;
    }
  }

  /**
   * Names in a folder, sorted; none if it is missing.
   * @param hasStamp true if its stamp was made just now: then links to it may be followed
   * @throws UnreadableFileError without permission, or for a link that may not be followed
   */
  names(path: string, hasStamp = false): readonly Dirent[] {
    if (!hasStamp) this.#stats(path.replace(/\/$/, ''));
    try {
      const entries = readdirSync(this.#place(path), { withFileTypes: true });
      return entries.length > 1 ? entries.sort((a, b) => (a.name < b.name ? -1 : 1)) : entries;
    } catch (error) {
      if (isAbsent(error)) return [];
      throw unreadable(error);
    }
  }

  /** True for a folder, or a link to one within the catalogue. */
  isFolder(parent: string, entry: TreeEntry): boolean {
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    return this.#stats(`${parent}${entry.name}`)?.isDirectory() ?? false;
  }

  /**
   * Text of a record, and its stamp, from the same file descriptor; null if there is no file.
   * @throws UnreadableFileError
   */
  read(path: string): { readonly text: string; readonly stamp: Stamp; readonly parsed?: Parsed } | null {
    const descriptor = this.#open(path);
    if (descriptor === null) return null;
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new UnreadableFileError('It is not a file.');
      if (stats.size > maxRecordSize)
        throw new UnreadableFileError(`It has ${stats.size} bytes; a record has at most ${maxRecordSize}.`);
      // Made before the file is read: what is written from now on has a later time.
      const stamp = stampFrom(stats);
      const bytes = Buffer.allocUnsafe(stats.size + 1);
      let length = 0;
      // What is added after the size was asked for changes the stamp: reading on to the end would be one call more for each file.
      for (let got = -1; got !== 0 && length < stats.size; length += got)
        got = readSync(descriptor, bytes, length, bytes.length - length, null);
      // If the size changed meanwhile, it is being written: the stamp makes the next rescan read it again.
      const whole = length === stats.size ? stamp : { ...stamp, mtime: -1 };
      const text = decodeRecordText(bytes.subarray(0, length));
      this.onRead?.(path, text);
      const written = this.#written?.get(path);
      return { text, stamp: whole, ...(written?.text === text && { parsed: written.parsed }) };
    } catch (error) {
      throw error instanceof UnreadableFileError ? error : unreadable(error);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Remembers the text of a record that is written. */
  rememberText(path: string, record: RecordText): void {
    this.#written ??= makeCacheOfTexts();
    this.#written.set(path, record);
  }

  /** The text of a record, with what was parsed of it if it is remembered. */
  recordText(path: string, text: string): RecordText {
    const written = this.#written?.get(path);
    return written?.text === text ? written : new RecordText(text, recordFormat(path));
  }

  /** Descriptor of a file, or of the target of a link within the folder; null if there is none. */
  #open(path: string): number | null {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    try {
      return openSync(this.#place(path), flags | constants.O_NOFOLLOW);
    } catch (error) {
      if (isAbsent(error)) return null;
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw unreadable(error);
    }
    if (!this.#stats(path)) throw new UnreadableFileError(linkProblems.nowhere);
    try {
      return openSync(realpathSync(this.absolute(path)), flags);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /**
   * True for a Git LFS pointer in the place of the file itself (git-lfs.com/spec: under 1024 bytes); false if it can't
   * be read.
   */
  isLfsPointer(path: string): boolean {
    try {
      const stats = this.#stats(path);
      if (!stats?.isFile() || stats.size > maxLfsPointerSize) return false;
      return lfsPointer.test(readFileSync(this.absolute(path), 'latin1'));
    } catch {
      return false;
    }
  }

  /** A path below the root, relative to it, with slashes; null for any other. @param target without links */
  #relative(target: string): string | null {
    this.#realRoot ??= realpathSync.native(this.root);
    if (target === this.#realRoot) return '';
    const prefix = this.#realRoot.endsWith(sep) ? this.#realRoot : this.#realRoot + sep;
    return target.startsWith(prefix) ? target.slice(prefix.length).replaceAll(sep, '/') : null;
  }

  #realpath(path: string): string {
    return realpathSync.native(this.absolute(path));
  }

  /** True if nothing is there, not even a link that leads nowhere: before it changes, its folder does. */
  isMissing(path: string): boolean {
    return this.#absent === path || this.size(path) === null;
  }

  /** As `absolute`, without normalizing: a start compares a hundred thousand files, and that would take a tenth of its time. */
  #place(path: string): string {
    return path === '' ? this.root : `${this.root}/${path}`;
  }

  #stats(path: string): Stats | null {
    try {
      const stats = lstatSync(this.#place(path), ifExists);
      this.#absent = stats ? undefined : path;
      if (!stats?.isSymbolicLink()) return stats ?? null;
      const target = this.#realpath(path);
      if (this.#relative(target) === null) throw new UnreadableFileError(linkProblems.outside);
      if (!this.mayFollow(path, target)) throw new UnreadableFileError(linkProblems.otherPart);
      return statSync(target);
    } catch (error) {
      if (error instanceof UnreadableFileError) throw error;
      if (isAbsent(error)) return null;
      throw unreadable(error);
    }
  }
}
