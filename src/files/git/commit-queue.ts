/**
 * Git commits of writes over HTTP, if catalogue.yaml has `git: {commit: true}`: one for each write, in their order, by the
 * user who wrote. A write does not wait for its commit. A failed commit is logged and counted, and tried again after the
 * next commit that succeeds, and every minute; the files are written in any case. What a server leaves, because it was killed
 * or git refused, the next one commits (`noted-commits.ts`).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CatalogueFiles, CommitQueue } from '../catalogue-files.ts';
import { WriteContext } from '../writing/write-context.ts';
import { waitForEarlierCommits } from './commit-turns.ts';
import {
  beginNote,
  completeNote,
  listLeftNotes,
  makeNotesFolder,
  noteFailure,
  readCommitNote,
  removeCommitNote,
} from './noted-commits.ts';
import { type Author, PathSet, type PendingCommit, pathsOf } from './pending-commit.ts';

/** Milliseconds that `drained` waits. */
const maxWait = 5000;
/** Maximum number of failed commits that are tried again. */
const maxRetried = 1000;
/** Number of them that may fail again within `retryAfter`, whatever succeeds in between: each may run the hooks of the repository. */
const maxFailures = 10;
/** Maximum number of files that a line of the log names. */
const mostNamed = 20;
/** Milliseconds after the start at which left commits are looked for again: those of another container are left after a minute. */
const secondLook = 90_000;

/** A commit to be made, and the path of its note; null if none could be written. */
interface QueuedCommit {
  readonly change: PendingCommit;
  readonly note: string | null;
}

export class GitCommitQueue implements CommitQueue {
  /** Number of commits made. */
  made = 0;
  /** Number of writes whose commit has failed. */
  failed = 0;
  /** Milliseconds that a commit waits for other git processes. Writes don't wait for commits. */
  patience = 10_000;
  /** Milliseconds after which failed commits are tried again, if no other succeeds before. */
  retryAfter = 60_000;
  /** Failed commits in the order in which they are tried again: the oldest first, and those behind that were refused again. */
  readonly #retries: QueuedCommit[] = [];
  /** Number of them that have failed again since the last time that all were due. */
  #failures = 0;
  /** Notes of other servers whose commits were queued. */
  readonly #leftNotes = new Set<string>();
  readonly #files: CatalogueFiles;
  #queue: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(files: CatalogueFiles) {
    this.#files = files;
    files.onClose(async () => {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      clearTimeout(this.#lookTimer);
      this.#logUncommitted();
    });
  }

  async runAndCommit<T>(
    by: string | null,
    work: (context: WriteContext) => Promise<T>,
    message: (result: T) => string | null,
  ): Promise<T> {
    if (by === null || !this.#files.snapshot.settings.git.commit) return work(new WriteContext(by));
    let end: (commit: QueuedCommit | null) => void = () => {};
    const ended = new Promise<QueuedCommit | null>((resolve) => {
      end = resolve;
    });
    const { root } = this.#files;
    await makeNotesFolder(root);
    let begun: (Pick<PendingCommit, 'author' | 'date'> & Pick<QueuedCommit, 'note'>) | undefined;
    // The commits of two writes to one file are queued in the order of these writes on disk, and noted in it for other servers.
    const context = new WriteContext(by, (path) => {
      const date = new Date();
      begun = { author: authorOf(this.#files, by), date, note: beginNote(root, date, path) };
      this.#queue = this.#queue.then(async () => void (await this.#commit(await ended)));
    });
    let commit: QueuedCommit | null = null;
    try {
      const result = await work(context);
      const text = message(result);
      // The files of a failed write are left to a person.
      if (begun && text !== null) {
        const { note, ...writer } = begun;
        const change = { ...writer, message: text, paths: [...context.paths], texts: context.texts };
        commit = { change, note: note && (await completeNote(note, change)) };
      }
      return result;
    } finally {
      if (begun?.note && !commit?.note) await removeCommitNote(begun.note);
      end(commit);
    }
  }

  /** Queues the commits that servers which have ended left, and looks for more of them a while later. */
  async makeLeftCommits(): Promise<void> {
    if (!this.#files.snapshot.settings.git.commit || this.#isClosed) return;
    for (const note of await listLeftNotes(this.#files.root)) {
      if (this.#leftNotes.has(note)) continue;
      this.#leftNotes.add(note);
      this.#queue = this.#queue.then(() => this.#makeLeftCommit(note));
    }
    this.#lookTimer ??= setTimeout(() => this.makeLeftCommits(), secondLook).unref();
  }

  /** The records are read when its turn has come: the commits of later writes come after it, with later texts. */
  async #makeLeftCommit(note: string): Promise<void> {
    const change = await readCommitNote(this.#files.root, note).catch(() => null);
    if (change === null) return await removeCommitNote(note);
    if (await this.#commit({ change, note })) this.#log(`Committed to git what the last run left: ${change.message}`);
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

  /** @returns true if there was something to commit, and it is committed */
  async #commit(commit: QueuedCommit | null): Promise<boolean> {
    if (commit === null) return false;
    const { change, note } = commit;
    const { root } = this.#files;
    const { createGitCommit } = await import('./commit.ts');
    let isMade = false;
    try {
      if (note) await waitForEarlierCommits(root, note, pathsOf(change), this.patience);
      isMade = await createGitCommit(root, change, this.patience, note);
      if (isMade) this.made++;
    } catch (error) {
      this.failed++;
      const failed = { change, note: note && (await noteFailure(note)) };
      if (this.#retries.length < maxRetried) this.#retries.push(failed);
      this.#retryLater();
      const names = pathsOf(change).join(', ');
      this.#log(
        `Not committed to git: ${change.message.split('\n')[0]} (${names}). The files are written. ${(error as Error).message}`,
      );
      return false;
    }
    await this.#retryFailed();
    return isMade;
  }

  /** Tries failed commits again. A commit waits for those before it that have a path in common with it. */
  async #retryFailed(): Promise<void> {
    const { createGitCommit, UnreadyRepositoryError } = await import('./commit.ts');
    const refused = new Set<QueuedCommit>();
    const refusedPaths = new PathSet();
    for (const commit of [...this.#retries]) {
      const { change, note } = commit;
      const refuse = () => {
        refused.add(commit);
        refusedPaths.add(pathsOf(change));
      };
      if (refusedPaths.overlaps(pathsOf(change))) refuse();
      if (refused.has(commit)) continue;
      if (this.#failures >= maxFailures) break;
      try {
        // Later texts are in later commits, or are edits of a person.
        const texts = await unchangedTexts(this.#files.root, change.texts);
        if (await createGitCommit(this.#files.root, { ...change, texts }, this.patience, note)) {
          this.made++;
          this.#log(`Committed to git after a failed attempt: ${change.message}`);
        }
      } catch (error) {
        // Another commit would fail, too.
        if (error instanceof UnreadyRepositoryError) break;
        this.#failures++;
        refuse();
        continue;
      }
      this.#retries.splice(this.#retries.indexOf(commit), 1);
      this.failed--;
    }
    // The sort is stable: those behind them come first next time.
    this.#retries.sort((a, b) => Number(refused.has(a)) - Number(refused.has(b)));
    if (this.#retries.length) this.#retryLater();
  }

  #retryLater(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#queue = this.#queue.then(() => {
        this.#failures = 0;
        return this.#retryFailed();
      });
    }, this.retryAfter).unref();
  }

  /** Says at the end what is not committed. */
  #logUncommitted(): void {
    const paths = [...new Set(this.#retries.flatMap(({ change }) => pathsOf(change)))];
    if (paths.length === 0) return;
    const named = paths.slice(0, mostNamed).map((path) => `'${path.replaceAll("'", String.raw`'\''`)}'`);
    const others = paths.length > named.length ? ` (and ${paths.length - named.length} more, see git status)` : '';
    this.#log(
      `The catalogue is closed, and not all changes are committed to git. Their files are written, and the next server tries again. To commit them: ` +
        `cd '${this.#files.root}' && git add ${named.join(' ')} && git commit${others}`,
    );
  }

  #log(line: string): void {
    this.#files.options.log?.(line);
  }
}

/** Texts of the records whose files still have them. */
async function unchangedTexts(root: string, texts: PendingCommit['texts']): Promise<PendingCommit['texts']> {
  const unchanged = new Map<string, string>();
  // One by one: there may be a thousand, and more than may be open at once.
  for (const [path, text] of texts)
    if ((await readFile(join(root, path), 'utf8').catch(() => null)) === text) unchanged.set(path, text);
  return unchanged;
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
