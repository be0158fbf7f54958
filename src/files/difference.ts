/** How the rows of two versions differ: both payloads opened as tables, and compared. */
import type { Difference, DifferenceOptions } from '../catalogue/difference.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Version } from '../catalogue/types.ts';
import { compareTables } from '../data/difference/difference.ts';
import type { Table } from '../data/table/table.ts';
import type { CatalogueFiles } from './catalogue-files.ts';
import { openTable } from './rows.ts';

/**
 * Compares the rows of two versions.
 * @throws NotFoundError that says which of them has no rows; ValidationError under `_key`; UnavailableError
 */
export async function compareVersions(
  files: CatalogueFiles,
  from: Version,
  to: Version,
  options: DifferenceOptions = {},
): Promise<Difference> {
  const [before, after] = await Promise.all([opened(files, from), opened(files, to)]);
  return { from, to, ...(await compareTables(before, after, options)) };
}

async function opened(files: CatalogueFiles, version: Version): Promise<Table> {
  try {
    return await openTable(files, version);
  } catch (error) {
    // Of two versions, it has to be said which one is meant.
    if (error instanceof NotFoundError) throw new NotFoundError(`${formatRef(refOf(version))}: ${error.message}`);
    throw error;
  }
}
