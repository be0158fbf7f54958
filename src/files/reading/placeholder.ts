/** Entities in place of records that are broken: their last valid state, or one that shows no more than the record may allow. */
import { datasetFromRecord, namespaceFromRecord } from '../../catalogue/entities.ts';
import type { Unit } from '../../catalogue/layout.ts';
import type { UnitReading } from '../../catalogue/snapshot.ts';
import type { Dataset, Namespace, Version } from '../../catalogue/types.ts';

/**
 * Namespace in place of a broken record that has never been valid, so that its datasets are served, under the name of
 * the folder. It is private if the record may say so.
 */
function placeholderNamespace(slug: string, text: string): Namespace {
  return namespaceFromRecord(slug, { label: slug, visibility: mayBePrivate(text) ? 'private' : 'public' });
}

/** True if a broken record may say `visibility: private`. One that can't be read (text '', or with U+FFFD) may. */
export const mayBePrivate = (text: string): boolean => text === '' || /visib|priv|\ufffd/i.test(text);

/**
 * Private dataset in place of a broken record that has never been valid, if the record may say that it is private:
 * without a dataset, its files, their diagnostics and its queries would be visible to everybody. Undefined otherwise.
 */
export function placeholderDataset(namespace: string, slug: string, text: string): Dataset | undefined {
  return mayBePrivate(text) ? datasetFromRecord(namespace, slug, { label: slug, visibility: 'private' }) : undefined;
}

/**
 * A line `visibility:` with another value than `public`, also a misspelled one, also in one side of a merge conflict only; or
 * `visibility: private` anywhere, as in JSON or in a line with a wrong indentation.
 */
const namesOtherVisibility =
  /(?:^|[\n\r])["']?visib\w*["']?\s*:(?!\s*["']?public\b)|[\s{,"']visib\w*["']?\s*:\s*["']?priv/i;

/** A line of YAML, or a member of JSON, by which the data of a version are not served. */
const saysUnserved =
  /(?:^|[\n\r{,])[ \t]*["']?(?:ready["']?\s*:\s*(?:false|no|off)|draft["']?\s*:\s*(?:true|yes|on))\b/i;

/** True if a text fits a pattern, after the mark by which it may begin: a byte order mark, or what is left of one that isn't UTF-8. */
const says = (text: string, pattern: RegExp): boolean => pattern.test(text.replace(/^[\ufeff\ufffd]+/, ''));

/**
 * The last valid state of a namespace or dataset whose record is broken. It is private if the text of the record says so, as
 * after a merge in conflict: what was added to it since may be private, too. Its readers aren't known then.
 */
export function heldContainer<Entity extends Dataset | Namespace>(last: Entity, text: string): Entity {
  if (last.visibility === 'private' || !says(text, namesOtherVisibility)) return last;
  return { ...last, visibility: 'private', readers: [] };
}

/** The entity of a unit whose record is broken, other than a dataset: the last valid one, if there is one. */
export function heldEntity(unit: Unit, last: UnitReading['entity'], text: string): UnitReading['entity'] {
  if (unit.kind !== 'namespace') return last;
  return last ? heldContainer(last as Namespace, text) : placeholderNamespace(unit.slug, text);
}

/** The last valid state of a version whose record is broken. It is not ready if the text of the record says so. */
export function heldVersion(last: Version | undefined, text: string): Version | undefined {
  return last?.ready && says(text, saysUnserved) ? { ...last, ready: false, withdrawn: true } : last;
}
