/** A file while it is made: written to a temporary path, and read by others as it grows. */
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { UnavailableError } from '../../catalogue/errors.ts';

/** In bytes. */
const readSize = 256 * 1024;

/** Checks before more is written that there is room for it; throws if there is none. */
export type RoomCheck = (bytes: number) => Promise<void>;

/** A file that is derived from a payload: its rows as a document in a format. */
export interface DerivedFile {
  /** Name for the payload and all that the bytes depend on besides: letters, digits and hyphens. */
  readonly key: string;
  /** Without the dot. */
  readonly extension: string;
  /** The document from its beginning; the same bytes each time. @param signal ends the work, also before the first chunk */
  chunks(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Writes the document to a new file, if its format can't be written from beginning to end. */
  readonly writeTo?: ((path: string, options: WriteToOptions) => Promise<void>) | undefined;
}

export interface WriteToOptions {
  readonly assertRoom: RoomCheck;
  readonly signal: AbortSignal;
}

/** The error of a file for which the disk has no room. */
export function noRoomError(cause?: unknown): UnavailableError {
  const error = new UnavailableError('The disk of the server has no room to make this file. Ask for fewer rows.');
  error.cause = cause;
  return error;
}

export class FileInTheMaking {
  readonly #source: DerivedFile;
  #path = '';
  #file: FileHandle | undefined;
  #size = 0;
  #crc = 0;
  #readers = 0;
  #state: 'growing' | 'complete' | { readonly error: unknown } = 'growing';
  /** Readers that wait for more bytes. */
  #waiting: (() => void)[] = [];

  constructor(source: DerivedFile) {
    this.#source = source;
  }

  /** Length of the complete file in bytes, and its CRC-32. */
  get measures(): { readonly size: number; readonly crc: number } {
    return { size: this.#size, crc: this.#crc };
  }

  /**
   * Makes the file. The temporary file stays if that succeeds, and is deleted else.
   * @param path of the temporary file, in a folder that exists
   * @throws what the source, the check or the file system throws; the signal's reason
   */
  async make(path: string, assertRoom: RoomCheck, signal: AbortSignal): Promise<void> {
    this.#path = path;
    try {
      if (this.#source.writeTo) await this.#makeAtOnce(this.#source.writeTo, assertRoom, signal);
      else await this.#makeInChunks(assertRoom, signal);
      this.#state = 'complete';
    } catch (error) {
      await rm(this.#path, { force: true }).catch(() => {});
      this.#state = { error };
      throw error;
    } finally {
      this.#wakeReaders();
      await this.#closeIfUnused();
    }
  }

  /** Ends the readers with an error if the file couldn't be begun. Has no effect after `make`. */
  fail(error: unknown): void {
    if (this.#state === 'growing') this.#state = { error };
    this.#wakeReaders();
  }

  async #makeInChunks(assertRoom: RoomCheck, signal: AbortSignal): Promise<void> {
    this.#file = await open(this.#path, 'wx+');
    for await (const chunk of this.#source.chunks()) {
      signal.throwIfAborted();
      await assertRoom(this.#size + chunk.length);
      for (let at = 0; at < chunk.length; )
        at += (await this.#file.write(chunk, at, chunk.length - at, this.#size + at)).bytesWritten;
      this.#crc = crc32(chunk, this.#crc);
      this.#size += chunk.length;
      this.#wakeReaders();
    }
  }

  async #makeAtOnce(
    writeTo: NonNullable<DerivedFile['writeTo']>,
    assertRoom: RoomCheck,
    signal: AbortSignal,
  ): Promise<void> {
    await writeTo(this.#path, { assertRoom, signal });
    signal.throwIfAborted();
    this.#size = (await stat(this.#path)).size;
    this.#crc = await crcOfFile(this.#path, signal);
  }

  /**
   * The bytes from the beginning, as they are written.
   * @throws the error of `make`, after the bytes before it; Error if the file is complete, and was closed since nobody read it
   */
  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#readers++;
    try {
      for (let at = 0; ; ) {
        while (at < this.#size && this.#file) {
          const length = Math.min(readSize, this.#size - at);
          const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, at);
          if (bytesRead === 0) throw new Error('The file was truncated while it was made.');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
        if (at < this.#size) throw new Error('The file was closed before it was read to its end.');
        if (this.#state === 'complete') return;
        if (this.#state !== 'growing') throw this.#state.error;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      this.#readers--;
      await this.#closeIfUnused();
    }
  }

  #wakeReaders(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async #closeIfUnused(): Promise<void> {
    if (this.#state === 'growing' || this.#readers > 0) return;
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => {});
  }
}

/** The CRC-32 of a file's bytes. @throws AbortError */
export async function crcOfFile(path: string, signal: AbortSignal): Promise<number> {
  const file = await open(path);
  let crc = 0;
  const chunks = file.createReadStream({ highWaterMark: 1024 * 1024, signal });
  for await (const chunk of chunks) crc = crc32(chunk as Buffer, crc);
  return crc;
}
