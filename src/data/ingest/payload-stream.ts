/**
 * A payload on its way in: its bytes are hashed, counted and, if asked, copied to a file while somebody reads them.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

export interface IncomingOptions {
  /** A file to write the bytes to; it is synced before the last chunk was handed over. Must not exist. */
  copyTo?: string | undefined;
  /** Called with the number of bytes that have come so far. */
  onProgress?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Bytes read at a time from a file: fewer borders between chunks, and still small beside everything else. */
const readSize = 512 * 1024;

export class Incoming {
  readonly #source: Readable | string;
  readonly #options: IncomingOptions;
  readonly #hash = createHash('sha256');
  /** Bytes so far. */
  size = 0;
  /** Whether all bytes have come: whoever stops early has no checksum. */
  complete = false;

  constructor(source: Readable | string, options: IncomingOptions = {}) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * The bytes, once.
   * @throws whatever the source or the disk throws; an AbortError when the signal says so.
   */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    const { copyTo, onProgress, signal } = this.#options;
    const source =
      typeof this.#source === 'string' ? createReadStream(this.#source, { highWaterMark: readSize }) : this.#source;
    const copy = copyTo === undefined ? null : await open(copyTo, 'wx');
    // A source may keep us waiting: it is told to stop, and not only asked after its next piece.
    if (signal) addAbortSignal(signal, source);
    try {
      for await (const piece of source) {
        signal?.throwIfAborted();
        const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
        this.#hash.update(chunk);
        this.size += chunk.length;
        // The disk writes while the reader reads; settled either way before the next chunk.
        const written = copy === null ? null : copy.appendFile(chunk).then(() => null, asError);
        yield chunk;
        const error = await written;
        if (error) throw error;
        onProgress?.(this.size);
      }
      await copy?.sync();
      this.complete = true;
    } finally {
      await copy?.close();
      source.destroy();
    }
  }

  /** SHA-256 in lower-case hexadecimal of all the bytes; ask once, after the last chunk. */
  checksum(): string {
    return this.#hash.digest('hex');
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** The first chunk and, again from the start, all of them. */
export async function peek(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  bytes: number,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer, void, undefined> }> {
  const seen: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const { done, value } = await chunks.next();
    if (done) break;
    seen.push(value);
    length += value.length;
  }
  async function* again(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* seen.splice(0);
      yield* chunks;
    } finally {
      await chunks.return();
    }
  }
  return { head: seen.length === 1 ? (seen[0] as Buffer) : Buffer.concat(seen), chunks: again() };
}
