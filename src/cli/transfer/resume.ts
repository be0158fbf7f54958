/** Downloads that resume after an interruption. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, type Stats, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline as connect, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CatalogueError } from '../../catalogue/errors.ts';
import type { Payload } from '../../catalogue/open-file.ts';
import { formatRef } from '../../catalogue/ref.ts';
import { byteCounter, modeWhileWriting, renameInPlace } from './save.ts';

/**
 * Path of the part of a file that was fetched. The digits of the checksum in it tell it from parts of other versions, and
 * from files of other programs.
 */
export const partPath = (path: string, checksum: string): string => `${path}.${checksum.slice(0, 12)}.part`;

/** The number of bytes in a part from an earlier download; 0 if they can't be the beginning of the file. */
export function bytesAlreadyFetched(part: string, size: number): number {
  const found = statSync(part, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= size ? found.size : 0;
}

/**
 * Runs a download that writes a part. No other one writes it at the same time: each would add bytes behind the other's.
 * @param file name of the file, for the message
 * @param work gets a signal that is aborted if the lock is lost
 * @throws UnavailableError if another download writes the part; the payload is closed
 */
export async function withPart(
  payload: Payload,
  part: string,
  file: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const { withLockFile } = await import('../../disk/lock.ts');
  const busy = (holder: string) => `Another download into ${file} runs: ${holder}. Wait until it has ended.`;
  let hasBegun = false;
  const begin = (lost: AbortSignal) => {
    hasBegun = true;
    return work(lost);
  };
  try {
    await withLockFile(part, file, begin, { wait: 1000, busy, place: part }, async () => {});
  } catch (error) {
    if (!hasBegun) await payload.close();
    // People don't know the lock.
    const { path } = error as NodeJS.ErrnoException;
    throw path === `${part}.lock` ? Object.assign(error as Error, { path: part }) : error;
  }
}

export interface FetchOptions {
  /** Path of the part. */
  readonly part: string;
  /** Bytes in the part already. */
  readonly already: number;
  /** The file that is replaced. */
  readonly existing: Stats | null;
  /** True to replace no file that is made meanwhile. */
  readonly isNew: boolean;
  onProgress(bytes: number): void;
  readonly signal: AbortSignal;
}

/**
 * Fetches the missing bytes of a payload into a part, and renames it to the file if the checksum is right.
 * @throws CatalogueError if the checksum is wrong; the part is removed. Error with code EEXIST; the part stays
 */
export async function resumeDownload(payload: Payload, path: string, options: FetchOptions): Promise<void> {
  const { version, size } = payload;
  const { part, already, existing, isNew, onProgress, signal } = options;
  const hash = createHash('sha256');
  if (already > 0) await pipeline(createReadStream(part), async (bytes) => addAll(hash, bytes), { signal });
  if (already < size) {
    const rest = passWithChecksum(payload.stream({ start: already, end: size - 1 }), hash);
    const file = createWriteStream(part, { flags: already > 0 ? 'a' : 'w', mode: modeWhileWriting(existing) });
    await pipeline(rest.bytes, byteCounter(onProgress, already), file, { signal });
  } else {
    await payload.close();
    // An empty file has no bytes to fetch.
    if (size === 0) await pipeline(Readable.from([]), createWriteStream(part));
  }
  const checksum = hash.digest('hex');
  if (version.checksum && checksum !== version.checksum) {
    await rm(part, { force: true });
    throw new CatalogueError(
      `The bytes are not those of ${formatRef(version)}: the checksum is ${checksum}, not ${version.checksum}. ` +
        `${part} was removed${already > 0 ? '; it may have been the beginning of another file. Try again.' : '.'}`,
    );
  }
  await renameInPlace(part, path, existing, { isNew });
}

type Hash = ReturnType<typeof createHash>;

async function addAll(hash: Hash, bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of bytes) hash.update(chunk);
}

/** Passes bytes on and computes their checksum, to be read at the end. The source ends at once if nobody reads on. */
export function passWithChecksum(
  bytes: Readable,
  hash = createHash('sha256'),
): { bytes: Readable; checksum(): string } {
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  // Each gets the other's error.
  return { bytes: connect(bytes, pass, () => {}), checksum: () => hash.digest('hex') };
}
