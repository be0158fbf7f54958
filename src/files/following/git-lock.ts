/**
 * Whether git is changing the files of a working tree. Every command of git that changes files holds `index.lock` meanwhile, and a
 * rebase has a folder with its state until its last commit.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rebaseFolders } from '../git/unfinished-operations.ts';

const signs = ['index.lock', ...rebaseFolders];
/**
 * Age in milliseconds from which a lock doesn't count: a git that was killed has left it, or git waits for a person to write a message or
 * resolve a conflict.
 */
const maxAge = 10_000;

/**
 * True while git changes files in the working tree of a folder: what is there is neither the state before nor the one after.
 * @param root path of the catalogue folder
 */
export function isGitAtWork(root: string): boolean {
  try {
    const folder = gitFolderAround(realpathSync(root));
    return folder !== null && signs.some((name) => isRecent(join(folder, name)));
  } catch {
    return false;
  }
}

function isRecent(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  // If the clock was set back since, the lock has a time in the future.
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < maxAge;
}

/** Folder of git's files for the working tree around a path; null without one. In worktrees and submodules, `.git` is a file that names it. */
function gitFolderAround(path: string): string | null {
  const place = join(path, '.git');
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return place;
  if (stats) {
    const [, named] = /^gitdir: (.*)/.exec(readFileSync(place, 'utf8')) ?? [];
    return named === undefined ? null : resolve(path, named);
  }
  return dirname(path) === path ? null : gitFolderAround(dirname(path));
}
