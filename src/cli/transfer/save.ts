/** Bytes on their way out of the catalogue: into a file that is there when it is whole, or onto stdout. */
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../context.ts';
import { manyLines } from '../output/text.ts';

/**
 * Writes bytes to a file, replacing the one that is there; a reader never sees half of them.
 * @param onProgress called with the number of bytes so far
 */
export async function save(
  path: string,
  bytes: Readable,
  { onProgress, signal }: { onProgress(bytes: number): void; signal: AbortSignal },
): Promise<void> {
  const there = await stat(path).catch(() => null);
  // What is no regular file, such as /dev/null or a named pipe, is written to and not replaced.
  if (there && !there.isFile()) return pipeline(bytes, countBytes(onProgress), createWriteStream(path), { signal });
  const target = there ? await realpath(path) : path;
  const { syncFolder, temporaryBeside } = await import('../../disk/durable.ts');
  const aside = temporaryBeside(target);
  try {
    await pipeline(bytes, countBytes(onProgress), createWriteStream(aside, { flags: 'wx' }), { signal });
    await syncFile(aside);
    await rename(aside, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await rm(aside, { force: true });
    // The name aside says nothing to anybody.
    if ((error as NodeJS.ErrnoException).path === aside) Object.assign(error as Error, { path });
    throw error;
  }
}

/** Writes bytes on stdout; at a terminal as text that it won't obey. */
export async function writeToStdout(context: Context, bytes: Readable): Promise<void> {
  await context.write(context.isTerminal.out ? Readable.from(harmless(bytes)) : bytes);
}

async function* harmless(bytes: Readable): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield Buffer.from(manyLines(decoder.decode(chunk, { stream: true })));
}

/** Passes bytes on, and says how many there were. */
export function countBytes(onProgress: (bytes: number) => void, already = 0) {
  return async function* count(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let count = already;
    for await (const chunk of source) {
      yield chunk;
      count += chunk.length;
      onProgress(count);
    }
  };
}

/** Waits until the bytes of a file are on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
