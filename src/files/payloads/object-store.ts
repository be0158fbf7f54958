/**
 * Payloads in an object store with the interface of S3, by their checksums: `<prefix>ab/cd/<SHA-256>`. The AWS SDK is
 * loaded with the first request. Keys come from the environment, or from where the SDK finds them.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { ByteRange } from '../../catalogue/open-file.ts';
import type { PayloadSettings } from '../../catalogue/payload-store.ts';
import { bucketAndPrefix, objectKey } from '../../catalogue/payload-store.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';
import { missingObjectError, noPackagesError, toStoreError, wrongBytesError } from './store-errors.ts';

export interface ObjectStoreOptions {
  /** Milliseconds without a byte after which a connection counts as lost; 30,000 by default. */
  readonly timeout?: number;
  /** Loads the SDK. */
  readonly load?: typeof loadSdk;
}

/** An object of the store. */
export interface StoredObject {
  readonly key: string;
  /** Undefined for an object that no catalogue has made. */
  readonly checksum: string | undefined;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** Smallest part of an upload, in bytes. One is in memory while it is sent, and the next while it is read. */
const partBytes = 16 * 1024 * 1024;
/** Parts of one upload, at most (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const maxParts = 10_000;
/** Attempts to go on reading after the last byte that arrived, and the bytes after which they are counted anew. */
const maxAttempts = 4;
const progressBytes = 8 * 1024 * 1024;
/** In milliseconds. */
const aDay = 86_400_000;
/** Seconds that the address of an object is valid. */
const addressSeconds = 900;

/** @throws Error with code ERR_MODULE_NOT_FOUND */
async function loadSdk() {
  // Its warning about Node 20 is for programs that choose the version of the SDK themselves.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const [s3, storage, presigner] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  return { ...s3, ...storage, ...presigner };
}

export class ObjectStore {
  readonly #settings: PayloadSettings;
  readonly #options: ObjectStoreOptions;
  readonly #bucket: string;
  readonly #prefix: string;
  #opened: Promise<Awaited<ReturnType<typeof loadSdk>> & { readonly client: S3Client }> | undefined;

  constructor(settings: PayloadSettings, options: ObjectStoreOptions = {}) {
    this.#settings = settings;
    this.#options = options;
    const { bucket, prefix } = bucketAndPrefix(settings);
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  /** Facts about an object; null if there is none. @throws ObjectStoreError, UnavailableError */
  async find(checksum: string): Promise<Pick<StoredObject, 'size' | 'modified'> | null> {
    const { client, HeadObjectCommand } = await this.#open();
    try {
      const found = await client.send(new HeadObjectCommand(this.#object(checksum)));
      return { size: found.ContentLength ?? 0, modified: found.LastModified ?? new Date(0) };
    } catch (error) {
      if ((Object(error) as { name?: string }).name === 'NotFound') return null;
      throw toStoreError(error, checksum);
    }
  }

  /**
   * Reads the bytes of an object. If the connection is lost, reading goes on after the last byte that arrived.
   * @throws DamagedObjectError, ObjectStoreError, UnavailableError before the first byte; the stream may fail with them, too
   */
  async read({ checksum, size }: PayloadPointer, { start, end }: ByteRange = wholeOf(size)): Promise<Readable> {
    if (size === 0) return Readable.from([], { objectMode: false });
    const first = await this.#get(checksum, size, { start, end });
    return Readable.from(this.#resumed({ checksum, size }, { start, end }, first), { objectMode: false });
  }

  async *#resumed(
    { checksum, size }: PayloadPointer,
    { start, end }: ByteRange,
    first: Readable,
  ): AsyncGenerator<Buffer, void, undefined> {
    let body: Readable | null = first;
    let at = start;
    let countedFrom = start;
    for (let failures = 0; ; ) {
      try {
        body ??= await this.#get(checksum, size, { start: at, end });
        for await (const chunk of body as AsyncIterable<Buffer>) {
          at += chunk.length;
          if (at - countedFrom > progressBytes) failures = 0;
          yield chunk;
        }
        if (at > end) return;
        throw new Error('The connection was lost.');
      } catch (error) {
        if (++failures === maxAttempts) throw toStoreError(error, checksum);
        countedFrom = at;
      } finally {
        body?.destroy();
        body = null;
      }
    }
  }

  async #get(checksum: string, size: number, { start, end }: ByteRange): Promise<Readable> {
    const { client, GetObjectCommand } = await this.#open();
    try {
      const isWhole = start === 0 && end === size - 1;
      const range = isWhole ? {} : { Range: `bytes=${start}-${end}` };
      const { Body, ContentLength, ContentRange } = await client.send(
        new GetObjectCommand({ ...this.#object(checksum), ...range }),
      );
      const body = Body as Readable;
      if (isWhole ? ContentLength === size : ContentRange === `bytes ${start}-${end}/${size}`) return body;
      body.destroy();
      throw wrongBytesError(checksum);
    } catch (error) {
      // Beyond the end of an object that is too short.
      if ((Object(error) as { name?: string }).name === 'InvalidRange') throw wrongBytesError(checksum);
      throw toStoreError(error, checksum);
    }
  }

  /**
   * Stores the bytes of a file, unless the store has got them lately: an older object may be about to be removed as one that no
   * record names. An upload that fails leaves nothing behind; one whose process
   * crashes leaves parts, which `removeUnfinishedUploads` removes.
   * @throws ObjectStoreError, UnavailableError; the reason of the signal
   */
  async write(path: string, { checksum, size }: PayloadPointer, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const existing = await this.find(checksum);
    if (existing?.size === size && Date.now() - existing.modified.getTime() < aDay) return;
    const { client, Upload } = await this.#open();
    const bytes = createReadStream(path, { highWaterMark: 1024 * 1024 });
    const upload = new Upload({
      client,
      params: { ...this.#object(checksum), Body: bytes, ContentType: 'application/octet-stream' },
      partSize: Math.max(partBytes, Math.ceil(size / maxParts)),
      // Several workers would send the rest of the file after one of them has failed.
      queueSize: 1,
    });
    // `upload.abort()` would return before the parts are removed.
    const abort = () => void bytes.destroy(new Error('The upload was ended.'));
    signal?.addEventListener('abort', abort);
    try {
      await upload.done();
      signal?.throwIfAborted();
      const stored = await this.find(checksum);
      if (stored?.size !== size) throw stored === null ? missingObjectError(checksum) : wrongBytesError(checksum);
    } catch (error) {
      throw signal?.aborted ? signal.reason : toStoreError(error, checksum);
    } finally {
      signal?.removeEventListener('abort', abort);
      bytes.destroy();
    }
  }

  /** An address of an object that anybody may read for some minutes. @param headers of the response */
  async address(checksum: string, headers: { readonly type: string; readonly disposition: string }): Promise<string> {
    const { client, getSignedUrl, GetObjectCommand } = await this.#open();
    const request = new GetObjectCommand({
      ...this.#object(checksum),
      ResponseContentType: headers.type,
      ResponseContentDisposition: headers.disposition,
    });
    return getSignedUrl(client, request, { expiresIn: addressSeconds }).catch((error) => {
      throw toStoreError(error, checksum);
    });
  }

  /** All objects below the prefix. */
  async *list(): AsyncGenerator<StoredObject, void, undefined> {
    const { client, ListObjectsV2Command } = await this.#open();
    for (let next: string | undefined, isFirst = true; isFirst || next; isFirst = false)
      try {
        const place = { Bucket: this.#bucket, Prefix: this.#prefix };
        const page = await client.send(
          new ListObjectsV2Command({ ...place, ...(next && { ContinuationToken: next }) }),
        );
        for (const { Key = '', Size = 0, LastModified = new Date() } of page.Contents ?? []) {
          const checksum = Key.slice(-64);
          const isOwn = /^[0-9a-f]{64}$/.test(checksum) && Key === objectKey(this.#prefix, checksum);
          yield { key: Key, checksum: isOwn ? checksum : undefined, size: Size, modified: LastModified };
        }
        next = page.NextContinuationToken;
      } catch (error) {
        throw toStoreError(error);
      }
  }

  /** Removes an object, unless it was stored again since it was listed. @returns true if it was removed */
  async remove({ checksum = '', modified }: StoredObject): Promise<boolean> {
    const { client, DeleteObjectCommand } = await this.#open();
    const found = await this.find(checksum);
    // A list has milliseconds, a header has none.
    if (!found || Math.abs(found.modified.getTime() - modified.getTime()) >= 1000) return false;
    await client.send(new DeleteObjectCommand(this.#object(checksum))).catch((error) => {
      throw toStoreError(error, checksum);
    });
    return true;
  }

  /**
   * Uploads that were begun before a time, and not finished.
   * @param dryRun true to leave them
   * @returns their number
   */
  async removeUnfinishedUploads(before: Date, dryRun: boolean): Promise<number> {
    const { client, ListMultipartUploadsCommand, AbortMultipartUploadCommand } = await this.#open();
    const place = { Bucket: this.#bucket };
    try {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ ...place, Prefix: this.#prefix }));
      const old = Uploads.filter(({ Initiated }) => Initiated !== undefined && Initiated < before);
      for (const { Key, UploadId } of dryRun ? [] : old)
        await client.send(new AbortMultipartUploadCommand({ ...place, Key, UploadId }));
      return old.length;
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Ends its connections. */
  async close(): Promise<void> {
    (await this.#opened?.catch(() => undefined))?.client.destroy();
  }

  #object(checksum: string) {
    return { Bucket: this.#bucket, Key: objectKey(this.#prefix, checksum) };
  }

  #open() {
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  async #connect() {
    const { timeout = 30_000, load = loadSdk } = this.#options;
    const { endpoint, region } = this.#settings;
    const sdk = await load().catch((error) => {
      throw noPackagesError(error);
    });
    const client = new sdk.S3Client({
      ...(endpoint && { endpoint, forcePathStyle: true }),
      ...((region || endpoint) && { region: region || process.env.AWS_REGION || 'us-east-1' }),
      // Servers other than Amazon's don't know its newer checksums. The bytes are compared with their SHA-256 here.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: Math.min(timeout, 10_000), socketTimeout: timeout },
    });
    return { ...sdk, client };
  }
}

const wholeOf = (size: number): ByteRange => ({ start: 0, end: size - 1 });
