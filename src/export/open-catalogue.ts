/** The catalogue of a folder, opened for an export. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Diagnostic } from '../catalogue/diagnostic.ts';
import { ConflictError, UnusableCatalogueError } from '../catalogue/errors.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { withLock } from '../disk/lock.ts';
import { makeFolderInPrivateFolder } from '../disk/private-folder.ts';
import type { OpenOptions } from '../files/catalogue-files.ts';
import { type FileCatalogue, openFileCatalogue } from '../files/file-catalogue.ts';
import { ensureFallbackTableFolder } from '../files/table-folder.ts';
import { filesHiddenInFolder, type HiddenFiles } from './hidden-files.ts';

/** Exported files aren't kept in the cache, too: they would displace those that a server needs. */
export const exportOpenOptions: OpenOptions = { cache: true, keepFormats: false, patience: Number.POSITIVE_INFINITY };

/**
 * Reads the catalogue of a folder, and closes it when the work is done. Exports of a catalogue to the same place wait for each other if
 * both may write the catalogue folder, or if both run as one user on one machine with one folder for temporary files.
 * @param folder path of the catalogue
 * @param place target of the export: the absolute path of a folder, or the address of a bucket
 * @param options.signal of the caller
 * @param work gets a signal that is aborted with that of the caller, and if the lock of the place is lost
 * @param options.skipInvalid true to go on if records can't be read
 * @param removeHidden removes hidden files of the last export. It is called if records can't be read: files that other records
 *   make private must not stay online meanwhile
 * @throws ConflictError if the export would lie in the catalogue; UnusableCatalogueError if records can't be read
 */
export async function withCatalogueForExport<T>(
  folder: string,
  place: string,
  {
    signal,
    skipInvalid = false,
  }: { readonly signal?: AbortSignal | undefined; readonly skipInvalid?: boolean | undefined },
  work: (files: FileCatalogue, signal: AbortSignal) => Promise<T>,
  removeHidden: (hiddenIn: HiddenFiles, files: FileCatalogue, signal: AbortSignal) => Promise<number> = async () => 0,
): Promise<T> {
  if (`${place}/`.startsWith(`${resolve(folder)}/`))
    throw new ConflictError('The export must not lie in the catalogue folder itself. Name another place.');
  const workers = new WorkerPool();
  const files = await openFileCatalogue(folder, { ...exportOpenOptions, workers });
  try {
    await files.load();
    return await withLock(await folderForLocks(files.root), `export ${place}`, async (lost) => {
      const either = AbortSignal.any(signal ? [signal, lost] : [lost]);
      const broken = skipInvalid ? [] : errorsIn(files);
      if (broken.length === 0) return work(files, either);
      const removed = await removeHidden(filesHiddenInFolder(files), files, either).catch((error) => {
        // The place is no export.
        if (!(error instanceof ConflictError)) throw error;
        return 0;
      });
      throw refusal(broken, removed);
    });
  } finally {
    await files.close();
    await workers.close();
  }
}

/** Longest list of broken records in the message. */
const mostProblems = 5;

const errorsIn = ({ snapshot }: FileCatalogue): readonly Diagnostic[] =>
  [...snapshot.diagnostics.values()].flat().filter(({ severity }) => severity === 'error');

/**
 * The error if records can't be read. Their files would be missing in the export, and so be removed from its site: a fresh checkout,
 * as in CI, has no cache with the last valid states of the records.
 * @param removed number of hidden files that were removed
 */
function refusal(errors: readonly Diagnostic[], removed: number): Error {
  const lines = errors
    .slice(0, mostProblems)
    .map(({ path, line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (errors.length > mostProblems) lines.push(`… and ${errors.length - mostProblems} more: catalogue check`);
  const done = removed ? `; only what is private or removed now was taken out (files: ${removed})` : '';
  return new UnusableCatalogueError(
    `Records can't be read, and would be missing in the export. Nothing was exported${done}.\n${lines.join('\n')}`,
  );
}

/** The catalogue folder, or a folder of this user for temporary files if that can't be written. */
async function folderForLocks(root: string): Promise<string> {
  try {
    await access(await makeFolderInPrivateFolder(root, 'locks'), constants.W_OK);
    return root;
  } catch {
    // The cache has another folder, in which it deletes all that is no columnar copy.
    return ensureFallbackTableFolder(join(root, privateFolder));
  }
}
