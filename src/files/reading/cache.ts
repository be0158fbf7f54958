/**
 * Cache of unit states, for a fast start: one line of JSON for each unit. A state is used only if the stamps of its files
 * are still those on disk. A cache of another version, or one that is cut off or damaged, is ignored as a whole.
 */
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fields } from '../../catalogue/fields.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import { errorCode, removeAbandonedTemporaries, temporaryPathBeside } from '../../disk/durable.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import type { FirstReading } from './first-reading.ts';
import { packState, unpackState } from './packed-state.ts';
import type { UnitState } from './unit-reader.ts';
import type { UnitStore } from './unit-store.ts';

/** Version of the format: raise it when the shape of states changes, or the meaning of a field. */
const version = 7;
/** Milliseconds of work between two writes, which let other requests have their turn. */
const slice = 5;
/** Milliseconds between two saves. */
const saveEvery = 5 * 60_000;
/** Age in milliseconds from which an unfinished cache file is abandoned. */
const anHour = 60 * 60_000;
/** Path of a folder's cache. */
export const cachePath = (root: string) => join(root, privateFolder, 'cache', 'snapshot.ndjson');
/** First line of a cache. It has the checksum of the table of fields: with other fields, the entities would be others. */
const header = JSON.stringify({ catalogue: 'snapshot cache', version, fields: crc32(JSON.stringify(fields)) });

/**
 * The states in a folder's cache; none if there is no usable cache.
 * @param onRead called with the states of each part that was read, before it is known if the cache is usable
 */
export async function readUnitStateCache(
  root: string,
  onRead: (states: readonly UnitState[]) => Promise<void> = async () => {},
): Promise<readonly UnitState[]> {
  const states: UnitState[] = [];
  let sum = 0;
  let rest: Buffer | undefined;
  let first = true;
  let passed = 0;
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
        states.push(unpackState(JSON.parse(line)));
      }
      rest = bytes.subarray(start);
      await onRead(states.slice(passed));
      passed = states.length;
    }
  } catch {
    // Missing, unreadable or damaged: everything is read from the files.
  }
  return [];
}

/** Writes the cache to a temporary file and renames it, in steps that let other requests have their turn. */
export async function writeUnitStateCache(root: string, states: Iterable<UnitState>): Promise<void> {
  const path = cachePath(root);
  await makeFolderInPrivateFolder(root, 'cache');
  await removeAbandonedTemporaries(dirname(path), anHour);
  const temporary = temporaryPathBeside(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    let sum = 0;
    let count = 0;
    let lines = [header];
    let sliceEnd = performance.now() + slice;
    for (const state of states) {
      const line = JSON.stringify(packState(state));
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
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

export interface StateCacheOptions {
  /** True to read the cache, but never write it. */
  readonly readOnly?: boolean;
  readonly log?: (line: string) => void;
}

/** The cache of a store. It is saved after the first scan, every few minutes if something changed, and on close. */
export class StateCache {
  readonly #store: UnitStore;
  readonly #options: StateCacheOptions;
  /** The store's change count when it was last saved. */
  #savedCount = -1;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Reason of the last failure, which is logged once. */
  #lastFailure = '';

  constructor(store: UnitStore, options: StateCacheOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Gives the cached states to the store. @param reading compares them with the files, if there are many */
  async restore(reading?: FirstReading): Promise<void> {
    const states = await readUnitStateCache(
      this.#store.tree.root,
      (part) => reading?.compare(part) ?? Promise.resolve(),
    );
    if (states.length === 0) await reading?.reset();
    this.#store.restore(states);
    if (states.length) this.#savedCount = this.#store.changeCount;
  }

  /** Saves the states now and at regular intervals. */
  start(): void {
    void this.save();
    this.#timer = setInterval(() => void this.save(), saveEvery);
    this.#timer.unref();
  }

  /** Saves the states, unless nothing changed since the last time. A failure is logged, not thrown. */
  save(): Promise<void> {
    if (this.#options.readOnly) return this.#saving;
    this.#saving = this.#saving.then(async () => {
      const { changeCount, tree, states } = this.#store;
      if (changeCount === this.#savedCount || !tree.isCatalogue()) return;
      try {
        await writeUnitStateCache(tree.root, states.values());
        this.#savedCount = changeCount;
        this.#lastFailure = '';
      } catch (error) {
        const { cause, message } = error as Error;
        const reason = errorCode(error) || errorCode(cause) || message;
        if (reason !== this.#lastFailure)
          this.#options.log?.(`The cache can't be written (${reason}): the next start takes longer.`);
        this.#lastFailure = reason;
      }
    });
    return this.#saving;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.save();
  }
}
