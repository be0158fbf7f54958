/** Which fields of a record have another value. */

export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What the name says, what is told in other ways, and what follows from other records. */
const unsaid: readonly string[] = ['kind', 'namespace', 'slug', 'columns', 'versions', 'members'];

/**
 * The fields in which two records of a kind differ, in the order of the second.
 * @param besides fields that aren't compared
 */
export function fieldChanges(before: object, after: object, besides: readonly string[] = []): readonly FieldChange[] {
  const [old, now] = [before, after] as readonly [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !unsaid.includes(field) && !besides.includes(field) && !same(old[field], now[field]))
    .map((field) => ({ field, from: old[field] ?? null, to: now[field] ?? null }));
}

/** Whether two values, as records hold them, are the same whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a, b] as readonly [Record<string, unknown>, Record<string, unknown>];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
  );
}
