/** A bucket with the interface of S3. The AWS SDK is loaded with the first request. */
import { Readable } from 'node:stream';
import { UnavailableError } from '../../catalogue/errors.ts';
import type { ByteRange } from '../../catalogue/open-file.ts';
import { type BucketOptions, type BucketPlace, type Connection, connect } from './bucket-connection.ts';
import { isUnknownRequest, type StoreWords, toStoreError } from './store-errors.ts';

export interface BucketObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** Facts that an object is stored with. */
export interface ObjectDetails {
  /** Its media type. */
  readonly type: string;
  /** For caches of HTTP. */
  readonly cacheControl?: string | undefined;
  /** Texts by name. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Smallest part of an upload, in bytes. One is in memory while it is sent, and the next while it is read. */
const partBytes = 16 * 1024 * 1024;
/** Parts of one upload, at most (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const maxParts = 10_000;
/** Attempts to go on reading after the last byte that arrived, and the bytes after which they are counted anew. */
const maxAttempts = 4;
const progressBytes = 64 * 1024;
/** Seconds that the address of an object is valid. */
const addressSeconds = 900;

/** All methods throw ObjectStoreError and UnavailableError. */
export class Bucket {
  readonly #place: BucketPlace;
  readonly #words: StoreWords;
  readonly #options: BucketOptions;
  #opened: Promise<Connection> | undefined;
  readonly #closing = new AbortController();

  constructor(place: BucketPlace, words: StoreWords, options: BucketOptions = {}) {
    this.#place = place;
    this.#words = words;
    this.#options = options;
  }

  /** Facts about an object; null if there is none. */
  async find(key: string): Promise<(BucketObject & Pick<Required<ObjectDetails>, 'metadata'>) | null> {
    const { client, HeadObjectCommand } = await this.#open();
    try {
      const found = await client.send(new HeadObjectCommand(this.#object(key)));
      const { ContentLength: size = 0, LastModified: modified = new Date(0), Metadata: metadata = {} } = found;
      return { key, size, modified, metadata };
    } catch (error) {
      if (nameOf(error) === 'NotFound') return null;
      throw this.#toError(error, key);
    }
  }

  /**
   * Reads the bytes of an object. If the connection is lost, reading goes on after the last byte that arrived.
   * @param size that it must have
   * @throws before the first byte if it lacks or has another size; the stream may fail, too
   */
  async read(key: string, size: number, { start, end }: ByteRange = { start: 0, end: size - 1 }): Promise<Readable> {
    if (size === 0) return Readable.from([], { objectMode: false });
    const first = await this.#get(key, size, { start, end });
    return streamOf(this.#resumed(key, size, { start, end }, first), first);
  }

  async *#resumed(
    key: string,
    size: number,
    { start, end }: ByteRange,
    first: Readable,
  ): AsyncGenerator<Buffer, void, undefined> {
    let body: Readable | null = first;
    let at = start;
    let countedFrom = start;
    for (let failures = 0; ; ) {
      try {
        body ??= await this.#get(key, size, { start: at, end });
        for await (const chunk of body as AsyncIterable<Buffer>) {
          at += chunk.length;
          if (at - countedFrom > progressBytes) failures = 0;
          yield chunk;
          // A connection that is lost while the reader pauses is no failed attempt.
          if (body.errored) failures = 0;
        }
        if (at > end) return;
        throw new Error('The connection was lost.');
      } catch (error) {
        if (++failures === maxAttempts) throw this.#toError(error, key);
        countedFrom = at;
      } finally {
        body?.destroy();
        body = null;
      }
    }
  }

  async #get(key: string, size: number, { start, end }: ByteRange): Promise<Readable> {
    const { client, GetObjectCommand } = await this.#open();
    try {
      const isWhole = start === 0 && end === size - 1;
      const range = isWhole ? {} : { Range: `bytes=${start}-${end}` };
      const { Body, ContentLength, ContentRange } = await client.send(
        new GetObjectCommand({ ...this.#object(key), ...range }),
      );
      const body = Body as Readable;
      if (isWhole ? ContentLength === size : ContentRange === `bytes ${start}-${end}/${size}`) return body;
      body.destroy();
      throw this.#words.wrongBytes(key);
    } catch (error) {
      // Beyond the end of an object that is too short.
      if (nameOf(error) === 'InvalidRange') throw this.#words.wrongBytes(key);
      throw this.#toError(error, key);
    }
  }

  /** Stores bytes that are in memory. @throws the reason of the signal, too */
  async put(key: string, bytes: Buffer, details: ObjectDetails, signal?: AbortSignal): Promise<void> {
    const { client, PutObjectCommand } = await this.#open();
    const request = new PutObjectCommand({ ...this.#object(key), ...headersOf(details), Body: bytes });
    await client.send(request, signal ? { abortSignal: signal } : {}).catch((error) => {
      throw signal?.aborted ? signal.reason : this.#toError(error, key);
    });
  }

  /**
   * Stores a stream, in parts if it is large. An upload that fails leaves nothing behind; one whose process crashes leaves parts,
   * which `removeUnfinishedUploads` removes.
   * @param size of the stream, in bytes; 0 if it isn't known
   * @throws the reason of the signal and the error of the stream, too
   */
  async upload(
    key: string,
    bytes: Readable,
    size: number,
    details: ObjectDetails,
    signal?: AbortSignal,
  ): Promise<void> {
    const { client, Upload } = await this.#open();
    const upload = new Upload({
      client,
      params: { ...this.#object(key), ...headersOf(details), Body: bytes },
      partSize: Math.max(partBytes, Math.ceil(size / maxParts)),
      // Several workers would send the rest of the file after one of them has failed.
      queueSize: 1,
    });
    // `upload.abort()` would return before the parts are removed.
    const abort = () => void bytes.destroy(new Error('The upload was ended.'));
    signal?.addEventListener('abort', abort);
    try {
      signal?.throwIfAborted();
      await upload.done();
      signal?.throwIfAborted();
    } catch (error) {
      throw signal?.aborted ? signal.reason : this.#toError(error, key);
    } finally {
      signal?.removeEventListener('abort', abort);
      bytes.destroy();
    }
  }

  /** An address of an object that anybody may read for some minutes. @param headers of the response */
  async address(key: string, headers: { readonly type: string; readonly disposition: string }): Promise<string> {
    const { client, getSignedUrl, GetObjectCommand } = await this.#open();
    const request = new GetObjectCommand({
      ...this.#object(key),
      ResponseContentType: headers.type,
      ResponseContentDisposition: headers.disposition,
    });
    return getSignedUrl(client, request, { expiresIn: addressSeconds }).catch((error) => {
      throw this.#toError(error, key);
    });
  }

  /** All objects below a prefix, in the order of their keys. */
  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<BucketObject, void, undefined> {
    const { client, ListObjectsV2Command } = await this.#open();
    for (let next: string | undefined, isFirst = true; isFirst || next; isFirst = false)
      try {
        const place = { Bucket: this.#place.bucket, Prefix: prefix };
        const page = await client.send(
          new ListObjectsV2Command({ ...place, ...(next && { ContinuationToken: next }) }),
          signal ? { abortSignal: signal } : {},
        );
        for (const { Key: key = '', Size: size = 0, LastModified: modified = new Date() } of page.Contents ?? [])
          yield { key, size, modified };
        next = page.NextContinuationToken;
      } catch (error) {
        throw signal?.aborted ? signal.reason : this.#toError(error, prefix);
      }
  }

  /** Stores an object again as it is, without its bytes going this way: it is a new one then. @throws for one above 5 GB, too */
  async renew(key: string, details: ObjectDetails): Promise<void> {
    const { client, CopyObjectCommand } = await this.#open();
    const source = [this.#place.bucket, ...key.split('/')].map(encodeURIComponent).join('/');
    const request = { ...this.#object(key), ...headersOf(details), CopySource: source };
    await client.send(new CopyObjectCommand({ ...request, MetadataDirective: 'REPLACE' })).catch((error) => {
      throw this.#toError(error, key);
    });
  }

  async remove(key: string): Promise<void> {
    const { client, DeleteObjectCommand } = await this.#open();
    await client.send(new DeleteObjectCommand(this.#object(key))).catch((error) => {
      throw this.#toError(error, key);
    });
  }

  /**
   * Removes uploads below a prefix that were begun before a time, and not finished.
   * @param isOwn returns true for the keys of the caller: other programs may upload to the same bucket
   * @param dryRun true to leave them
   * @returns their number; null if the service has no list of them
   */
  async removeUnfinishedUploads(
    prefix: string,
    isOwn: (key: string) => boolean,
    before: Date,
    dryRun: boolean,
  ): Promise<number | null> {
    const { client, AbortMultipartUploadCommand } = await this.#open();
    try {
      const old: { readonly Key?: string | undefined; readonly UploadId?: string | undefined }[] = [];
      for await (const upload of this.#listUploads(prefix))
        if (upload.Initiated && upload.Initiated < before && isOwn(upload.Key ?? '')) old.push(upload);
      for (const { Key, UploadId } of dryRun ? [] : old)
        await client.send(new AbortMultipartUploadCommand({ Bucket: this.#place.bucket, Key, UploadId }));
      return old.length;
    } catch (error) {
      if (isUnknownRequest(error)) return null;
      throw this.#toError(error, prefix);
    }
  }

  async *#listUploads(prefix: string) {
    const { client, ListMultipartUploadsCommand } = await this.#open();
    let key: string | undefined;
    let id: string | undefined;
    do {
      const after = { ...(key && { KeyMarker: key }), ...(id && { UploadIdMarker: id }) };
      const request = { Bucket: this.#place.bucket, Prefix: prefix, ...after };
      const page = await client.send(new ListMultipartUploadsCommand(request));
      yield* page.Uploads ?? [];
      key = page.IsTruncated ? page.NextKeyMarker : undefined;
      id = page.NextUploadIdMarker;
    } while (key);
  }

  /** Ends its connections, and the requests that wait for a response: they aren't sent again. */
  async close(): Promise<void> {
    this.#closing.abort(new UnavailableError('The connection to the object store was closed.'));
    (await this.#opened?.catch(() => undefined))?.client.destroy();
  }

  #object(key: string) {
    return { Bucket: this.#place.bucket, Key: key };
  }

  #toError(error: unknown, key: string): Error {
    return toStoreError(error, this.#words, key);
  }

  #open(): Promise<Connection> {
    this.#opened ??= connect(this.#place, this.#options, this.#closing.signal);
    return this.#opened;
  }
}

/**
 * A stream of what a generator makes of the bytes of a source.
 * @param source is destroyed with the stream: a generator that was never asked for bytes wouldn't do it
 */
export function streamOf(bytes: AsyncIterable<Buffer>, source: Readable): Readable {
  return Readable.from(bytes, { objectMode: false }).once('close', () => source.destroy());
}

const nameOf = (error: unknown) => (Object(error) as { name?: string }).name;

const headersOf = ({ type, cacheControl, metadata }: ObjectDetails) => ({
  ContentType: type,
  ...(cacheControl && { CacheControl: cacheControl }),
  ...(metadata && { Metadata: { ...metadata } }),
});
