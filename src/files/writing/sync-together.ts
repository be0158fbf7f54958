/** Syncs of many files and folders at the same time: a disk syncs them in little more time than one. */
import { closeSync, fsync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { forEachConcurrent } from '../../catalogue/concurrency.ts';
import { flushFolderToDisk } from '../../disk/durable.ts';
import { syncFileSystem } from '../../disk/sync-file-system.ts';

/** Number of files and folders on a file system from which all of it is synced at once, if it can be. */
const many = 64;
/** Number of files and folders that are synced at the same time. */
const syncsAtOnce = 16;
const syncDescriptor = promisify(fsync);

/**
 * Syncs files and folders. They may be on several file systems: a folder of the catalogue may be a mount of its own.
 * @param root the catalogue folder
 * @param paths absolute
 * @param onError called for each that could not be synced
 * @param options.areNew true if this process has just made all of them: then none of them is a mount
 */
export async function syncTogether(
  root: string,
  paths: readonly string[],
  onError: (path: string, error: unknown) => void,
  { areNew = false } = {},
): Promise<void> {
  const find = areNew ? makeDeviceOfNew() : deviceOf;
  const left = paths.length < many ? paths : await syncFileSystemsOf(root, paths, find);
  await forEachConcurrent(left, syncsAtOnce, async (path) => {
    try {
      await syncPath(path);
    } catch (error) {
      onError(path, error);
    }
  });
}

/** Syncs the file systems that many of the paths are on. @returns the paths that have to be synced one by one */
async function syncFileSystemsOf(root: string, paths: readonly string[], find: DeviceOf): Promise<readonly string[]> {
  const byDevice = new Map<number | undefined, string[]>();
  for (const path of paths) {
    const device = find(path);
    const group = byDevice.get(device);
    if (group) group.push(path);
    else byDevice.set(device, [path]);
  }
  const left: string[] = [];
  const deviceOfRoot = deviceOf(root);
  for (const [device, group] of byDevice) {
    // Calls that wait for the sync of the same folder at the same time share it.
    const folder = device === deviceOfRoot ? root : (group[0] ?? root);
    if (device === undefined || group.length < many || !(await syncFileSystem(folder))) left.push(...group);
  }
  return left;
}

/** The device of a file or folder (stat(2)); undefined if there is no such file. */
type DeviceOf = (path: string) => number | undefined;

const deviceOf: DeviceOf = (path) => lstatSync(path, { throwIfNoEntry: false })?.dev;

/**
 * Makes a function that returns the devices of new files and folders: each is on the device of the folder that it was made in. If a new
 * folder comes before the files in it, stat(2) is called only for folders that aren't new.
 */
function makeDeviceOfNew(): DeviceOf {
  const devices = new Map<string, number | undefined>();
  return (path) => {
    const folder = dirname(path);
    const device = devices.has(folder) ? devices.get(folder) : statSync(folder, { throwIfNoEntry: false })?.dev;
    devices.set(folder, device);
    devices.set(path, device);
    return device;
  };
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
