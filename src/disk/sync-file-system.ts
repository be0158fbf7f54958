/**
 * Sync of a whole file system (syncfs(2)): many files are on disk as soon as a few of them would be. Node has no such
 * call, but the program `sync -f` of GNU coreutils and BusyBox makes it.
 */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { release } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Types of file systems (statfs(2)) that wait for the disk: ext4, XFS, Btrfs, F2FS, tmpfs. Others may not, such as FUSE,
 * whose programs are not asked.
 */
const waitingTypes: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994];

/** Rounds by folder: the one under way, and the one that those who call meanwhile wait for. */
const current = new Map<string, Promise<boolean>>();
const next = new Map<string, Promise<boolean>>();
/** False after the program was missing or failed: then files are synced one by one. */
let isUsable = true;

/**
 * Syncs the file system of a folder. Calls that wait at the same time share one sync.
 * @returns false if it can't be done, or may not have been: then the files are to be synced one by one
 */
export function syncFileSystem(folder: string): Promise<boolean> {
  const waiting = next.get(folder);
  if (waiting) return waiting;
  const round = Promise.resolve(current.get(folder)).then(() => {
    next.delete(folder);
    const work = syncNow(folder).finally(() => current.delete(folder));
    current.set(folder, work);
    return work;
  });
  next.set(folder, round);
  return round;
}

async function syncNow(folder: string): Promise<boolean> {
  try {
    if (!isUsable || !reportsErrors() || !waitingTypes.includes((await statfs(folder)).type)) return false;
    // An old version warns that it ignores its arguments.
    const { stderr } = await run('sync', ['-f', folder]);
    isUsable = stderr === '';
  } catch {
    isUsable = false;
  }
  return isUsable;
}

/** True for Linux from 5.8: before, syncfs hid the errors of the disk. */
function reportsErrors(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}
