/** Copies of stored payloads on disk, by their checksums. A cache: any file in it may be deleted at any time. */
import { createHash } from 'node:crypto';
import { open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isChecksum } from '../../catalogue/payload-store.ts';
import { bytesToKeep, CacheRoom } from '../../data/cache-room.ts';
import { isAbandonedTemporary, isTemporaryFile, temporaryPathBeside } from '../../disk/durable.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';
import { wrongBytesError } from './store-errors.ts';

export interface PayloadCacheOptions {
  /** Makes the folder of the copies, if necessary. */
  readonly folder: () => Promise<string>;
  /** Returns the most bytes of all copies together. The newest copy is kept in any case. */
  readonly maxBytes: () => number;
}

/** Age in milliseconds from which a copy of a writer that has crashed is deleted. */
const anHour = 3_600_000;

export class PayloadCache {
  readonly #options: PayloadCacheOptions;
  readonly #room = new CacheRoom();
  readonly #fetching = new Map<string, Promise<string>>();
  /** Numbers of readers of copies, which are not deleted meanwhile. */
  readonly #readers = new Map<string, number>();

  constructor(options: PayloadCacheOptions) {
    this.#options = options;
  }

  /** Path of a copy, which is used now; null if there is none of this size. */
  async find(pointer: PayloadPointer): Promise<string | null> {
    const path = join(await this.#options.folder(), pointer.checksum);
    const found = await this.#stat(pointer);
    if (!found) return null;
    // The time of access says when it was used last, whatever the file system does by itself.
    await utimes(path, new Date(), found.mtime).catch(() => {});
    return path;
  }

  /** True if there is a copy of this size. */
  async has(pointer: PayloadPointer): Promise<boolean> {
    return (await this.#stat(pointer)) !== null;
  }

  async #stat({ checksum, size }: PayloadPointer) {
    const found = await stat(join(await this.#options.folder(), checksum)).catch(() => null);
    return found?.isFile() && found.size === size ? found : null;
  }

  /**
   * Calls a function with the path of a copy, which stays there until the function ends.
   * @param fetch reads the payload if there is no copy; several callers share one fetch
   * @throws DamagedObjectError if the bytes don't have the checksum; UnavailableError
   */
  async use<T>(
    pointer: PayloadPointer,
    fetch: () => Promise<Readable>,
    work: (path: string) => Promise<T> | T,
  ): Promise<T> {
    const { checksum } = pointer;
    this.#readers.set(checksum, (this.#readers.get(checksum) ?? 0) + 1);
    try {
      return await work((await this.find(pointer)) ?? (await this.#fetchOnce(pointer, fetch)));
    } finally {
      const others = (this.#readers.get(checksum) ?? 1) - 1;
      if (others) this.#readers.set(checksum, others);
      else this.#readers.delete(checksum);
    }
  }

  /** Moves a file with these bytes into the cache. */
  async adopt(path: string, { checksum }: PayloadPointer): Promise<void> {
    const folder = await this.#options.folder();
    await rename(path, join(folder, checksum));
    await this.#deleteLeastRecentlyUsed(folder, checksum);
  }

  async remove(checksum: string): Promise<void> {
    await rm(join(await this.#options.folder(), checksum), { force: true });
  }

  #fetchOnce(pointer: PayloadPointer, fetch: () => Promise<Readable>): Promise<string> {
    const { checksum } = pointer;
    let fetching = this.#fetching.get(checksum);
    if (!fetching) {
      fetching = this.#fetch(pointer, fetch).finally(() => this.#fetching.delete(checksum));
      this.#fetching.set(checksum, fetching);
    }
    return fetching;
  }

  async #fetch({ checksum, size }: PayloadPointer, fetch: () => Promise<Readable>): Promise<string> {
    const folder = await this.#options.folder();
    const path = join(folder, checksum);
    const aside = temporaryPathBeside(path);
    try {
      const bytes = await fetch();
      const hash = createHash('sha256');
      const file = await open(aside, 'wx', 0o600).catch((error) => {
        bytes.destroy();
        throw error;
      });
      try {
        for await (const chunk of bytes as AsyncIterable<Buffer>) {
          hash.update(chunk);
          await file.writeFile(chunk);
        }
        if ((await file.stat()).size !== size || hash.digest('hex') !== checksum) throw wrongBytesError(checksum);
      } finally {
        await file.close();
      }
      await rename(aside, path);
      if (this.#room.add(size, this.#options.maxBytes())) await this.#deleteLeastRecentlyUsed(folder, checksum);
      return path;
    } catch (error) {
      throw toUnavailableError(error, path);
    } finally {
      await rm(aside, { force: true });
    }
  }

  /** Deletes the copies that were used least recently, until the rest fits. */
  async #deleteLeastRecentlyUsed(folder: string, keep: string): Promise<void> {
    const names = await readdir(folder);
    const copies = await Promise.all(
      names.map(async (name) => ({ name, found: await stat(join(folder, name)).catch(() => null) })),
    );
    const lastUse = ({ name, found }: (typeof copies)[number]) => (name === keep ? Infinity : (found?.atimeMs ?? 0));
    const all = copies.reduce((sum, { found }) => sum + (found?.size ?? 0), 0);
    const maxBytes = bytesToKeep(copies.length, all, this.#options.maxBytes());
    let total = 0;
    for (const { name, found } of copies.sort((a, b) => lastUse(b) - lastUse(a))) {
      const path = join(folder, name);
      if (isTemporaryFile(name) && (await isAbandonedTemporary(path, anHour))) await rm(path, { force: true });
      if (!found?.isFile() || !isChecksum(name)) continue;
      total += found.size;
      if (name === keep || this.#readers.has(name) || total <= maxBytes) continue;
      total -= found.size;
      await rm(path, { force: true }).catch(() => {});
    }
    this.#room.noteMeasured(total, this.#options.maxBytes());
  }
}
