/**
 * What was read, kept for the next start: one line of JSON for each unit. It is never believed, only compared: a state
 * counts for as long as the stamps of its files are those on disk. A cache of another version, cut off or damaged, is
 * ignored as a whole.
 */
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fields } from '../../catalogue/fields.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import { codeOf, sweepTemporaries, temporaryBeside } from '../../disk/durable.ts';
import { makePrivateFolder } from '../../disk/private-folder.ts';
import type { UnitState } from './unit-reader.ts';
import type { UnitStore } from './unit-store.ts';

/** Raise it when states get another shape, or the value of a field another meaning. */
const version = 4;
/** In milliseconds: the work between two pauses, the pause between two saves, the age at which an unfinished cache is waste. */
const slice = 5;
const aWhile = 5 * 60_000;
const anHour = 60 * 60_000;
/** Where the cache of a folder lies. */
export const cachePath = (root: string) => join(root, privateFolder, 'cache', 'snapshot.ndjson');
/** A cache of entities that have other fields is of no use. */
const header = JSON.stringify({ catalogue: 'snapshot cache', version, fields: crc32(JSON.stringify(fields)) });

/** The states kept in the folder's cache; none where there is no cache that can be used. */
export async function readCache(root: string): Promise<readonly UnitState[]> {
  const states: UnitState[] = [];
  let sum = 0;
  let rest: Buffer | undefined;
  let first = true;
  try {
    for await (const chunk of createReadStream(cachePath(root), { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
        const line = bytes.toString('utf8', start, end);
        if (first) {
          if (line !== header) return [];
          first = false;
          continue;
        }
        if (line.startsWith('{"end"')) {
          const { end: count, sum: expected } = JSON.parse(line);
          return count === states.length && expected === sum ? states : [];
        }
        sum = crc32(bytes.subarray(start, end), sum);
        states.push(JSON.parse(line));
      }
      rest = bytes.subarray(start);
    }
  } catch {
    // Absent, unreadable or damaged: the files themselves say it all.
  }
  return [];
}

/** Writes the cache anew, beside and then into its place, in steps that leave the event loop to others. */
export async function writeCache(root: string, states: Iterable<UnitState>): Promise<void> {
  const path = cachePath(root);
  await makePrivateFolder(root, 'cache');
  await sweepTemporaries(dirname(path), anHour);
  const beside = temporaryBeside(path);
  const file = await open(beside, 'wx', 0o600);
  try {
    let sum = 0;
    let count = 0;
    let lines = [header];
    let sliceEnd = performance.now() + slice;
    for (const state of states) {
      const line = JSON.stringify(state);
      sum = crc32(line, sum);
      lines.push(line);
      count++;
      if (performance.now() < sliceEnd) continue;
      await file.write(`${lines.join('\n')}\n`);
      lines = [];
      sliceEnd = performance.now() + slice;
    }
    lines.push(JSON.stringify({ end: count, sum }));
    await file.write(`${lines.join('\n')}\n`);
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(beside, { force: true });
    throw error;
  }
}

export interface StateCacheOptions {
  /** Read the cache, but never write it. */
  readonly readOnly?: boolean;
  readonly log?: (line: string) => void;
}

/** Keeps the cache of a store: saved after the first reading, every few minutes where something changed, and at the end. */
export class StateCache {
  readonly #store: UnitStore;
  readonly #options: StateCacheOptions;
  /** The store's count of changes that the cache on disk holds. */
  #saved = -1;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** What was last said of a cache that can't be written. */
  #said = '';

  constructor(store: UnitStore, options: StateCacheOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Gives the store what the cache holds. */
  async restore(): Promise<void> {
    const states = await readCache(this.#store.tree.root);
    this.#store.restore(states);
    if (states.length) this.#saved = this.#store.changeCount;
  }

  /** Saves what has been read, and from time to time what changed since. */
  start(): void {
    void this.save();
    this.#timer = setInterval(() => void this.save(), aWhile);
    this.#timer.unref();
  }

  /** Saves what is read, unless the cache holds that already. Resolves too where it can't be saved. */
  save(): Promise<void> {
    if (this.#options.readOnly) return this.#saving;
    this.#saving = this.#saving.then(async () => {
      const { changeCount: changes, tree: folder, states } = this.#store;
      if (changes === this.#saved || !folder.isCatalogue()) return;
      try {
        await writeCache(folder.root, states.values());
        this.#saved = changes;
        this.#said = '';
      } catch (error) {
        const reason = codeOf(error) || (error as Error).message;
        if (reason !== this.#said)
          this.#options.log?.(`The cache can't be written (${reason}): the next start takes longer.`);
        this.#said = reason;
      }
    });
    return this.#saving;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}
