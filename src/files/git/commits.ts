/**
 * Writes over HTTP as commits, where `git: {commit: true}` in catalogue.yaml wants them: one for each, in their order,
 * by the user who wrote. Nobody waits for git, and what git can't do is said and counted; the write stands, and is
 * committed after the next one that git takes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogueFiles, CommitQueue } from '../catalogue-files.ts';
import { WriteContext } from '../writing/write-context.ts';
import { type Author, type Change, commit } from './commit.ts';

/** In milliseconds. */
const longestWait = 5000;
/** How many writes are remembered that git hasn't taken. */
const mostLeft = 1000;

export class Commits implements CommitQueue {
  /** How many there were. */
  made = 0;
  /** How many writes are in no commit, for whatever reason: they stand in the files. */
  failed = 0;
  /** Those of them that are tried again, the oldest first. */
  readonly #left: Change[] = [];
  readonly #files: CatalogueFiles;
  #queue: Promise<void> = Promise.resolve();

  constructor(files: CatalogueFiles) {
    this.#files = files;
  }

  /**
   * Does a write, and has it committed where that is wanted.
   * @param by username; null for one who has the folder in hand, and commits as others who edit its files do
   * @param say the commit's message
   */
  async runAndCommit<T>(
    by: string | null,
    work: (context: WriteContext) => Promise<T>,
    message: (result: T) => string,
  ): Promise<T> {
    if (by === null || !this.#files.snapshot.settings.git.commit) return work(new WriteContext(by));
    let end: (message: string | null) => void = () => {};
    const ended = new Promise<string | null>((resolve) => {
      end = resolve;
    });
    // Its place in the queue is that of its first step on disk: of two who write the same file, the first is the first.
    const context = new WriteContext(by, () => {
      const writer = { author: authorOf(this.#files, by), date: new Date() };
      this.#queue = this.#queue.then(async () => this.#commit(await ended, context, writer));
    });
    try {
      const result = await work(context);
      end(message(result));
      return result;
    } finally {
      end(null);
    }
  }

  /** Resolves when what was written so far is committed, or couldn't be. */
  idle(): Promise<void> {
    return this.#queue;
  }

  /**
   * Waits for them, but not for ever. For what moves or removes files that are still to be committed: git reads large
   * ones where they lie.
   */
  async drained(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(longestWait, undefined, { signal: timer.signal, ref: false }).catch(() => {});
    await Promise.race([this.#queue, late]);
    timer.abort();
  }

  async #commit(
    message: string | null,
    { paths: places, texts }: WriteContext,
    writer: Pick<Change, 'author' | 'date'>,
  ): Promise<void> {
    // A write that failed half-way is for a person to look at.
    if (message === null) return;
    const change = { ...writer, message, places: [...places], texts };
    try {
      if (await commit(this.#files.root, change)) this.made++;
    } catch (error) {
      this.failed++;
      if (this.#left.length < mostLeft) this.#left.push(change);
      const paths = [...new Set([...places, ...texts.keys()])].join(', ');
      return this.#log(
        `Not committed to git: ${message.split('\n')[0]} (${paths}). It stands in the files. ${(error as Error).message}`,
      );
    }
    await this.#catchUp();
  }

  /** Tries those again that git hasn't taken: it works, and what kept it from them may be over. */
  async #catchUp(): Promise<void> {
    for (let [change] = this.#left; change; [change] = this.#left) {
      try {
        // What was written since is in another commit, or a hand is at work on it.
        const texts = await asWritten(this.#files.root, change.texts);
        if (await commit(this.#files.root, { ...change, texts })) {
          this.made++;
          this.#log(`Committed to git after all: ${change.message}`);
        }
      } catch {
        return;
      }
      this.#left.shift();
      this.failed--;
    }
  }

  #log(line: string): void {
    this.#files.options.log?.(line);
  }
}

/** Those of the records that still say what was written. */
async function asWritten(root: string, texts: Change['texts']): Promise<Change['texts']> {
  const now = await Promise.all(
    [...texts].map(async ([path, text]) => {
      const found = await readFile(join(root, path), 'utf8').catch(() => null);
      return found === text ? [[path, text] as const] : [];
    }),
  );
  return new Map(now.flat());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const inside = /[<>\s\x00-\x1f]+/g;

/**
 * A user in git's eyes. Names may not have what git puts around them; what it takes off their ends may not be all of
 * them, or it refuses the commit.
 */
function authorOf({ snapshot }: CatalogueFiles, username: string): Author {
  const { name = '', email = '' } = snapshot.users.get(username) ?? {};
  const clean = (text: string) =>
    text
      .slice(0, 200)
      .replace(inside, ' ')
      .replace(/^[ .,:;"'\\]+|[ .,:;"'\\]+$/g, '');
  const address = username.includes('@') ? username : `${username}@localhost`;
  return { name: clean(name) || username, email: clean(email) || address };
}
