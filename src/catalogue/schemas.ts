/**
 * The JSON Schemas (draft 2020-12) of the files in a catalogue folder, made of the table of fields.
 *
 * Unknown keys are allowed everywhere: a file belongs to the people who write it, and an edit keeps what it doesn't know.
 */
import { objectSchema, type Schema } from './field.ts';
import { type FieldsKind, fieldsOf } from './fields.ts';

/** Kinds of files. */
export type RecordKind = Exclude<FieldsKind, 'column'>;

/** The schema of a kind of file. */
export interface FileSchema extends Schema {
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
}

const schemaOf = (kind: RecordKind, $id: string, title: string, description: string) =>
  objectSchema(fieldsOf(kind), { $id, title, description }) as FileSchema;

/** The schema of each kind of file, by the kind's name. */
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
  user: schemaOf('user', 'user.json', 'User', 'users/<username>.yaml: a person. Passwords and tokens lie elsewhere.'),
};
