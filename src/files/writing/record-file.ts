/**
 * Record file, opened with lowdb for a single change. Its contents are not kept between changes, so that a file which an
 * editor has saved is never overwritten with older contents.
 */
import { existsSync, fstatSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { ConflictError, NotFoundError, UnavailableError } from '../../catalogue/errors.ts';
import { parseCataloguePath } from '../../catalogue/layout.ts';
import {
  errorCode,
  flushFolderToDisk,
  isForbidden,
  makeFoldersDurably,
  temporaryPathBeside,
  unreadableText,
  writeDurably,
} from '../../disk/durable.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import { inheritOwner } from '../../disk/owner.ts';
import type { DiskTree } from '../tree/disk-tree.ts';

/** The file was changed by another program since it was read. */
export class ChangedMeanwhileError extends ConflictError {
  /** @param path in the catalogue folder */
  constructor(path: string) {
    super(`${path} is being written by another program, again and again. Try again later.`);
  }
}

/** A ChangedMeanwhileError if a file or folder is gone: a folder above it may have got another name. Other errors as they are. */
export const asChangedIfGone = (error: unknown, path: string): unknown =>
  errorCode(error) === 'ENOENT' ? new ChangedMeanwhileError(path) : error;

/** Bytes of a record file for lowdb. A crash during a write leaves the old bytes or the new. */
class BytesAdapter implements Adapter<Buffer> {
  readonly #tree: DiskTree;
  readonly #path: string;
  #read: Buffer | null;

  /** @param expected bytes that a change before this one puts there */
  constructor(tree: DiskTree, path: string, expected: Buffer | null = null) {
    this.#tree = tree;
    this.#path = path;
    this.#read = expected;
  }

  async read(): Promise<Buffer | null> {
    this.#read = bytesAt(this.#tree, this.#path);
    return this.#read;
  }

  /** @throws ChangedMeanwhileError if the file is not what was read */
  async write(bytes: Buffer): Promise<void> {
    await writeDurably(this.#tree.absolute(this.#path), bytes, {
      beforeRename: (old) => this.assertUnchanged(old),
    }).catch((error) => {
      throw asChangedIfGone(error, this.#path);
    });
  }

  /**
   * Editors take no locks, and what they have saved must not be lost.
   * @param descriptor of the file, if it is open
   * @throws ChangedMeanwhileError
   */
  assertUnchanged(descriptor: number | null = null): void {
    const now = descriptor === null ? bytesAt(this.#tree, this.#path) : bytesOf(descriptor);
    if (!this.#read || !now?.equals(this.#read)) throw new ChangedMeanwhileError(this.#path);
  }
}

const absent = Buffer.alloc(0);

/** A record file that was read. */
export interface RecordFile {
  /** Null if there is none. */
  readonly bytes: Buffer | null;
  /**
   * Replaces the contents of a file that is there.
   * @throws ChangedMeanwhileError, UnavailableError
   */
  replace(text: string): Promise<void>;
  /** @throws ChangedMeanwhileError if the file is not what was read */
  assertUnchanged(): void;
}

/**
 * Opens a record file.
 * @throws ConflictError if something else lies at its path, or a link leads out of the catalogue
 */
export async function openRecordFile(tree: DiskTree, path: string): Promise<RecordFile> {
  const adapter = new BytesAdapter(tree, path);
  const file = new Low(adapter, absent);
  await file.read();
  return {
    bytes: file.data === absent ? null : file.data,
    async replace(text) {
      file.data = Buffer.from(text);
      await file.write();
    },
    assertUnchanged: () => adapter.assertUnchanged(),
  };
}

/**
 * A record file that changes before this one put at its path.
 * @param bytes that it has then; null for a file that is missing then
 */
export function plannedRecordFile(tree: DiskTree, path: string, bytes: Buffer | null): RecordFile {
  const adapter = new BytesAdapter(tree, path, bytes);
  return {
    bytes,
    replace: (text) => adapter.write(Buffer.from(text)),
    assertUnchanged: () => adapter.assertUnchanged(),
  };
}

/**
 * Bytes of a record; null if there is none.
 * @throws ConflictError if something else is there, or a link leads out of the catalogue
 */
function bytesAt(tree: DiskTree, path: string): Buffer | null {
  assertPathStaysInFolder(tree, path);
  const absolute = tree.absolute(path);
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (!stats) return null;
    if (!stats.isFile()) throw new ConflictError(`${path} is not a regular file: replace it by a file.`);
    return readFileSync(absolute);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return null;
    if (!isForbidden(error)) throw toUnavailableError(error, absolute);
    throw new UnavailableError(unreadableText(path, error), { cause: error });
  }
}

/** Bytes of an open file; null if it is not a regular file. */
const bytesOf = (descriptor: number): Buffer | null =>
  fstatSync(descriptor).isFile() ? readFileSync(descriptor) : null;

/**
 * @throws ConflictError if a folder on the way to a path is a link that leads out of the catalogue folder, or into a hidden
 *   folder
 */
export function assertPathStaysInFolder(tree: DiskTree, path: string): void {
  const names = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= names.length; depth++) {
    const folder = names.slice(0, depth).join('/');
    const stats = lstatSync(tree.absolute(folder), { throwIfNoEntry: false });
    if (!stats?.isDirectory() && !stats?.isSymbolicLink()) return;
    if (!stats.isSymbolicLink()) continue;
    if (!isInside(realpathSync.native(tree.root), tree.absolute(folder)))
      throw new ConflictError(`${folder} is a link that leads out of the catalogue folder: replace it by a folder.`);
    if (tree.leadsOutside(folder))
      throw new ConflictError(`${folder} is a link to another part of the catalogue: replace it by a folder.`);
  }
}

function isInside(root: string, link: string): boolean {
  try {
    const real = realpathSync.native(link);
    return real.startsWith(root + sep) && !real.includes(`${sep}.`, root.length) && lstatSync(real).isDirectory();
  } catch {
    return false;
  }
}

/** True for the record of a version: the folder of its dataset exists, or the dataset has another name by now. */
export const isInDatasetFolder = (path: string): boolean => {
  const info = parseCataloguePath(path);
  return info.kind === 'record' && info.ref.kind === 'version';
};

/**
 * Writes the file of a new record, and the folders it needs; not that of a dataset for a version. Its own folder appears with
 * the record in it: a crash leaves no empty folder of a dataset.
 * @param signal aborted if the lock is lost
 * @throws ConflictError if the file exists; NotFoundError if the dataset of a version is gone; UnavailableError
 */
export async function writeNewRecord(root: string, path: string, text: string, signal: AbortSignal): Promise<void> {
  const target = join(root, path);
  const folder = dirname(target);
  const aside = temporaryPathBeside(folder);
  let isOwnFolder = false;
  try {
    signal.throwIfAborted();
    if (existsSync(folder)) await writeDurably(target, text, { exclusive: true });
    else {
      if (isInDatasetFolder(path) && !existsSync(dirname(folder)))
        throw new NotFoundError('The dataset was removed or renamed meanwhile.');
      if (!isInDatasetFolder(path)) await makeFoldersDurably(dirname(folder));
      await mkdir(aside);
      inheritOwner(aside);
      await writeDurably(join(aside, basename(target)), text);
      signal.throwIfAborted();
      try {
        await rename(aside, folder);
        isOwnFolder = true;
      } catch (error) {
        if (!['EEXIST', 'ENOTEMPTY'].includes(errorCode(error))) throw error;
        // Another process has made the folder: users, for example, lie side by side.
        await rm(aside, { recursive: true, force: true });
        await writeDurably(target, text, { exclusive: true });
      }
      await flushFolderToDisk(dirname(folder));
    }
  } catch (error) {
    await rm(aside, { recursive: true, force: true }).catch(() => {});
    if (isOwnFolder) {
      await rm(target, { force: true }).catch(() => {});
      // Unless others have put files of their own there.
      await rmdir(folder).catch(() => {});
    }
    if (['EEXIST', 'ENOTEMPTY'].includes(errorCode(error))) throw new ConflictError(`${path} exists already.`);
    throw toUnavailableError(error, target);
  }
}
