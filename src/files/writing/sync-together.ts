/** Syncs of many files and folders at the same time: a disk syncs them in little more time than one. */
import { closeSync, fsync, openSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { flushFolderToDisk } from '../../disk/durable.ts';
import { syncFileSystem } from '../../disk/sync-file-system.ts';

/** Number of files and folders from which the whole file system is synced at once, if it can be. */
const many = 64;
/** Number of files and folders that are synced at the same time. */
const syncsAtOnce = 16;
const syncDescriptor = promisify(fsync);

/**
 * Syncs files and folders.
 * @param root a folder of their file system
 * @param paths absolute
 * @param onError called for each that could not be synced
 */
export async function syncTogether(
  root: string,
  paths: readonly string[],
  onError: (path: string, error: unknown) => void,
): Promise<void> {
  if (paths.length >= many && (await syncFileSystem(root))) return;
  await forEachConcurrent(paths, syncsAtOnce, async (path) => {
    try {
      await syncPath(path);
    } catch (error) {
      onError(path, error);
    }
  });
}

async function syncPath(path: string): Promise<void> {
  if (statSync(path).isDirectory()) return flushFolderToDisk(path);
  const descriptor = openSync(path, 'r+');
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
