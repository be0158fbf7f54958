/** Shapes: JSON Schemas with the type of the values that they admit, and the check of an answer against one. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { UnreachableError } from '../catalogue/errors.ts';
import type { Schema } from '../catalogue/field.ts';
import { type Check, makeSchemaCheck } from '../catalogue/schema-check.ts';
import { compileSchema } from '../catalogue/schema-validator.ts';
import { outlineOfJson } from '../text/json.ts';

/** A JSON Schema (draft 2020-12) of values of a type. `Value` is known to the compiler only. */
export interface Shape<Value> {
  readonly schema: Schema;
  readonly isOptional?: boolean;
  readonly value?: Value;
}

type Members = Readonly<Record<string, Shape<unknown>>>;
type ValuesOf<M extends Members> = {
  readonly [Name in keyof M]: M[Name] extends Shape<infer Value> ? Value : never;
};

export const shape = <Value>(schema: Schema): Shape<Value> => ({ schema });
export const textShape = shape<string>({ type: 'string' });
export const wholeNumberShape = shape<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const timeOfDay = String.raw`(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00(?:\.0+)?)?)`;
/** A time of ISO 8601 that JavaScript reads. */
export const timeShape = shape<string>({
  type: 'string',
  pattern: String.raw`^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T${timeOfDay}(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$`,
});
/** An object with any members. */
export const anyObjectShape = shape<Readonly<Record<string, unknown>>>({ type: 'object' });

/** A member that may be null or missing. */
export const optional = <Value>({ schema }: Shape<Value>): Shape<Value | null | undefined> => ({
  schema: { anyOf: [schema, { type: 'null' }] },
  isOptional: true,
});

export const listShape = <Value>({ schema }: Shape<Value>): Shape<readonly Value[]> =>
  shape({ type: 'array', items: schema });

/** An object with these members, and others, which a newer server may add. */
export function objectShape<M extends Members>(members: M): Shape<ValuesOf<M>> {
  const all = Object.entries(members);
  return shape({
    type: 'object',
    required: all.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
  });
}

const checks = new WeakMap<Shape<unknown>, Check>();
const validators = new WeakMap<Shape<unknown>, ValidateFunction>();

/** The value, if it has the shape. @throws UnreachableError */
export function valueOfShape<Value>(expected: Shape<Value>, value: unknown): Value {
  const fits = checks.get(expected) ?? makeSchemaCheck(expected.schema);
  checks.set(expected, fits);
  if (fits(value)) return value as Value;
  const validate = validators.get(expected) ?? compileSchema(expected.schema);
  validators.set(expected, validate);
  if (validate(value)) return value as Value;
  const { instancePath = '', params = {} } = validate.errors?.[0] ?? {};
  const { missingProperty } = params as { missingProperty?: string };
  throw unexpectedResponseFieldError([instancePath.slice(1), missingProperty].filter(Boolean).join('/'));
}

/** Longest place that a message names: keys come from the server. */
const longestPlace = 100;

/** The error for a value that no catalogue sends. @param place of the value: `results/0/label`; '' for all of the answer */
export function unexpectedResponseFieldError(place: string): UnreachableError {
  const what = place === '' ? 'the answer' : `"${place.slice(0, longestPlace)}"`;
  return new UnreachableError(
    `The remote answers as no catalogue does: ${what} isn't what it should be. Check the address.`,
  );
}

/** The deepest nesting that is read. Records are nested less (`text/tree.ts`), and so are geometries. */
const maxDepth = 100;

/**
 * The value of a JSON text.
 * @throws SyntaxError; UnreachableError for a nesting with which later work would exceed the stack
 */
export function parseUntrustedJson(text: string): unknown {
  if (outlineOfJson(text).depth > maxDepth) throw unexpectedResponseFieldError('');
  return JSON.parse(text);
}
