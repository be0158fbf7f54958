/**
 * Files derived from payloads, kept on disk so that clients can read parts of them. A cache: it may be deleted at any time.
 * A file's name has its key, its size and its CRC-32, so that one rename makes it complete, and one that was truncated or
 * damaged is noticed and made again:
 *
 *     <key>-<size>-<CRC-32>.<extension>
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { UnavailableError } from '../../catalogue/errors.ts';
import { bytesToKeep, CacheRoom } from '../cache-room.ts';
import { isSystemError } from '../errors.ts';
import { checkEvery, diskSpaceOf, reservedBytes } from './disk-space.ts';
import { crcOfFile, type DerivedFile, FileInTheMaking, type RoomCheck } from './file-in-the-making.ts';

export interface DerivedFileStoreOptions {
  /** Returns the folder of the files, which is made if necessary. */
  readonly folder: () => Promise<string>;
  /** Returns the most bytes of all files together; with 0, nothing is kept. */
  readonly maxBytes: () => number;
  /** Returns a hidden name for an unfinished file. */
  readonly temporaryName?: (() => string) | undefined;
  /** Returns the bytes that are free on the disk of a folder. */
  readonly freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

/** An open file; `file` is to be closed. */
export interface StoredFile {
  readonly file: FileHandle;
  readonly size: number;
}

/** Files that are made at the same time, at most. */
const maxAtOnce = 2;
/** Milliseconds until a file that couldn't be made is tried again. */
const retryAfter = 60_000;
const dayInMilliseconds = 86_400_000;

const namePattern = /^([\w-]+)-(\d+)-([0-9a-f]{8})\.(\w+)$/;

/** There is no room for a file, or no folder that can be written. */
class NotStoredError extends Error {}

interface Making {
  readonly file: FileInTheMaking;
  readonly made: Promise<boolean>;
  /** False if it waits for others to be made. */
  readonly hasTurn: boolean;
}

export class DerivedFileStore {
  readonly #options: DerivedFileStoreOptions;
  /** Names of complete files by key and extension. */
  readonly #names = new Map<string, string>();
  /** Stamps of the files whose CRC-32 was found right, by name. By sizes, it takes memory as it fills; by `max`, that of all names at once. */
  readonly #checked = new LRUCache<string, string>({ maxSize: 10_000, sizeCalculation: () => 1 });
  /** Checks under way, by name and stamp. */
  readonly #checks = new Map<string, Promise<boolean>>();
  readonly #failed = new LRUCache<string, true>({ max: 1000, ttl: retryAfter });
  readonly #closing = new AbortController();
  readonly #room = new CacheRoom();
  #running = 0;
  /** Files that wait until another one is made. */
  readonly #waiting: (() => void)[] = [];
  readonly #making = new Map<string, Making>();

  constructor(options: DerivedFileStoreOptions) {
    this.#options = options;
  }

  /** Opens a file; null if it isn't stored. A truncated or damaged one is deleted. @throws UnavailableError if the store is closed meanwhile */
  async open({ key, extension }: DerivedFile): Promise<StoredFile | null> {
    if (this.#options.maxBytes() <= 0) return null;
    const folder = await this.#options.folder().catch(() => null);
    if (folder === null) return null;
    const id = `${key}.${extension}`;
    if (!this.#names.has(id)) await this.#readNames(folder);
    const name = this.#names.get(id);
    if (name === undefined) return null;
    const path = join(folder, name);
    const file = await open(path).catch(() => null);
    try {
      if (file && (await this.#isIntact(file, name, path))) {
        const { size, mtime } = await file.stat();
        // The time of access says when it was used last, whatever the file system does by itself.
        await utimes(path, new Date(), mtime).catch(() => {});
        return { file, size };
      }
    } catch (error) {
      await file?.close();
      throw error;
    }
    await file?.close();
    this.#names.delete(id);
    if (file) await rm(path, { force: true }).catch(() => {});
    return null;
  }

  /** Size of a file in bytes, as its name says it; null if it isn't stored. */
  async sizeOf({ key, extension }: Pick<DerivedFile, 'key' | 'extension'>): Promise<number | null> {
    if (this.#names.size === 0)
      await this.#options.folder().then(
        (folder) => this.#readNames(folder),
        () => {},
      );
    const [, , size] = namePattern.exec(this.#names.get(`${key}.${extension}`) ?? '') ?? [];
    return size === undefined ? null : Number(size);
  }

  /**
   * Makes a file, unless it is being made already.
   * @returns true if it is stored then
   * @throws what its source throws
   */
  make(derived: DerivedFile): Promise<boolean> {
    return this.#start(derived)?.made ?? Promise.resolve(false);
  }

  /** Ends all work: files that aren't complete are deleted, and those that aren't checked stay. */
  async close(): Promise<void> {
    this.#closing.abort(new UnavailableError('The server is shutting down.'));
    await Promise.allSettled([...this.#checks.values(), ...[...this.#making.values()].map(({ made }) => made)]);
  }

  /** The document from its beginning; it is stored on the way if possible. @param signal ends what is made for this reader alone */
  async *chunks(derived: DerivedFile, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    if (derived.writeTo && (await this.make(derived))) {
      const stored = await this.open(derived);
      if (stored) return yield* stored.file.createReadStream() as AsyncIterable<Uint8Array>;
    }
    let skipped = 0;
    const running = this.#making.get(derived.key);
    const mayFollow = running ? running.hasTurn : this.#running < maxAtOnce;
    const making = !derived.writeTo && mayFollow ? this.#start(derived) : undefined;
    if (making) {
      try {
        for await (const chunk of making.file.read()) {
          skipped += chunk.length;
          yield chunk;
        }
        return;
      } catch {
        // It can't be stored: the rest is made once more, and only sent. An error of the rows occurs again.
      }
    }
    for await (const chunk of derived.chunks(signal)) {
      if (chunk.length > skipped) yield chunk.subarray(skipped);
      skipped = Math.max(0, skipped - chunk.length);
    }
  }

  #start(derived: DerivedFile): Making | undefined {
    const { key } = derived;
    const running = this.#making.get(key);
    if (running) return running;
    if (this.#failed.has(key) || this.#options.maxBytes() <= 0) return undefined;
    const file = new FileInTheMaking(derived);
    const hasTurn = this.#running < maxAtOnce;
    const made = this.#makeInTurn(derived, file).finally(() => {
      this.#making.delete(key);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    made.catch(() => {}); // Who waits for it gets the error, if anybody does.
    const making = { file, made, hasTurn };
    this.#making.set(key, making);
    return making;
  }

  async #makeInTurn(derived: DerivedFile, file: FileInTheMaking): Promise<boolean> {
    while (this.#running >= maxAtOnce && !this.#closing.signal.aborted)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      await this.#makeAndStore(derived, file);
      return true;
    } catch (error) {
      file.fail(error);
      if (!(error instanceof NotStoredError) && !isSystemError(error)) throw error;
      this.#failed.set(derived.key, true);
      return false;
    } finally {
      this.#running--;
    }
  }

  async #makeAndStore(derived: DerivedFile, file: FileInTheMaking): Promise<void> {
    const folder = await this.#options.folder();
    const path = join(folder, this.#options.temporaryName?.() ?? `.new-${randomBytes(6).toString('hex')}`);
    await file.make(path, this.#makeRoomCheck(folder), this.#closing.signal);
    const { size, crc } = file.measures;
    const name = `${derived.key}-${size}-${crc.toString(16).padStart(8, '0')}.${derived.extension}`;
    const found = await stat(path);
    await rename(path, join(folder, name));
    this.#checked.set(name, stampOf(found));
    this.#names.set(`${derived.key}.${derived.extension}`, name);
    if (this.#room.add(size, this.#options.maxBytes())) await this.#deleteLeastRecentlyUsed(folder, name);
  }

  /** A check that a file fits into the cache and on the disk. */
  #makeRoomCheck(folder: string): RoomCheck {
    const { maxBytes, freeBytes = async () => (await diskSpaceOf(folder)).free } = this.#options;
    let next = 0;
    return async (bytes) => {
      if (bytes > maxBytes()) throw new NotStoredError('The file is larger than the cache.');
      if (bytes < next) return;
      next = bytes + checkEvery;
      if ((await freeBytes(folder)) < reservedBytes) throw new NotStoredError('The disk is full.');
    };
  }

  async #readNames(folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
      const [, key, , , extension] = namePattern.exec(name) ?? [];
      if (key !== undefined) this.#names.set(`${key}.${extension}`, name);
    }
  }

  /**
   * True if a file has the size and the CRC-32 in its name. The CRC-32 is computed once for each state of the file, however many ask
   * at a time.
   * @throws UnavailableError if the store is closed meanwhile
   */
  async #isIntact(file: FileHandle, name: string, path: string): Promise<boolean> {
    const [, , wantedSize, wantedCrc = ''] = namePattern.exec(name) ?? [];
    const found = await file.stat();
    if (found.size !== Number(wantedSize)) return false;
    const stamp = stampOf(found);
    if (this.#checked.get(name) === stamp) return true;
    const id = `${name} ${stamp}`;
    const check = this.#checks.get(id) ?? this.#hasCrc(path, wantedCrc).finally(() => this.#checks.delete(id));
    this.#checks.set(id, check);
    if (!(await check)) return false;
    this.#checked.set(name, stamp);
    return true;
  }

  /** @param wanted in hexadecimal digits */
  async #hasCrc(path: string, wanted: string): Promise<boolean> {
    const { signal } = this.#closing;
    const crc = await crcOfFile(path, signal).catch(() => -1);
    signal.throwIfAborted();
    return crc === Number.parseInt(wanted, 16);
  }

  /** Deletes the least recently used files until the rest fits, and unfinished ones older than a day. Open files can be read on. */
  async #deleteLeastRecentlyUsed(folder: string, keep: string): Promise<void> {
    const names = await readdir(folder);
    const files = await Promise.all(
      names.map(async (name) => ({ name, found: await stat(join(folder, name)).catch(() => null) })),
    );
    const lastUse = ({ name, found }: (typeof files)[number]) => (name === keep ? Infinity : (found?.atimeMs ?? 0));
    const all = files.reduce((sum, { found }) => sum + (found?.size ?? 0), 0);
    const maxBytes = bytesToKeep(files.length, all, this.#options.maxBytes());
    let total = 0;
    for (const one of files.sort((a, b) => lastUse(b) - lastUse(a))) {
      const { name, found } = one;
      if (!found?.isFile()) continue;
      const isUnfinished = !namePattern.test(name);
      if (isUnfinished && Date.now() - found.mtimeMs < dayInMilliseconds) continue;
      total += found.size;
      if (name === keep || (!isUnfinished && total <= maxBytes)) continue;
      total -= found.size;
      await rm(join(folder, name), { force: true }).catch(() => {});
    }
    this.#room.noteMeasured(total, this.#options.maxBytes());
  }
}

/** Another one after each change of a file, but not of its time of access. */
const stampOf = ({ ino, size, mtime }: Stats): string => `${ino}-${size}-${mtime.getTime()}`;
