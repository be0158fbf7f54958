/**
 * Files that git changes in a catalogue folder: a checkout, merge or pull moves HEAD, and `git diff` lists the files. For
 * folders that are polled.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { runGit } from './git.ts';
import { headCommitId } from './refs.ts';

export class HeadTracker {
  readonly #root: string;
  readonly #gitFolder: string;
  #head: string | null;
  #fingerprint: string;

  private constructor(root: string, gitFolder: string, head: string | null) {
    this.#root = root;
    this.#gitFolder = gitFolder;
    this.#head = head;
    this.#fingerprint = fingerprintOf(gitFolder);
  }

  /** @returns null if git is not installed, or the folder is in no repository */
  static async open(root: string): Promise<HeadTracker | null> {
    const gitFolder = await gitOrNull(root, ['rev-parse', '--absolute-git-dir']);
    return gitFolder === null ? null : new HeadTracker(root, gitFolder.trim(), await headCommitId(root));
  }

  /**
   * The files that differ between the commit that was checked out at the last call and the current one. Runs git only if
   * HEAD may have moved.
   * @returns paths relative to the folder; null if git can't list them
   */
  async takeChangedPaths(): Promise<readonly string[] | null> {
    const fingerprint = fingerprintOf(this.#gitFolder);
    if (fingerprint === this.#fingerprint) return [];
    const [before, now] = [this.#head, await headCommitId(this.#root)];
    this.#fingerprint = fingerprint;
    this.#head = now;
    if (before === now) return [];
    if (before === null || now === null) return null;
    const range = ['--name-only', '-z', '--no-renames', '--no-ext-diff', '--relative', before, now, '--', '.'];
    return (await gitOrNull(this.#root, ['diff', ...range]))?.split('\0').slice(0, -1) ?? null;
  }
}

/** Stamps of the files that git writes when it moves HEAD. */
function fingerprintOf(gitFolder: string): string {
  return ['HEAD', 'logs/HEAD', 'index', 'packed-refs']
    .map((name) => {
      try {
        const { ino, size, mtimeMs } = lstatSync(join(gitFolder, name));
        return `${ino}-${size}-${mtimeMs}`;
      } catch {
        return '';
      }
    })
    .join();
}

const gitOrNull = (root: string, args: readonly string[]) => runGit(root, args).catch(() => null);
