/** The bytes of a payload: while they are read, they are hashed, counted and, if requested, copied to a file. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

export interface PayloadStreamOptions {
  /** File to copy the bytes to; must not exist. It is synced when the stream ends. */
  copyTo?: string | undefined;
  /** Permissions of the copy; default: those that the umask gives. */
  mode?: number | undefined;
  /** Called with the number of bytes read so far. */
  onProgress?: ((bytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** False if the checksum isn't needed. */
  isHashed?: boolean;
}

/** Chunk size in bytes for files: large, because items that cross a border of chunks are copied. */
const fileChunkSize = 512 * 1024;

export class PayloadStream {
  readonly #source: Readable | string;
  readonly #options: PayloadStreamOptions;
  readonly #hash = createHash('sha256');
  /** Number of bytes read so far. */
  size = 0;
  /** True once all bytes were read. */
  isComplete = false;

  constructor(source: Readable | string, options: PayloadStreamOptions = {}) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * The bytes; can be read once.
   * @throws errors of the source and the file system; AbortError
   */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    const { copyTo, mode, onProgress, signal, isHashed = true } = this.#options;
    const given = this.#source;
    const copy = copyTo === undefined ? null : await openNew(copyTo, mode, given);
    // Opened last: a file's stream whose error comes before somebody reads it would end the process.
    const source = typeof given === 'string' ? createReadStream(given, { highWaterMark: fileChunkSize }) : given;
    // A source may block for long: the signal destroys it, and isn't only checked after the next chunk.
    if (signal) addAbortSignal(signal, source);
    try {
      for await (const read of source) {
        signal?.throwIfAborted();
        const chunk: Buffer = Buffer.isBuffer(read) ? read : Buffer.from(read);
        if (isHashed) this.#hash.update(chunk);
        this.size += chunk.length;
        // The chunk is written while the consumer parses it, and awaited before the next one.
        const written = copy === null ? null : copy.appendFile(chunk).then(() => null, asError);
        yield chunk;
        const error = await written;
        if (error) throw error;
        onProgress?.(this.size);
      }
      await copy?.sync();
      this.isComplete = true;
    } finally {
      await copy?.close();
      source.destroy();
    }
  }

  /** SHA-256 of all bytes in lower-case hexadecimal; call once, after the last chunk. */
  checksum(): string {
    return this.#hash.digest('hex');
  }
}

/** Opens a new file for a copy of a source, which is closed if that fails. */
async function openNew(path: string, mode: number | undefined, source: Readable | string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    if (typeof source !== 'string') source.destroy();
    throw error;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/**
 * Reads ahead.
 * @param chunks to be ended by the caller, who may not read on: a generator that wasn't begun runs no `finally`
 * @param bytes least length of `head`, unless there are fewer
 * @returns the first bytes, and all chunks from the start
 */
export async function peekStream(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  bytes: number,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer, void, undefined> }> {
  const read: Buffer[] = [];
  let length = 0;
  while (length < bytes) {
    const { done, value } = await chunks.next();
    if (done) break;
    read.push(value);
    length += value.length;
  }
  async function* fromStart(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* read.splice(0);
      yield* chunks;
    } finally {
      await chunks.return();
    }
  }
  return { head: read.length === 1 ? (read[0] as Buffer) : Buffer.concat(read), chunks: fromStart() };
}
