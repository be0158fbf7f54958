/** Types of records, derived from the table of fields; and the proof that the table agrees with `types.ts`. */
import type { Stored, Values } from './field.ts';
import type { fields } from './fields.ts';
import type { Refs } from './ref.ts';
import type { RecordKind } from './schemas.ts';
import type { Column, Entities, Kind, Settings } from './types.ts';

/** The record in a file of a kind, as it stands there: no defaults filled in. */
export type RecordOf<K extends RecordKind> = Stored<(typeof fields)[K]>;

/** Kinds of entities that are made of records. */
export type EntityKind = Exclude<Kind, 'file'>;

/** Compiles only if the values of the fields are those of the interfaces; the error names the fields that differ. */
export type Agreement = None<
  | { readonly [K in EntityKind]: `${K}.${Difference<K, Omit<Entities[K], keyof Refs[K]>>}` }[EntityKind]
  | `settings.${Difference<'settings', Settings>}`
  | `column.${Difference<'column', Column>}`
>;

type None<Names extends never> = Names;
type Difference<K extends keyof typeof fields, Interface> = Differing<Values<(typeof fields)[K]>, Interface>;
type Differing<A, B> = {
  [Name in keyof A | keyof B]: Name extends keyof A & keyof B
    ? Same<A[Name], B[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof A | keyof B] &
  string;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
