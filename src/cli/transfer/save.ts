/** Bytes of the catalogue written to a file, whole or not at all, or to stdout. */
import { createWriteStream } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from '../context.ts';
import { escapeKeepingLines } from '../output/text.ts';

/**
 * Writes bytes to a file, in place of an existing one; a reader never sees half of them.
 * @param onProgress called with the number of bytes so far
 */
export async function saveStreamToFile(
  path: string,
  bytes: Readable,
  { onProgress, signal }: { onProgress(bytes: number): void; signal: AbortSignal },
): Promise<void> {
  const existing = await stat(path).catch(() => null);
  // Anything but a regular file, such as /dev/null or a named pipe, is written to and not replaced.
  if (existing && !existing.isFile())
    return pipeline(bytes, byteCounter(onProgress), createWriteStream(path), { signal });
  const target = existing ? await realpath(path) : path;
  const { flushFolderToDisk, temporaryPathBeside } = await import('../../disk/durable.ts');
  const aside = temporaryPathBeside(target);
  try {
    await pipeline(bytes, byteCounter(onProgress), createWriteStream(aside, { flags: 'wx' }), { signal });
    await flushFileToDisk(aside);
    await rename(aside, target);
    await flushFolderToDisk(dirname(target));
  } catch (error) {
    await rm(aside, { force: true });
    // People don't know the temporary name.
    if ((error as NodeJS.ErrnoException).path === aside) Object.assign(error as Error, { path });
    throw error;
  }
}

/** Writes bytes to stdout; at a terminal as text without control characters. */
export async function writeToStdout(context: Context, bytes: Readable): Promise<void> {
  await context.write(context.isTerminal.out ? Readable.from(withoutControls(bytes)) : bytes);
}

/** Text without control characters, that ends in a line feed. */
async function* withoutControls(bytes: Readable): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder();
  let last = '\n';
  for await (const chunk of bytes) {
    const text = escapeKeepingLines(decoder.decode(chunk, { stream: true }));
    last = text.at(-1) ?? last;
    yield Buffer.from(text);
  }
  if (last !== '\n') yield Buffer.from('\n');
}

/** Passes bytes on and counts them. */
export function byteCounter(onProgress: (bytes: number) => void, already = 0) {
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
export async function flushFileToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
