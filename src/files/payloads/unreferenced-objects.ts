/**
 * Objects of the store that nothing names: no record or pointer of the folder or its trash, and no commit. Any text of the
 * folder or of git that has the checksum of an object counts as a reference, so that an old checkout works, too.
 */
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { ConflictError } from '../../catalogue/errors.ts';
import { maxRecordSize, privateFolder } from '../../catalogue/layout.ts';
import { allEntities } from '../../catalogue/listing.ts';
import { isTemporaryFile } from '../../disk/durable.ts';
import { type FileCatalogue, openFileCatalogue } from '../file-catalogue.ts';
import { GitError, runGit, runGitForBytes } from '../git/git.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import type { PayloadCache } from './payload-cache.ts';
import { storedPayloadsOf } from './stored-payloads.ts';

export interface Unreferenced {
  readonly objects: readonly StoredObject[];
  /** Number of uploads that were begun and never finished; null if the service has no list of them. */
  readonly uploads: number | null;
}

/** Bytes of blobs that are read from git at a time, at most. */
const batchBytes = 32 * 1024 * 1024;
/** Milliseconds that git may take. */
const timeout = 600_000;
/** Parts of a folder that name nothing which they need, and that other processes change. */
const skipped = [join(privateFolder, 'cache'), join(privateFolder, 'locks')];
/** Folders that may be links, as to another disk. */
const followed: readonly string[] = [privateFolder, join(privateFolder, 'trash')];

/**
 * Finds objects and unfinished uploads that are older than an age.
 * @param age in milliseconds: younger ones may belong to a write that is under way, or to a commit of another clone
 * @throws ConflictError if the history of git isn't all there, or can't be read; ObjectStoreError, UnavailableError
 */
export async function findUnreferencedObjects(root: string, age: number): Promise<Unreferenced> {
  return withStore(root, async (store) => {
    // Times of objects have whole seconds, and some servers round them up.
    const before = new Date(Date.now() - age + 1000);
    const found = new Map<string, StoredObject>();
    for await (const object of store.list())
      if (object.checksum && object.modified <= before) found.set(object.checksum, object);
    // Read after the list: a record that is written meanwhile may name an older object.
    if (found.size) for await (const text of textsOfFolder(root)) forgetMentioned(found, text);
    if (found.size) for await (const text of textsOfGit(root)) forgetMentioned(found, text);
    const uploads = await store.removeUnfinishedUploads(before, true);
    return { objects: [...found.values()], uploads };
  });
}

/** Removes them and their copies, but for objects that were stored again since. @returns the number of objects that were removed */
export async function removeUnreferencedObjects(root: string, { objects }: Unreferenced, age: number): Promise<number> {
  return withStore(root, async (store, catalogue, cache) => {
    // A record may have been moved while the files were read.
    await catalogue.load();
    const named = new Set([...allEntities(catalogue.snapshot, 'version')].map(({ checksum }) => checksum));
    let removed = 0;
    for (const object of objects) {
      const { checksum = '' } = object;
      if (named.has(checksum) || !(await store.remove(object))) continue;
      await cache.remove(checksum);
      removed++;
    }
    await store.removeUnfinishedUploads(new Date(Date.now() - age), false);
    return removed;
  });
}

async function withStore<T>(
  root: string,
  work: (store: ObjectStore, catalogue: FileCatalogue, cache: PayloadCache) => Promise<T>,
): Promise<T> {
  const catalogue = await openFileCatalogue(root);
  try {
    const payloads = storedPayloadsOf(catalogue);
    return await work(await payloads.requireStore(), catalogue, payloads.cache);
  } finally {
    await catalogue.close();
  }
}

function forgetMentioned(found: Map<string, StoredObject>, text: string): void {
  for (const [checksum] of text.matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) found.delete(checksum);
}

/**
 * Texts of the files of a folder that may be records or pointers, those in its trash included.
 * @throws ConflictError if the trash is a link that leads nowhere
 */
async function* textsOfFolder(root: string): AsyncGenerator<string, void, undefined> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of await unlessGone(readdir(folder, { withFileTypes: true }), [])) {
      const path = join(folder, entry.name);
      if (entry.name === '.git' || isTemporaryFile(entry.name) || skipped.includes(relative(root, path))) continue;
      const isFollowed = entry.isSymbolicLink() && followed.includes(relative(root, path));
      const found = isFollowed ? await unlessGone(stat(path), null) : entry;
      if (!found) throw new ConflictError(`${path} is a link that leads nowhere: mount its disk, or remove the link.`);
      if (found.isDirectory()) folders.push(path);
      else if (found.isFile()) yield await textOf(path);
    }
}

/** The result of reading a file or folder, or another value if it is gone: a server may move it meanwhile. Records are looked at again before objects are removed. */
async function unlessGone<T>(read: Promise<T>, otherwise: T): Promise<T> {
  return read.catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return otherwise;
  });
}

async function textOf(path: string): Promise<string> {
  const found = await unlessGone(stat(path), null);
  return found && found.size <= maxRecordSize ? unlessGone(readFile(path, 'latin1'), '') : '';
}

/**
 * Texts of all blobs in git that may be records or pointers: of all branches and stashes, and those that no branch has any more.
 * @throws ConflictError if there is a repository, and its history can't be read
 */
async function* textsOfGit(root: string): AsyncGenerator<string, void, undefined> {
  try {
    await assertHistoryComplete(root);
    const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
    const objects = await runGit(root, ['cat-file', '--batch-all-objects', '--unordered', format], { timeout });
    let batch: string[] = [];
    let bytes = 0;
    const read = async () =>
      (await runGitForBytes(root, ['cat-file', '--batch'], { input: batch.join(''), timeout })).toString('latin1');
    for (const line of objects.split('\n')) {
      const [id, type, size] = line.split(' ');
      if (type !== 'blob' || Number(size) > maxRecordSize) continue;
      if (bytes + Number(size) > batchBytes) {
        yield await read();
        batch = [];
        bytes = 0;
      }
      batch.push(`${id}\n`);
      bytes += Number(size);
    }
    if (batch.length) yield await read();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    if (!/not a git repository/.test(error.message))
      throw new ConflictError(`Git can't read the history, which may name more payloads (${error.message}).`);
    const broken = await findGitEntry(root);
    if (broken !== null)
      throw new ConflictError(
        `Git can't read the repository of ${broken}, whose history may name more payloads (${error.message}). Repair it, or remove ${broken}.`,
      );
  }
}

/** Path of the `.git` by which git finds a repository, whole or broken; null outside of repositories. Git looks for it on one file system. */
async function findGitEntry(root: string): Promise<string | null> {
  const start = await realpath(root);
  const { dev } = await stat(start);
  for (let folder = start; (await stat(folder)).dev === dev; folder = dirname(folder)) {
    const path = join(folder, '.git');
    if (await unlessGone(lstat(path), null)) return path;
    if (folder === dirname(folder)) return null;
  }
  return null;
}

async function assertHistoryComplete(root: string): Promise<void> {
  if ((await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true')
    throw new ConflictError(
      'This clone is shallow, and its history may name more payloads. Run: git fetch --unshallow',
    );
  const config = await runGit(root, ['config', '--get-regexp', '^remote\\..*\\.promisor$']).catch(() => '');
  if (config.trim())
    throw new ConflictError('This clone is partial, and its history may name more payloads. Use a full clone.');
}
