/**
 * JSON Schemas (draft 2020-12) and types of records, both made from the table of fields. Unknown keys are allowed
 * everywhere: a file belongs to the people who write it, and an edit keeps the keys that it doesn't know.
 */
import { type Schema, type Stored, schemaOfFields, type Values } from './field.ts';
import { type FieldsKind, type fields, fieldsOf } from './fields.ts';
import type { Refs } from './ref.ts';
import type { Column, Entities, Kind, Settings } from './types.ts';

/** Kinds of record files. */
export type RecordKind = Exclude<FieldsKind, 'column'>;

/** Schema of a kind of record file. */
export interface FileSchema extends Schema {
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
}

const schemaOf = (kind: RecordKind, $id: string, title: string, description: string) =>
  schemaOfFields(fieldsOf(kind), { $id, title, description }) as FileSchema;

/** Schemas, keyed by kind. */
export const schemas: { readonly [K in RecordKind]: FileSchema } = {
  settings: schemaOf(
    'settings',
    'catalogue.json',
    'Catalogue settings',
    'catalogue.yaml: what the catalogue is called and how it is served.',
  ),
  namespace: schemaOf(
    'namespace',
    'namespace.json',
    'Namespace',
    'namespaces/<slug>/namespace.yaml: who publishes a group of datasets.',
  ),
  dataset: schemaOf(
    'dataset',
    'dataset.json',
    'Dataset',
    'namespaces/<namespace>/datasets/<slug>/dataset.yaml: one dataset.',
  ),
  version: schemaOf(
    'version',
    'version.json',
    'Version',
    'namespaces/<namespace>/datasets/<dataset>/versions/<slug>.yaml: one snapshot of the data.',
  ),
  query: schemaOf('query', 'query.json', 'Query', 'queries/<slug>.yaml: a saved question about one dataset.'),
  group: schemaOf('group', 'group.json', 'Group', 'groups/<slug>.yaml: people who own namespaces together.'),
  user: schemaOf('user', 'user.json', 'User', 'users/<username>.yaml: a person. Passwords and tokens are not in it.'),
};

/** A record as it is written in its file: without defaults. */
export type RecordOf<K extends RecordKind> = Stored<(typeof fields)[K]>;

/** Kinds of entities that are made from records. */
export type EntityKind = Exclude<Kind, 'file'>;

/** Makes the compiler compare the table of fields with the interfaces in `types.ts`; an error names fields that differ. */
export type Agreement = AssertNone<
  | { readonly [K in EntityKind]: `${K}.${DifferingFields<K, Omit<Entities[K], keyof Refs[K]>>}` }[EntityKind]
  | `settings.${DifferingFields<'settings', Settings>}`
  | `column.${DifferingFields<'column', Column>}`
>;

type AssertNone<Names extends never> = Names;
type DifferingFields<K extends keyof typeof fields, Interface> = DifferingKeys<Values<(typeof fields)[K]>, Interface>;
type DifferingKeys<A, B> = {
  [Name in keyof A | keyof B]: Name extends keyof A & keyof B
    ? IsSameType<A[Name], B[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof A | keyof B] &
  string;
type IsSameType<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
