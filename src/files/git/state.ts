/**
 * What git changed in the folder: a checkout, merge or pull moves HEAD, and git can say which files differ between then
 * and now. For a catalogue that isn't watched; where there is no git, or no repository, there is nothing to be told.
 */
import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class GitState {
  readonly #root: string;
  readonly #folder: string;
  #head: string | null;
  #marks: string;

  private constructor(root: string, folder: string, head: string | null) {
    this.#root = root;
    this.#folder = folder;
    this.#head = head;
    this.#marks = marksOf(folder);
  }

  /** @returns null where the folder is in no repository that git would tell us about */
  static async of(root: string): Promise<GitState | null> {
    const folder = await git(root, ['rev-parse', '--absolute-git-dir']);
    return folder === null ? null : new GitState(root, folder.trim(), await headOf(root));
  }

  /**
   * The files that differ between the commit that was checked out at the last call and the one that is now. Costs next
   * to nothing while git does nothing.
   * @returns paths relative to the folder; null where git can't say
   */
  async changes(): Promise<readonly string[] | null> {
    const marks = marksOf(this.#folder);
    if (marks === this.#marks) return [];
    const [before, now] = [this.#head, await headOf(this.#root)];
    this.#marks = marks;
    this.#head = now;
    if (before === now) return [];
    if (before === null || now === null) return null;
    const range = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--relative', before, now, '--', '.'];
    return (await git(this.#root, ['diff', ...range]))?.split('\0').slice(0, -1) ?? null;
  }
}

/** What changes whenever HEAD moves: itself, what has been logged of it, and the index that a checkout writes. */
function marksOf(folder: string): string {
  return ['HEAD', 'logs/HEAD', 'index', 'packed-refs']
    .map((name) => {
      try {
        const { ino, size, mtimeMs } = lstatSync(join(folder, name));
        return `${ino}-${size}-${mtimeMs}`;
      } catch {
        return '';
      }
    })
    .join();
}

const headOf = async (root: string) => (await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD']))?.trim() || null;

async function git(root: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', root, ...args], { maxBuffer: 1 << 28 });
    return stdout;
  } catch {
    return null;
  }
}
