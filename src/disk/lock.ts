/**
 * One writer at a time for a record, across processes: a folder below `.catalogue/locks` is the lock (mkdir is atomic
 * everywhere), kept alive by its time of change. A process that dies stops doing so, and others take over: at once where
 * the note of the holder shows that it is gone, else after a while.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { UnavailableError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { codeOf, explained } from './durable.ts';
import { makePrivateFolder } from './private-folder.ts';
import { isGone, markPattern, writerMark } from './writer.ts';

export interface LockOptions {
  /** How long to wait for others, in milliseconds; default 12,000: longer than it takes to take over from a crash. */
  readonly wait?: number | undefined;
  /** After how many milliseconds without a sign of life a lock is taken over; default and customary 10,000. */
  readonly stale?: number | undefined;
}

/** After so many milliseconds without a sign of life, a holder of which nothing else is known is taken to be gone. */
export const customaryStale = 10_000;

const locksFolder = (root: string): string => join(resolve(root), '.catalogue', 'locks');

/** The last caller in the queue for each lock in this process: callers here needn't poll each other. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs `work` while nobody else, here or in another process, runs work under the same key. Work that waits for its own
 * key waits in vain.
 * @param root the catalogue folder
 * @param key names the lock: the path of a record, relative to the folder
 * @param work gets a signal that is aborted if the lock is lost (the process was stopped for longer than `stale`);
 *   look at it before what can't be undone
 * @throws UnavailableError where others hold the lock for too long; it says who
 */
export async function withLock<T>(
  root: string,
  key: string,
  work: (signal: AbortSignal) => Promise<T> | T,
  { wait = 12_000, stale = customaryStale }: LockOptions = {},
): Promise<T> {
  const folder = locksFolder(root);
  const path = join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));
  const deadline = Date.now() + wait;
  return await inTurn(path, key, deadline, async () => {
    const lost = new AbortController();
    const compromised = () =>
      lost.abort(new UnavailableError(`The lock of ${key} was lost, because this process stood still. Try again.`));
    const take = () => acquire(path, key, deadline, stale, compromised);
    // The folder is nearly always there, and anybody may remove it at any time.
    const release = await take().catch(async (error) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await makePrivateFolder(root, 'locks');
      return take();
    });
    try {
      const note = `process ${process.pid} on ${hostname()}\n${writerMark}\n`;
      await writeFile(`${path}.holder`, note, { mode: 0o600 }).catch(() => {});
      return await work(lost.signal);
    } finally {
      // Where the lock was lost, it is another's now and so is the note.
      if (!lost.signal.aborted) {
        await unlink(`${path}.holder`).catch(() => {});
        await release().catch(() => {});
      }
    }
  });
}

/**
 * Runs `work` under several locks, which are taken in the order given: everybody has to take them in the same order.
 * @param work gets a signal that is aborted if one of the locks is lost
 * @throws UnavailableError if others hold one of them for too long
 */
export async function withLocks<T>(
  root: string,
  [first, ...others]: readonly string[],
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  if (first === undefined) return work(new AbortController().signal);
  return withLock(root, first, (signal) =>
    others.length === 0 ? work(signal) : withLocks(root, others, (inner) => work(AbortSignal.any([signal, inner]))),
  );
}

/** Removes the locks that nobody holds any more, as far as that can be told by now. */
export async function sweepLocks(root: string, stale = customaryStale): Promise<void> {
  const folder = locksFolder(root);
  for (const name of await readdir(folder).catch((): string[] => [])) {
    const path = join(folder, name.replace(/\.lock$/, ''));
    if (/^[0-9a-f]{32}(\.takeover)?\.lock$/.test(name) && (await isStale(path, stale))) await takeOver(path, stale);
  }
}

async function inTurn<T>(path: string, key: string, deadline: number, work: () => Promise<T>): Promise<T> {
  const before = queues.get(path);
  let leave = () => {};
  const turn = new Promise<void>((done) => {
    leave = done;
  });
  // Who gives up waiting leaves the queue too, but those behind still wait for those before.
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
      if (isLate) throw busy(key, 'another request to this process');
    }
    return await work();
  } finally {
    leave();
  }
}

async function acquire(
  path: string,
  key: string,
  deadline: number,
  stale: number,
  onCompromised: () => void,
): Promise<() => Promise<void>> {
  // proper-lockfile keeps the lock alive. It never takes one over (an endless `stale`): two processes that see the same
  // stale lock at once could then both get it. `takeOver` does that under a lock of its own.
  const options = { realpath: false, stale: Number.POSITIVE_INFINITY, update: stale / 4, onCompromised };
  for (let pause = 2; ; pause = Math.min(pause * 1.6, 250)) {
    try {
      return await lockfile.lock(path, options);
    } catch (error) {
      // Where the lock lies, and under which name, says nothing to anybody.
      if (codeOf(error) !== 'ELOCKED') throw explained(error, privateFolder);
    }
    if (await isStale(path, stale)) await takeOver(path, stale);
    else if (Date.now() >= deadline) throw busy(key, await noteAt(path));
    else await sleep(Math.min(pause * (0.5 + Math.random()), Math.max(1, deadline - Date.now())));
  }
}

async function takeOver(path: string, stale: number): Promise<void> {
  const guard = `${path}.takeover`;
  const release = await lockfile.lock(guard, { realpath: false, stale, onCompromised: () => {} }).catch(() => null);
  if (release === null) return void (await sleep(20));
  try {
    if (!(await isStale(path, stale))) return;
    // The note first: beside the lock of the next holder, which has none yet, it would say that this one is gone.
    await rm(`${path}.holder`, { force: true });
    await rm(`${path}.lock`, { recursive: true, force: true });
  } finally {
    await release().catch(() => {});
  }
}

async function isStale(path: string, stale: number): Promise<boolean> {
  const found = await stat(`${path}.lock`).catch(() => null);
  if (found === null) return false;
  return found.mtimeMs < Date.now() - stale || isGone(markPattern.exec(await noteAt(path))?.[0] ?? '');
}

const noteAt = (path: string): Promise<string> => readFile(`${path}.holder`, 'utf8').catch(() => '');

const busy = (key: string, holder: string) =>
  new UnavailableError(
    `${key} is being written by ${holder.split('\n')[0] || 'another process'}, which takes too long. Try again later.`,
  );
