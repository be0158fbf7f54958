/** Streams of documents that are made while they are read. */
import { Readable } from 'node:stream';

/** In bytes. */
const readSize = 256 * 1024;

/**
 * A stream of chunks. Destroying it aborts the signal at once: a generator by itself would first go on to its next chunk,
 * and those that read from it, too.
 */
export function streamOfChunks(makeChunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>): Readable {
  const leaving = new AbortController();
  const chunks = makeChunks(leaving.signal)[Symbol.asyncIterator]();
  const iterator: AsyncIterableIterator<Uint8Array> = {
    next: () => chunks.next(),
    return: async () => {
      leaving.abort();
      return (await chunks.return?.()) ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  return Readable.from(iterator, { objectMode: false, highWaterMark: readSize });
}
