/** The fields of records as options of commands, made from the table of fields: for writing, and for filtering lists. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { excerpt, ValidationError } from '../catalogue/errors.ts';
import type { Field, NamedField, Schema } from '../catalogue/field.ts';
import { fieldsOf } from '../catalogue/fields.ts';
import { filtersOfKind, singularFieldName } from '../catalogue/filters.ts';
import { mediaPathInUrl } from '../catalogue/layout.ts';
import { readingText } from '../catalogue/reading.ts';
import type { Entities, ReadingOptions } from '../catalogue/types.ts';
import type { Context } from './context.ts';
import { collectOptionValues, repeatableOption } from './options.ts';

/** The value's word in the flags of an option, by type of field. Fields of other types are no options. */
const values: { readonly [T in Field['type']]?: (field: NamedField) => string } = {
  text: () => 'text',
  link: () => 'text',
  image: () => 'file|address',
  boolean: () => 'true|false',
  choice: ({ schema }) => (schema.enum ?? []).join('|'),
  list: singularFieldName,
  links: (field) => (field.link === 'user' ? 'username' : singularFieldName(field)),
  json: () => 'title=url',
};

/** The flag of a field: `--showcase-image` for showcase_image, `--keyword` for each of the keywords. */
export function optionFlag(field: string, several: boolean): string {
  return `--${(several ? field.replace(/s$/, '') : field).replaceAll('_', '-')}`;
}

/** The fields of a kind that are options. Fields from the path are arguments, or have options of their own. */
const optionFields = (kind: WritableKind): readonly NamedField[] =>
  fieldsOf(kind).filter(
    ({ type, readOnly, source, schema }) =>
      values[type] && !readOnly && source !== 'path' && source !== 'secret' && (type !== 'json' || isMapping(schema)),
  );

/** True for texts by name, which are options; other objects aren't. */
const isMapping = ({ additionalProperties }: Schema): boolean => typeof additionalProperties === 'object';

const imageHelp = 'A PNG, JPEG, GIF, WebP or AVIF file to upload; or a path below /site_media/, or a URL.';

function optionOf(field: NamedField): Option {
  const { name, type, description, schema } = field;
  const several = type === 'list' || type === 'links' || type === 'json';
  const longest = several ? schema.items?.maxLength : schema.maxLength;
  const help = [
    type === 'image' ? imageHelp : description,
    ...(longest === undefined || type === 'image' ? [] : [`At most ${longest} characters.`]),
    ...(several ? ["Repeatable; replaces all of them, '' for none."] : []),
  ].join(' ');
  const value = values[type]?.(field);
  const option = new Option(`${optionFlag(name, several && type !== 'json')} <${value}>`, help);
  if (type === 'boolean' || type === 'choice') option.choices(value?.split('|') ?? []);
  return several ? option.argParser(collectOptionValues) : option;
}

/**
 * An option for every field that may be written.
 * @param adding true if a record is added: then required fields must be given
 */
export function fieldOptions(kind: WritableKind, adding: boolean): readonly Option[] {
  const fields = optionFields(kind);
  const options = fields.map((field) => optionOf(field).makeOptionMandatory(adding && (field.required ?? false)));
  if (!fields.some(({ name }) => name === 'description')) return options;
  const file = new Option('--description-file <file>', 'Read the description from a file; - is stdin.');
  return [...options, file.conflicts('description')];
}

/** The fields that were given as options, by name. */
export async function inputFromOptions(
  kind: WritableKind,
  options: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<Input> {
  const input: Record<string, unknown> = {};
  for (const field of optionFields(kind)) {
    const { name, type } = field;
    const value = options[optionOf(field).attributeName()];
    if (value === undefined) continue;
    if (type === 'json') input[name] = mappingFromOption(name, value as readonly string[]);
    else if (type === 'image') input[name] = await imageFrom(name, String(value), context);
    else input[name] = Array.isArray(value) ? value.filter((item) => item !== '') : value;
  }
  const { descriptionFile } = options;
  if (typeof descriptionFile === 'string') {
    const text = await context.read(descriptionFile);
    // With CRLF, YAML would have the whole text on one line, escaped.
    input.description = text
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .replace(/\n$/, '');
  }
  return input;
}

/** Texts by name from `name=text`. @throws ValidationError */
function mappingFromOption(field: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  const entries = pairs
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [, title = '', url = ''] = /^(.+?)=((?:https?|ftp|s3|gs):\/\/\S+)$/.exec(pair.trim()) ?? [];
      if (!url)
        throw new ValidationError({
          [field]: [`"${excerpt(pair)}" is no link. Write a title and a URL: "Map=https://…".`],
        });
      return [title.trim(), url] as const;
    });
  return Object.fromEntries(entries);
}

/**
 * An image that is given as a file, or the address of one.
 * @param field name of the field, for errors
 * @throws ValidationError where it is neither an address nor a file, or the file is too large
 */
async function imageFrom(field: string, value: string, { cwd }: Context): Promise<string | Uint8Array> {
  if (value === '' || mediaPathInUrl(value) !== null || /^[a-z][a-z0-9+.-]+:\/\//i.test(value)) return value;
  const wrong = (message: string) => new ValidationError({ [field]: [message] });
  const found = await stat(resolve(cwd, value)).catch(() => null);
  if (!found?.isFile())
    throw wrong(`There is no file ${value}. Give a local file, a path below /site_media/, or a URL.`);
  const { maxImageBytes } = await import('../catalogue/image.ts');
  if (found.size > maxImageBytes)
    throw wrong(`${value} has ${found.size} bytes; it may have at most ${maxImageBytes}.`);
  return readFile(resolve(cwd, value));
}

/** An option for every filter of a list that has a help text. */
export const filterOptions = (kind: keyof Entities): readonly Option[] =>
  filtersOfKind(kind).flatMap(({ name, help, choices }) => {
    if (help === undefined) return [];
    if (!choices) return [repeatableOption(`--${name} <${name}>`, help)];
    // Of two choices, both are in the flags.
    return [new Option(`--${name} <${choices.length === 2 ? choices.join('|') : name}>`, help).choices(choices)];
  });

/** The values of the filters that were given as options, by name. */
export const filtersFromOptions = (
  kind: keyof Entities,
  options: Readonly<Record<string, unknown>>,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    filtersOfKind(kind).flatMap(({ name, help }) => {
      const value = options[name];
      return help === undefined || value === undefined ? [] : [[name, [value].flat() as string[]]];
    }),
  );

/** Types of fields that are not shown as a line of text. */
const noLines: readonly Field['type'][] = ['columns', 'versions', 'json', 'object'];

/** The values of an entity's fields as people read them, by name. */
export const fieldValueTexts = (kind: WritableKind, entity: object): ReadonlyMap<string, string> =>
  new Map(
    fieldsOf(kind).flatMap(({ name, type, source, internal }): [string, string][] => {
      if (internal || noLines.includes(type) || (source !== 'file' && source !== 'derived')) return [];
      const value = (entity as Readonly<Record<string, unknown>>)[name];
      if (type === 'boolean') return [[name, value ? 'yes' : '']];
      if (type === 'reading') return [[name, readingText(value as ReadingOptions)]];
      return [[name, Array.isArray(value) ? value.join(', ') : String(value ?? '')]];
    }),
  );
