/**
 * Locks across processes: one writer at a time for a record. A lock is a file below `.catalogue/locks`, made with O_EXCL,
 * with a note about its holder, who updates its mtime as a sign of life. The lock of a dead process is taken over: at
 * once if the note shows that the process is gone, else when the lock is stale.
 */
import { hash } from 'node:crypto';
import * as fs from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { UnavailableError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { errorCode } from './durable.ts';
import { inspectLock, writeLockFile } from './lock-file.ts';
import { toUnavailableError } from './not-writable.ts';
import { makeFolderInPrivateFolder } from './private-folder.ts';
import { betweenSyncRounds } from './sync-rounds.ts';
import { hasWriterEnded, markPattern, writerState } from './writer.ts';

export interface LockOptions {
  /** Longest wait for other holders, in milliseconds; default 12,000, so that a stale lock can be taken over. */
  readonly wait?: number | undefined;
  /** Milliseconds without a sign of life after which a lock is stale; default 10,000. */
  readonly stale?: number | undefined;
  /** The message of the error if another holds the lock. @param holder such as "process 42 on atlas" */
  readonly busy?: ((holder: string) => string) | undefined;
  /** What messages name if the lock's file can't be written; default the private folder. */
  readonly place?: string | undefined;
}

/** Default of `stale`, in milliseconds. */
export const defaultStale = 10_000;

const locksFolder = (root: string): string => join(resolve(root), privateFolder, 'locks');

/** The last caller in the queue for each lock within this process: they needn't poll. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs `work` under an exclusive lock, against this process and all others. The lock is not reentrant.
 * @param root the catalogue folder
 * @param key name of the lock: the path of a record, relative to the folder
 * @param work gets a signal that is aborted if the lock is lost (the process was paused for longer than `stale`);
 *   to be checked before what can't be undone
 * @throws UnavailableError if another holds the lock for too long; the message names the holder
 */
export async function withLock<T>(
  root: string,
  key: string,
  work: (signal: AbortSignal) => Promise<T> | T,
  options: LockOptions = {},
): Promise<T> {
  const path = join(locksFolder(root), hash('sha256', key).slice(0, 32));
  return await withLockFile(path, key, work, options, () => makeFolderInPrivateFolder(root, 'locks'));
}

/**
 * Runs `work` under an exclusive lock whose file is `<path>.lock`.
 * @param key name of the lock, in messages
 * @param makeFolder makes the folder of the file, if it is missing
 * @throws UnavailableError if another holds the lock for too long; the message names the holder
 */
export async function withLockFile<T>(
  path: string,
  key: string,
  work: (signal: AbortSignal) => Promise<T> | T,
  { wait = 12_000, stale = defaultStale, busy = busyMessage(key), place = privateFolder }: LockOptions,
  makeFolder: () => Promise<unknown>,
): Promise<T> {
  const deadline = Date.now() + wait;
  return await queueBehindLocal(path, busy, deadline, async () => {
    const lost = new AbortController();
    const compromised = () =>
      lost.abort(new UnavailableError(`The lock of ${key} was lost because this process was paused. Try again.`));
    const take = () =>
      acquire(path, busy, deadline, stale, compromised).catch((error) => {
        // The path of the lock would mean nothing to the reader.
        throw toUnavailableError(error, place);
      });
    // The folder nearly always exists, and may be removed at any time.
    const release = await take().catch(async (error) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await makeFolder();
      return take();
    });
    try {
      return await work(lost.signal);
    } finally {
      // A lost lock belongs to another process now.
      if (!lost.signal.aborted) await release().catch(() => {});
    }
  });
}

/**
 * Runs `work` under several locks, which are taken in the order given. All callers must use the same order, or they could
 * block each other.
 * @param work gets a signal that is aborted if one of the locks is lost
 * @throws UnavailableError if others hold one of them for too long
 */
export async function withLocks<T>(
  root: string,
  keys: readonly string[],
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  // One controller for all: a chain of `AbortSignal.any` would register each lock with each one behind it.
  const lost = new AbortController();
  const takeFrom = (index: number): Promise<T> | T => {
    const key = keys[index];
    if (key === undefined) return work(lost.signal);
    return withLock(root, key, (signal) => {
      signal.addEventListener('abort', () => lost.abort(signal.reason), { once: true });
      return takeFrom(index + 1);
    });
  };
  return takeFrom(0);
}

/** Removes stale locks. @returns true if there were any */
export async function removeStaleLocks(root: string, stale = defaultStale): Promise<boolean> {
  let isAny = false;
  for (const name of await readdir(locksFolder(root)).catch((): string[] => [])) {
    const path = join(locksFolder(root), name.replace(/\.lock$/, ''));
    if (!/^[0-9a-f]{32}(\.takeover)?\.lock$/.test(name) || !(await isStale(path, stale))) continue;
    isAny = true;
    await takeOver(path, stale);
  }
  return isAny;
}

async function queueBehindLocal<T>(
  path: string,
  busy: BusyMessage,
  deadline: number,
  work: () => Promise<T>,
): Promise<T> {
  const before = queues.get(path);
  let leave = () => {};
  const turn = new Promise<void>((done) => {
    leave = done;
  });
  // A caller that gives up leaves the queue, but those behind it still wait for those before it.
  const mine = Promise.all([before, turn]).then(() => {
    if (queues.get(path) === mine) queues.delete(path);
  });
  queues.set(path, mine);
  try {
    if (before !== undefined) {
      const timer = new AbortController();
      const late = sleep(Math.max(0, deadline - Date.now()), true, { signal: timer.signal }).catch(() => false);
      const isLate = await Promise.race([before.then(() => false), late]);
      timer.abort();
      if (isLate) throw new UnavailableError(busy('another request to this process'));
    }
    return await work();
  } finally {
    leave();
  }
}

/**
 * The calls of proper-lockfile, with a file that has a note instead of a folder: it takes no block on the disk, which
 * file systems that discard free blocks would wait for. They are done at once: each takes some ten microseconds.
 */
const lockFileSystem = {
  ...fs,
  mkdir: (path: string, done: Callback) => callBack(() => writeLockFile(path), done),
  rmdir: (path: string, done: Callback) => callBack(() => fs.unlinkSync(path), done),
  rmdirSync: fs.unlinkSync,
  stat: (path: string, done: Callback) => callBack(() => fs.statSync(path), done),
};

type Callback = (error: unknown, result?: unknown) => void;

function callBack(work: () => unknown, done: Callback): void {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    done(error);
    return;
  }
  done(null, result);
}

async function acquire(
  path: string,
  busy: BusyMessage,
  deadline: number,
  stale: number,
  onCompromised: () => void,
): Promise<() => Promise<void>> {
  // proper-lockfile keeps the lock alive. It never takes one over (an endless `stale`): two processes that see the same
  // stale lock at once could then both get it. `takeOver` does that under a lock of its own.
  const update = { update: stale / 4, onCompromised };
  const options = { realpath: false, stale: Number.POSITIVE_INFINITY, fs: lockFileSystem, ...update };
  for (let pause = 2; ; pause = Math.min(pause * 1.6, 250)) {
    try {
      await betweenSyncRounds();
      return await lockfile.lock(path, options);
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') throw error;
    }
    if (await isStale(path, stale)) await takeOver(path, stale);
    else if (Date.now() >= deadline) throw new UnavailableError(busy(await readHolder(path)));
    else await sleep(Math.min(pause * (0.5 + Math.random()), Math.max(1, deadline - Date.now())));
  }
}

/**
 * Removes the lock of a program that doesn't know ours, such as git's, if one of our processes made it with `writeLockFile` and has
 * ended. A lock of the program itself has no note, and stays.
 * @param path of the lock, without `.lock`
 * @param stale age in milliseconds from which it counts as left if it isn't known whether the process runs: on another machine, or
 *   in another container
 */
export async function removeAbandonedLock(path: string, stale: number): Promise<void> {
  if (await isAbandoned(path, stale)) await takeOver(path, stale, isAbandoned);
}

/** @param isLeft true for a lock that is to be removed */
async function takeOver(path: string, stale: number, isLeft = isStale): Promise<void> {
  const guard = { realpath: false, stale: Math.min(stale, defaultStale), onCompromised: () => {} };
  const release = await lockfile.lock(`${path}.takeover`, guard).catch(() => null);
  if (release === null) return void (await sleep(20));
  try {
    if (!(await isLeft(path, stale))) return;
    await rm(`${path}.lock`, { recursive: true, force: true });
  } finally {
    await release().catch(() => {});
  }
}

async function isStale(path: string, stale: number): Promise<boolean> {
  const found = await inspectLock(path);
  if (found === null) return false;
  return found.mtimeMs < Date.now() - stale || hasWriterEnded(markPattern.exec(found.note)?.[0] ?? '');
}

async function isAbandoned(path: string, stale: number): Promise<boolean> {
  const found = await inspectLock(path);
  const mark = markPattern.exec(found?.note ?? '')?.[0];
  if (found === null || mark === undefined) return false;
  const state = writerState(mark);
  return state === 'ended' || (state === 'unknown' && found.mtimeMs < Date.now() - stale);
}

/** The holder of a lock, as its note names it. */
const readHolder = async (path: string): Promise<string> =>
  (await inspectLock(path))?.note.split('\n')[0] || 'another process';

type BusyMessage = (holder: string) => string;

const busyMessage =
  (key: string): BusyMessage =>
  (holder) =>
    `${key} is being written by ${holder}, which takes too long. Try again later.`;
