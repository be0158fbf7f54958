/** Bytes of the catalogue written to a file, whole or not at all. */
import { createWriteStream, type Stats } from 'node:fs';
import { chmod, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes bytes to a file, in place of an existing one; a reader never sees half of them.
 * @param options.onProgress called with the number of bytes so far
 * @param options.isNew true to replace no file that is made meanwhile; then an error with code EEXIST
 */
export async function saveStreamToFile(
  path: string,
  bytes: Readable,
  options: { onProgress(bytes: number): void; readonly signal: AbortSignal; readonly isNew?: boolean },
): Promise<void> {
  const { onProgress, signal, isNew = false } = options;
  const existing = await stat(path).catch(() => null);
  // Anything but a regular file, such as /dev/null or a named pipe, is written to and not replaced.
  if (existing && !existing.isFile())
    return pipeline(bytes, byteCounter(onProgress), createWriteStream(path), { signal });
  const target = existing ? await realpath(path) : path;
  const { temporaryPathBeside } = await import('../../disk/durable.ts');
  const aside = temporaryPathBeside(target);
  try {
    const file = createWriteStream(aside, { flags: 'wx', mode: modeWhileWriting(existing) });
    await pipeline(bytes, byteCounter(onProgress), file, { signal });
    await renameInPlace(aside, target, existing, { isNew });
  } catch (error) {
    await rm(aside, { force: true });
    // People don't know the temporary name.
    if ((error as NodeJS.ErrnoException).path === aside) Object.assign(error as Error, { path });
    throw error;
  }
}

/** Permissions of a file while it is written: nobody else reads one that is to replace an existing file. */
export const modeWhileWriting = (existing: Stats | null): number => (existing ? 0o600 : 0o666);

/**
 * Gives a file that was written beside another its name, and the permissions of the one that it replaces.
 * @param options.isNew true to replace no file that was made meanwhile
 * @throws Error with code EEXIST
 */
export async function renameInPlace(
  aside: string,
  target: string,
  existing: Stats | null,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<void> {
  const { flushFileToDisk, flushFolderToDisk, giveNewName } = await import('../../disk/durable.ts');
  await flushFileToDisk(aside);
  if (existing) await chmod(aside, existing.mode & 0o7777);
  if (isNew) giveNewName(aside, target);
  else await rename(aside, target);
  await flushFolderToDisk(dirname(target));
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
