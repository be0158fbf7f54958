/** Fields of an input as a record stores them. Pure. */
import type { WritableKind } from '../../catalogue/catalogue.ts';
import { isJsonEqual } from '../../catalogue/changes.ts';
import { fieldNamed } from '../../catalogue/fields.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { schemas } from '../../catalogue/schemas.ts';

export type RecordFields = Readonly<Record<string, unknown>>;

/** Keys of a record in their order. */
export const recordKeyOrder = (kind: WritableKind): readonly string[] => Object.keys(schemas[kind].properties);

/** The fields that are stored in the record itself: others make its path, or are stored in other records. */
export function storedFields(kind: WritableKind, fields: RecordFields): RecordFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => recordKeyOrder(kind).includes(name)));
}

/** Fields without empty texts and lists: an absent field means the same. */
export function omitEmpty(fields: RecordFields): RecordFields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) =>
        value !== '' && !(Array.isArray(value) && value.length === 0) && !(name === 'reading' && isEmptyObject(value)),
    ),
  );
}

/** Fields without those that have their default values and aren't in the record: they would change nothing. */
export function withoutAbsentDefaults(kind: WritableKind, fields: RecordFields, record: RecordValue): RecordFields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => record[name] !== undefined || !isJsonEqual(value, fieldNamed(kind, name)?.default),
    ),
  );
}

export const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
