/** A quick check of values against a schema, without its errors: most records are valid, and need no validator. */
import type { Schema } from './field.ts';

/** True if a value fits; false if it doesn't, or the check can't tell. */
export type Check = (value: unknown) => boolean;

const never: Check = () => false;

const typeChecks: Readonly<Record<string, Check>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

type Keyword<Operand> = (operand: Operand, schema: Schema) => Check | null;

/** A keyword that applies to values of one type, and accepts all others. */
const ofText = (fits: (text: string) => boolean) => (value: unknown) => typeof value !== 'string' || fits(value);
const ofNumber = (fits: (number: number) => boolean) => (value: unknown) => typeof value !== 'number' || fits(value);
const ofList = (fits: (list: readonly unknown[]) => boolean) => (value: unknown) =>
  !Array.isArray(value) || fits(value);
const ofObject = (fits: (object: Readonly<Record<string, unknown>>) => boolean) => (value: unknown) =>
  !typeChecks.object?.(value) || fits(value as Readonly<Record<string, unknown>>);

/** Number of characters: surrogate pairs are one. */
const lengthOf = (text: string) => [...text].length;

/** The check of each keyword; null for one that refuses nothing. */
const keywords: { readonly [Name in keyof Schema]-?: Keyword<Exclude<Schema[Name], undefined>> } = {
  $id: () => null,
  title: () => null,
  description: () => null,
  default: () => null,
  type(names) {
    const checks = [names].flat().map((name) => typeChecks[name] ?? never);
    const [only = never] = checks;
    return checks.length === 1 ? only : (value) => checks.some((fits) => fits(value));
  },
  enum: (choices) => (value) => choices.includes(value as string),
  pattern(source) {
    const pattern = new RegExp(source, 'u');
    return ofText((text) => pattern.test(text));
  },
  // A character has one or two units of a string.
  minLength: (least) => ofText((text) => text.length >= 2 * least - 1 || lengthOf(text) >= least),
  maxLength: (most) => ofText((text) => text.length <= most || lengthOf(text) <= most),
  minimum: (least) => ofNumber((number) => number >= least),
  maximum: (most) => ofNumber((number) => number <= most),
  items(schema) {
    const fits = makeSchemaCheck(schema);
    return ofList((list) => list.every(fits));
  },
  minItems: (least) => ofList(({ length }) => length >= least),
  maxItems: (most) => ofList(({ length }) => length <= most),
  // Objects may be equal and not the same.
  uniqueItems: (isWanted) =>
    ofList(
      (list) => !isWanted || (list.every((item) => typeof item === 'string') && new Set(list).size === list.length),
    ),
  required: (names) => ofObject((object) => names.every((name) => object[name] !== undefined)),
  properties(schemas) {
    // Each is made when it is first needed: a command reads a few records, and they have few of the properties.
    const checks = new Map<string, Check>();
    const checkOf = (name: string): Check | undefined => {
      const known = checks.get(name);
      if (known || !Object.hasOwn(schemas, name)) return known;
      const made = makeSchemaCheck(schemas[name] as Schema);
      checks.set(name, made);
      return made;
    };
    return ofObject((object) => {
      for (const name in object) {
        const value = object[name];
        if (value !== undefined && checkOf(name)?.(value) === false) return false;
      }
      return true;
    });
  },
  maxProperties: (most) => ofObject((object) => Object.keys(object).length <= most),
  additionalProperties(schema, { properties = {} }) {
    if (schema === true) return null;
    const fits = schema === false ? never : makeSchemaCheck(schema);
    const known = new Set(Object.keys(properties));
    return ofObject((object) => Object.keys(object).every((name) => known.has(name) || fits(object[name])));
  },
  anyOf(schemas) {
    const checks = schemas.map(makeSchemaCheck);
    return (value) => checks.some((fits) => fits(value));
  },
};

/** Makes the check of a schema. One with an unknown keyword accepts nothing. */
export function makeSchemaCheck(schema: Schema): Check {
  const checks: Check[] = [];
  for (const [name, operand] of Object.entries(schema)) {
    const keyword = keywords[name as keyof Schema] as Keyword<unknown> | undefined;
    const check = keyword ? keyword(operand, schema) : never;
    if (check) checks.push(check);
  }
  const [only] = checks;
  if (only && checks.length === 1) return only;
  return (value) => {
    for (const fits of checks) if (!fits(value)) return false;
    return true;
  };
}
