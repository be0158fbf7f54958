/** A conflict field by field: what was there, what is here and what is there, and who changed it. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Side } from './files.ts';

export interface FieldConflict {
  /** `label`, `keywords`, `columns.height.unit`: items of a list that have names are known by them. */
  readonly field: string;
  /** Undefined where it hadn't the field. */
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
  /** Who changed it, as far as that is known. */
  readonly changedBy: Side | 'both';
}

/** Reads a record's text; null where it can't be read. */
export type Parse = (path: string, text: string) => Readonly<Record<string, unknown>> | null;

/** What a record says at each side; null where it isn't there, or can't be read. */
export interface Versions {
  readonly base: Readonly<Record<string, unknown>> | null;
  readonly ours: Readonly<Record<string, unknown>> | null;
  readonly theirs: Readonly<Record<string, unknown>> | null;
}

/**
 * The fields in which the two sides differ; none where only comments or layout do, or where a side has no record to
 * compare.
 */
export function fieldConflicts({ base, ours, theirs }: Versions): readonly FieldConflict[] {
  if (ours === null || theirs === null) return [];
  const [was, here, there] = [flat(base ?? {}), flat(ours), flat(theirs)];
  return [...new Set([...here.keys(), ...there.keys()])].flatMap((field) => {
    const [before, mine, others] = [was.get(field), here.get(field), there.get(field)];
    if (isDeepStrictEqual(mine, others)) return [];
    const changedBy =
      base === null
        ? 'both'
        : isDeepStrictEqual(mine, before)
          ? 'theirs'
          : isDeepStrictEqual(others, before)
            ? 'ours'
            : 'both';
    return [{ field, base: before, ours: mine, theirs: others, changedBy }];
  });
}

/** Names of the uppermost fields that differ. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** The values of a record by the way to them. */
function flat(record: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const add = (name: string, value: unknown) => {
    const parts = partsOf(value);
    if (parts) for (const [part, item] of parts) add(name === '' ? part : `${name}.${part}`, item);
    else fields.set(name, value);
  };
  add('', record);
  return fields;
}

/** What a value is made of, by names; null of one that is a whole. */
function partsOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return Object.entries(value);
  const names = value.map((item) => item?.name);
  if (value.length === 0 || names.some((name) => typeof name !== 'string') || new Set(names).size < names.length)
    return null;
  return value.map(({ name, ...item }) => [name, item]);
}
