/** Errors of records that don't fit their schemas, in messages that say what to write. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import { closestWord } from './closest.ts';
import type { Diagnostic } from './diagnostic.ts';
import { excerpt } from './errors.ts';
import type { Schema } from './field.ts';
import { type RecordKind, schemas } from './schemas.ts';

/** One error in a record. The pointer leads to the value, or to the object that lacks a key. */
export type SchemaDiagnostic = Pick<Diagnostic, 'pointer' | 'message'>;

/**
 * Finds keys of a record that are not in its schema and look like misspelled ones; in the settings, all that are not in it.
 * @returns a diagnostic for each, with the key that was probably meant
 */
export function findMisspelledKeys(
  kind: RecordKind,
  value: Readonly<Record<string, unknown>>,
): readonly SchemaDiagnostic[] {
  return hasUnknownKeys(schemas[kind], value) ? [...unknownKeys(schemas[kind], value, '', kind === 'settings')] : [];
}

/** Values by which a key hides a record, by the name of the key. */
const hidingValues: Readonly<Record<string, (value: unknown) => boolean>> = {
  visibility: (value) => typeof value === 'string' && value !== 'public',
  ready: (value) => value === false || /^(no|off|false)$/i.test(String(value)),
  draft: (value) => value === true || /^(yes|on|true)$/i.test(String(value)),
};

/** The merge key of YAML 1.1, which many programs still read. */
const mergeKey = '<<';
const mergeKeyMessage = '"<<" merges nothing here: YAML 1.2 has no merge keys. Write the fields out.';

/**
 * Finds keys of a valid record that look like misspelled ones by which it is to be hidden: `Visibility: private`; and a merge key with
 * such a field. They are errors, since the record would be public.
 */
export function findMisspelledHiding(
  kind: RecordKind,
  record: Readonly<Record<string, unknown>>,
): readonly SchemaDiagnostic[] {
  const { properties = {} } = schemas[kind];
  const found: SchemaDiagnostic[] = [];
  for (const key in record) {
    if (
      key === mergeKey &&
      mergesHiding(record[key], (name) => Object.hasOwn(properties, name) && !Object.hasOwn(record, name))
    )
      found.push({ pointer: `/${key}`, message: mergeKeyMessage });
    if (Object.hasOwn(properties, key) || /^(?:x-|\$)/.test(key)) continue;
    const meant = closestWord(key, Object.keys(properties));
    if (meant === undefined || Object.hasOwn(record, meant) || !hidingValues[meant]?.(record[key])) continue;
    const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    found.push({ pointer, message: `"${excerpt(key)}" means nothing here. Did you mean "${meant}"?` });
  }
  return found;
}

/**
 * True if the value of a merge key, a mapping or a list of them, would hide the record, by itself or by what it merges in turn.
 * @param counts true for a field that it would set
 */
function mergesHiding(value: unknown, counts: (name: string) => boolean): boolean {
  const merged = new Set([value].flat());
  for (const mapping of merged)
    for (const [name, given] of Object.entries(Object(mapping))) {
      if (name === mergeKey) for (const further of [given].flat()) merged.add(further);
      else if (counts(name) && hidingValues[name]?.(given)) return true;
    }
  return false;
}

/** True if an object, or one in it, has a key that its schema doesn't have. */
function hasUnknownKeys({ items, properties }: Schema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return items !== undefined && value.some((item) => hasUnknownKeys(items, item));
  if (!properties) return false;
  for (const key in value) {
    const ofKey = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!ofKey || hasUnknownKeys(ofKey, (value as Readonly<Record<string, unknown>>)[key])) return true;
  }
  return false;
}

/** @param isClosed true if people have no keys of their own here, except those that begin with `x-` or `$` */
function* unknownKeys(schema: Schema, value: unknown, pointer: string, isClosed: boolean): Generator<SchemaDiagnostic> {
  if (Array.isArray(value) && schema.items)
    for (const [i, item] of value.entries()) yield* unknownKeys(schema.items, item, `${pointer}/${i}`, isClosed);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !schema.properties) return;
  for (const [key, item] of Object.entries(value)) {
    const ofKey = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
    if (ofKey && (typeof item !== 'object' || item === null)) continue;
    const place = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (ofKey) {
      yield* unknownKeys(ofKey, item, place, isClosed);
      continue;
    }
    if (key === mergeKey) {
      yield { pointer: place, message: mergeKeyMessage };
      continue;
    }
    const known = Object.keys(schema.properties);
    const meant = closestWord(key, known);
    const message = `"${excerpt(key)}" means nothing here.`;
    if (meant && !Object.hasOwn(value, meant)) yield { pointer: place, message: `${message} Did you mean "${meant}"?` };
    else if (isClosed && !/^(?:x-|\$)/.test(key)) {
      const hint = meant ? `Did you mean "${meant}"? It is there already.` : `Known keys: ${known.join(', ')}.`;
      yield { pointer: place, message: `${message} ${hint}` };
    }
  }
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of "key: value" lines',
};

/** An error of the validator in words. */
export function explainSchemaError(error: ErrorObject): SchemaDiagnostic {
  const pointer = error.instancePath;
  const name = nameOfValue(error);
  const { params, data } = error;
  switch (error.keyword) {
    case 'required':
      return { pointer, message: `"${params.missingProperty}" is missing. Add a line "${params.missingProperty}: …".` };
    case 'type':
      return { pointer, message: typeMessage(name, data, [params.type].flat()) };
    case 'enum':
      return {
        pointer,
        message: `${name} must be one of ${params.allowedValues.join(', ')}, not ${describe(data)}.${suggestion(data, params.allowedValues)}`,
      };
    case 'pattern':
      return {
        pointer,
        message: patternMessage(name, data, { ...error.parentSchema, pattern: params.pattern }),
      };
    case 'minLength':
      return {
        pointer,
        message: data === '' ? `${name} is empty.` : `${name} has fewer than ${params.limit} characters.`,
      };
    case 'maxLength':
      return { pointer, message: `${name} has more than ${params.limit} characters.` };
    case 'uniqueItems':
      return { pointer, message: `${name} has ${describe((data as readonly unknown[])[params.j])} twice.` };
    case 'minItems':
      return { pointer, message: `${name} has fewer than ${params.limit} items.` };
    case 'maxItems':
    case 'maxProperties':
      return { pointer, message: `${name} has more than ${params.limit} items.` };
    case 'minimum':
      return { pointer, message: `${name} must be at least ${params.limit}, not ${describe(data)}.` };
    case 'maximum':
      return { pointer, message: `${name} must be at most ${params.limit}, not ${describe(data)}.` };
    default:
      return { pointer, message: `${name} ${error.message}.` };
  }
}

/** The name of the value in a message: its key, or its number in a list, such as `Item 1 of keywords`. */
function nameOfValue({ instancePath, schemaPath }: ErrorObject): string {
  const [name = '', list] = instancePath.split('/').reverse();
  // The keyword of the schema comes after the part that is for each item of a list.
  if (list && /\/items\/[^/]+$/.test(schemaPath)) return `Item ${Number(name) + 1} of ${excerpt(list)}`;
  return excerpt(name || 'The file');
}

function suggestion(data: unknown, allowed: readonly string[]): string {
  const meant = typeof data === 'string' ? closestWord(data, allowed) : undefined;
  return meant ? ` Did you mean ${meant}?` : '';
}

/** The message for a value of another type. @param types that the schema accepts */
export function typeMessage(name: string, data: unknown, types: readonly string[]): string {
  if (types.includes('string') && ['number', 'boolean'].includes(typeof data))
    return adviseToQuote(`${name} must be text, but reads as ${excerpt(JSON.stringify(data))}.`, excerpt(data));
  return `${name} must be ${types.map((type) => nouns[type] ?? type).join(' or ')}, not ${describe(data)}.`;
}

const quoteAdvice = ' Write it in quotes: ';

/** True if a message advises to write a text in quotes: of `1.10` or `true`, YAML makes a number or a truth value. */
export const isQuoteAdvice = (message: string): boolean => message.includes(quoteAdvice);

/** A message with this advice for a text. @param message with or without advice */
export const adviseToQuote = (message: string, text: string): string =>
  `${message.split(quoteAdvice, 1)[0]}${quoteAdvice}"${text}".`;

/** The message for a text that doesn't match a pattern. The description says in words what the pattern means. */
export const patternMessage = (
  name: string,
  data: unknown,
  { pattern, description = `It must match ${pattern}.` }: Pick<Schema, 'pattern' | 'description'>,
): string => `${name} doesn't have the form that is expected: ${describe(data)}. ${description}`;

function describe(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a group of keys';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
