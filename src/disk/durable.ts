/**
 * Durable, atomic writes: a crash at any moment leaves the old file or the new one. A temporary file is written, synced
 * and renamed, then the folder is synced (POSIX rename(2) and fsync(2)). Only syncing, and writing much, waits for the
 * disk, and so for the thread pool; other calls take some ten microseconds, far less than a turn of a busy pool.
 */
import { randomBytes } from 'node:crypto';
import {
  close,
  closeSync,
  constants,
  fchmodSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SymbolicLinkError, toUnavailableError } from './not-writable.ts';
import { giveToOwner, inheritOwner, ownerOfNew } from './owner.ts';
import { betweenSyncRounds, syncInRound } from './sync-rounds.ts';
import { markPattern, writerMark, writerState } from './writer.ts';

const temporary = new RegExp(`^\\.[0-9a-f]{16}(?:\\.(${markPattern.source}))?\\.catalogue-tmp(?:\\.lock)?$`);

/** True for the name of a temporary file or folder, or of the folder by which SQLite locks one, of a writer at work or of one that crashed. Readers skip these. */
export const isTemporaryFile = (name: string): boolean => temporary.test(name);

/** Random for each thread of this process, and a number for each name: drawing random bytes takes longer than writing a small file. */
const ownPrefix = randomBytes(4).toString('hex');
let names = 0;

/** A new temporary name: hidden, with the mark of this process. */
export const temporaryName = (): string =>
  `.${ownPrefix}${(names++ % 2 ** 32).toString(16).padStart(8, '0')}.${writerMark}.catalogue-tmp`;

/** A new temporary path in the folder of `path`, and so on the same file system. */
export const temporaryPathBeside = (path: string): string => join(dirname(path), temporaryName());

/**
 * Writes a whole file. Readers, and the next start after a crash, see the old content or the new.
 * @param options.mode of a new file (default 0o666 less the umask); an existing file keeps its own, and its owner and group
 *   as far as this process may give it to them
 * @param options.exclusive true to fail if the file exists
 * @param options.beforeRename called right before the rename, with a descriptor of the old file if there is one that can be
 *   opened; if it throws, the old content stays
 * @throws SymbolicLinkError, since records are never links
 * @throws UnavailableError if the disk is full or not writable
 * @throws Error with code EEXIST (exclusive), ENOENT (no such folder) or another code of the system
 */
export async function writeDurably(
  path: string,
  bytes: string | Uint8Array,
  options: {
    readonly mode?: number | undefined;
    readonly exclusive?: boolean | undefined;
    readonly beforeRename?: ((old: number | null) => void) | undefined;
  } = {},
): Promise<void> {
  const temporary = temporaryPathBeside(path);
  let replaced: number | null = null;
  let isNew = false;
  await betweenSyncRounds();
  try {
    const kept = replacedStats(path);
    if (kept !== null && options.exclusive) throw Object.assign(new Error(`${path} exists.`), { code: 'EEXIST', path });
    await writeNew(temporary, bytes, options.mode, kept);
    if (options.exclusive) {
      giveNewName(temporary, path);
      isNew = true;
    } else {
      replaced = kept === null ? null : openReplaced(path);
      options.beforeRename?.(replaced);
      renameSync(temporary, path);
    }
    await flushFolderToDisk(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (isNew) await rm(path, { force: true }).catch(() => {});
    throw toUnavailableError(error, path);
  } finally {
    if (replaced !== null) close(replaced, () => {});
  }
}

/** Gives a file a name that no other has. @throws Error with code EEXIST */
export function giveNewName(temporary: string, path: string): void {
  try {
    // A link fails where the target exists; a rename would replace it.
    linkSync(temporary, path);
  } catch (error) {
    if (!lacksHardLinks(error)) throw error;
    if (lstatSync(path, { throwIfNoEntry: false }))
      throw Object.assign(new Error(`${path} exists.`), { code: 'EEXIST', path });
    renameSync(temporary, path);
    return;
  }
  unlinkSync(temporary);
}

/** True for the error of a link on a file system without hard links (FAT, exFAT), or of a file that has too many. */
export const lacksHardLinks = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error));

/**
 * Opens a file that is about to be replaced; null if it can't be. Its blocks are freed when it is closed, by the thread
 * pool and after the writer has its answer: some file systems wait for that (ext4 with `discard`), in rename(2) otherwise.
 */
export function openReplaced(path: string): number | null {
  // Windows replaces no file that is open.
  if (process.platform === 'win32') return null;
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return null;
  }
}

/**
 * Removes a file, or a folder with its content. It disappears in one step, before its parts are deleted.
 * @throws UnavailableError if the disk is not writable; Error with code ENOENT if the path doesn't exist
 */
export async function removeDurably(path: string): Promise<void> {
  try {
    const temporary = temporaryPathBeside(path);
    await rename(path, temporary);
    await flushFolderToDisk(dirname(path));
    await rm(temporary, { recursive: true, force: true });
  } catch (error) {
    throw toUnavailableError(error, path);
  }
}

/**
 * True if a temporary file or folder was left by a writer that crashed.
 * @param olderThan age in milliseconds from which it counts as abandoned if it isn't known whether its writer still runs
 */
export async function isAbandonedTemporary(path: string, olderThan: number): Promise<boolean> {
  const mark = temporary.exec(basename(path))?.[1] ?? '';
  const stat = await lstat(path).catch(() => null);
  const state = writerState(mark);
  return stat !== null && (state === 'ended' || (state === 'unknown' && stat.ctimeMs <= Date.now() - olderThan));
}

/**
 * Deletes the abandoned temporary files in a folder, but not in folders below it. A missing folder is no error.
 * @param olderThan see `isAbandonedTemporary`
 * @returns the number of deleted files
 */
export const removeAbandonedTemporaries = (folder: string, olderThan: number): Promise<number> =>
  removeTemporaries(folder, (path) => isAbandonedTemporary(path, olderThan));

/** Deletes the temporary files in a folder for which a test holds; by default all, also those of writers that run. */
export async function removeTemporaries(
  folder: string,
  test: (path: string) => Promise<boolean> = async () => true,
): Promise<number> {
  const names = await readdir(folder).catch((): string[] => []);
  let swept = 0;
  for (const path of names.filter(isTemporaryFile).map((name) => join(folder, name))) {
    if (!(await test(path))) continue;
    await rm(path, { recursive: true, force: true }).then(
      () => swept++,
      () => {},
    );
  }
  return swept;
}

/** Syncs a folder: names that were added, changed or removed in it are on disk afterwards. */
export async function flushFolderToDisk(folder: string): Promise<void> {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    await syncInRound(descriptor);
  } catch (error) {
    // Some network file systems can't sync a folder, and have no other way.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(errorCode(error))) throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Syncs a file, or a folder with all files and folders below it. Links are not followed. */
export async function flushTreeToDisk(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) {
    for (const name of await readdir(path)) await flushTreeToDisk(join(path, name));
    await flushFolderToDisk(path);
  } else if (found.isFile()) {
    const file = await open(path, 'r');
    await file.sync().finally(() => file.close());
  }
}

/**
 * Makes a folder and its parents, durably. An existing folder, or a link to one, is no error.
 * @param options.withParents false to make the folder alone: without its parent, the error has the code ENOENT
 * @throws UnavailableError if the disk is not writable; Error with code EEXIST or ENOTDIR if a file is in the way
 */
export async function makeFoldersDurably(path: string, { withParents = true } = {}): Promise<void> {
  try {
    // One by one: with `recursive`, Node reports a read-only file system as a missing folder.
    await mkdir(path).catch(async (error) => {
      if (!withParents || errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
      await makeFoldersDurably(dirname(path));
      await mkdir(path);
    });
    inheritOwner(path);
    await flushFolderToDisk(dirname(path));
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && (await stat(path).catch(() => null))?.isDirectory()) return;
    throw toUnavailableError(error, path);
  }
}

/** Mode and owner of the file that a new one replaces; null if no file is replaced. @throws SymbolicLinkError */
function replacedStats(path: string): Stats | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) throw new SymbolicLinkError(path);
  return stats ?? null;
}

/** In bytes; more is written by the thread pool. */
const maxWrittenAtOnce = 128 * 1024;
const writeMuch = promisify(writeFile);

async function writeNew(path: string, bytes: string | Uint8Array, mode = 0o666, kept: Stats | null): Promise<void> {
  const descriptor = openSync(path, 'wx', mode);
  try {
    if (bytes.length <= maxWrittenAtOnce) writeFileSync(descriptor, bytes);
    else await writeMuch(descriptor, bytes);
    const owner = kept ?? ownerOfNew(path);
    if (owner) giveToOwner(descriptor, owner);
    if (kept) fchmodSync(descriptor, kept.mode & 0o7777);
    await syncInRound(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Flushes the bytes of a file to the disk. */
export async function flushFileToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The code of a system error, such as ENOENT; '' for any other. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** True for the error of a system that refuses permission. */
export const isForbidden = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(errorCode(error));

/** A sentence about a file or folder that can't be read, with a remedy if permission is what it lacks. */
export const unreadableText = (path: string, error: unknown): string =>
  `${path} can't be read (${errorCode(error)})${isForbidden(error) ? ': give the user of this process permission to read it' : ''}.`;
