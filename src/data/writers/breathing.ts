/** Chunks that take long to make, without keeping everybody else waiting meanwhile. */
import { setImmediate } from 'node:timers/promises';

/** In milliseconds: what others may have to wait. */
const patience = 10;

/**
 * The same chunks, with a turn of the event loop left to others whenever one has lasted long enough. Promises alone
 * don't do that: with a reader as fast as the writer, a million rows would be one turn of more than a second.
 */
export async function* breathing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let since = performance.now();
  for await (const chunk of chunks) {
    yield chunk;
    if (performance.now() - since < patience) continue;
    await setImmediate();
    since = performance.now();
  }
}
