/** Payloads of a catalogue folder that lie in its object store, and the copies of them on disk. */
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { NotFoundError, ValidationError } from '../../catalogue/errors.ts';
import type { ByteRange } from '../../catalogue/open-file.ts';
import type { PayloadSettings } from '../../catalogue/payload-store.ts';
import { parseByteSize } from '../../catalogue/payload-store.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { brokenSettingsError } from '../broken-settings.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { openPayloadCacheFolder } from '../table-folder.ts';
import { mayBePointer, type PayloadPointer, parsePointer, pointerText } from '../tree/payload-pointer.ts';
import { streamOf } from './bucket.ts';
import type { BucketOptions } from './bucket-connection.ts';
import { ObjectStore } from './object-store.ts';
import { PayloadCache } from './payload-cache.ts';
import { noStoreError, wrongBytesError } from './store-errors.ts';

const byFolder = new WeakMap<CatalogueFiles, StoredPayloads>();

/** The stored payloads of a folder: all its users share one cache, and the fetches into it. */
export function storedPayloadsOf(files: CatalogueFiles): StoredPayloads {
  let payloads = byFolder.get(files);
  if (!payloads) {
    payloads = new StoredPayloads(files);
    byFolder.set(files, payloads);
    const { close } = payloads;
    files.onClose(close);
  }
  return payloads;
}

export class StoredPayloads {
  readonly cache: PayloadCache;
  readonly #files: CatalogueFiles;
  readonly #options: BucketOptions;
  #store: { readonly key: string; readonly store: ObjectStore } | undefined;

  constructor(files: CatalogueFiles, options: BucketOptions = {}) {
    this.#files = files;
    this.#options = options;
    this.cache = new PayloadCache({
      folder: () => openPayloadCacheFolder(files),
      maxBytes: () => parseByteSize(files.snapshot.settings.payloads.cache),
    });
  }

  async settings(): Promise<PayloadSettings> {
    await this.#files.ensureRead([{ kind: 'settings' }]);
    return this.#files.snapshot.settings.payloads;
  }

  /** The object store, for commands that are about it. @throws NotFoundError if the settings name none; UnusableCatalogueError */
  async requireStore(): Promise<ObjectStore> {
    if ((await this.settings()).store) return this.store();
    const broken = brokenSettingsError(this.#files);
    if (broken) throw broken;
    throw new NotFoundError('catalogue.yaml names no object store: add "store: s3://bucket/folder" under payloads.');
  }

  /** The object store of the settings, as they are now. @throws ObjectStoreError if they name none */
  async store(): Promise<ObjectStore> {
    const settings = await this.settings();
    if (!settings.store) throw noStoreError();
    const key = JSON.stringify([settings.store, settings.endpoint, settings.region]);
    // Those who read from another one that was set before go on.
    if (this.#store?.key !== key) this.#store = { key, store: new ObjectStore(settings, this.#options) };
    return this.#store.store;
  }

  /**
   * Reads a payload: its copy of the right size, if there is one, else the object. A whole object is compared with the
   * checksum: if it is another one, the stream fails before its last bytes. Copies were compared when they were made.
   * @throws DamagedObjectError, ObjectStoreError, UnavailableError
   */
  async read(pointer: PayloadPointer, range?: ByteRange): Promise<Readable> {
    const copy = await this.cache.find(pointer);
    if (copy !== null) {
      const file = await open(copy).catch(() => null);
      if (file) return file.createReadStream({ ...range, highWaterMark: 256 * 1024 });
    }
    const bytes = await (await this.store()).read(pointer, range);
    const isWhole = !range || (range.start === 0 && range.end === pointer.size - 1);
    return isWhole ? streamOf(verified(bytes, pointer.checksum), bytes) : bytes;
  }

  /** Calls a function with the path of a copy, which is fetched if there is none. */
  async use<T>(pointer: PayloadPointer, work: (path: string) => Promise<T> | T): Promise<T> {
    const fetch = async () => (await this.store()).read(pointer);
    return this.cache.use(pointer, fetch, work);
  }

  /** Reads a whole object, and compares it with its checksum. @throws DamagedObjectError, ObjectStoreError, UnavailableError */
  async verify(pointer: PayloadPointer): Promise<void> {
    const bytes = await (await this.store()).read(pointer);
    for await (const _ of verified(bytes, pointer.checksum));
  }

  /** True if a new payload of this size goes to the object store. */
  async keeps(size: number): Promise<boolean> {
    const { store, above } = await this.settings();
    return store !== '' && size > parseByteSize(above);
  }

  /** The address of an object for a reader, if the settings send readers there; else null. */
  async address(pointer: PayloadPointer, headers: { type: string; disposition: string }): Promise<string | null> {
    if (!(await this.settings()).redirect) return null;
    return (await this.store()).address(pointer.checksum, headers);
  }

  /**
   * Stores a file, if it is one for the object store, and writes a pointer in its place. Its bytes become a copy in the cache.
   * @param path of a temporary file that has these bytes
   * @throws ValidationError if the file is a pointer itself; ObjectStoreError, UnavailableError; the reason of the signal
   */
  async replaceByPointer(
    path: string,
    { checksum, size }: PayloadPointer,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const pointer = { checksum, size };
    // With a pointer, and the checksum of a private payload, anybody with a namespace could read that payload.
    if (mayBePointer(size) && parsePointer(await readFile(path)))
      throw new ValidationError({
        file: ['It is a pointer to a payload in an object store, and not the file itself.'],
      });
    if (!(await this.keeps(size))) return;
    await (await this.store()).write(path, pointer, signal);
    await this.cache.adopt(path, pointer).catch(() => {});
    await writePointer(path, pointer);
  }

  /**
   * Writes a pointer to a payload that is in the object store already, so that its bytes needn't come. Only for those who may read
   * the whole store: they needn't show that they have the bytes.
   * @returns false if they must come
   */
  async pointToExisting(path: string, { checksum, size }: PayloadPointer): Promise<boolean> {
    const pointer = { checksum, size };
    if (!(await this.keeps(size)) || !(await (await this.store()).renew(pointer))) return false;
    await writePointer(path, pointer);
    return true;
  }

  close = async (): Promise<void> => {
    await this.#store?.store.close();
  };
}

/** Writes a pointer as a temporary file. */
export async function writePointer(path: string, pointer: PayloadPointer): Promise<void> {
  const file = await open(path, 'w');
  try {
    inheritOwner(path);
    await file.writeFile(pointerText(pointer));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Passes bytes on. The last of them are held back until the checksum is known to be right. @throws DamagedObjectError */
async function* verified(bytes: Readable, checksum: string): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (held) yield held;
    held = chunk;
  }
  if (hash.digest('hex') !== checksum) throw wrongBytesError(checksum);
  if (held) yield held;
}
