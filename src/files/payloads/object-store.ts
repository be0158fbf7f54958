/** Payloads in an object store with the interface of S3, by their checksums: `<prefix>ab/cd/<SHA-256>`. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../catalogue/open-file.ts';
import type { PayloadSettings } from '../../catalogue/payload-store.ts';
import { bucketAndPrefix, isChecksum, objectKey } from '../../catalogue/payload-store.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';
import { Bucket, type BucketObject } from './bucket.ts';
import type { BucketOptions } from './bucket-connection.ts';
import { missingObjectError, payloadWords, wrongBytesError } from './store-errors.ts';

/** An object of the store. */
export interface StoredObject extends BucketObject {
  /** Undefined for an object that no catalogue has made. */
  readonly checksum: string | undefined;
}

/** In milliseconds. */
const aDay = 86_400_000;
/** Objects that are older may be about to be removed as some that no record names. */
const freshSince = () => new Date(Date.now() - aDay);
/** What an object is stored with. One that another program has put in its place lacks the checksum, and may have other bytes. */
const detailsOf = (checksum: string) => ({ type: 'application/octet-stream', metadata: { sha256: checksum } });

/** All methods throw ObjectStoreError and UnavailableError. */
export class ObjectStore {
  readonly #bucket: Bucket;
  readonly #prefix: string;

  constructor(settings: PayloadSettings, options: BucketOptions = {}) {
    const { bucket, prefix } = bucketAndPrefix(settings);
    const { endpoint, region } = settings;
    this.#bucket = new Bucket({ bucket, endpoint, region }, payloadWords, options);
    this.#prefix = prefix;
  }

  /** Facts about an object; null if there is none. */
  async find(checksum: string): Promise<Pick<StoredObject, 'size' | 'modified'> | null> {
    return this.#bucket.find(this.#key(checksum));
  }

  /** The time at which a catalogue has stored an object, as far as can be seen without reading it; null if its bytes are needed. */
  async #storedAt({ checksum, size }: PayloadPointer): Promise<Date | null> {
    const found = await this.#bucket.find(this.#key(checksum));
    return found?.size === size && found.metadata.sha256 === checksum ? found.modified : null;
  }

  /**
   * Reads the bytes of an object. If the connection is lost, reading goes on after the last byte that arrived.
   * @throws DamagedObjectError, too, before the first byte; the stream may fail with all of them
   */
  async read({ checksum, size }: PayloadPointer, range?: ByteRange): Promise<Readable> {
    return this.#bucket.read(this.#key(checksum), size, range);
  }

  /** Stores the bytes of a file, unless the store has got them lately. @throws the reason of the signal, too */
  async write(path: string, pointer: PayloadPointer, signal?: AbortSignal): Promise<void> {
    const { checksum, size } = pointer;
    signal?.throwIfAborted();
    const storedAt = await this.#storedAt(pointer);
    if (storedAt && storedAt > freshSince()) return;
    const bytes = createReadStream(path, { highWaterMark: 1024 * 1024 });
    await this.#bucket.upload(this.#key(checksum), bytes, size, detailsOf(checksum), signal);
    const stored = await this.find(checksum);
    if (stored?.size !== size) throw stored === null ? missingObjectError(checksum) : wrongBytesError(checksum);
  }

  /**
   * Stores an object again that is there already, as one of another catalogue with the same store, if it is old.
   * @returns false if its bytes are needed
   */
  async renew(pointer: PayloadPointer, since = freshSince()): Promise<boolean> {
    const { checksum } = pointer;
    const storedAt = await this.#storedAt(pointer);
    if (!storedAt) return false;
    if (storedAt > since) return true;
    return this.#bucket.renew(this.#key(checksum), detailsOf(checksum)).then(
      () => true,
      () => false,
    );
  }

  /** An address of an object that anybody may read for some minutes. @param headers of the response */
  async address(checksum: string, headers: { readonly type: string; readonly disposition: string }): Promise<string> {
    return this.#bucket.address(this.#key(checksum), headers);
  }

  /** @throws ObjectStoreError if there is no such bucket */
  async assertBucket(signal?: AbortSignal): Promise<void> {
    for await (const _ of this.#bucket.list(this.#prefix, signal)) return;
  }

  /** All objects below the prefix. */
  async *list(): AsyncGenerator<StoredObject, void, undefined> {
    for await (const object of this.#bucket.list(this.#prefix))
      yield { ...object, checksum: this.#checksumOf(object.key) };
  }

  /** Removes an object, unless it was stored again since it was listed. @returns true if it was removed */
  async remove({ checksum = '', modified }: StoredObject): Promise<boolean> {
    const found = await this.find(checksum);
    // A list has milliseconds, a header has none.
    if (!found || Math.abs(found.modified.getTime() - modified.getTime()) >= 1000) return false;
    await this.#bucket.remove(this.#key(checksum));
    return true;
  }

  /**
   * Removes uploads that were begun before a time, and not finished.
   * @param dryRun true to leave them
   * @returns their number; null if the service has no list of them
   */
  async removeUnfinishedUploads(before: Date, dryRun: boolean): Promise<number | null> {
    const isOwn = (key: string) => this.#checksumOf(key) !== undefined;
    return this.#bucket.removeUnfinishedUploads(this.#prefix, isOwn, before, dryRun);
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    await this.#bucket.close();
  }

  #key(checksum: string): string {
    return objectKey(this.#prefix, checksum);
  }

  /** The checksum by which an object is named; undefined for a key that no catalogue has made. */
  #checksumOf(key: string): string | undefined {
    const checksum = key.slice(-64);
    return isChecksum(checksum) && key === this.#key(checksum) ? checksum : undefined;
  }
}

/** Asks the object store of settings that name one for a list, as a test. @throws ObjectStoreError, UnavailableError; the signal's reason */
export async function assertObjectStore(settings: PayloadSettings, signal?: AbortSignal): Promise<void> {
  const store = new ObjectStore(settings, { timeout: 5_000 });
  await store.assertBucket(signal).finally(() => store.close());
}
