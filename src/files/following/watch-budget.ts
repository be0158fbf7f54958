/** How many folders can be watched, and what to do where that is too few. */
import { readFileSync } from 'node:fs';
import type { UnitState } from '../reading/unit-reader.ts';
import { unitOfReading } from '../reading/unit-store.ts';
import { watchedFolders } from './watchers.ts';

/** Beyond this, watching costs more memory than it is worth: some 7 kB a folder. */
const mostWorthwhile = 60_000;
/** What is left of the system's limit to the user's other programs. */
const share = 0.75;

/** @returns how many folders may be watched */
export function watchBudget(): number {
  return Math.min(mostWorthwhile, Math.floor(share * (systemLimit() ?? Number.POSITIVE_INFINITY)));
}

/** The system's limit on watches for this user; null where it has none that can be read. */
export function systemLimit(): number | null {
  if (process.platform !== 'linux') return null;
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'latin1'), 10) || null;
  } catch {
    return null;
  }
}

/** About how many folders have to be watched for these units. */
export function countWatchedFolders(states: Iterable<UnitState>): number {
  let count = 0;
  for (const { reading } of states) count += watchedFolders(unitOfReading(reading)).length;
  return count;
}

/** One sentence that says why the folder is polled, and what to raise. */
export function pollingReason(need: number, budget: number, error?: NodeJS.ErrnoException): string {
  const polled = 'so changes are looked for every few seconds instead';
  if (error?.code === 'EMFILE' || error?.code === 'ENFILE')
    return (
      `The system lets this process open no more files or watchers (${error.code}), ${polled}; to have them seen at once, ` +
      'raise "sysctl fs.inotify.max_user_instances=1024" or "ulimit -n 65536", and start again.'
    );
  if (error && error.code !== 'ENOSPC' && error.code !== 'EBUDGET')
    return `The folder can't be watched (${error.message}), ${polled}.`;
  if (budget === mostWorthwhile && error?.code !== 'ENOSPC')
    return `The catalogue has more folders (${need}) than are watched (${budget}), ${polled}.`;
  const have = error?.code === 'ENOSPC' ? 'and others use up the rest' : `${budget} free for use`;
  const enough = Math.max(524_288, 2 ** Math.ceil(Math.log2(need / share)));
  return (
    `The system lets too few folders be watched (${need} needed, ${have}), ${polled}; ` +
    `to have them seen at once, raise the limit with "sysctl fs.inotify.max_user_watches=${enough}", and start again.`
  );
}
