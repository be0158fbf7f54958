/** Edits of record files, as a transaction of the local admin in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../../src/catalogue/errors.ts';
import type { RecordValue } from '../../src/catalogue/record-set.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { commitSingleStep } from '../../src/files/transaction.ts';

/**
 * Sets keys of a record.
 * @param set gets the contents of the record, under its lock
 * @param wait milliseconds in which a busy record is tried again
 */
export async function editFile(
  root: string,
  path: string,
  set: (record: RecordValue) => Readonly<Record<string, unknown>>,
  { wait = 0 } = {},
): Promise<void> {
  const files = await openFileCatalogue(root);
  const deadline = Date.now() + wait;
  for (;;)
    try {
      await commitSingleStep(files.access(), { changes: [{ do: 'edit', path, set }] }, { message: () => 'Edit' });
      return await files.close();
    } catch (error) {
      if (!(error instanceof UnavailableError) || Date.now() > deadline) throw error;
      await sleep(10);
    }
}
