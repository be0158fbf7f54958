/** Files that git has in its index, and doesn't put into the working tree: a sparse checkout. They were not removed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GitError, runGit } from './git.ts';

/**
 * The files below a folder that git leaves out of the working tree, by their paths relative to the folder.
 * @returns none if the folder is in no repository, or git can't read it
 */
export async function listFilesNotCheckedOut(folder: string): Promise<ReadonlySet<string>> {
  if (!isInWorkingTree(folder)) return new Set();
  try {
    // The folder may not be the user's own: git starts no program that its settings name.
    const output = await runGit(folder, ['-c', 'core.fsmonitor=false', 'ls-files', '-t', '-z', '--', '.']);
    return new Set(output.split('\0').flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : [])));
  } catch (error) {
    if (error instanceof GitError) return new Set();
    throw error;
  }
}

/** True if a folder, or one above it, has a `.git`: starting git takes longer than looking for that. */
function isInWorkingTree(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}
