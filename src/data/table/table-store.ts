/** The tables of a server: opened on demand, within limits of memory and disk space. */
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ReadingOptions } from '../../catalogue/types.ts';
import { CacheRoom } from '../cache-room.ts';
import { ChecksumMismatchError, DamagedCopyError, ExhaustingPayloadError } from '../errors.ts';
import type { FormatHints } from '../formats/detect-format.ts';
import { columnarCopyName, type Ingest, ingest } from '../ingest/ingest.ts';
import { makeRowSorter } from '../query/sort-in-thread.ts';
import type { WorkerPool } from '../worker-pool.ts';
import { type ChunkCache, createChunkCache } from './chunk-reader.ts';
import { deleteLeastRecentlyUsedCopies, measureCopy } from './columnar-copy.ts';
import { type RowSorter, Table } from './table.ts';

/** A payload on disk, with hints to its format. */
export interface PayloadFile extends FormatHints {
  /** SHA-256 in lower-case hexadecimal. */
  readonly checksum: string;
  readonly path: string;
  /** Calls a function with the path of a copy, for a payload that isn't at its path. */
  readonly useCopy?: (<T>(work: (path: string) => Promise<T>) => Promise<T>) | undefined;
  /** Options for reading its rows. */
  readonly reading?: ReadingOptions | undefined;
}

export interface TableStoreOptions {
  /** Folder of the columnar copies. */
  readonly folder: string;
  /** Returns the folder for new copies once `folder` can't be written, which the error shows; called once. */
  readonly fallback?: ((error: unknown) => Promise<string>) | undefined;
  /** Most bytes of rows and indexes in memory; 256 MB by default. */
  readonly memory?: number | undefined;
  /** Most bytes of columnar copies on disk; 20 GB by default. The newest copy is kept in any case. */
  readonly disk?: number | undefined;
  /** Returns a hidden name for an unfinished copy. */
  readonly stagingName?: (() => string | undefined) | undefined;
  /** Makes the copies; by default, this process does. */
  readonly ingest?: Ingest | undefined;
  /** Threads for long work on the rows; by default, this one does it in turns. */
  readonly workers?: WorkerPool | undefined;
}

export class TableStore {
  readonly #folder: string;
  readonly #fallback: TableStoreOptions['fallback'];
  /** Folder of the copies made since `#folder` couldn't be written. */
  #otherFolder: Promise<string> | undefined;
  readonly #disk: number;
  readonly #ingestPayload: Ingest;
  readonly #stagingName: () => string | undefined;
  readonly #sorter: RowSorter | undefined;
  readonly #cache: ChunkCache;
  /** Room by folder of copies. */
  readonly #rooms = new Map<string, CacheRoom>();
  readonly #tables = new LRUCache<string, Table>({ max: 200 });
  /** Payloads that took too much to read, for a while: reading them again costs as much as the first time. */
  readonly #refused = new LRUCache<string, ExhaustingPayloadError>({ max: 1000, ttl: 600_000 });
  /** Payloads that have no rows, which only all of their bytes show; by `detectionKey`. */
  readonly #withoutRows = new LRUCache<string, true>({ max: 1000 });
  /** Tables that are being opened: further requests wait for the same one. */
  readonly #opening = new Map<string, Promise<Table | null>>();

  constructor({
    folder,
    fallback,
    memory = 256 * 1024 ** 2,
    disk = 20 * 1024 ** 3,
    stagingName = () => undefined,
    ingest: ingestPayload = ingest,
    workers,
  }: TableStoreOptions) {
    this.#sorter = workers && makeRowSorter(workers);
    this.#ingestPayload = ingestPayload;
    this.#stagingName = stagingName;
    this.#folder = folder;
    this.#fallback = fallback;
    this.#disk = disk;
    this.#cache = createChunkCache(memory);
  }

  /**
   * Opens the table of a payload. If its columnar copy is missing, damaged or of an older layout, the payload is ingested
   * first.
   * @returns null if the payload has no rows that can be read
   * @throws PayloadError if the payload can't be read; ChecksumMismatchError
   */
  async open(payload: PayloadFile): Promise<Table | null> {
    const name = nameOfCopy(payload);
    const open = this.#tables.get(name);
    if (open?.markUsed()) return open;
    const refusal = this.#refused.get(name);
    if (refusal) throw refusal;
    if (this.#withoutRows.get(detectionKey(payload))) return null;
    let opening = this.#opening.get(name);
    if (!opening) {
      opening = this.#load(payload).finally(() => this.#opening.delete(name));
      opening.catch((error) => error instanceof ExhaustingPayloadError && this.#refused.set(name, error));
      this.#opening.set(name, opening);
    }
    return opening;
  }

  async #load(payload: PayloadFile): Promise<Table | null> {
    const { checksum } = payload;
    const name = nameOfCopy(payload);
    let table = await Table.open(join(this.#folder, name), checksum, this.#cache, this.#sorter);
    if (!table && !this.#otherFolder)
      try {
        table = await this.#ingest(payload, this.#folder);
      } catch (error) {
        if (!this.#fallback || !(await showsUnwritable(error, this.#folder))) throw error;
        this.#otherFolder ??= this.#fallback(error);
      }
    if (!table && this.#otherFolder) {
      const folder = await this.#otherFolder;
      table =
        (await Table.open(join(folder, name), checksum, this.#cache, this.#sorter)) ??
        (await this.#ingest(payload, folder));
    }
    if (table) this.#tables.set(name, table);
    return table;
  }

  /** Makes the columnar copy of a payload in a folder, and opens it. */
  async #ingest(payload: PayloadFile, cacheFolder: string): Promise<Table | null> {
    const { checksum, path, useCopy, ...hints } = payload;
    const ingestFile = (file: string) =>
      this.#ingestPayload(file, {
        ...{ fileName: path, ...hints },
        ...{ cacheFolder, stagingName: this.#stagingName() },
      });
    const result = await (useCopy ? useCopy(ingestFile) : ingestFile(path));
    if (result.checksum !== checksum)
      throw new ChecksumMismatchError(`The payload has the checksum ${result.checksum} and not ${checksum}.`);
    if (result.rows === null) {
      this.#withoutRows.set(detectionKey(payload), true);
      return null;
    }
    const name = nameOfCopy(payload);
    await this.#makeRoom(cacheFolder, name);
    const table = await Table.open(join(cacheFolder, name), checksum, this.#cache, this.#sorter);
    if (!table) throw new DamagedCopyError(`The columnar copy ${join(cacheFolder, name)} was deleted.`);
    return table;
  }

  /** Deletes other copies if there is no room for a new one. */
  async #makeRoom(cacheFolder: string, name: string): Promise<void> {
    const room = this.#rooms.get(cacheFolder) ?? new CacheRoom();
    this.#rooms.set(cacheFolder, room);
    const { bytes } = await measureCopy(join(cacheFolder, name));
    if (room.add(bytes, this.#disk))
      room.noteMeasured(await deleteLeastRecentlyUsedCopies(cacheFolder, this.#disk, name), this.#disk);
  }
}

const nameOfCopy = ({ fileName, path, ...payload }: PayloadFile): string =>
  columnarCopyName(payload.checksum, payload.reading, { fileName: fileName ?? path, ...payload });

/** Key of a payload and of all that its format is detected by. */
const detectionKey = (payload: PayloadFile): string =>
  JSON.stringify([nameOfCopy(payload), payload.format, payload.mediaType, payload.fileName ?? basename(payload.path)]);

/**
 * True if an error comes of a folder that can't be written: no permission, a read-only or full file system. (For the recursive
 * mkdir of a read-only file system, Node reports ENOENT.) The same codes come of a payload that is missing or can't be read,
 * and of a cache that is deleted meanwhile: so the folder is tried.
 */
async function showsUnwritable(error: unknown, folder: string): Promise<boolean> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOSPC', 'EDQUOT'].includes(code)) return true;
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST'].includes(code)) return false;
  try {
    await mkdir(folder, { recursive: true });
    await rmdir(await mkdtemp(join(folder, '.try-')));
    return false;
  } catch {
    return true;
  }
}
