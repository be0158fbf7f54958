/**
 * Writes over HTTP as commits, where `git: {commit: true}` in catalogue.yaml wants them: one for each, in their order,
 * by the user who wrote. Nobody waits for git, and what git can't do is said and counted; the write stands, and is
 * committed after the next one that git takes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { formatRef, type Ref, refOf } from '../../catalogue/ref.ts';
import type { Entities } from '../../catalogue/types.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { leaving, Trail } from '../writing/trail.ts';
import { type Author, type Change, commit } from './commit.ts';

/** In milliseconds. */
const longestWait = 5000;
/** How many writes are remembered that git hasn't taken. */
const mostLeft = 1000;

type Entity = Entities[Exclude<keyof Entities, 'file'>];

export class Commits {
  /** How many there were. */
  made = 0;
  /** How many writes are in no commit, for whatever reason: they stand in the files. */
  failed = 0;
  /** Those of them that are tried again, the oldest first. */
  readonly #left: Change[] = [];
  readonly #files: FileCatalogue;
  #queue: Promise<void> = Promise.resolve();

  constructor(files: FileCatalogue) {
    this.#files = files;
  }

  /**
   * Does a write, and has it committed where that is wanted.
   * @param by username; null for one who has the folder in hand, and commits as others who edit its files do
   * @param say the commit's message
   */
  async during<T>(by: string | null, work: () => Promise<T>, say: (result: T) => string): Promise<T> {
    if (by === null || !this.#files.snapshot.settings.git.commit) return leaving(new Trail(by), work);
    let end: (message: string | null) => void = () => {};
    const ended = new Promise<string | null>((resolve) => {
      end = resolve;
    });
    // Its place in the queue is that of its first step on disk: of two who write the same file, the first is the first.
    const trail = new Trail(by, () => {
      const writer = { author: authorOf(this.#files, by), date: new Date() };
      this.#queue = this.#queue.then(async () => this.#commit(await ended, trail, writer));
    });
    try {
      const result = await leaving(trail, work);
      end(say(result));
      return result;
    } finally {
      end(null);
    }
  }

  /** Resolves when what was written so far is committed, or couldn't be. */
  settled(): Promise<void> {
    return this.#queue;
  }

  /**
   * Waits for them, but not for ever. For what moves or removes files that are still to be committed: git reads large
   * ones where they lie.
   */
  async caughtUp(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(longestWait, undefined, { signal: timer.signal, ref: false }).catch(() => {});
    await Promise.race([this.#queue, late]);
    timer.abort();
  }

  async #commit(
    message: string | null,
    { places, texts }: Trail,
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
function authorOf({ snapshot }: FileCatalogue, username: string): Author {
  const { name = '', email = '' } = snapshot.users.get(username) ?? {};
  const clean = (text: string) =>
    text
      .slice(0, 200)
      .replace(inside, ' ')
      .replace(/^[ .,:;"'\\]+|[ .,:;"'\\]+$/g, '');
  const address = username.includes('@') ? username : `${username}@localhost`;
  return { name: clean(name) || username, email: clean(email) || address };
}

const named = (ref: Ref) => `${ref.kind} ${formatRef(ref)}`;

/** What a commit says of something that came. */
export const added = (entity: Entity): string => `Add ${named(refOf(entity))}`;

/** What a commit says of something that went. */
export const removed = (ref: Ref): string => `Remove ${named(ref)}`;

/** What a commit says of something that came back. */
export const restored = (ref: Ref): string => `Restore ${named(ref)}`;

/** What a commit says of an edit: which fields changed, and the name where it has another one. */
export function edited(before: Entity, after: Entity): string {
  const [old, now] = [before, after] as unknown as readonly Record<string, unknown>[];
  const fields = Object.keys(now ?? {})
    .filter((name) => !unsaid.includes(name) && !isDeepStrictEqual(old?.[name], now?.[name]))
    .join(', ');
  const [from, to] = [formatRef(refOf(before)), formatRef(refOf(after))];
  const what = from === to ? `Edit ${named(refOf(after))}` : `Rename ${before.kind} ${from} to ${to}`;
  return fields ? `${what}: ${fields}` : what;
}

/** What the name says, and what follows from others. */
const unsaid: readonly string[] = ['kind', 'namespace', 'slug', 'aliases', 'versions'];
