/** Edits of the records of imported datasets, also of fields that only the program writes, such as `source`. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError } from '../catalogue/errors.ts';
import { recordFormat, recordPaths } from '../catalogue/layout.ts';
import { type DatasetRef, formatRef } from '../catalogue/ref.ts';
import type { RecordChange } from '../catalogue/replica.ts';
import { schemas } from '../catalogue/schemas.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { editRecordText } from '../text/document.ts';
import { collectText } from './broken-records.ts';
import { reasonOf, type Skipped } from './imported.ts';

/** Keys of a dataset's record, in their order. */
export const recordKeys = Object.keys(schemas.dataset.properties);

/** Records that are written together: more of them take more memory. */
export const batchSize = 1000;

/** Values to set in the record of a dataset. */
export interface RecordEdit {
  readonly ref: DatasetRef;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * The change of a record that sets these values, and leaves everything else in it as it is.
 * @throws NotFoundError if there is no such record
 */
export async function editedRecord(
  catalogue: Catalogue,
  ref: DatasetRef,
  values: Readonly<Record<string, unknown>>,
): Promise<RecordChange> {
  for (const path of recordPaths(ref)) {
    const text = await collectText(catalogue.replica.read(path));
    if (text === null) continue;
    const next = editRecordText(text, recordFormat(path), values, recordKeys);
    return { do: 'write', path, text: next, ifMatch: computeChecksum(text) };
  }
  throw new NotFoundError('The record was removed meanwhile.');
}

/** Edits records, many of them together. @returns datasets whose record could not be written, with the reason */
export async function editRecords(catalogue: Catalogue, edits: readonly RecordEdit[]): Promise<readonly Skipped[]> {
  const refused: Skipped[] = [];
  for (let start = 0; start < edits.length; start += batchSize) {
    const ids = new Map<string, string>();
    const changes: RecordChange[] = [];
    for (const { ref, values } of edits.slice(start, start + batchSize)) {
      const id = formatRef(ref);
      try {
        const change = await editedRecord(catalogue, ref, values);
        changes.push(change);
        ids.set(change.path, id);
      } catch (error) {
        refused.push({ id, reason: reasonOf(error) });
      }
    }
    for (const outcome of changes.length ? await catalogue.replica.apply(changes) : [])
      if (!outcome.done) refused.push({ id: ids.get(outcome.path) ?? outcome.path, reason: reasonOf(outcome.error) });
  }
  return refused;
}
