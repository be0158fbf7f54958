/**
 * The trash: removed files are moved to `.catalogue/trash/<time>-<random>/`, with their paths, beside a description of the
 * record (`entry.json`), and stay there until the trash is emptied. The name of the folder is the id of the entry. The
 * trash is never committed to git, never synchronised, and served to staff only.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import { privateFolder, type RecordRef } from '../../catalogue/layout.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import { idsOfReferences, referencesTo } from '../../catalogue/references-to.ts';
import { containingRecordRef } from '../../catalogue/rules.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import { isTrashEntryOlder, type TrashEntry } from '../../catalogue/trash.ts';
import {
  errorCode,
  makeFoldersDurably,
  removeAbandonedTemporaries,
  removeDurably,
  removeTemporaries,
  writeDurably,
} from '../../disk/durable.ts';
import { isTargetTaken, moveOrCopyFile } from '../../disk/move.ts';
import { nameUnwritable, toUnavailableError } from '../../disk/not-writable.ts';
import { inheritOwner } from '../../disk/owner.ts';

const trashFolder = `${privateFolder}/trash`;
const entryName = 'entry.json';

/** The namespace or dataset that a record was in, and which lists name which groups and users: before the removal changes them. */
export type TrashContext = Pick<TrashEntry, 'container' | 'referencedBy' | 'names'>;

/** The context of a record that is about to be removed. The edits of the same step take its name from the lists. */
export function trashContextOf(snapshot: Snapshot, ref: RecordRef): TrashContext {
  const container = containingRecordRef(ref);
  const referencedBy = referencesTo(snapshot, ref);
  const names = idsOfReferences(snapshot, ref);
  return {
    container: container ? findEntity(snapshot, container)?.id : undefined,
    referencedBy: referencedBy.length ? referencedBy : undefined,
    names: Object.keys(names).length ? names : undefined,
  };
}

/** Id of a new entry: the time, and what makes it different from others. */
export const makeTrashEntryId = (): string =>
  `${new Date().toISOString().replace(/\D/g, '')}-${randomBytes(4).toString('hex')}`;

/**
 * Moves files or folders to the trash: all of them or, after an error, none. Each disappears in one step, in their order.
 * @param paths relative to the catalogue folder
 * @param by username; null for the local admin
 * @returns a function that moves them back
 * @throws UnavailableError; Error with code ENOENT if there is nothing at the first path
 */
export async function moveToTrash(
  root: string,
  ref: TrashEntry['ref'],
  paths: readonly string[],
  by: string | null,
  context: TrashContext = {},
  id = makeTrashEntryId(),
): Promise<() => Promise<void>> {
  const now = new Date();
  const entryFolder = join(root, trashFolder, id);
  let current = paths[0] ?? '';
  const restore = async () => {
    for (const path of paths.toReversed())
      await moveOrCopyFile(join(entryFolder, path), join(root, path), { isUndo: true }).catch(ignoreMissing);
    await rm(entryFolder, { recursive: true, force: true });
  };
  try {
    await lstat(join(root, paths[0] ?? ''));
    await makeTrashFolder(root);
    // The description comes first, so that everything in the trash can be restored.
    await makeFoldersDurably(entryFolder);
    const entry = { ref, paths, removed: now.toISOString(), by, ...context };
    await writeDurably(join(entryFolder, entryName), `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 });
    for (const path of paths) {
      current = path;
      await moveOrCopyFile(join(root, path), join(entryFolder, path)).catch((error) => {
        // The folder of the entry has just been made: it is the one that the file is in.
        throw nameUnwritable(error, path);
      });
      // The temporary file of an upload in progress is not restored.
      if (ref.kind === 'dataset') await removeTemporaries(join(entryFolder, payloadFolderOf(path)));
    }
    return restore;
  } catch (error) {
    // What can't be moved back stays in the trash, with its description.
    await restore().catch(() => {});
    throw toUnavailableError(error, join(root, current));
  }
}

/** The folder of payloads in that of a dataset, wherever it lies. */
export const payloadFolderOf = (path: string): string => `${path}/data`;

/**
 * Moves a file or folder from the trash back to its path in the catalogue folder.
 * @throws ConflictError if something else is there
 */
export async function restorePathFromTrash(from: string, root: string, path: string): Promise<void> {
  await moveOrCopyFile(from, join(root, path)).catch((error) => {
    if (isTargetTaken(error)) throw new ConflictError(`${path} exists already.`);
    // Another request has restored it, or emptied the trash.
    if (errorCode(error) === 'ENOENT' && !existsSync(from)) throw new NotFoundError();
    throw error;
  });
}

/** Creates the folder of the trash. Its files may be private: git ignores them, whatever other settings say. */
async function makeTrashFolder(root: string): Promise<void> {
  const folder = join(root, trashFolder);
  await makeFoldersDurably(join(root, privateFolder));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  inheritOwner(folder);
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  inheritOwner(join(folder, '.gitignore'));
}

/** Entries that are read at the same time: each has a file open. */
const readsAtOnce = 16;

/** Entries of the trash, the latest first. */
export async function listTrash(root: string): Promise<readonly TrashEntry[]> {
  const names = await readdir(join(root, trashFolder)).catch(emptyIfMissing);
  const entries: TrashEntry[] = [];
  await forEachConcurrent(names, readsAtOnce, async (id) => {
    const entry = await readTrashEntry(root, id);
    if (entry) entries.push(entry);
  });
  return entries.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The entry with an id that a client names; null for an unknown id. Only names in the folder of the trash are used as paths. */
export async function findTrashEntry(root: string, id: string): Promise<TrashEntry | null> {
  const names = await readdir(join(root, trashFolder)).catch(emptyIfMissing);
  return names.some((name) => name === id) ? readTrashEntry(root, id) : null;
}

/** The entry with an id; null if there is none, or nothing of it can be restored. */
async function readTrashEntry(root: string, id: string): Promise<TrashEntry | null> {
  const entryFolder = join(root, trashFolder, id);
  try {
    const entry = { id, ...JSON.parse(await readFile(join(entryFolder, entryName), 'utf8')) } as TrashEntry;
    return (await trashEntryPaths(root, entry)).length && entry.ref.kind ? entry : null;
  } catch {
    return null;
  }
}

/** The paths of an entry that are in the trash: after a crash during the removal, not all. */
export async function trashEntryPaths(root: string, { id, paths }: TrashEntry): Promise<readonly string[]> {
  const exists = (path: string) => lstat(trashPath(root, id, path)).then(Boolean, () => false);
  const found = await Promise.all(paths.map(exists));
  return paths.filter((_, i) => found[i]);
}

/** Absolute path of a file or folder in the trash. */
export const trashPath = (root: string, id: string, path: string): string => join(root, trashFolder, id, path);

/**
 * Entries that aren't listed and have files, by their paths relative to the catalogue folder: their description is damaged,
 * or can't be read.
 */
export async function findUnreadableTrash(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, trashFolder)).catch(emptyIfMissing);
  const paths: string[] = [];
  await forEachConcurrent(names, readsAtOnce, async (id) => {
    if (!id.startsWith('.') && !(await readTrashEntry(root, id)) && (await isDescribed(root, id)))
      paths.push(`${trashFolder}/${id}`);
  });
  return paths.sort();
}

/** True if an entry has a description and other files. An entry that has only one of them was left by a crash. */
async function isDescribed(root: string, id: string): Promise<boolean> {
  const folder = join(root, trashFolder, id);
  const description = await lstat(join(folder, entryName)).catch(() => null);
  return description !== null && !description.isDirectory() && hasFile(folder, entryName);
}

/**
 * True if a folder has a file or a link, or one of the folders in it has. `readdir` with `recursive` would follow links, in
 * Node 26: it would not end where one leads to a folder around it.
 * @param except name of a file in the folder that doesn't count
 */
async function hasFile(folder: string, except?: string): Promise<boolean> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(emptyIfMissing))
    if (entry.isDirectory() ? await hasFile(join(folder, entry.name)) : entry.name !== except) return true;
  return false;
}

/** Deletes an entry permanently, unless another request has done so. */
export const deleteTrashEntry = (root: string, id: string): Promise<void> =>
  removeDurably(join(root, trashFolder, id)).catch(ignoreMissing);

/**
 * Deletes entries of the trash permanently. One whose description can't be read stays: nobody can know what it was.
 * @param before deletes only records that were removed before this time; all if absent, as the clock may have been ahead
 * @returns the deleted entries
 */
export async function emptyTrash(root: string, before?: Date): Promise<readonly TrashEntry[]> {
  const deleted: TrashEntry[] = [];
  await removeAbandonedTemporaries(join(root, trashFolder), 3_600_000);
  for (const id of await readdir(join(root, trashFolder)).catch(emptyIfMissing)) {
    if (id.startsWith('.') || (before && !isTrashEntryOlder(id, before))) continue;
    const entry = await readTrashEntry(root, id);
    if (!entry && (await isDescribed(root, id))) continue;
    await deleteTrashEntry(root, id);
    if (entry) deleted.push(entry);
  }
  return deleted;
}

function emptyIfMissing(error: unknown): never[] {
  ignoreMissing(error);
  return [];
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
