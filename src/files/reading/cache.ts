/**
 * Cache of unit states, for a fast start: for each batch of units, a line of JSON with the units and the stamps of their
 * files, which a thread can compare as it is, and one with their content. A state is used only if the stamps of its files
 * are still those on disk. A cache of another version, or one that is cut off or damaged, is ignored as a whole.
 */
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fields } from '../../catalogue/fields.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import { errorCode, removeAbandonedTemporaries, temporaryPathBeside } from '../../disk/durable.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { readLines } from '../read-lines.ts';
import type { FirstReading } from './first-reading.ts';
import { type PackedContent, packState, SharedValues, unpackState } from './packed-state.ts';
import type { UnitState } from './unit-reader.ts';
import type { ReadRequest } from './unit-readers.ts';
import type { UnitStore } from './unit-store.ts';

/** Version of the format: raise it when the shape of states changes, or the meaning of a field. */
const version = 8;
/** Number of units in a batch, and the length of their content in characters from which a batch is full. */
const batchSize = 100;
const batchLength = 1 << 18;
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
 * @param onRead called with the states of each batch that was read, and a message to threads that asks to compare their
 * stamps; before it is known if the cache is usable
 */
export async function readUnitStateCache(
  root: string,
  onRead: (states: readonly UnitState[], message: string) => Promise<void> = async () => {},
): Promise<readonly UnitState[]> {
  const states: UnitState[] = [];
  const shared = new SharedValues();
  let sum = 0;
  let isFirst = true;
  let requests: string | undefined;
  try {
    for await (const bytes of readLines(cachePath(root))) {
      // All characters are ASCII: reading them as Latin-1 is a mere copy.
      const line = bytes.toString('latin1');
      if (isFirst) {
        if (line !== header) return [];
        isFirst = false;
      } else if (line.startsWith('{"end"')) {
        const { end: count, sum: expected } = JSON.parse(line);
        return count === states.length && expected === sum ? states : [];
      } else {
        sum = crc32(bytes, sum);
        if (requests === undefined) {
          requests = line;
          continue;
        }
        const read = unpackBatch(requests, line, shared);
        states.push(...read);
        await onRead(read, requests);
        requests = undefined;
      }
    }
  } catch {
    // Missing, unreadable or damaged: everything is read from the files.
  }
  return [];
}

function unpackBatch(requests: string, content: string, shared: SharedValues): UnitState[] {
  const contents: readonly PackedContent[] = JSON.parse(content);
  return (JSON.parse(requests) as Required<ReadRequest>[]).map(([unit, stamps, payloads], i) =>
    unpackState([unit, contents[i] as PackedContent, stamps, payloads], shared),
  );
}

/** Writes the cache to a temporary file and renames it, in steps that let other requests have their turn. */
export async function writeUnitStateCache(root: string, states: Iterable<UnitState>): Promise<void> {
  const path = cachePath(root);
  await makeFolderInPrivateFolder(root, 'cache');
  await removeAbandonedTemporaries(dirname(path), anHour);
  const temporary = temporaryPathBeside(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    const lines = new CacheLines();
    let sliceEnd = performance.now() + slice;
    for (const state of states) {
      lines.add(state);
      if (performance.now() < sliceEnd) continue;
      await file.write(lines.take());
      sliceEnd = performance.now() + slice;
    }
    lines.end();
    await file.write(lines.take());
    await file.close();
    await rename(temporary, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The lines of a cache, as they are written. */
class CacheLines {
  #lines = `${header}\n`;
  #sum = 0;
  #count = 0;
  #requests: string[] = [];
  #contents: string[] = [];
  #length = 0;

  add(state: UnitState): void {
    const [unit, content, stamps, payloads] = packState(state);
    const request: ReadRequest = [unit, stamps, payloads];
    const text = toAscii(JSON.stringify(content));
    this.#requests.push(toAscii(JSON.stringify(request)));
    this.#contents.push(text);
    this.#length += text.length;
    this.#count++;
    if (this.#requests.length === batchSize || this.#length >= batchLength) this.#endBatch();
  }

  end(): void {
    this.#endBatch();
    this.#lines += `${JSON.stringify({ end: this.#count, sum: this.#sum })}\n`;
  }

  /** The lines since the last call. */
  take(): string {
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  #endBatch(): void {
    if (this.#requests.length === 0) return;
    for (const parts of [this.#requests, this.#contents]) {
      const line = `[${parts.join()}]`;
      this.#sum = crc32(line, this.#sum);
      this.#lines += `${line}\n`;
    }
    this.#requests = [];
    this.#contents = [];
    this.#length = 0;
  }
}

/** JSON in which all characters are ASCII. */
const toAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

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
      (read, message) => reading?.compare(read, message) ?? Promise.resolve(),
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
