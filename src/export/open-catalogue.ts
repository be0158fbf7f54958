/** The catalogue of a folder, opened for an export. */
import { resolve } from 'node:path';
import { ConflictError } from '../catalogue/errors.ts';
import { WorkerPool } from '../data/worker-pool.ts';
import { withLock } from '../disk/lock.ts';
import { type FileCatalogue, openFileCatalogue } from '../files/file-catalogue.ts';

/**
 * Reads the catalogue of a folder, and closes it behind the work. Two exports into one folder wait for each other.
 * @param folder path of the catalogue, `to` of the folder that is written
 * @throws ConflictError if the export would lie in the catalogue
 */
export async function withCatalogueForExport<T>(
  folder: string,
  to: string,
  work: (files: FileCatalogue) => Promise<T>,
): Promise<T> {
  if (`${resolve(to)}/`.startsWith(`${resolve(folder)}/`))
    throw new ConflictError('The export must not lie in the catalogue folder itself. Name another place.');
  const workers = new WorkerPool();
  // What is exported lies in the export: a second copy of it would drive out of the cache what a server needs.
  const options = { cache: true, keepFormats: false, patience: Number.POSITIVE_INFINITY, workers };
  const files = await openFileCatalogue(folder, options);
  try {
    await files.load();
    return await withLock(folder, `export ${resolve(to)}`, () => work(files));
  } finally {
    await files.close();
    await workers.close();
  }
}
