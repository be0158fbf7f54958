/** Options for reading a payload: their fields in records (rows as in `fields.ts`), and their values from forms and options. */
import { didYouMean } from './closest.ts';
import { excerpt, ValidationError } from './errors.ts';
import type { Fields } from './field.ts';
import { booleanField, choiceField, integerField, jsonField, objectField, textField } from './field-types.ts';
import { invalidInput, type Parsed } from './text-input.ts';
import { type ReadingOptionChanges, type ReadingOptions, readableTypes } from './types.ts';

/** Columns whose types can be said: as many as a table has at most (`maxColumns` in data/limits.ts, which this room may not import). */
const maxTypes = 10_000;

export const readingFields = {
  types: {
    ...jsonField(`Types of columns by name: ${readableTypes.join(', ')}.`),
    schema: { type: 'object', maxProperties: maxTypes, additionalProperties: { type: 'string' } },
  },
  decimal: choiceField(['.', ','], 'Decimal separator of numbers.'),
  encoding: textField('Encoding of the text, as the WHATWG Encoding Standard labels it: utf-8, windows-1252.'),
  delimiter: textField('Character between the cells of CSV.', { minLength: 1, maxLength: 1 }),
  date_format: textField('Form of dates, such as DD.MM.YYYY or MM/DD/YYYY HH:MM.', { maxLength: 100 }),
  lat: textField('Column of latitude, or northing.', { maxLength: 255 }),
  lon: textField('Column of longitude, or easting.', { maxLength: 255 }),
  geometry: textField('Column of geometries: WKT, WKB in hexadecimal, or GeoJSON.', { maxLength: 255 }),
  header: booleanField('Whether the first row has the names of the columns.', { default: true }),
  skip: integerField('Number of lines before the first row.', { minimum: 0 }),
  crs: textField('Coordinate reference system of positions, such as EPSG:25833.', { maxLength: 255 }),
  layer: textField('Sheet of a workbook, or layer of a file that has several.', { maxLength: 255 }),
  strict: booleanField("Whether values that don't fit their column refuse the payload.", { default: false }),
} satisfies Fields;

/** The options as a field of a record: as they are written there, without defaults. */
export const reading = (description: string) =>
  objectField(readingFields, description, {
    toValue: (stored): ReadingOptions => Object.freeze({ ...(stored as ReadingOptions) }),
    metadata: 'absent',
  });

/** The options as a field that clients may write. */
export function writableReadingField(description: string) {
  const { readOnly: _, metadata: __, ...field } = reading(description);
  return { ...field, type: 'reading' as const };
}

/** Names of the options in forms and query strings. `type` may be repeated. */
export const readingNames = ['type', ...Object.keys(readingFields).filter((name) => name !== 'types')];

/** Characters by the words that stand for them. */
const words: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['\\t', '\t'],
  ['comma', ','],
  ['semicolon', ';'],
  ['pipe', '|'],
  ['space', ' '],
  ['point', '.'],
]);

/**
 * Parses options as forms and query strings have them: texts, of which '' forgets an option, and `type` as COLUMN=TYPE.
 * @param given names and texts; others than `readingNames` are ignored
 * @throws ValidationError, keyed by option
 */
export function parseReadingOptions(given: Iterable<readonly [name: string, value: unknown]>): ReadingOptionChanges {
  const changes: Record<string, unknown> = {};
  const types = new Map<string, string | null>();
  const errors: Record<string, readonly string[]> = {};
  for (const [name, value] of given) {
    if (!readingNames.includes(name)) continue;
    const text = String(value);
    if (name === 'type') {
      const parsed = parseType(text);
      if ('errors' in parsed) errors[name] = parsed.errors;
      else types.set(...parsed.value);
    } else {
      const parsed = parseOption(name, text);
      if ('errors' in parsed) errors[name] = parsed.errors;
      else changes[name] = parsed.value;
    }
  }
  if (Object.keys(errors).length) throw new ValidationError(errors);
  return { ...changes, ...(types.size > 0 && { types: Object.fromEntries(types) }) } as ReadingOptionChanges;
}

/** Parses the value of a field: an object with options, of which null and defaults are left out; or null for none. */
export function parseReadingOptionsInput(value: unknown): Parsed<ReadingOptions> {
  if (typeof value !== 'object' || Array.isArray(value))
    return invalidInput('Expected an object with options for reading.');
  const { types, ...others } = Object(value) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(others).find((name) => !Object.hasOwn(readingFields, name));
  if (unknown !== undefined)
    return invalidInput(`Unknown option "${excerpt(unknown)}".${didYouMean(unknown, Object.keys(readingFields))}`);
  if (types !== undefined && (typeof types !== 'object' || Array.isArray(types)))
    return invalidInput('Expected the types of columns by name.');
  if (types && Object.keys(types).length > maxTypes)
    return invalidInput(`types: Ensure this field has no more than ${maxTypes} elements.`);
  const isStructured = ([, option]: readonly [string, unknown]) => typeof option === 'object' && option !== null;
  const notOne = 'not a list or an object.';
  const [option] = Object.entries(others).find(isStructured) ?? [];
  if (option !== undefined) return invalidInput(`${option}: Expected one value, ${notOne}`);
  const [column] = Object.entries(types ?? {}).find(isStructured) ?? [];
  if (column !== undefined) return invalidInput(`types: Expected one type for "${excerpt(column)}", ${notOne}`);
  const texts = [
    ...Object.entries(types ?? {}).map(([column, type]) => ['type', `${column}=${type ?? ''}`] as const),
    ...Object.entries(others).map(([name, option]) => [name, String(option ?? '')] as const),
  ];
  try {
    return { value: mergeReadingOptions({}, parseReadingOptions(texts)) };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return invalidInput(...Object.entries(error.fields).map(([name, [message]]) => `${name}: ${message}`));
  }
}

function parseType(text: string): Parsed<readonly [column: string, type: string | null]> {
  const at = text.lastIndexOf('=');
  const [column, type] = [text.slice(0, at), text.slice(at + 1)];
  if (at > 0 && (type === '' || (readableTypes as readonly string[]).includes(type)))
    return { value: [column, type || null] };
  return invalidInput(`"${excerpt(text)}" is not COLUMN=TYPE, with one of the types ${readableTypes.join(', ')}.`);
}

function parseOption(name: string, text: string): Parsed {
  if (text === '') return { value: null };
  switch (name) {
    case 'decimal': {
      const separator = words.get(text) ?? text;
      return separator === ',' || separator === '.'
        ? { value: separator }
        : invalidInput('It must be a comma or a point.');
    }
    case 'delimiter': {
      const delimiter = words.get(text) ?? text;
      return [...delimiter].length === 1 ? { value: delimiter } : invalidInput('It must be one character, or "tab".');
    }
    case 'header':
    case 'strict':
      return /^(?:true|false|1|0|yes|no)$/i.test(text)
        ? { value: /^(?:true|1|yes)$/i.test(text) }
        : invalidInput('It must be true or false.');
    case 'skip':
      return /^\d{1,6}$/.test(text)
        ? { value: Number(text) }
        : invalidInput('It must be a whole number of at most 999999.');
    case 'encoding':
      return isEncoding(text) ? { value: text } : invalidInput(`There is no encoding "${excerpt(text)}".`);
    default:
      return { value: text };
  }
}

/** True for the label of an encoding that this program reads. */
export function isEncoding(label: string): boolean {
  try {
    return Boolean(new TextDecoder(label));
  } catch {
    return false;
  }
}

/** Options after changes, in the order of their fields; those at their default are left out. */
export function mergeReadingOptions(before: ReadingOptions, changes: ReadingOptionChanges = {}): ReadingOptions {
  const types = Object.entries({ ...before.types, ...changes.types }).filter(([, type]) => type !== null);
  const merged: Record<string, unknown> = {
    ...before,
    ...changes,
    types: types.length ? Object.fromEntries(types) : null,
  };
  const kept = Object.entries(readingFields).flatMap(([name, field]) => {
    const value = merged[name];
    return value === undefined || value === null || value === field.default ? [] : [[name, value] as const];
  });
  return Object.fromEntries(kept) as ReadingOptions;
}

/** The options on which the rows depend: those for a version, without the condition for accepting it. */
export function readingOptionsWithoutStrict({ strict: _, ...reading }: ReadingOptions): ReadingOptions {
  return reading;
}

/** True if two sets of options are the same. */
export const isSameReadingOptions = (a: ReadingOptions, b: ReadingOptions): boolean =>
  JSON.stringify(mergeReadingOptions(a)) === JSON.stringify(mergeReadingOptions(b));

/** Options as names and texts, as `parseReadingOptions` takes them. */
export const readingOptionTexts = ({
  types = {},
  ...others
}: ReadingOptionChanges): readonly (readonly [string, string])[] => [
  ...Object.entries(types).map(([column, type]) => ['type', `${column}=${type ?? ''}`] as const),
  ...Object.entries(others).map(([name, value]) => [name, String(value ?? '')] as const),
];

/** Options in a line, for people: `type=plz=string, decimal=,`. */
export const readingText = (reading: ReadingOptions): string =>
  readingOptionTexts(reading)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
