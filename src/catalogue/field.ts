/**
 * A field: a row of the table in `fields.ts`. `field-types.ts` has the constructors by which the rows are written. What a
 * type means stands in one table of each consumer: `represent.ts`, `input.ts`, `filters.ts`, `server/metadata.ts`,
 * `remote/read.ts`, `cli/fields.ts`.
 */
import type { Kind } from './types.ts';

/** A JSON Schema (draft 2020-12), as far as the schemas of the files need it. */
export interface Schema {
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly default?: unknown;
}

/** Traits of a field besides its type and its description. */
export interface FieldTraits {
  /** Label; by default the name, in words. */
  readonly title?: string;
  /** Never shown by the API: only the catalogue itself needs it. */
  readonly internal?: true;
  /** Shown to the user whom it concerns, and to staff. */
  readonly personal?: true;
  /** Users may write it in their own record; the other fields of a user are written by staff. */
  readonly own?: true;
  /** A search looks in it. */
  readonly search?: true;
  /** Lists can be ordered by it. */
  readonly order?: true;
  /** Lists can be filtered by it, under the singular of its name. A text is the help of the option of `catalogue … list`. */
  readonly filter?: true | string;
  /** In the answer to OPTIONS: has its description as help text, or is left out. (Recorded so.) */
  readonly metadata?: 'help' | 'absent';
}

/** Types of value that a client may write. */
export type InputType =
  | 'text'
  | 'image'
  | 'choice'
  | 'boolean'
  | 'list'
  | 'links'
  | 'link'
  | 'columns'
  | 'json'
  | 'slug'
  | 'username'
  | 'password';

/** Types of value that only the catalogue or a file sets. */
export type OutputType = 'integer' | 'numbers' | 'datetime' | 'object' | 'versions' | 'url';

interface Common extends FieldTraits {
  readonly description: string;
  /**
   * Source of the value: the record's file; the path of the file, as a part of the reference; other records or other
   * keys, computed in `entities.ts` and `snapshot.ts`; the reference, written as an address in `represent.ts`. A secret
   * is written and never read.
   */
  readonly source: 'file' | 'path' | 'derived' | 'address' | 'secret';
  readonly schema: Schema;
  /** Nothing is created without it. */
  readonly required?: true;
  /** Value of a record whose file lacks the key. Undefined if the key is required, or the value is computed then. */
  readonly default?: unknown;
  /** From the value in the file to the value in the entity, where they differ. */
  readonly toValue?: (stored: never) => unknown;
  /** Kind of the entity that the value, or each of its items, names. */
  readonly link?: Kind;
  /** Path of an address below that of the entity: `data/`. */
  readonly below?: string;
  /** Stands for a choice that this program doesn't know: a newer server may send one. */
  readonly fallback?: string;
}

export type Field = Common &
  ({ readonly type: InputType; readonly readOnly?: true } | { readonly type: OutputType; readonly readOnly: true });
export type NamedField = Field & { readonly name: string; readonly title: string };
export type Fields = Readonly<Record<string, Field>>;

/** A field with the types of its value in an entity and in a file; never where it is in none. */
export type FieldOf<Value, Stored = Value> = Field & {
  readonly types?: { readonly value: Value; readonly stored: Stored };
};
export type ValueOf<F> = F extends { readonly types?: { readonly value: infer Value } } ? Value : never;
export type StoredOf<F> = F extends { readonly types?: { readonly stored: infer Stored } } ? Stored : never;

/** The values of fields in an entity. */
export type Values<F> = { readonly [Name in keyof F as Filled<Name, ValueOf<F[Name]>>]: ValueOf<F[Name]> };
/** The values of fields in a file, in which keys of other names may stand as well. */
export type Stored<F> = {
  readonly [Name in keyof F as F[Name] extends RequiredField ? Filled<Name, StoredOf<F[Name]>> : never]: StoredOf<
    F[Name]
  >;
} & {
  readonly [Name in keyof F as F[Name] extends RequiredField ? never : Filled<Name, StoredOf<F[Name]>>]?: StoredOf<
    F[Name]
  >;
} & Readonly<Record<string, unknown>>;

type Filled<Name, Value> = [Value] extends [never] ? never : Name;
export interface RequiredField {
  readonly required: true;
}

/** A label from a machine name: "Height m" for `height_m`. */
export function labelFor(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}

/** Fields with their names and titles, in their order. */
export const withNames = (fields: Fields): readonly NamedField[] =>
  Object.entries(fields).map(([name, field]) => ({ title: labelFor(name), ...field, name }));

/** Adds the values of fields to an object: those that a record's file says, and the defaults of the others. */
export function fillFields<T extends Record<string, unknown>>(
  object: T,
  fields: readonly NamedField[],
  record: Readonly<Record<string, unknown>>,
): T {
  const values: Record<string, unknown> = object;
  for (const { name, source, default: value, toValue } of fields) {
    // A file may have keys that the schema doesn't know, also of the name of a derived field.
    const stored = source === 'file' ? record[name] : undefined;
    values[name] = stored === undefined ? value : toValue ? toValue(stored as never) : stored;
  }
  return object;
}

/** The schema of an object that has the fields as its keys. */
export function objectSchema(fields: readonly NamedField[], head: Schema = {}): Schema {
  const stored = fields.filter(({ source }) => source === 'file');
  const required = stored.filter((field) => field.required).map(({ name }) => name);
  return {
    ...head,
    type: 'object',
    ...(required.length && { required }),
    properties: Object.fromEntries(
      stored.map(({ name, title, description, schema }) => [name, { title, description, ...schema }]),
    ),
  };
}
