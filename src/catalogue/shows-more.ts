/** Comparison of who may see a namespace, dataset or version by two records of it. */
import { isJsonEqual } from './changes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * True if somebody may see by one record of a namespace or dataset what the other one hides.
 * @param other the other record; null if it can't be parsed: then it may hide everything
 * @param namespaces of a dataset: the records of the namespaces in which it may be; null for one that can't be parsed
 */
export function showsMore(
  fields: Fields,
  other: Fields | null,
  kind: 'namespace' | 'dataset',
  namespaces: readonly (Fields | null)[] = [],
): boolean {
  if (other === null) return true;
  // Another word than these two makes the record invalid.
  const mayBePublic = fields.visibility !== 'private';
  const isPublic = isPublicRecord(other);
  if (mayBePublic && !isPublic) return true;
  // The readers and owners of a public namespace see its private datasets; those of a dataset, a public one in a private namespace.
  const haveReaders = kind === 'namespace' || !isPublic || !namespaces.every(isPublicRecord);
  const names = haveReaders ? ['readers', 'owners'] : ['owners'];
  return names.some((name) =>
    listOf(fields[name]).some((one) => !listOf(other[name]).some((two) => isJsonEqual(one, two))),
  );
}

/** True if the record of a namespace or dataset says that everybody may see it; false if it can't be parsed. */
export const isPublicRecord = (fields: Fields | null): boolean =>
  fields !== null && (fields.visibility === undefined || fields.visibility === 'public');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** True if the data of a version are served by its record. */
export const isServed = ({ ready, draft }: Fields): boolean => ready !== false && draft !== true;
