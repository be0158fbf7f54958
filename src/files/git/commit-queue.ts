/**
 * Git commits of writes over HTTP, if catalogue.yaml has `git: {commit: true}`: one for each write, in their order, by the
 * user who wrote. A write does not wait for its commit. A failed commit is logged and counted, and tried again after the
 * next commit that succeeds, and every minute; the files are written in any case.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogueFiles, CommitQueue } from '../catalogue-files.ts';
import { WriteContext } from '../writing/write-context.ts';
import type { Author, PendingCommit } from './commit.ts';

/** Milliseconds that `drained` waits. */
const maxWait = 5000;
/** Maximum number of failed commits that are tried again. */
const maxRetried = 1000;
/** Maximum number of files that a line of the log names. */
const mostNamed = 20;

export class GitCommitQueue implements CommitQueue {
  /** Number of commits made. */
  made = 0;
  /** Number of writes whose commit has failed. */
  failed = 0;
  /** Milliseconds that a commit waits for other git processes. Writes don't wait for commits. */
  patience = 10_000;
  /** Milliseconds after which failed commits are tried again, if no other succeeds before. */
  retryAfter = 60_000;
  /** Failed commits that are tried again, the oldest first. */
  readonly #retries: PendingCommit[] = [];
  readonly #files: CatalogueFiles;
  #queue: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(files: CatalogueFiles) {
    this.#files = files;
    files.onClose(async () => {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      this.#logUncommitted();
    });
  }

  async runAndCommit<T>(
    by: string | null,
    work: (context: WriteContext) => Promise<T>,
    message: (result: T) => string | null,
  ): Promise<T> {
    if (by === null || !this.#files.snapshot.settings.git.commit) return work(new WriteContext(by));
    let end: (message: string | null) => void = () => {};
    const ended = new Promise<string | null>((resolve) => {
      end = resolve;
    });
    // The commits of two writes to one file are queued in the order of these writes on disk.
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

  /** Resolves when the commits of all writes so far have succeeded or failed. */
  idle(): Promise<void> {
    return this.#queue;
  }

  async drained(): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(maxWait, undefined, { signal: timer.signal, ref: false }).catch(() => {});
    await Promise.race([this.#queue, timeout]);
    timer.abort();
  }

  async #commit(
    message: string | null,
    { paths, texts }: WriteContext,
    writer: Pick<PendingCommit, 'author' | 'date'>,
  ): Promise<void> {
    // The files of a failed write are left to a person.
    if (message === null) return;
    const { createGitCommit } = await import('./commit.ts');
    const change = { ...writer, message, paths: [...paths], texts };
    try {
      if (await createGitCommit(this.#files.root, change, this.patience)) this.made++;
    } catch (error) {
      this.failed++;
      if (this.#retries.length < maxRetried) this.#retries.push(change);
      this.#retryLater();
      const names = [...new Set([...paths, ...texts.keys()])].join(', ');
      return this.#log(
        `Not committed to git: ${message.split('\n')[0]} (${names}). The files are written. ${(error as Error).message}`,
      );
    }
    await this.#retryFailed();
  }

  /** Tries failed commits again, until one fails. */
  async #retryFailed(): Promise<void> {
    const { createGitCommit } = await import('./commit.ts');
    for (let [change] = this.#retries; change; [change] = this.#retries) {
      try {
        // Later texts are in later commits, or are edits of a person.
        const texts = await unchangedTexts(this.#files.root, change.texts);
        if (await createGitCommit(this.#files.root, { ...change, texts }, this.patience)) {
          this.made++;
          this.#log(`Committed to git after a failed attempt: ${change.message}`);
        }
      } catch {
        return this.#retryLater();
      }
      this.#retries.shift();
      this.failed--;
    }
  }

  #retryLater(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#queue = this.#queue.then(() => this.#retryFailed());
    }, this.retryAfter).unref();
  }

  /** Says at the end what nobody will try again to commit: it is kept in memory only. */
  #logUncommitted(): void {
    const paths = [...new Set(this.#retries.flatMap((change) => [...change.paths, ...change.texts.keys()]))];
    if (paths.length === 0) return;
    const named = paths.slice(0, mostNamed).map((path) => `'${path.replaceAll("'", String.raw`'\''`)}'`);
    const others = paths.length > named.length ? ` (and ${paths.length - named.length} more, see git status)` : '';
    this.#log(
      `The catalogue is closed, and not all changes are committed to git. Their files are written. To commit them: ` +
        `cd '${this.#files.root}' && git add ${named.join(' ')} && git commit${others}`,
    );
  }

  #log(line: string): void {
    this.#files.options.log?.(line);
  }
}

/** Texts of the records whose files still have them. */
async function unchangedTexts(root: string, texts: PendingCommit['texts']): Promise<PendingCommit['texts']> {
  const unchanged = await Promise.all(
    [...texts].map(async ([path, text]) => {
      const current = await readFile(join(root, path), 'utf8').catch(() => null);
      return current === text ? [[path, text] as const] : [];
    }),
  );
  return new Map(unchanged.flat());
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const invalidNameCharacters = /[<>\s\x00-\x1f]+/g;

/** Git author of a user, without the characters that git does not allow, or strips from the ends. */
function authorOf({ snapshot }: CatalogueFiles, username: string): Author {
  const { name = '', email = '' } = snapshot.users.get(username) ?? {};
  const clean = (text: string) =>
    text
      .slice(0, 200)
      .replace(invalidNameCharacters, ' ')
      .replace(/^[ .,:;"'\\]+|[ .,:;"'\\]+$/g, '');
  const address = username.includes('@') ? username : `${username}@localhost`;
  return { name: clean(name) || username, email: clean(email) || address };
}
