/** Downloads that go on where they broke off. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Payload } from '../../catalogue/catalogue.ts';
import { CatalogueError } from '../../catalogue/errors.ts';
import { formatRef } from '../../catalogue/ref.ts';
import { countBytes, syncFile } from './save.ts';

/** How many bytes of a file have come already, into `<path>.part`; 0 where they can't be its beginning. */
export function partOf(path: string, size: number): number {
  const part = statSync(`${path}.part`, { throwIfNoEntry: false });
  return part?.isFile() && part.size <= size ? part.size : 0;
}

export interface FetchOptions {
  /** How many bytes are in the part already. */
  readonly already: number;
  onProgress(bytes: number): void;
  readonly signal: AbortSignal;
}

/**
 * Fetches what is missing of a payload into `<path>.part`, which becomes the file when its checksum is right.
 * @throws CatalogueError where it isn't: the part is removed then
 */
export async function fetchPart(payload: Payload, path: string, options: FetchOptions): Promise<void> {
  const { version, size } = payload;
  const { already, onProgress, signal } = options;
  const part = `${path}.part`;
  const hash = createHash('sha256');
  if (already > 0) await pipeline(createReadStream(part), async (bytes) => addAll(hash, bytes), { signal });
  if (already < size) {
    const rest = hashing(payload.stream({ start: already, end: size - 1 }), hash);
    const file = createWriteStream(part, { flags: already > 0 ? 'a' : 'w' });
    await pipeline(rest.bytes, countBytes(onProgress, already), file, { signal });
  } else {
    await payload.close();
    // Of an empty file, nothing comes.
    if (size === 0) await pipeline(Readable.from([]), createWriteStream(part));
  }
  const checksum = hash.digest('hex');
  if (version.checksum && checksum !== version.checksum) {
    await rm(part, { force: true });
    throw new CatalogueError(
      `These are not the bytes of ${formatRef(version)}: their checksum is ${checksum}, and not ${version.checksum}. ` +
        `${part} was removed${already > 0 ? ', which may have been the beginning of something else. Try again.' : '.'}`,
    );
  }
  await syncFile(part);
  await rename(part, path);
}

type Hash = ReturnType<typeof createHash>;

async function addAll(hash: Hash, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of bytes) hash.update(chunk);
}

/** Passes bytes on, and knows their checksum when they have passed. */
export function hashing(bytes: Readable, hash = createHash('sha256')): { bytes: Readable; checksum(): string } {
  async function* pass(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of bytes) {
      hash.update(chunk);
      yield chunk;
    }
  }
  return { bytes: Readable.from(pass(), { objectMode: false }), checksum: () => hash.digest('hex') };
}
