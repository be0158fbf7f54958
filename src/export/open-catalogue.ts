/** The catalogue of a folder, opened for an export. */
import { resolve } from 'node:path';
import { ConflictError } from '../catalogue/errors.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { withLock } from '../disk/lock.ts';
import type { OpenOptions } from '../files/catalogue-files.ts';
import { type FileCatalogue, openFileCatalogue } from '../files/file-catalogue.ts';

/** What is exported lies in the export: a second copy of it would drive out of the cache what a server needs. */
export const exportOpenOptions: OpenOptions = { cache: true, keepFormats: false, patience: Number.POSITIVE_INFINITY };

/**
 * Reads the catalogue of a folder, and closes it behind the work. Two exports into one place wait for each other.
 * @param folder path of the catalogue
 * @param place that is written: the absolute path of a folder, or the address of a bucket
 * @throws ConflictError if the export would lie in the catalogue
 */
export async function withCatalogueForExport<T>(
  folder: string,
  place: string,
  work: (files: FileCatalogue) => Promise<T>,
): Promise<T> {
  if (`${place}/`.startsWith(`${resolve(folder)}/`))
    throw new ConflictError('The export must not lie in the catalogue folder itself. Name another place.');
  const workers = new WorkerPool();
  const files = await openFileCatalogue(folder, { ...exportOpenOptions, workers });
  try {
    await files.load();
    return await withLock(folder, `export ${place}`, () => work(files));
  } finally {
    await files.close();
    await workers.close();
  }
}
