/**
 * A field: a row of the table in `fields.ts`. The constructors of rows are in `field-types.ts`. Each of these modules has
 * one table that says how it handles each type: `fields.ts` (shapes), `represent.ts`, `input.ts`, `filters.ts`,
 * `server/metadata.ts`, `remote/read.ts`, `cli/fields.ts`.
 */
import type { Kind } from './types.ts';

/** A JSON Schema (draft 2020-12), as far as the schemas of the files and of a remote's answers need it. */
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
  readonly maxProperties?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
}

/** Traits of a field, in addition to its type and its description. */
export interface FieldTraits {
  /** Label; by default derived from the name. */
  readonly title?: string;
  /** Never in the API, only used by the catalogue itself. */
  readonly internal?: true;
  /** Left out of the API if it is an empty list or object. */
  readonly sparse?: true;
  /** Shown only to the user of the record and to staff. */
  readonly personal?: true;
  /** Users may write it in their own record; only staff may write other fields of a user. */
  readonly own?: true;
  /** Searches include it. */
  readonly search?: true;
  /** Lists can be ordered by it. */
  readonly order?: true;
  /** Lists can be filtered by it, by the singular of its name. A text is the help of an option of `catalogue … list`. */
  readonly filter?: true | string;
  /** Meaning that `check` expects of a text (`meaning.ts`). */
  readonly meaning?: 'licence' | 'homepage' | 'contact' | 'email' | 'language' | 'accent' | 'date' | 'slug';
  /** In the response to OPTIONS, as recorded: with the description as help text, or left out. */
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
  | 'reading'
  | 'slug'
  | 'username'
  | 'password'
  | 'secret';

/** Types of value that only the catalogue or a file sets. */
export type OutputType = 'integer' | 'numbers' | 'datetime' | 'object' | 'versions' | 'url';

interface Common extends FieldTraits {
  readonly description: string;
  /**
   * Source of the value. `file`: the record's file. `path`: the path of the file, as a part of the reference. `derived`:
   * other records or keys, computed in `entities.ts` and `snapshot.ts`. `address`: the reference, from which
   * `represent.ts` makes a URL. `secret`: none, since the value is written and never read.
   */
  readonly source: 'file' | 'path' | 'derived' | 'address' | 'secret';
  readonly schema: Schema;
  /** Required to create a record. */
  readonly required?: true;
  /** Value if the file lacks the key; undefined if the key is required, or the value is then computed. */
  readonly default?: unknown;
  /** Converts the value in the file to the value in the entity; absent if they are the same. */
  readonly toValue?: (stored: never) => unknown;
  /** Kind of the entity that the value, or each of its items, refers to. */
  readonly link?: Kind;
  /** Second kind that the items may refer to; their values then begin with it: `user:ann`. */
  readonly otherLink?: 'user';
  /** Path below the URL of the entity: `data/`. */
  readonly below?: string;
  /** Replaces an unknown choice, which a newer server may send. */
  readonly fallback?: string;
}

export type Field = Common &
  ({ readonly type: InputType; readonly readOnly?: true } | { readonly type: OutputType; readonly readOnly: true });
export type NamedField = Field & { readonly name: string; readonly title: string };
export type Fields = Readonly<Record<string, Field>>;

/** A field with the types of its value in an entity and in a file; `never` if it is not there. */
export type FieldOf<Value, Stored = Value> = Field & {
  readonly types?: { readonly value: Value; readonly stored: Stored };
};
export type ValueOf<F> = F extends { readonly types?: { readonly value: infer Value } } ? Value : never;
export type StoredOf<F> = F extends { readonly types?: { readonly stored: infer Stored } } ? Stored : never;

/** The values of fields in an entity. */
export type Values<F> = { readonly [Name in keyof F as Filled<Name, ValueOf<F[Name]>>]: ValueOf<F[Name]> };
/** The values of fields in a file, which may also have other keys. */
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
export function labelFromName(name: string): string {
  // The hyphens of dates and months stay.
  const words = name
    .replace(/(?<!\d)\d{4}-\d{2}(?:-\d{2})?(?!\d)|[_-]+/g, (part) => (/^\d/.test(part) ? part : ' '))
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : name;
}

/** Fields with their names and titles, in their order. */
export const fieldsWithNames = (fields: Fields): readonly NamedField[] =>
  Object.entries(fields).map(([name, field]) => ({ title: labelFromName(name), ...field, name }));

/**
 * An object with these keys, all null, to be copied by spreading. V8 keeps copies as compact as instances of a class; an
 * object that is given more than some twelve keys one by one becomes a hash table, four times as large.
 */
export const makeTemplate = (keys: readonly string[]): Readonly<Record<string, unknown>> =>
  JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));

/** Adds the values of fields to an object: from the record, or else their defaults. */
export function fillFieldsFromRecord<T extends Record<string, unknown>>(
  object: T,
  fields: readonly NamedField[],
  record: Readonly<Record<string, unknown>>,
): T {
  const values: Record<string, unknown> = object;
  for (const { name, source, default: value, toValue } of fields) {
    // A file may have unknown keys, even with the name of a derived field.
    const stored = source === 'file' ? record[name] : undefined;
    values[name] = stored === undefined ? value : toValue ? toValue(stored as never) : stored;
  }
  return object;
}

/** The schema of an object that has the fields as its keys. */
export function schemaOfFields(fields: readonly NamedField[], head: Schema = {}): Schema {
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
