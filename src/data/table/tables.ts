/**
 * The tables of a server: opened when they are asked for, with what they keep in memory and on the disk bounded.
 */
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { ChecksumMismatchError } from '../errors.ts';
import type { Hints } from '../formats/detect-format.ts';
import { takeIn } from '../ingest/ingest.ts';
import { newPieceCache, type PieceCache } from './chunk-reader.ts';
import { pruneDerived } from './columnar-copy.ts';
import { Table } from './table.ts';

/** A payload on the disk. */
export interface Payload extends Hints {
  /** SHA-256 in lower-case hexadecimal. */
  readonly checksum: string;
  readonly path: string;
}

export interface TablesOptions {
  /** Folder of the derived copies. */
  readonly folder: string;
  /** Bytes of rows and indexes in memory; 256 MB where absent. */
  readonly memory?: number | undefined;
  /** Bytes of derived copies on the disk; 20 GB where absent. The copy that was just made always stays. */
  readonly disk?: number | undefined;
  /** Makes a hidden name for a copy until it is whole. */
  readonly aside?: (() => string | undefined) | undefined;
}

export class Tables {
  readonly #folder: string;
  readonly #disk: number;
  readonly #aside: () => string | undefined;
  readonly #cache: PieceCache;
  readonly #open = new LRUCache<string, Table>({ max: 200 });
  /** Those that are being opened: whoever asks meanwhile waits for the same one. */
  readonly #opening = new Map<string, Promise<Table | null>>();

  constructor({ folder, memory = 256 * 1024 ** 2, disk = 20 * 1024 ** 3, aside = () => undefined }: TablesOptions) {
    this.#aside = aside;
    this.#folder = folder;
    this.#disk = disk;
    this.#cache = newPieceCache(memory);
  }

  /**
   * The table of a payload. Its derived copy is made where it is missing, damaged or old, which takes as long as taking
   * the payload in.
   * @returns null where the payload has no rows that can be read
   * @throws PayloadError where the payload can't be read; ChecksumMismatchError
   */
  async table(payload: Payload): Promise<Table | null> {
    const { checksum } = payload;
    const known = this.#open.get(checksum);
    if (known && !known.isDamaged) return known;
    let opening = this.#opening.get(checksum);
    if (!opening) {
      opening = this.#openAnew(payload).finally(() => this.#opening.delete(checksum));
      this.#opening.set(checksum, opening);
    }
    return opening;
  }

  async #openAnew({ checksum, path, ...hints }: Payload): Promise<Table | null> {
    const folder = join(this.#folder, checksum);
    let table = await Table.open(folder, checksum, this.#cache);
    if (!table) {
      const intake = await takeIn(path, {
        ...{ fileName: path, ...hints },
        ...{ derivedFolder: this.#folder, derivedAside: this.#aside() },
      });
      if (intake.checksum !== checksum) {
        throw new ChecksumMismatchError(`The payload has the checksum ${intake.checksum} and not ${checksum}.`);
      }
      await pruneDerived(this.#folder, this.#disk, checksum);
      table = await Table.open(folder, checksum, this.#cache);
    }
    if (table) this.#open.set(checksum, table);
    return table;
  }
}
