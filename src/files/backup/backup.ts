/**
 * Backups: a catalogue folder as one file, a compressed tar archive. It has everything that can't be made anew, also what git
 * doesn't hold: passwords and tokens, the trash, the common states with remotes.
 */
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ConflictError } from '../../catalogue/errors.ts';
import {
  flushFolderToDisk,
  removeAbandonedTemporaries,
  temporaryPathBeside,
  toUnavailableError,
} from '../../disk/durable.ts';
import { assertCatalogueFolder } from '../scaffold.ts';
import { type ArchiveReport, archiveChunks } from './archive.ts';
import { listForBackup } from './listing.ts';

/** Age in milliseconds from which what an interrupted backup or restore has left is removed, if it isn't known whether its process runs. */
export const abandonedAfter = 3_600_000;

export interface BackupOptions {
  /** True to replace an existing file. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a backup. The server may be running: records are as they were at one moment, if they aren't written all the time,
 * and each file is as it was before or after a change.
 * @param to path of the file; or a function that takes the archive, and throws if it can't take all of it
 * @throws UnusableCatalogueError if the folder is not a catalogue, before or after it is read; ConflictError if the file
 *   exists; UnavailableError; the signal's reason. No file is left then, and an existing one is unchanged
 */
export async function writeBackup(
  root: string,
  to: string | ((archive: Readable) => Promise<void>),
  { force = false, signal }: BackupOptions = {},
): Promise<ArchiveReport> {
  // An empty mount point must not become an empty backup in the place of a good one.
  await assertCatalogueFolder(root, root);
  if (typeof to !== 'string') return pack(root, to, signal);
  const target = resolve(to);
  if (`${target}/`.startsWith(`${resolve(root)}/`))
    throw new ConflictError('The backup must not lie in the catalogue folder itself. Name another place.');
  const temporary = temporaryPathBeside(target);
  try {
    const existing = await readdir(dirname(target));
    if (!force && existing.includes(basename(to)))
      throw new ConflictError(`${to} exists already. Name another file, or replace it with --force.`);
    await removeAbandonedTemporaries(dirname(target), abandonedAfter);
    const report = await pack(root, createWriteStream(temporary, { mode: 0o600, flush: true }), signal);
    await rename(temporary, target);
    await flushFolderToDisk(dirname(target));
    return report;
  } catch (error) {
    throw toUnavailableError(error, to);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function pack(
  root: string,
  to: NodeJS.WritableStream | ((archive: Readable) => Promise<void>),
  signal: AbortSignal | undefined,
): Promise<ArchiveReport> {
  const listing = await listForBackup(root);
  const report = { files: 0, skipped: [...listing.skipped] };
  const chunks = Readable.from(archiveChunks(root, listing, report), { objectMode: false });
  const gzip = createGzip();
  if (typeof to === 'function') await pipeline(chunks, gzip, () => to(gzip), { signal });
  else await pipeline(chunks, gzip, to, { signal });
  // Unmounted meanwhile, the folder has lost its files as if they had been removed.
  await assertCatalogueFolder(root, root);
  return report;
}
