/**
 * Backups: a catalogue folder as one file, a compressed tar archive. It has everything that can't be made anew, also what git
 * doesn't hold: passwords and tokens, the trash, the common states with remotes.
 */
import { createWriteStream, existsSync } from 'node:fs';
import { readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ConflictError } from '../../catalogue/errors.ts';
import { containingSlugs, datasetFolder, namespaceFolder } from '../../catalogue/layout.ts';
import { flushFolderToDisk, removeAbandonedTemporaries, temporaryPathBeside } from '../../disk/durable.ts';
import { toUnavailableError } from '../../disk/not-writable.ts';
import { readAccounts } from '../accounts/accounts-file.ts';
import { messageOfEmptyFolder } from '../reading/missing-record.ts';
import { assertCatalogueFolder } from '../scaffold.ts';
import { type ArchiveReport, archiveChunks } from './archive.ts';
import { type Listing, listForBackup } from './listing.ts';

/** Age in milliseconds from which what an interrupted backup or restore has left is removed, if it isn't known whether its process runs. */
export const abandonedAfter = 3_600_000;

/** Number of links that are followed one after the other, as in Linux. */
const maxLinks = 40;

export interface BackupOptions {
  /** True to replace an existing file. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a backup. A link that exists is followed; a device or FIFO is written to, and not replaced. The server may be running:
 * records are as they were at one moment, if they aren't written all the time, and each file is as it was before or after a change.
 * @param to path of the file; or a function that takes the archive, and throws if it can't take all of it
 * @throws UnusableCatalogueError if the folder is not a catalogue, before or after it is read; ConflictError if the file
 *   exists, or would be replaced while the folder of a namespace or dataset is empty; UnavailableError; the signal's reason. No file is left then, and an existing one is unchanged
 */
export async function writeBackup(
  root: string,
  to: string | ((archive: Readable) => Promise<void>),
  { force = false, signal }: BackupOptions = {},
): Promise<ArchiveReport> {
  // An empty mount point must not become an empty backup in the place of a good one.
  await assertCatalogueFolder(root, root);
  if (typeof to !== 'string') return pack(root, to, signal);
  const target = await behindLinks(resolve(to));
  const [folder, realRoot] = await Promise.all([realpath(dirname(target)), realpath(root)]);
  if (`${folder}/`.startsWith(`${realRoot}/`))
    throw new ConflictError('The backup must not lie in the catalogue folder itself. Name another place.');
  const existing = await readdir(dirname(resolve(to)));
  if (!force && existing.includes(basename(to)))
    throw new ConflictError(`${to} exists already. Name another file, or replace it with --force.`);
  const isReplaceable = await stat(target).then(
    (stats) => stats.isFile(),
    () => true,
  );
  try {
    return await (isReplaceable ? replaceBy(root, target, signal) : pack(root, writeTo(target, signal), signal));
  } catch (error) {
    throw toUnavailableError(error, to);
  }
}

/** The path that a path leads to, through all links; a file, device or FIFO, or one that doesn't exist yet. */
async function behindLinks(path: string, links = 0): Promise<string> {
  // The links of /dev/stdout and of descriptors lead to no path, but can be opened.
  if (await stat(path).catch(() => null)) return realpath(path).catch(() => path);
  const target = links < maxLinks && (await readlink(path).catch(() => null));
  return target ? behindLinks(resolve(dirname(path), target), links + 1) : path;
}

/** Writes a backup to a new file, which gets the name of the existing one when it is whole and on the disk. */
async function replaceBy(root: string, target: string, signal: AbortSignal | undefined): Promise<ArchiveReport> {
  const temporary = temporaryPathBeside(target);
  try {
    await removeAbandonedTemporaries(dirname(target), abandonedAfter);
    const check = existsSync(target) ? assertNoEmptyFolder : undefined;
    const report = await pack(root, writeTo(temporary, signal, { mode: 0o600, flush: true }), signal, check);
    await rename(temporary, target);
    await flushFolderToDisk(dirname(target));
    return report;
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Checks that no namespace or dataset is an empty folder, such as a mount point without its disk. @throws ConflictError */
function assertNoEmptyFolder({ entries }: Listing): void {
  for (const [index, { path, stats }] of entries.entries()) {
    const { namespace, dataset } = containingSlugs(path);
    const isUnit = path === (dataset ? datasetFolder(namespace ?? '', dataset) : namespaceFolder(namespace ?? ''));
    // Each folder is listed before what is in it.
    if (!isUnit || !stats.isDirectory() || entries[index + 1]?.path.startsWith(`${path}/`)) continue;
    const problem = messageOfEmptyFolder(dataset ? 'dataset' : 'namespace');
    throw new ConflictError(`${path}: ${problem} The existing backup was not replaced.`);
  }
}

/** Writes an archive to a file, which is opened only then: what fails before must not leave one. */
function writeTo(path: string, signal: AbortSignal | undefined, options?: { mode: number; flush: boolean }) {
  return (archive: Readable) => pipeline(archive, createWriteStream(path, options), { signal });
}

async function pack(
  root: string,
  to: (archive: Readable) => Promise<void>,
  signal: AbortSignal | undefined,
  check: (listing: Listing) => void = () => {},
): Promise<ArchiveReport> {
  const listing = await listForBackup(root);
  check(listing);
  const damage = await readAccounts(root).then(
    () => null,
    (error: Error) => error.message,
  );
  const report = { files: 0, skipped: [...listing.skipped], damage };
  const chunks = Readable.from(archiveChunks(root, listing, report), { objectMode: false });
  const gzip = createGzip();
  await pipeline(chunks, gzip, () => to(gzip), { signal });
  // Unmounted meanwhile, the folder has lost its files as if they had been removed.
  await assertCatalogueFolder(root, root);
  return report;
}
