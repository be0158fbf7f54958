/** Number of folders that may be watched, and the reason to poll some if that is too few. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { UnitState } from '../reading/unit-state.ts';
import { watchedFoldersOfUnit } from './watchers.ts';

/** Memory that a watched folder needs, in bytes; and the part of the machine's memory that is used for all. */
const memoryPerFolder = 2000;
const memoryShare = 0.05;
/** Part of the system's limit that is used; the rest is for the user's other programs. */
const share = 0.75;

/** Maximum number of folders to watch. */
export function watchBudget(): number {
  return Math.min(folderLimitOfMemory(), Math.floor(share * (systemWatchLimit() ?? Number.POSITIVE_INFINITY)));
}

/** Number of folders for which there is memory. In a container, its limit counts (0 or very large: none). */
export function folderLimitOfMemory(): number {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor((memoryShare * memory) / memoryPerFolder);
}

/** The system's limit on inotify watches for this user; null if there is none, or it can't be read. */
export function systemWatchLimit(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'latin1'), 10) || null;
  } catch {
    return null;
  }
}

/** Approximate number of folders to watch for these units. */
export function countWatchedFolders(states: Iterable<UnitState>): number {
  let count = 0;
  for (const { reading } of states) count += watchedFoldersOfUnit(reading).length;
  return count;
}

/**
 * One sentence for the log: why the folder, or a part of it, is polled, and which limit to raise.
 * @param needed number of folders to watch
 * @param error of the watcher that failed, if one has
 */
export function pollingReason(needed: number, budget: number, error?: NodeJS.ErrnoException): string {
  const consequence =
    !error || error.code === 'ENOSPC' || error.code === 'EBUDGET'
      ? 'so the datasets that were used least lately are checked for changes every few seconds instead'
      : 'so it is checked for changes every few seconds instead';
  if (error?.code === 'EMFILE' || error?.code === 'ENFILE')
    return (
      `The system lets this process open no more files or watchers (${error.code}), ${consequence}; to see changes at once, ` +
      'raise "sysctl fs.inotify.max_user_instances=1024" or "ulimit -n 65536", and start again.'
    );
  if (error && error.code !== 'ENOSPC' && error.code !== 'EBUDGET')
    return `The folder can't be watched (${error.message}), ${consequence}.`;
  if (budget === folderLimitOfMemory() && error?.code !== 'ENOSPC')
    return `The catalogue has more folders (${needed}) than can be watched in this memory (${budget}), ${consequence}.`;
  const available = error?.code === 'ENOSPC' ? 'and other programs use the rest' : `${budget} available`;
  const enough = Math.max(524_288, 2 ** Math.ceil(Math.log2(needed / share)));
  return (
    `The system lets too few folders be watched (${needed} needed, ${available}), ${consequence}; ` +
    `to see changes at once, raise the limit with "sysctl fs.inotify.max_user_watches=${enough}", and start again.`
  );
}
