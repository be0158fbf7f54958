/** Options for reading columns by a Table Schema: types, forms of dates, decimal separators; and remarks about what no option does. */
import { excerpt } from '../catalogue/errors.ts';
import type { ReadingOptions } from '../catalogue/types.ts';
import { listOf, membersOf, textOf } from './imported.ts';

interface Field {
  /** Name of the column in the rows. */
  readonly column: string;
  readonly type: string;
  readonly format: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Texts that stand for a missing value. */
  readonly missing: readonly string[];
}

/** Most names in a remark. */
const maxNames = 8;

/** @param hasHeader false if the names of the columns are not in the file */
export function readingOfSchema(
  schema: Readonly<Record<string, unknown>>,
  hasHeader: boolean,
): { readonly reading: ReadingOptions; readonly remarks: readonly string[] } {
  const fields = fieldsOf(schema, hasHeader);
  const dates = readDateForms(fields);
  const numbers = fields.filter(({ type }) => type === 'number');
  const decimal = numbers.length > 0 && numbers.every(({ given }) => given.decimalChar === ',') ? ',' : '.';
  const types = new Map<string, TypeToSet>(fields.flatMap((field) => typeToSet(field, decimal, dates.form)));
  return {
    reading: {
      ...(types.size > 0 && { types: Object.fromEntries(types) }),
      ...(decimal === ',' && { decimal }),
      ...(dates.form && { date_format: dates.form }),
    },
    remarks: [
      ...(hasHeader ? [] : remarkOnNames(schema)),
      ...remarksOnMissing(fields, types),
      ...about(dates.unread, (columns) => `The form of dates in ${columns} is not read.`),
      ...about(
        fields.filter(({ type, given }) => type === 'boolean' && (given.trueValues ?? given.falseValues)),
        (columns) => `The words for true and false in ${columns} are read as texts.`,
      ),
      ...about(
        fields.filter(({ given }) => given.bareNumber === false || !['', '.'].includes(textOf(given.groupChar))),
        (columns) => `Numbers with other characters in ${columns} are read as texts.`,
      ),
    ],
  };
}

function fieldsOf(schema: Readonly<Record<string, unknown>>, hasHeader: boolean): readonly Field[] {
  const missingOf = (value: unknown) =>
    listOf(value)
      .map((one) => textOf(membersOf(one).value ?? one))
      .filter(Boolean);
  const shared = missingOf(schema.missingValues);
  return listOf(schema.fields).flatMap((one, i) => {
    const given = membersOf(one);
    const column = hasHeader ? textOf(given.name) : `column_${i + 1}`;
    const format = textOf(given.format);
    const missing = given.missingValues === undefined ? shared : missingOf(given.missingValues);
    return column ? [{ column, type: textOf(given.type), format, given, missing }] : [];
  });
}

/** Columns whose texts may be geometries, which are recognized if their type isn't set. */
const geometryName = /geom|wk[tb]|shape|geojson/i;
const readable = {
  string: 'string',
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  date: 'date',
  datetime: 'datetime',
} as const;
type TypeToSet = (typeof readable)[keyof typeof readable];

/**
 * The type to set, by column. A text that looks like a number stays a text; unless it has a type in RDF, such as a geometry. Other
 * types are recognized by the values: they are set only where texts such as "NA" stand among these, which become null then.
 */
function typeToSet(field: Field, decimal: string, dateForm?: string): readonly (readonly [string, TypeToSet])[] {
  const { column, type, given, missing } = field;
  if (!Object.hasOwn(readable, type)) return [];
  const isWanted =
    type === 'string'
      ? !given.rdfType && !geometryName.test(column)
      : missing.some((text) => !isNumber(text)) && isPlain(field, decimal, dateForm);
  return isWanted ? [[column, readable[type as keyof typeof readable]]] : [];
}

/** True if all values of a column can be read as its type, so that setting it loses none. */
function isPlain({ type, format, given }: Field, decimal: string, dateForm: string | undefined): boolean {
  if (type === 'boolean') return given.trueValues === undefined && given.falseValues === undefined;
  if (type === 'date' || type === 'datetime') return format !== 'any' && (isIso(format) || format === dateForm);
  const hasOwnGroups = given.groupChar !== undefined && !(given.groupChar === '.' && decimal === ',');
  const hasOwnPoint = type === 'number' && (given.decimalChar ?? '.') !== decimal;
  return given.bareNumber !== false && !hasOwnGroups && !hasOwnPoint;
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** A remark for each set of values that stand for missing ones and are kept: in texts all of them, in columns of numbers the numbers. */
function remarksOnMissing(fields: readonly Field[], types: ReadonlyMap<string, TypeToSet>): readonly string[] {
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    const type = types.get(field.column) ?? 'string';
    const texts = field.missing.filter((text) => type === 'string' || (isNumber(text) && !type.startsWith('date')));
    const list = texts.slice(0, maxNames).map((text) => `"${excerpt(text)}"`);
    if (list.length) groups.set(list.join(', '), [...(groups.get(list.join(', ')) ?? []), field]);
  }
  return [...groups].flatMap(([texts, some]) =>
    about(some, (columns) => `${texts} in ${columns} stand for missing values, and are kept as they are.`),
  );
}

/** The form of dates, if all dates that aren't written as ISO 8601 has them have one; and the fields whose form isn't read. */
function readDateForms(fields: readonly Field[]): { readonly form?: string; readonly unread: readonly Field[] } {
  const given = fields.filter(({ type, format }) => (type === 'date' || type === 'datetime') && !isIso(format));
  const [form, ...others] = new Set(given.map(({ format }) => format));
  if (form === undefined) return { unread: [] };
  return others.length || !isReadableForm(form) ? { unread: given } : { form, unread: [] };
}

const isIso = (format: string): boolean => /^(?:|default|any|%Y-%m-%d(?:[T ]%H:%M(?::%S)?Z?)?)$/.test(format);

/** True for a form as in strftime with year, month and day, and without other letters. */
const isReadableForm = (format: string): boolean =>
  /^(?:%[YymdHMS]|[^A-Za-z\d%])+$/.test(format) && [/%[Yy]/, /%m/, /%d/].every((part) => part.test(format));

function remarkOnNames({ fields }: Readonly<Record<string, unknown>>): readonly string[] {
  const names = listOf(fields).map((one) => textOf(membersOf(one).name));
  if (names.every((name, i) => name === `column_${i + 1}`)) return [];
  const shown = names.slice(0, maxNames).map((name) => excerpt(name));
  return [`The file has no names of columns: those of the schema (${shown.join(', ')}) are not taken.`];
}

/** A remark about fields; none without fields. */
function about(fields: readonly Field[], remark: (columns: string) => string): readonly string[] {
  const names = fields.slice(0, maxNames).map(({ column }) => `"${excerpt(column)}"`);
  const more = fields.length > maxNames ? ` and ${fields.length - maxNames} more` : '';
  return fields.length ? [remark(`${names.join(', ')}${more}`)] : [];
}
