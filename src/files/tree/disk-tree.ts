/**
 * The catalogue folder on disk, read safely: links that lead out of the folder are not followed, files over the size of a
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
import { landmarks } from '../../catalogue/layout.ts';
import {
  decode,
  type FileTree,
  lfsPointer,
  maxRecordSize,
  type Stamp,
  type TreeEntry,
  UnreadableFileError,
} from './file-tree.ts';

/**
 * A change within the clock's tick of the last look could leave the same time behind: a file that was written this
 * recently (in milliseconds) gets a stamp that never equals another, and is read again at the next look. Times in whole
 * seconds are those of a file system whose clock ticks that slowly (two seconds on FAT).
 */
const tick = 20;
const slowTick = 2100;

function stampFrom(stats: Stats): Stamp {
  const { ino, mtimeMs, ctimeMs } = stats;
  const changed = Math.max(mtimeMs, ctimeMs);
  const fresh = Math.abs(Date.now() - changed) < (changed % 1000 === 0 ? slowTick : tick);
  return { ino, size: stats.isDirectory() ? 0 : stats.size, mtime: fresh ? -1 : mtimeMs, ctime: ctimeMs };
}

/**
 * A catalogue folder to look into.
 * @param root absolute path
 */
export class DiskTree implements FileTree {
  readonly root: string;
  #real: string | undefined;

  constructor(root: string) {
    this.root = root;
  }

  absolute(path: string): string {
    return join(this.root, path);
  }

  /**
   * @returns the stamp of a file or folder; null where there is none
   * @throws Unreadable where it may not be looked at, or is a link that leaves the folder
   */
  stamp(path: string): Stamp | null {
    const stats = this.#stats(path);
    return stats && stampFrom(stats);
  }

  /** Whether there is a catalogue at all. A mount point with nothing mounted isn't one from which all was deleted. */
  isCatalogue(): boolean {
    // A root that is a link may have been pointed elsewhere.
    this.#real = undefined;
    return landmarks.some((name) => this.size(name) !== null);
  }

  /**
   * Which folder this is, whatever lies in it: another one after it was deleted and made again, or when something was
   * mounted over it. The same number is often given again, but not with the same time of birth.
   * @returns null where there is none that may be looked into
   */
  identity(path: string): string | null {
    try {
      const stats = this.#stats(path);
      return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : null;
    } catch {
      return null;
    }
  }

  /** The size of what is at a path, be it a link; null where there is nothing. */
  size(path: string): number | null {
    try {
      return lstatSync(this.absolute(path), { throwIfNoEntry: false })?.size ?? null;
    } catch {
      return null;
    }
  }

  /** Whether a link on the way to a path leads out of the folder. */
  leadsOutside(path: string): boolean {
    try {
      return !this.#isWithin(realpathSync.native(this.absolute(path)));
    } catch {
      return false; // absent, or to be complained of by whoever looks at it
    }
  }

  /**
   * The names in a folder, sorted; none where it is absent.
   * @throws Unreadable where it may not be looked into, or is a link that leaves the catalogue
   */
  names(path: string): readonly Dirent[] {
    this.#stats(path.replace(/\/$/, ''));
    try {
      return readdirSync(this.absolute(path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw unreadable(error);
    }
  }

  /** Whether an entry is a folder, or a link to one within the catalogue. */
  isFolder(parent: string, entry: TreeEntry): boolean {
    if (!entry.isSymbolicLink()) return entry.isDirectory();
    return this.#stats(`${parent}${entry.name}`)?.isDirectory() ?? false;
  }

  /**
   * Reads a record whole, from one descriptor, so that text and stamp belong together.
   * @throws Unreadable; null where the file is absent
   */
  read(path: string): { readonly text: string; readonly stamp: Stamp } | null {
    const descriptor = this.#open(path);
    if (descriptor === null) return null;
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new UnreadableFileError('It is not a file.');
      if (stats.size > maxRecordSize)
        throw new UnreadableFileError(`It has ${stats.size} bytes; a record has at most ${maxRecordSize}.`);
      const bytes = Buffer.allocUnsafe(stats.size + 1);
      let length = 0;
      for (let got = -1; got !== 0 && length < bytes.length; length += got)
        got = readSync(descriptor, bytes, length, bytes.length - length, null);
      // Longer than it was a moment ago: being written; what is here is read, and the stamp makes the next look read it again.
      const stamp = length === stats.size ? stampFrom(stats) : { ...stampFrom(stats), mtime: -1 };
      return { text: decode(bytes.subarray(0, length)), stamp };
    } catch (error) {
      throw error instanceof UnreadableFileError ? error : unreadable(error);
    } finally {
      closeSync(descriptor);
    }
  }

  /** A descriptor of a file, or of what a link within the folder leads to; null where there is none. */
  #open(path: string): number | null {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    try {
      return openSync(this.absolute(path), flags | constants.O_NOFOLLOW);
    } catch (error) {
      if (isAbsent(error)) return null;
      if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw unreadable(error);
    }
    if (!this.#stats(path)) throw new UnreadableFileError('It is a link that leads nowhere.');
    try {
      return openSync(realpathSync(this.absolute(path)), flags);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /**
   * Whether a file is a Git LFS pointer in the place of the file itself (git-lfs.com/spec: under 1024 bytes). One that
   * can't be read is none.
   */
  isLfsPointer(path: string): boolean {
    try {
      const stats = this.#stats(path);
      if (!stats?.isFile() || stats.size > 1024) return false;
      return lfsPointer.test(readFileSync(this.absolute(path), 'latin1'));
    } catch {
      return false;
    }
  }

  #isWithin(target: string): boolean {
    this.#real ??= realpathSync(this.root);
    return target === this.#real || target.startsWith(this.#real + sep);
  }

  #stats(path: string): Stats | null {
    try {
      const stats = lstatSync(this.absolute(path), { throwIfNoEntry: false });
      if (!stats?.isSymbolicLink()) return stats ?? null;
      const target = realpathSync(this.absolute(path));
      if (!this.#isWithin(target))
        throw new UnreadableFileError(
          'It is a link that leaves the catalogue folder; links are followed within it only.',
        );
      return statSync(target);
    } catch (error) {
      if (error instanceof UnreadableFileError) throw error;
      if (isAbsent(error)) return null;
      throw unreadable(error);
    }
  }
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function unreadable(error: unknown): UnreadableFileError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM')
    return new UnreadableFileError('It may not be read: give the user that runs catalogue permission to read it.');
  if (code === 'ELOOP') return new UnreadableFileError('It is a link to itself.');
  // The system's own message has the path on this machine in it, and the problem is told to everybody.
  return new UnreadableFileError(`It can't be read (${code}).`);
}
