/** The fields of a record as options: derived from its schema, so that neither can have one that the other lacks. */
import { Option } from 'commander';
import type { Input, WritableKind } from '../catalogue/catalogue.ts';
import { isImageField } from '../catalogue/field-shape.ts';
import { writableFields } from '../catalogue/input.ts';
import { schemas } from '../catalogue/schemas.ts';
import type { Context } from './context.ts';
import { collect } from './options.ts';
import { imageFrom } from './transfer/image.ts';

/** What a schema says of a field, as far as an option needs to know it. */
interface Property {
  readonly description: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly items?: { readonly maxLength?: number };
}

/** Fields that are more than a text, and have a way of their own to be written. */
const composite = ['columns', 'parameters'];

interface Field {
  readonly name: string;
  readonly option: Option;
}

/** A field's flag: `--showcase-image` for showcase_image, `--keyword` for each of the keywords. */
export function flagOf(field: string, several: boolean): string {
  return `--${(several ? field.replace(/s$/, '') : field).replaceAll('_', '-')}`;
}

function fieldsOf(kind: WritableKind): readonly Field[] {
  const properties = schemas[kind].properties as Readonly<Record<string, Property>>;
  return Object.entries(properties)
    .filter(([name]) => writableFields(kind).includes(name) && !composite.includes(name))
    .map(([name, property]) => ({ name, option: optionOf(name, property, isImageField(kind, name)) }));
}

const imageHelp = 'A PNG, JPEG, GIF, WebP or AVIF file to take in; or a path below /site_media/, or a URL.';

function optionOf(name: string, property: Property, isImage: boolean): Option {
  const several = property.type === 'array';
  const flag = flagOf(name, several);
  const longest = property.maxLength ?? property.items?.maxLength;
  const help = [
    isImage ? imageHelp : property.description,
    ...(longest === undefined || isImage ? [] : [`At most ${longest} characters.`]),
    ...(several ? ["Repeatable; replaces all of them, '' for none."] : []),
  ].join(' ');
  const choices = property.type === 'boolean' ? ['true', 'false'] : property.enum;
  const option = new Option(
    `${flag} <${choices?.join('|') ?? (several ? flag.slice(2) : isImage ? 'file|address' : 'text')}>`,
    help,
  );
  if (choices) option.choices(choices);
  return several ? option.argParser(collect) : option;
}

/**
 * An option for every field that may be written.
 * @param adding whether a record is added, so that the fields it can't be without must be given
 */
export function fieldOptions(kind: WritableKind, adding: boolean): readonly Option[] {
  const schema = schemas[kind];
  const required: readonly string[] = 'required' in schema ? schema.required : [];
  const options = fieldsOf(kind).map(({ name, option }) =>
    option.makeOptionMandatory(adding && required.includes(name)),
  );
  if (!('description' in schema.properties)) return options;
  const file = new Option('--description-file <file>', 'Read the description from a file; - is stdin.');
  return [...options, file.conflicts('description')];
}

/** The fields that were given, by name. */
export async function inputFrom(
  kind: WritableKind,
  options: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<Input> {
  const input: Record<string, unknown> = {};
  for (const { name, option } of fieldsOf(kind)) {
    const value = options[option.attributeName()];
    if (value === undefined) continue;
    if (isImageField(kind, name)) input[name] = await imageFrom(name, String(value), context);
    else input[name] = Array.isArray(value) ? value.filter((item) => item !== '') : value;
  }
  const { descriptionFile } = options;
  if (typeof descriptionFile === 'string') {
    const text = await context.read(descriptionFile);
    input.description = text.replace(/^\ufeff/, '').replace(/\r?\n$/, '');
  }
  return input;
}
