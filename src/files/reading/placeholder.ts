/** Entities in place of records that are broken, and have never been valid. */
import { datasetFromRecord, namespaceFromRecord } from '../../catalogue/entities.ts';
import type { Unit } from '../../catalogue/layout.ts';
import type { Dataset, Namespace } from '../../catalogue/types.ts';

/**
 * Namespace in place of a broken record that has never been valid, so that its datasets are served, under the name of
 * the folder. It is private if the record may say so. Null for units of other kinds.
 */
export function placeholderNamespace(unit: Unit, text: string): Namespace | null {
  if (unit.kind !== 'namespace') return null;
  return namespaceFromRecord(unit.slug, { label: unit.slug, visibility: mayBePrivate(text) ? 'private' : 'public' });
}

/** True if a broken record may say `visibility: private`. One that can't be read (text '') may. */
const mayBePrivate = (text: string): boolean => text === '' || /visib|priv/i.test(text);

/**
 * Private dataset in place of a broken record that has never been valid, if the record may say that it is private:
 * without a dataset, its files, their diagnostics and its queries would be visible to everybody. Undefined otherwise.
 */
export function placeholderDataset(namespace: string, slug: string, text: string): Dataset | undefined {
  return mayBePrivate(text) ? datasetFromRecord(namespace, slug, { label: slug, visibility: 'private' }) : undefined;
}
