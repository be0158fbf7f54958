/**
 * Input of people and programs, judged field by field with the messages of Django REST Framework. What comes out is
 * typed and trimmed; inside there is nothing left to check but names that are taken.
 */
import type { Input, WritableKind } from './catalogue.ts';
import { type FieldErrors, ValidationError } from './errors.ts';
import { isImageField } from './field-shape.ts';
import { parseImage } from './image.ts';
import { slugRule, usernameRule } from './ref.ts';
import { schemas } from './schemas.ts';
import { maxSlugLength, slugify } from './slug.ts';
import { fail, parsePassword, parseText, parseUsername, tooLong, type Verdict } from './text-input.ts';

export interface InputOptions {
  /** PATCH: nothing is required. */
  readonly partial: boolean;
  /** The label as it is now, from which a blank slug is derived where the input has no label. */
  readonly label?: string;
  /** Fields that were given and have been judged elsewhere: they aren't missing. */
  readonly present?: readonly string[];
}

/** The fields of each kind that may be written, in the order of the interface. `slug` and `namespace` aren't stored. */
const writable = {
  namespace: ['label', 'slug', 'description', 'visibility', 'owners'],
  dataset: [
    'label',
    'slug',
    'namespace',
    'description',
    'image',
    'showcase_image',
    'thumbnail_image',
    'keywords',
    'licence',
    'homepage',
    'publisher',
    'contact',
    'visibility',
    'columns',
  ],
  version: ['label', 'metadata', 'ready', 'notes'],
  query: ['label', 'slug', 'description', 'dataset', 'version', 'parameters'],
  group: ['label', 'slug', 'members'],
  user: ['username', 'groups', 'name', 'email', 'staff', 'password'],
} as const;

/** Fields without which nothing is created. */
const required: Readonly<Record<WritableKind, readonly string[]>> = {
  namespace: ['label'],
  dataset: ['label', 'namespace'],
  version: [],
  query: ['label', 'dataset'],
  group: ['label'],
  user: ['username'],
};

/** The names of a kind's writable fields. */
export function writableFields(kind: WritableKind): readonly string[] {
  return writable[kind];
}

/**
 * Reads the writable fields out of an input; others are ignored, as Django REST Framework ignores them.
 * @returns the fields that were given, typed; `slug` derived from the label where it is blank, or absent on creation
 * @throws ValidationError with all fields that don't fit
 */
export function parseInput(kind: WritableKind, input: Input, options: InputOptions): Input {
  const errors: Record<string, string[]> = {};
  const result: Record<string, unknown> = {};
  for (const name of writable[kind]) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (required[kind].includes(name) && !options.partial && !options.present?.includes(name))
        errors[name] = ['This field is required.'];
      continue;
    }
    const verdict = parseField(kind, name, value);
    if ('errors' in verdict) errors[name] = [...verdict.errors];
    else result[name] = verdict.value;
  }
  const creating = !options.partial && options.label === undefined;
  const derives = kind !== 'version' && kind !== 'user';
  if (derives && !errors.slug && !errors.label && (result.slug === '' || (result.slug === undefined && creating))) {
    const slug = slugify(String(result.label ?? options.label ?? ''));
    if (slug) result.slug = slug;
    else errors.slug = ['This field may not be blank.'];
  }
  if (Object.keys(errors).length) throw new ValidationError(errors as FieldErrors);
  return result;
}

function parseField(kind: WritableKind, name: string, value: unknown): Verdict {
  const field = (schemas[kind].properties as Record<string, FieldSchema>)[name];
  if (name === 'slug') return parseSlugField(value);
  if (name === 'namespace') return typeof value === 'string' && value ? { value } : fail('This field may not be null.');
  if (field?.enum) return parseChoice(value, field.enum);
  if (name === 'columns') return parseColumns(value);
  if (isImageField(kind, name) && value instanceof Uint8Array) return parseImage(value);
  if (field?.type === 'boolean') return parseBoolean(value);
  if (field?.type === 'object') return parseObject(value);
  if (kind === 'user' && name === 'username') return parseUsername(value);
  if (name === 'password') return parsePassword(value);
  if (name === 'members') return parseStrings(value, undefined, usernameRule.source);
  if (kind === 'query' && name === 'version' && value === null) return { value };
  if (kind === 'query' && name === 'dataset') return parseAddress(value);
  if (field?.type === 'array') return parseStrings(value, field.items?.maxLength, field.items?.pattern);
  return parseText(value, { max: field?.maxLength, blank: !field?.minLength });
}

interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: { readonly maxLength?: number; readonly pattern?: string };
}

const badSlug = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';

/** '' stands for "derive it". */
function parseSlugField(value: unknown): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (typeof value !== 'string' && typeof value !== 'number') return fail(badSlug);
  const text = String(value).trim();
  if (!text) return { value: '' };
  const errors = [...tooLong(text, maxSlugLength), ...(slugRule.test(text) ? [] : [badSlug])];
  return errors.length ? { errors } : { value: text };
}

function parseChoice(value: unknown, choices: readonly string[]): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (choices.includes(value as string)) return { value };
  return fail(`"${typeof value === 'string' ? value : JSON.stringify(value)}" is not a valid choice.`);
}

/** The spellings that DRF's BooleanField knows. */
const truths: readonly unknown[] = [true, 1, 'true', 'True', 'TRUE', '1', 'yes', 'Yes', 'on', 't', 'T', 'y', 'Y'];
const untruths: readonly unknown[] = [false, 0, 'false', 'False', 'FALSE', '0', 'no', 'No', 'off', 'f', 'F', 'n', 'N'];

export function parseBoolean(value: unknown): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (truths.includes(value)) return { value: true };
  return untruths.includes(value) ? { value: false } : fail('Must be a valid boolean.');
}

function parseObject(value: unknown): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (typeof value !== 'object' || Array.isArray(value))
    return fail(`Expected a dictionary of items but got type "${typeName(value)}".`);
  return isDeep(value) ? fail(`The nesting is deeper than ${deepest}.`) : { value };
}

/** Levels of objects and lists within a field: fewer than a file may have. */
const deepest = 20;

function isDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 0; depth < deepest; depth++)
    level = level.flatMap((item) => Object.values(item).filter((part) => typeof part === 'object' && part !== null));
  return level.length > 0;
}

function parseAddress(value: unknown): Verdict {
  if (typeof value !== 'string') return fail(`Incorrect type. Expected URL string, received ${typeName(value)}.`);
  const address = value.trim();
  return /^[-\w]+\/[-\w]+$/.test(address) ? { value: address } : fail('Invalid hyperlink - No URL match.');
}

function parseStrings(value: unknown, max: number | undefined, pattern: string | undefined): Verdict {
  if (value === null) return fail('This field may not be null.');
  if (!Array.isArray(value)) return fail(`Expected a list of items but got type "${typeName(value)}".`);
  const items: string[] = [];
  for (const item of value) {
    const verdict = parseText(item, { max, blank: false });
    if ('errors' in verdict) return verdict;
    if (pattern && !new RegExp(pattern).test(verdict.value as string)) return fail(`"${item}" is not a valid slug.`);
    if (!items.includes(verdict.value as string)) items.push(verdict.value as string);
  }
  return { value: items };
}

/** Of columns a client writes label, description and unit; name and type say which is meant. */
function parseColumns(value: unknown): Verdict {
  if (!Array.isArray(value)) return fail(`Expected a list of items but got type "${typeName(value)}".`);
  const columns: Record<string, string>[] = [];
  for (const item of value) {
    if (typeof item !== 'object' || item === null || typeof item.name !== 'string')
      return fail('Each column needs a "name".');
    const column: Record<string, string> = { name: item.name };
    for (const key of ['type', 'label', 'description', 'unit'] as const) {
      if (item[key] === undefined) continue;
      const verdict = parseText(item[key], { blank: true });
      if ('errors' in verdict) return verdict;
      column[key] = verdict.value as string;
    }
    columns.push(column);
  }
  return { value: columns };
}

/** Python's name for the type of a JSON value, which DRF's messages use. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'NoneType' : 'dict';
  }
}
