/** Git's lock of a working tree: `index.lock`, which every command of git holds while it changes files. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Milliseconds: a lock that is older was left by a git that was killed, or is held while somebody writes a message. */
const oldest = 10_000;

/**
 * True while git changes files in the working tree of a folder: what is there is neither the state before nor the one after.
 * @param root path of the catalogue folder
 */
export function isGitAtWork(root: string): boolean {
  try {
    const folder = gitFolderAround(realpathSync(root));
    if (folder === null) return false;
    const age = Date.now() - statSync(join(folder, 'index.lock')).mtimeMs;
    // A lock from before the clock was set back has a time to come.
    return Math.abs(age) < oldest;
  } catch {
    return false;
  }
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
