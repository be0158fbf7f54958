/** Validation of records against their schemas. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { type Check, makeSchemaCheck } from '../../catalogue/schema-check.ts';
import { compileSchema } from '../../catalogue/schema-validator.ts';
import { type RecordKind, type RecordOf, schemas } from '../../catalogue/schemas.ts';
import { explainSchemaError, findMisspelledHiding, type SchemaDiagnostic } from '../../catalogue/validators.ts';

/** Maximum number of errors that are reported for one record. */
const maxErrors = 50;

const checks = new Map<RecordKind, Check>();

/**
 * Validates the contents of a file against the schema of its kind.
 * @returns the record, typed; or the first fifty errors
 */
export function validateRecord<K extends RecordKind>(
  kind: K,
  value: unknown,
): { readonly value: RecordOf<K> } | { readonly errors: readonly SchemaDiagnostic[] } {
  const known = typeof value === 'object' && value !== null ? validated.get(value) : undefined;
  const errors = known?.kind === kind ? known.errors : findSchemaErrors(kind, value);
  return errors.length === 0 ? { value: value as RecordOf<K> } : { errors };
}

function findSchemaErrors(kind: RecordKind, value: unknown): readonly SchemaDiagnostic[] {
  const isValid = checks.get(kind) ?? makeSchemaCheck(schemas[kind]);
  checks.set(kind, isValid);
  if (isValid(value)) return findMisspelledHiding(kind, value as Readonly<Record<string, unknown>>);
  const validate = validatorOf(kind);
  return validate(value) ? [] : (validate.errors ?? []).slice(0, maxErrors).map(explainSchemaError);
}

/** Results that are known: of another thread, or of a text that is being written. */
const validated = new WeakMap<object, { readonly kind: RecordKind; readonly errors: readonly SchemaDiagnostic[] }>();

/** Remembers the errors of a value that was validated. */
export function rememberSchemaErrors(kind: RecordKind, value: object, errors: readonly SchemaDiagnostic[]): void {
  validated.set(value, { kind, errors });
}

const validators = new Map<RecordKind, ValidateFunction>();

function validatorOf(kind: RecordKind): ValidateFunction {
  const known = validators.get(kind);
  if (known) return known;
  const validate = compileSchema(schemas[kind], { allErrors: true, verbose: true });
  validators.set(kind, validate);
  return validate;
}
