/** Fields in which two records differ. */

/** A field in which two records differ. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Keys that aren't compared: parts of the name, lists with differences of their own, and values of other records. */
const skipped: readonly string[] = ['kind', 'namespace', 'slug', 'columns', 'versions', 'members'];

/**
 * The fields in which two records of a kind differ, in the order of the second.
 * @param except fields that aren't compared
 */
export function fieldChanges(before: object, after: object, except: readonly string[] = []): readonly FieldChange[] {
  const [old, now] = [before, after] as readonly [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !skipped.includes(field) && !except.includes(field) && !isEqual(old[field], now[field]))
    .map((field) => ({ field, from: old[field] ?? null, to: now[field] ?? null }));
}

/** True if two JSON values are equal, in whatever order their keys stand. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a, b] as readonly [Record<string, unknown>, Record<string, unknown>];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}
