/**
 * Writing to disk so that a crash at any moment leaves the old or the new, never a half: write aside, fsync, rename,
 * fsync of the folder (POSIX rename(2) and fsync(2)).
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConflictError, UnavailableError } from '../catalogue/errors.ts';
import { isGone, markPattern, writerMark } from './writer.ts';

const temporary = new RegExp(`^\\.[0-9a-f]{16}(?:\\.(${markPattern.source}))?\\.catalogue-tmp$`);

/** Whether a file or folder of this name is what a writer works on, or left in a crash: nothing for anyone to read. */
export const isTemporary = (name: string): boolean => temporary.test(name);

/** A new hidden name, that says who writes there. */
export const temporaryName = (): string => `.${randomBytes(8).toString('hex')}.${writerMark}.catalogue-tmp`;

/** A new hidden name beside `path`, on the same file system. */
export const temporaryBeside = (path: string): string => join(dirname(path), temporaryName());

/**
 * Writes a file as a whole. Readers see the old content or the new, and so does the next start after a crash.
 * @param options.mode of a new file (default 0o666 less the umask); an existing file keeps its own
 * @param options.exclusive fails where the file exists
 * @param options.atLast called when nothing is left to do but the rename: what it throws leaves the old content
 * @throws ConflictError where the path is a symbolic link, since records are never links
 * @throws UnavailableError where the disk is full or doesn't let us write
 * @throws Error with code EEXIST (exclusive), ENOENT (no such folder) and whatever else the system says
 */
export async function writeDurably(
  path: string,
  bytes: string | Uint8Array,
  options: {
    readonly mode?: number | undefined;
    readonly exclusive?: boolean | undefined;
    readonly atLast?: (() => void) | undefined;
  } = {},
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    const kept = await existingMode(path);
    if (kept !== null && options.exclusive) throw Object.assign(new Error(`${path} exists.`), { code: 'EEXIST', path });
    await writeNew(temporary, bytes, options.mode, kept);
    if (options.exclusive) {
      // A link fails where the target exists; a rename would replace it.
      await link(temporary, path);
      await unlink(temporary);
    } else {
      options.atLast?.();
      await rename(temporary, path);
    }
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw explained(error, path);
  }
}

/**
 * Removes a file or a folder with all that is in it. It disappears in one step, before its parts are deleted.
 * @throws UnavailableError where the system doesn't let us; Error with code ENOENT where there is nothing
 */
export async function removeDurably(path: string): Promise<void> {
  try {
    const temporary = temporaryBeside(path);
    await rename(path, temporary);
    await syncFolder(dirname(path));
    await rm(temporary, { recursive: true, force: true });
  } catch (error) {
    throw explained(error, path);
  }
}

/**
 * Whether a temporary file or folder was left by a crashed writer.
 * @param olderThan milliseconds since it was last changed: what is younger may be somebody's work, unless its writer is
 *   known to be gone
 */
export async function isAbandoned(path: string, olderThan: number): Promise<boolean> {
  const mark = temporary.exec(basename(path))?.[1] ?? '';
  const stat = await lstat(path).catch(() => null);
  return stat !== null && (stat.ctimeMs <= Date.now() - olderThan || isGone(mark));
}

/**
 * Deletes what crashed writers left in a folder; not below it. A folder that is gone is clean.
 * @returns how many there were
 */
export async function sweepTemporaries(folder: string, olderThan: number): Promise<number> {
  const names = await readdir(folder).catch((): string[] => []);
  let swept = 0;
  for (const path of names.filter(isTemporary).map((name) => join(folder, name))) {
    if (!(await isAbandoned(path, olderThan))) continue;
    await rm(path, { recursive: true, force: true }).then(
      () => swept++,
      () => {},
    );
  }
  return swept;
}

/** Makes sure that names made, changed or removed in a folder are on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems can't sync a folder; there is nothing else to ask of them.
    if (!['EINVAL', 'ENOTSUP', 'EISDIR'].includes(codeOf(error))) throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Makes a folder and those above it, durably.
 * @throws UnavailableError where the system doesn't let us; Error with code EEXIST or ENOTDIR where a file is in the way
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    // One by one: making several at once, Node takes a file system that is read-only for a folder that isn't there.
    await mkdir(path).catch(async (error) => {
      if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
      await makeFolders(dirname(path));
      await mkdir(path);
    });
    await syncFolder(dirname(path));
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && (await lstat(path)).isDirectory()) return;
    throw explained(error, path);
  }
}

async function existingMode(path: string): Promise<number | null> {
  const stat = await lstat(path).catch((error) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (stat?.isSymbolicLink())
    throw new ConflictError(
      `${basename(path)} is a symbolic link, and records are files of their own: replace it by a copy.`,
    );
  return stat === null ? null : stat.mode & 0o7777;
}

async function writeNew(path: string, bytes: string | Uint8Array, mode = 0o666, kept: number | null): Promise<void> {
  const handle: FileHandle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(bytes);
    if (kept !== null) await handle.chmod(kept);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space and try again',
  EDQUOT: 'the disk quota is used up. Free some space and try again',
  EROFS: 'the file system is read-only. Mount it writable and try again',
  EACCES: 'permission is denied. Let the user of this process write there and try again',
  EPERM: 'the operation is not permitted. Let the user of this process write there and try again',
  EIO: 'the disk reports an error. Check the disk before you try again',
};

/**
 * What the system said, as something to act on where it is about the disk and not about the request. Whoever asks is
 * told the name alone: where a folder lies on this machine is nobody's business but of those who read its log.
 */
export function explained(error: unknown, path: string): unknown {
  const remedy = remedies[codeOf(error)];
  if (remedy === undefined) return error;
  const unavailable = new UnavailableError(`${basename(path)} can't be written: ${remedy}.`);
  unavailable.cause = error;
  return unavailable;
}

/** The code of a system error, such as ENOENT; '' for any other. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
