/**
 * Syncing in rounds (group commit): files and folders that wait at the same time are synced together, and the file system
 * writes its journal once for all of them. While it does so, calls that change the file system may block the thread: writers wait
 * for the end of the round before they make them.
 */
import { fsync } from 'node:fs';
import { promisify } from 'node:util';

const sync = promisify(fsync);

interface Waiting {
  readonly descriptor: number;
  readonly resolve: (work: Promise<void>) => void;
}

/** Descriptors for the next round. */
let next: Waiting[] = [];
let current: Promise<unknown> | undefined;

/**
 * Syncs a file or folder in the next round.
 * @returns a promise that is settled when the whole round is over; rejected with the error of this descriptor only
 */
export function syncInRound(descriptor: number): Promise<void> {
  return new Promise((resolve) => {
    // After the present turn, in which others may join.
    if (next.push({ descriptor, resolve }) === 1 && !current) setImmediate(startRound);
  });
}

/** Resolves when no round is under way. */
export async function betweenSyncRounds(): Promise<void> {
  while (current) await current;
}

function startRound(): void {
  const round = next.map(({ descriptor, resolve }) => ({ work: sync(descriptor), resolve }));
  next = [];
  current = Promise.allSettled(round.map(({ work }) => work)).then(() => {
    current = undefined;
    for (const { work, resolve } of round) resolve(work);
    if (next.length) setImmediate(startRound);
  });
}
