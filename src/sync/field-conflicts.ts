/** Field-by-field comparison of a record's local, remote and last common value. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Side } from './files.ts';

/** Content of a record by field. */
export type RecordFields = Readonly<Record<string, unknown>>;

export interface FieldConflict {
  /** `label`, `keywords`, `columns.height.unit`: list items that have names are identified by them. */
  readonly field: string;
  /** Value in the last common state; undefined if it lacked the field, as for `ours` and `theirs`. */
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
  /** The side that changed it; `both` also if the last common state is unknown. */
  readonly changedBy: Side | 'both';
}

/** A record on each side and in the last common state; null if it is missing or unreadable. */
export interface RecordVersions {
  readonly base: RecordFields | null;
  readonly ours: RecordFields | null;
  readonly theirs: RecordFields | null;
}

/** Fields in which the two sides differ; none if only comments or layout differ, or if a side has no record. */
export function compareFieldsOfSides({ base, ours, theirs }: RecordVersions): readonly FieldConflict[] {
  if (ours === null || theirs === null) return [];
  const [baseFields, localFields, remoteFields] = [flatten(base ?? {}), flatten(ours), flatten(theirs)];
  return [...new Set([...localFields.keys(), ...remoteFields.keys()])].flatMap((field) => {
    const [before, local, remote] = [baseFields.get(field), localFields.get(field), remoteFields.get(field)];
    if (isDeepStrictEqual(local, remote)) return [];
    const changedBy =
      base === null
        ? 'both'
        : isDeepStrictEqual(local, before)
          ? 'theirs'
          : isDeepStrictEqual(remote, before)
            ? 'ours'
            : 'both';
    return [{ field, base: before, ours: local, theirs: remote, changedBy }];
  });
}

/** Names of the top-level fields that differ. */
export function changedFields(before: RecordFields, after: RecordFields): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]));
}

/** The values of a record by their paths, such as `columns.height.unit`. */
function flatten(record: RecordFields): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const add = (name: string, value: unknown) => {
    const members = membersOf(value);
    if (members) for (const [member, item] of members) add(name === '' ? member : `${name}.${member}`, item);
    else fields.set(name, value);
  };
  add('', record);
  return fields;
}

/** Members of an object, or of a list of named items, by name; null for a value that is compared as a whole. */
function membersOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return Object.entries(value);
  const names = value.map((item) => item?.name);
  if (value.length === 0 || names.some((name) => typeof name !== 'string') || new Set(names).size < names.length)
    return null;
  return value.map(({ name, ...item }) => [name, item]);
}
