/**
 * Parsing of input, field by field, with the messages of Django REST Framework. The result is typed and trimmed. Only the
 * rules between records (`rules.ts`) remain to be checked.
 */
import type { Input, WritableKind } from './catalogue.ts';
import { excerpt, type FieldErrors, ValidationError } from './errors.ts';
import type { InputType, NamedField, Schema } from './field.ts';
import { fieldsOf } from './fields.ts';
import { validateImage } from './image.ts';
import { existingDate, isDate } from './iso-time.ts';
import { isNestedDeeper } from './nesting.ts';
import { parseReadingOptionsInput } from './reading.ts';
import { maxSlugLength, slugRule } from './ref.ts';
import { slugify } from './slug.ts';
import {
  invalidInput,
  type Parsed,
  parseNewPassword,
  parseTextInput,
  parseUsername,
  textLengthErrors,
  textOfInput,
} from './text-input.ts';
import { patternMessage, typeMessage } from './validators.ts';

export interface InputOptions {
  /** PATCH: nothing is required. */
  readonly partial: boolean;
  /** Present label: a blank slug is derived from it if the input has no label. */
  readonly label?: string;
  /** Language of the catalogue, in which slugs are spelled. */
  readonly language?: string;
  /** Names of fields that were given but are invalid: they are not reported as missing. */
  readonly present?: readonly string[];
}

/** The names of a kind's writable fields. */
export const writableFields = (kind: WritableKind): readonly string[] =>
  fieldsOf(kind)
    .filter(({ readOnly }) => !readOnly)
    .map(({ name }) => name);

/**
 * Reads the writable fields of an input. Others are ignored, as Django REST Framework ignores them.
 * @returns the fields that were given, typed; and a `slug` derived from the label if it is blank, or absent on creation
 * @throws ValidationError with all fields that don't fit
 */
export function parseInput(kind: WritableKind, input: Input, options: InputOptions): Input {
  const errors: Record<string, readonly string[]> = {};
  const result: Record<string, unknown> = {};
  let hasSlug = false;
  for (const field of fieldsOf(kind)) {
    if (field.readOnly) continue;
    const { name, type, required } = field;
    hasSlug ||= type === 'slug';
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (required && !options.partial && !options.present?.includes(name)) errors[name] = ['This field is required.'];
      continue;
    }
    const parsed = parsers[type](value, field);
    if ('errors' in parsed) errors[name] = parsed.errors;
    else result[name] = parsed.value;
  }
  const creating = !options.partial && options.label === undefined;
  if (hasSlug && !errors.slug && !errors.label && (result.slug === '' || (result.slug === undefined && creating))) {
    const slug = slugify(String(result.label ?? options.label ?? ''), options.language);
    if (slug) result.slug = slug;
    else errors.slug = ['This field may not be blank.'];
  }
  if (Object.keys(errors).length) throw new ValidationError(errors as FieldErrors);
  return result;
}

const noNull = 'This field may not be null.';
const tooManyItems = (most: number): string => `Ensure this field has no more than ${most} elements.`;

function parseBySchema(value: unknown, { name, description, schema, meaning }: NamedField): Parsed {
  const text = parseTextInput(value, { max: schema.maxLength, blank: !schema.minLength });
  if ('errors' in text) return text;
  if (!matchesPattern(text.value, schema))
    return invalidInput(patternMessage(name, text.value, { description, ...schema }));
  // In a file, it is a warning of `check`.
  if (meaning === 'date' && text.value !== '' && !isDate(text.value))
    return invalidInput(`${name} ${excerpt(JSON.stringify(text.value))} is not ${existingDate}.`);
  return text;
}

const matchesPattern = (text: string, { pattern }: Schema) =>
  pattern === undefined || new RegExp(pattern, 'u').test(text);

/** Parsers of values by the type of their field. */
const parsers: Readonly<Record<InputType, (value: unknown, field: NamedField) => Parsed>> = {
  text: parseBySchema,
  image: (value, field) => (value instanceof Uint8Array ? validateImage(value) : parseBySchema(value, field)),
  choice: (value, { schema }) => parseChoice(value, schema.enum ?? []),
  boolean: parseBooleanInput,
  list: (value, { schema }) => parseList(value, schema.items, schema.maxItems),
  links: (value, { schema }) => parseList(value, schema.items),
  link: parseLink,
  columns: parseColumns,
  json: parseObject,
  reading: parseReadingOptionsInput,
  slug: parseSlug,
  username: parseUsername,
  password: parseNewPassword,
  secret: (value) => parseTextInput(value, { blank: false, trim: false }),
};

const badSlug = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';

/** A slug; '' means that it is to be derived. */
function parseSlug(value: unknown): Parsed {
  if (value === null) return invalidInput(noNull);
  const text = textOfInput(value)?.trim();
  if (text === undefined) return invalidInput(badSlug);
  if (!text) return { value: '' };
  const errors = [...textLengthErrors(text, maxSlugLength), ...(slugRule.test(text) ? [] : [badSlug])];
  return errors.length ? { errors } : { value: text };
}

/** The result for a value that isn't among the choices. */
export const invalidChoice = (value: unknown): Parsed<never> =>
  invalidInput(`"${typeof value === 'string' ? excerpt(value) : jsonExcerpt(value)}" is not a valid choice.`);

/** The beginning of a value as JSON; its type if the nesting is too deep for that. */
function jsonExcerpt(value: unknown): string {
  try {
    return excerpt(JSON.stringify(value));
  } catch {
    return pythonTypeName(value);
  }
}

function parseChoice(value: unknown, choices: readonly string[]): Parsed {
  if (value === null) return invalidInput(noNull);
  if (choices.includes(value as string)) return { value };
  return invalidChoice(value);
}

/** Values that DRF's BooleanField accepts as true and as false. */
const trueValues: readonly unknown[] = [true, 1, 'true', 'True', 'TRUE', '1', 'yes', 'Yes', 'on', 't', 'T', 'y', 'Y'];
const falseValues: readonly unknown[] = [
  false,
  0,
  'false',
  'False',
  'FALSE',
  '0',
  'no',
  'No',
  'off',
  'f',
  'F',
  'n',
  'N',
];

export function parseBooleanInput(value: unknown): Parsed {
  if (value === null) return invalidInput(noNull);
  if (trueValues.includes(value)) return { value: true };
  return falseValues.includes(value) ? { value: false } : invalidInput('Must be a valid boolean.');
}

function parseObject(value: unknown, { schema }: NamedField): Parsed {
  if (value === null) return invalidInput(noNull);
  if (typeof value !== 'object' || Array.isArray(value))
    return invalidInput(`Expected a dictionary of items but got type "${pythonTypeName(value)}".`);
  const { additionalProperties: ofEach, maxProperties = Infinity } = schema;
  if (Object.keys(value).length > maxProperties) return invalidInput(tooManyItems(maxProperties));
  if (isNestedDeeper(value, maxNesting)) return invalidInput(`The nesting is deeper than ${maxNesting}.`);
  const errors = typeof ofEach === 'object' && ofEach.type === 'string' ? textErrors(value, ofEach) : [];
  return errors.length ? { errors } : { value };
}

/** An error message for each value of an object that is no text, or doesn't match the pattern. */
function textErrors(texts: object, schema: Schema): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]) => {
    if (typeof text !== 'string') return [typeMessage(excerpt(name), text, ['string'])];
    return matchesPattern(text, schema) ? [] : [patternMessage(excerpt(name), text, schema)];
  });
}

/** Maximum nesting of objects and lists in a field: less than in a file. */
const maxNesting = 20;

/** A link: a slug, or `<namespace>/<dataset>`. (The server has already parsed the URL.) */
function parseLink(value: unknown, { link, default: absent }: NamedField): Parsed {
  if (value === null && absent === null) return { value };
  if (link === 'dataset') return parseAddress(value);
  if (link === 'namespace') return typeof value === 'string' && value ? { value } : invalidInput(noNull);
  return parseTextInput(value, { blank: true });
}

function parseAddress(value: unknown): Parsed {
  if (typeof value !== 'string')
    return invalidInput(`Incorrect type. Expected URL string, received ${pythonTypeName(value)}.`);
  const address = value.trim();
  return /^[-\w]+\/[-\w]+$/.test(address) ? { value: address } : invalidInput('Invalid hyperlink - No URL match.');
}

function parseList(value: unknown, { maxLength, pattern }: Schema = {}, most = Infinity): Parsed {
  if (value === null) return invalidInput(noNull);
  if (!Array.isArray(value)) return invalidInput(`Expected a list of items but got type "${pythonTypeName(value)}".`);
  if (value.length > most) return invalidInput(tooManyItems(most));
  const items = new Set<string>();
  for (const item of value) {
    const text = parseTextInput(item, { max: maxLength, blank: false });
    if ('errors' in text) return text;
    if (pattern && !new RegExp(pattern).test(text.value))
      return invalidInput(`"${excerpt(item)}" is not a valid slug.`);
    items.add(text.value);
  }
  return { value: [...items] };
}

/** The texts and former names of columns; each item has the name of its column. */
function parseColumns(value: unknown): Parsed {
  if (!Array.isArray(value)) return invalidInput(`Expected a list of items but got type "${pythonTypeName(value)}".`);
  const columns: Record<string, unknown>[] = [];
  for (const item of value) {
    if (typeof item !== 'object' || item === null || typeof item.name !== 'string')
      return invalidInput('Each column needs a "name".');
    const column: Record<string, unknown> = { name: item.name };
    for (const { name: key } of fieldsOf('column')) {
      if (key === 'name' || item[key] === undefined) continue;
      const text = parseTextInput(item[key], { blank: true });
      if ('errors' in text) return text;
      column[key] = text.value;
    }
    if (item.former_names !== undefined) {
      const names = parseList(item.former_names, { maxLength: 255 });
      if ('errors' in names) return names;
      column.former_names = names.value;
    }
    columns.push(column);
  }
  return { value: columns };
}

/** Python's name for the type of a JSON value, which DRF's messages use. */
export function pythonTypeName(value: unknown): string {
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
