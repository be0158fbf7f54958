/**
 * Types of fields: the constructors used in the table in `fields.ts`. A constructor takes the description and the traits of
 * a field, and adds what depends on its type: the JSON Schema, and the value if the file lacks the key.
 */
import {
  type Field,
  type FieldOf,
  type Fields,
  type FieldTraits,
  fieldsWithNames,
  fillFieldsFromRecord,
  type InputType,
  type OutputType,
  type RequiredField,
  type Schema,
  type Stored,
  schemaOfFields,
  type Values,
} from './field.ts';
import { encodeMetadata, type MetadataMapping } from './metadata.ts';
import { maxSlugLength, slugRule, usernameRule } from './ref.ts';
import type { SavedSource, Version } from './types.ts';

/** A field that is required to create a record. */
export const requiredField = <F extends Field>(field: F): F & RequiredField => ({ ...field, required: true });
/** A field that is computed from other records or keys, and is not in the file. */
export const derivedField = <Value>(field: FieldOf<Value, unknown>): FieldOf<Value, never> => ({
  ...(field as FieldOf<Value, never>),
  source: 'derived',
});
/** A field that is a part of the path, and so of the reference. */
export const pathField = (field: Field): FieldOf<never> => ({ ...field, source: 'path' });

const none: readonly never[] = Object.freeze([]);

type InputTraits = FieldTraits & { readonly readOnly?: true };

const input = <Value, Stored = Value>(
  type: InputType,
  schema: Schema,
  value: unknown,
  traits: InputTraits & { readonly description: string },
): FieldOf<Value, Stored> => ({ type, source: 'file', schema, default: value, ...traits });

const output = <Value, Stored = Value>(
  type: OutputType,
  schema: Schema,
  value: unknown,
  traits: FieldTraits & { readonly description: string },
): FieldOf<Value, Stored> => ({ type, source: 'file', readOnly: true, schema, default: value, ...traits });

/** The value if the key is missing. `default` is also in the schema; `absent` is not. */
interface Default<Value> {
  readonly default?: Value;
  readonly absent?: Value;
}

type TextTraits = InputTraits &
  Default<string> &
  Pick<Schema, 'pattern' | 'minLength' | 'maxLength'> & { readonly toValue?: (stored: string) => string };

/** A text; '' by default, unless it may not be empty. */
export function textField(description: string, options: TextTraits = {}) {
  const { pattern, minLength, maxLength, default: value, absent = value, ...traits } = options;
  const schema = { type: 'string', ...defined({ pattern, minLength, maxLength, default: value }) };
  return input<string>('text', schema, absent ?? (minLength ? undefined : ''), { description, ...traits });
}

/** A text in the API: metadata, which the file may have as a mapping. */
export const metadataField = (description: string) => ({
  ...input<string, string | MetadataMapping>('text', { type: ['string', 'object'], additionalProperties: true }, '', {
    description,
  }),
  toValue: (stored: string | MetadataMapping) => (typeof stored === 'string' ? stored : encodeMetadata(stored)),
});

/** An image: a path below /site_media/ or a URL; in an input, also bytes. */
export const imageField = (description: string) =>
  input<string>('image', { type: 'string', maxLength: 255 }, '', { description });

/** A time in ISO 8601, UTC. In entities, it has milliseconds. */
export const datetimeField = (description: string, traits: FieldTraits = {}) => ({
  ...output<string>('datetime', { type: 'string', pattern: `^${day}T${time}Z$` }, undefined, {
    description,
    meaning: 'date',
    ...traits,
  }),
  toValue: (stored: string) => `${stored.slice(0, 19)}.${stored.slice(20, -1).slice(0, 3).padEnd(3, '0')}Z`,
});

const day = '\\d{4}-\\d{2}-\\d{2}';
const time = '\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?';

/** A date, or a time in UTC, as people write it; '' and absent from the API if it isn't known. */
export const dateField = (description: string) =>
  textField(`${description}: YYYY-MM-DD, or a time in UTC.`, {
    pattern: `^(${day}(T${time}Z)?)?$`,
    sparse: true,
    meaning: 'date',
  });

/** One of several words. */
export const choiceField = <Choice extends string>(
  choices: readonly Choice[],
  description: string,
  { absent, ...traits }: FieldTraits & { readonly absent?: Choice; readonly fallback?: Choice } = {},
) => input<Choice>('choice', { enum: choices }, absent, { description, ...traits });

export const booleanField = (
  description: string,
  { default: value, ...traits }: FieldTraits & { readonly default: boolean },
) => input<boolean>('boolean', { type: 'boolean', default: value }, value, { description, ...traits });

/** A whole number. */
export function integerField<Value extends number | null = never>(
  description: string,
  options: FieldTraits & Default<Value> & Pick<Schema, 'minimum' | 'maximum'> = {},
) {
  const { minimum, maximum, default: value, absent = value, ...traits } = options;
  const schema = { type: 'integer', ...defined({ minimum, maximum, default: value }) };
  return output<number | Value, number>('integer', schema, absent, { description, ...traits });
}

/** A list of numbers, or null. */
export const numbersField = (
  description: string,
  { minItems, maxItems, ...traits }: FieldTraits & Record<'minItems' | 'maxItems', number>,
) =>
  output<readonly number[] | null, readonly number[]>(
    'numbers',
    { type: 'array', items: { type: 'number' }, minItems, maxItems },
    null,
    { description, ...traits },
  );

type ListTraits = InputTraits & Pick<Schema, 'maxItems'> & { readonly maxLength: number };
/** A list of texts that are not empty. @param maxLength of each text */
export function listField(description: string, { maxLength, maxItems, ...traits }: ListTraits) {
  const schema = { type: 'array', items: { type: 'string', minLength: 1, maxLength }, ...defined({ maxItems }) };
  return input<readonly string[]>('list', schema, none, { description, ...traits });
}

/** References to entities of a kind: slugs or usernames; in the API, URLs. */
export function referencesField(kind: 'group' | 'user', description: string, traits: FieldTraits = {}) {
  const items = { type: 'string', pattern: (kind === 'user' ? usernameRule : slugRule).source };
  const schema = { type: 'array', items, uniqueItems: true };
  return { ...input<readonly string[]>('links', schema, none, { description, ...traits }), link: kind };
}

/** References to groups by their slugs, and to users as `user:<username>`; in the API, URLs. */
export function groupsAndUsersField(description: string) {
  const field = referencesField('group', description);
  const [group, user] = [slugRule, usernameRule].map(({ source }) => source.replace(/^\^|\$$/g, ''));
  const items = { type: 'string', pattern: `^(${group}|user:${user})$` };
  return { ...field, schema: { ...field.schema, items }, otherLink: 'user' as const };
}

/** A reference to an entity: for a dataset `<namespace>/<dataset>`, else a slug; in the API, a URL. */
export function referenceField<Value extends null = never>(
  kind: 'namespace' | 'dataset' | 'version',
  description: string,
  { pattern, absent, ...traits }: InputTraits & { readonly pattern?: string; readonly absent?: Value } = {},
) {
  const schema = { type: absent === null ? ['string', 'null'] : 'string', ...defined({ pattern }) };
  return { ...input<string | Value>('link', schema, absent, { description, ...traits }), link: kind };
}

/** An object with any keys. */
export const jsonField = <Value = unknown>(description: string) =>
  input<Readonly<Record<string, Value>>>('json', { type: 'object', additionalProperties: true }, Object.freeze({}), {
    description,
  });

/** The source of an imported record: texts, and checksums by field. */
export const sourceField = (description: string) => ({
  ...jsonField<string | Readonly<Record<string, string>>>(description),
  readOnly: true as const,
  sparse: true as const,
  metadata: 'absent' as const,
});

/** Sources of imports by name: their addresses, and how they are imported. */
export const sourcesField = (description: string) => {
  const text = (about: string) => ({ description: about, type: 'string', minLength: 1 });
  const source: Schema = {
    type: 'object',
    required: ['url'],
    properties: {
      url: text('URL; or path of a file or folder, from the folder of the catalogue.'),
      to: text('Namespace of its datasets.'),
      format: text('Format; default: it is recognized.'),
      with_data: { description: 'True to take in files as versions.', type: 'boolean' },
      delay: { description: 'Seconds between two requests to one server.', type: 'number', minimum: 0 },
    },
  };
  return input<Readonly<Record<string, SavedSource>>>(
    'json',
    { type: 'object', additionalProperties: source },
    Object.freeze({}),
    { description },
  );
};

type MappingTraits = FieldTraits & Pick<Schema, 'maxProperties'>;
/** Texts by name. @param form of each text: its pattern, and what that means in words */
export function mappingField(
  description: string,
  form: Required<Pick<Schema, 'pattern' | 'description'>>,
  { maxProperties, ...traits }: MappingTraits = {},
) {
  const schema = { type: 'object', additionalProperties: { type: 'string', ...form }, ...defined({ maxProperties }) };
  return input<Readonly<Record<string, string>>>('json', schema, Object.freeze({}), { description, ...traits });
}

/** An object with these fields. */
export function objectField<F extends Fields, Value = Values<F>>(
  fields: F,
  description: string,
  { toValue, ...traits }: FieldTraits & { readonly toValue?: (stored: Stored<F>) => Value } = {},
) {
  const parts = fieldsWithNames(fields);
  const from = toValue ?? ((stored: Stored<F>) => fillFieldsFromRecord({}, parts, stored));
  const field = output<Value, Stored<F>>('object', schemaOfFields(parts), Object.freeze(from({} as Stored<F>)), {
    description,
    ...traits,
  });
  return { ...field, toValue: from };
}

/** Columns: objects with these fields. `recorded` are those in the file, where there are more than in the entity. */
export function columnsField<F extends Fields, Absent extends null = never>(
  fields: F,
  description: string,
  options: FieldTraits & { readonly items?: Schema; readonly recorded?: Fields; readonly absent?: Absent } = {},
) {
  const { items, recorded = fields, absent, ...traits } = options;
  const parts = fieldsWithNames(fields);
  const others = Object.keys(recorded).filter((name) => !Object.hasOwn(fields, name));
  const schema = { type: 'array', items: schemaOfFields(fieldsWithNames(recorded), items) };
  const toValue = (stored: readonly Stored<F>[]) =>
    stored.map((column) => {
      const value: Record<string, unknown> = fillFieldsFromRecord({}, parts, column);
      for (const name of others) if (column[name] !== undefined) value[name] = column[name];
      return value as Values<F>;
    });
  const value = absent === undefined ? none : absent;
  const field = input<readonly Values<F>[] | Absent, readonly Stored<F>[]>('columns', schema, value, {
    description,
    ...traits,
  });
  return { ...field, toValue };
}

/** The versions of a dataset. */
export const versionsField = (description: string) =>
  output<readonly Version[], never>('versions', {}, none, { description });

/** The name of a record, which is in its path. */
export const slugField = (description: string, traits: InputTraits = {}) =>
  pathField(
    input('slug', { type: 'string', maxLength: maxSlugLength }, undefined, { description, meaning: 'slug', ...traits }),
  );

/** The name of a user, which is in the path of the record. It is the slug of the reference. */
export const usernameField = (description: string, traits: FieldTraits = {}) =>
  pathField(
    input('username', { type: 'string', pattern: usernameRule.source }, undefined, {
      description,
      meaning: 'slug',
      ...traits,
    }),
  );

/** A secret that is written and never read. */
export const passwordField = (description: string, traits: FieldTraits = {}): FieldOf<never> => ({
  ...input('password', { type: 'string' }, undefined, { description, ...traits }),
  source: 'secret',
});

/** A secret that proves the right to write, such as the present password. */
export const secretField = (description: string, traits: FieldTraits = {}): FieldOf<never> => ({
  ...input('secret', { type: 'string' }, undefined, { description, ...traits }),
  source: 'secret',
});

/** A field that says how others are written, and is stored nowhere. */
export const writeOnlyField = (field: Field): FieldOf<never> => ({ ...field, source: 'secret' });

/** The URL of the entity, or of a path below it: `data/`. */
export const urlField = (below: string, description: string, traits: FieldTraits = {}): FieldOf<never> => ({
  ...output('url', { type: 'string' }, undefined, { description, ...traits }),
  source: 'address',
  below,
});

/** The members of an object that are neither undefined nor null. */
const defined = (object: object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value != null));
