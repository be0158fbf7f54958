/**
 * What the files say, as types that follow from the schemas. Apart from `types.ts`, which programs see: what a type is
 * derived with is needed to compile, and not by whoever uses the package.
 */
import type { FromSchema } from 'json-schema-to-ts';
import type { RecordKind, schemas } from './schemas.ts';

/** What a file of each kind says, as it stands in the file: nothing filled in. */
export type Records = {
  [K in RecordKind]: FromSchema<(typeof schemas)[K], { keepDefaultedPropertiesOptional: true }>;
};
export type RecordOf<K extends RecordKind> = Records[K];
