/** The tables of a server: opened on demand, within limits of memory and disk space. */
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ChecksumMismatchError } from '../errors.ts';
import type { FormatHints } from '../formats/detect-format.ts';
import { ingest } from '../ingest/ingest.ts';
import { type ChunkCache, createChunkCache } from './chunk-reader.ts';
import { pruneCopies } from './columnar-copy.ts';
import { Table } from './table.ts';

/** A payload on disk, with hints to its format. */
export interface PayloadFile extends FormatHints {
  /** SHA-256 in lower-case hexadecimal. */
  readonly checksum: string;
  readonly path: string;
}

export interface TableStoreOptions {
  /** Folder of the columnar copies. */
  readonly folder: string;
  /** Most bytes of rows and indexes in memory; 256 MB by default. */
  readonly memory?: number | undefined;
  /** Most bytes of columnar copies on disk; 20 GB by default. The newest copy is kept in any case. */
  readonly disk?: number | undefined;
  /** Returns a hidden name for an unfinished copy. */
  readonly stagingName?: (() => string | undefined) | undefined;
}

export class TableStore {
  readonly #folder: string;
  readonly #disk: number;
  readonly #stagingName: () => string | undefined;
  readonly #cache: ChunkCache;
  readonly #tables = new LRUCache<string, Table>({ max: 200 });
  /** Tables that are being opened: further requests wait for the same one. */
  readonly #opening = new Map<string, Promise<Table | null>>();

  constructor({
    folder,
    memory = 256 * 1024 ** 2,
    disk = 20 * 1024 ** 3,
    stagingName = () => undefined,
  }: TableStoreOptions) {
    this.#stagingName = stagingName;
    this.#folder = folder;
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
    const { checksum } = payload;
    const open = this.#tables.get(checksum);
    if (open && !open.isDamaged) return open;
    let opening = this.#opening.get(checksum);
    if (!opening) {
      opening = this.#load(payload).finally(() => this.#opening.delete(checksum));
      this.#opening.set(checksum, opening);
    }
    return opening;
  }

  async #load({ checksum, path, ...hints }: PayloadFile): Promise<Table | null> {
    const folder = join(this.#folder, checksum);
    let table = await Table.open(folder, checksum, this.#cache);
    if (!table) {
      const result = await ingest(path, {
        ...{ fileName: path, ...hints },
        ...{ cacheFolder: this.#folder, stagingName: this.#stagingName() },
      });
      if (result.checksum !== checksum) {
        throw new ChecksumMismatchError(`The payload has the checksum ${result.checksum} and not ${checksum}.`);
      }
      await pruneCopies(this.#folder, this.#disk, checksum);
      table = await Table.open(folder, checksum, this.#cache);
    }
    if (table) this.#tables.set(checksum, table);
    return table;
  }
}
