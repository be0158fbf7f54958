/**
 * Cache of unit states, for a fast start: for each batch of units, a line of JSON with the units and the stamps of their
 * files, which a thread can compare as it is, and one with their content. A state is used only if the stamps of its files
 * are still those on disk. Then come the stamps of the folders that were searched for units. A cache of another version, or
 * one that is cut off or damaged, is ignored as a whole.
 */
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fields } from '../../catalogue/fields.ts';
import { privateFolder } from '../../catalogue/layout.ts';
import type { Column } from '../../catalogue/types.ts';
import { errorCode, removeAbandonedTemporaries, temporaryPathBeside } from '../../disk/durable.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { readLines } from '../read-lines.ts';
import type { PackedStamps } from '../tree/stamps.ts';
import type { FirstReading } from './first-reading.ts';
import { PackedColumns, type PackedContent, packState, SharedValues, unpackState } from './packed-state.ts';
import type { ReadRequest } from './unit-readers.ts';
import type { UnitState } from './unit-state.ts';
import type { UnitStore } from './unit-store.ts';

/** Version of the format: raise it when the shape of states changes, or the meaning of a field. */
const version = 12;
/** Number of units in a batch, and the length of their content in characters from which a batch is full. */
const batchSize = 100;
const batchLength = 1 << 18;
/** Number of columns from which the next batch begins with none, so that they don't fill the memory. */
const maxColumns = 10_000;
/** Bytes that a unit takes in a cache, at most in the usual case. */
const unitSize = 2000;
/** Milliseconds of work between two writes, which let other requests have their turn. */
const slice = 5;
/** Milliseconds from the first scan to the first save: those who have waited for the scan come first. */
const saveAfter = 1000;
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
 * @param onFolders called with the stamps of the folders that were searched for the units; before that is known, too
 */
export async function readUnitStateCache(
  root: string,
  onRead: (states: readonly UnitState[], message: string) => Promise<void> = async () => {},
  onFolders: (folders: PackedStamps) => void = () => {},
): Promise<readonly UnitState[]> {
  const states: UnitState[] = [];
  const shared = new SharedValues();
  const columns: Column[] = [];
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
        if (line.startsWith('{"folders"')) {
          onFolders(JSON.parse(line).folders);
          continue;
        }
        if (requests === undefined) {
          requests = line;
          continue;
        }
        const read = unpackBatch(requests, line, columns, shared);
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

/**
 * The second line of a batch.
 * @param columns that no batch before has
 * @param known number of the columns of batches before that it has, too: all or none
 */
type BatchContent = readonly [contents: readonly PackedContent[], columns: readonly Column[], known: number];

/** @param columns those of the batches before; gets those of this one */
function unpackBatch(requests: string, content: string, columns: Column[], shared: SharedValues): UnitState[] {
  const [contents, added, known]: BatchContent = JSON.parse(content);
  columns.length = known;
  for (const column of shared.columns(added)) columns.push(column);
  return (JSON.parse(requests) as Required<ReadRequest>[]).map(([unit, stamps, payloads], i) =>
    unpackState([unit, contents[i] as PackedContent, stamps, payloads], columns, shared),
  );
}

/** Writes a store's cache to a temporary file and renames it, in steps that let other requests have their turn. */
async function writeUnitStateCache({ tree: { root }, states, folders: { stamps } }: UnitStore): Promise<void> {
  const path = cachePath(root);
  await makeFolderInPrivateFolder(root, 'cache');
  await removeAbandonedTemporaries(dirname(path), anHour);
  const temporary = temporaryPathBeside(path);
  const file = await open(temporary, 'wx', 0o600);
  try {
    const lines = new CacheLines();
    let sliceEnd = performance.now() + slice;
    for (const state of states.values()) {
      lines.add(state);
      if (performance.now() < sliceEnd) continue;
      await file.write(lines.take());
      sliceEnd = performance.now() + slice;
    }
    lines.end(stamps);
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
  #columns = new PackedColumns();
  /** Number of the columns that were written. */
  #writtenColumns = 0;
  #length = 0;

  add(state: UnitState): void {
    const [unit, content, stamps, payloads] = packState(state, this.#columns);
    const request: ReadRequest = [unit, stamps, payloads];
    const text = toAscii(JSON.stringify(content));
    this.#requests.push(toAscii(JSON.stringify(request)));
    this.#contents.push(text);
    this.#length += text.length;
    this.#count++;
    if (this.#requests.length === batchSize || this.#length >= batchLength) this.#endBatch();
  }

  end(folders: PackedStamps): void {
    this.#endBatch();
    this.#addLine(toAscii(JSON.stringify({ folders })));
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
    const { columns } = this.#columns;
    const added = toAscii(JSON.stringify(columns.slice(this.#writtenColumns)));
    this.#addLine(`[${this.#requests.join()}]`);
    this.#addLine(`[[${this.#contents.join()}],${added},${this.#writtenColumns}]`);
    this.#requests = [];
    this.#contents = [];
    this.#writtenColumns = columns.length;
    if (columns.length >= maxColumns) {
      this.#columns = new PackedColumns();
      this.#writtenColumns = 0;
    }
    this.#length = 0;
  }

  #addLine(line: string): void {
    this.#sum = crc32(line, this.#sum);
    this.#lines += `${line}\n`;
  }
}

/** JSON in which all characters are ASCII. */
const toAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export interface StateCacheOptions {
  /** True to read the cache, but never write it. */
  readonly readOnly?: boolean;
  /** True to take no state from a cache whose files have changed: the last valid state of a broken record is not used. */
  readonly onlyUnchanged?: boolean;
  readonly log?: (line: string) => void;
}

/** The cache of a store. It is saved soon after the first scan, every few minutes if something changed, and on close. */
export class StateCache {
  readonly #store: UnitStore;
  readonly #options: StateCacheOptions;
  /** The store's change count, and the stamps of its folders, when it was last saved. */
  #savedCount = -1;
  #savedFolders: PackedStamps = '';
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
    let folders: PackedStamps = '';
    const { root } = this.#store.tree;
    const size = (await stat(cachePath(root)).catch(() => null))?.size ?? 0;
    reading?.expect(size / unitSize);
    const states = await readUnitStateCache(
      root,
      (read, message) => reading?.compare(read, message) ?? Promise.resolve(),
      (found) => {
        folders = found;
      },
    );
    if (states.length === 0) await reading?.reset();
    if (this.#options.onlyUnchanged) {
      const unchanged = states.length ? ((await reading?.findUnchanged()) ?? []) : [];
      this.#store.restore(unchanged, unchanged.length === states.length ? folders : '');
      return;
    }
    this.#store.restore(states, states.length ? folders : '');
    if (states.length) this.#markSaved(this.#store.changeCount, folders);
  }

  /** Saves the states soon, and then at regular intervals. */
  start(): void {
    this.#saveAfter(saveAfter);
  }

  #saveAfter(wait: number): void {
    this.#timer = setTimeout(() => {
      void this.save();
      this.#saveAfter(saveEvery);
    }, wait);
    this.#timer.unref();
  }

  /** Saves the states, unless nothing changed since the last time. A failure is logged, not thrown. */
  save(): Promise<void> {
    if (this.#options.readOnly) return this.#saving;
    this.#saving = this.#saving.then(async () => {
      const {
        changeCount,
        folders: { stamps },
        tree,
      } = this.#store;
      const isSaved = changeCount === this.#savedCount && stamps === this.#savedFolders;
      if (isSaved || !tree.isCatalogue()) return;
      try {
        await writeUnitStateCache(this.#store);
        this.#markSaved(changeCount, stamps);
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

  #markSaved(changeCount: number, folders: PackedStamps): void {
    this.#savedCount = changeCount;
    this.#savedFolders = folders;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.save();
  }
}
