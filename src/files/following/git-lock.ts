/**
 * Whether git is changing the files of a working tree: it holds `index.lock` then, in every command, and a rebase has
 * a folder with its state until its last commit.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rebaseFolders } from '../git/unfinished-operations.ts';

const signs = ['index.lock', ...rebaseFolders];
/** Milliseconds: what is older was left by a git that was killed, or waits for a person, who writes a message or resolves a conflict. */
const oldest = 10_000;

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
  // A lock from before the clock was set back has a time to come.
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < oldest;
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
