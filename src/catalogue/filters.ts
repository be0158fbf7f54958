/** Filters, orderings and search texts of lists, for each kind: those of fields that have the trait, and some others. */
import { geometryClasses, geometryClassOfDataset } from './column-statistics.ts';
import { lastUpdateOf, makeDatasetBboxFilter, makeTimeFilter } from './dataset-filters.ts';
import { excerpt, ValidationError } from './errors.ts';
import { formatOfDataset, yearOfDataset } from './facets.ts';
import type { NamedField } from './field.ts';
import { fieldsOf } from './fields.ts';
import { foldCaseAndAccents } from './fold.ts';
import { composeLetters } from './normalize.ts';
import { formatRef } from './ref.ts';
import { refFromLinkValue } from './represent.ts';
import type { EntityKind } from './schemas.ts';
import { type CatalogueFile, columnTypes, type Dataset, type Entities, type Kind } from './types.ts';
import { collections } from './urls.ts';

/** Makes the test of a filter from its name and the wanted values. */
export type FilterTest<T> = (name: string, values: readonly string[]) => (item: T) => boolean;

/** A filter of lists: it keeps items that have one of the wanted values. */
export interface Filter<T> {
  readonly name: string;
  /** Help of the option of `catalogue … list`; undefined if there is no option. */
  readonly help?: string | undefined;
  /** Allowed values; undefined if any are allowed. */
  readonly choices?: readonly string[] | undefined;
  /** Form of the values, as a regular expression, with an example; undefined if any are allowed. */
  readonly form?: { readonly pattern: string; readonly example: string } | undefined;
  /** What values are compared by; by themselves, if absent. */
  readonly fold?: ((value: string) => string) | undefined;
  /** Values of an item; absent if there is a test. */
  readonly valuesOf?: (item: T) => string | readonly string[];
  /** Makes the test, unless it compares values. */
  readonly test?: FilterTest<T>;
}

type Item = Readonly<Record<string, unknown>>;

/** Key of a field in an entity: its name, but `slug` for a username. */
const keyOf = ({ name, type }: NamedField): string => (type === 'username' ? 'slug' : name);

/** The singular of a field's name: `keyword` for each of the keywords. */
export const singularFieldName = ({ name, type }: NamedField): string =>
  type === 'list' || type === 'links' ? name.replace(/s$/, '') : name;

/** Makes the filter of a field. */
function fieldFilter(field: NamedField): Filter<Item> {
  const { type, link, filter, schema } = field;
  const key = keyOf(field);
  const usual: Filter<Item> = {
    name: singularFieldName(field),
    help: typeof filter === 'string' ? filter : undefined,
    choices: type === 'boolean' ? ['true', 'false'] : schema.enum,
    fold: type === 'list' ? foldCaseAndAccents : undefined,
    valuesOf: (item) => String(item[key]),
  };
  if (type === 'list' || type === 'links') return { ...usual, valuesOf: (item) => item[key] as readonly string[] };
  if (link !== 'dataset') return usual;
  // A dataset may be given with its namespace or without.
  const addresses = (item: Item) => {
    const ref = refFromLinkValue(link, String(item[key]), item);
    return [ref.slug, formatRef(ref)];
  };
  return { ...usual, valuesOf: addresses };
}

/** Filters that are not fields. */
const otherFilters: { readonly [K in Kind]?: readonly Filter<Entities[K]>[] } = {
  dataset: [
    { name: 'bbox', help: 'Only those that meet west,south,east,north in degrees.', test: makeDatasetBboxFilter },
    { name: 'updated__gte', test: makeTimeFilter(lastUpdateOf, false) },
    { name: 'updated__lte', test: makeTimeFilter(lastUpdateOf, true) },
    {
      name: 'type',
      help: 'Only those with a column of this type.',
      choices: columnTypes,
      valuesOf: ({ columns }) => columns.map(({ type }) => type),
    },
    {
      name: 'column',
      help: 'Only those with a column of this name.',
      fold: composeLetters,
      valuesOf: ({ columns }) => columns.map(({ name }) => name),
    },
    {
      name: 'geometry',
      help: 'Only those whose rows are of this kind.',
      choices: geometryClasses,
      valuesOf: geometryClassOfDataset,
    },
    {
      name: 'file_format',
      help: 'Only those whose newest version is a file of this format.',
      valuesOf: formatOfDataset,
    },
    {
      name: 'year',
      help: 'Only those whose newest version is of this year.',
      form: { pattern: '^\\d{4}$', example: '2026' },
      valuesOf: yearOfDataset,
    },
    {
      name: 'ready',
      help: 'Only those with data to serve, or without.',
      choices: ['true', 'false'],
      valuesOf: ({ versions }) => String(versions.some(({ ready }) => ready)),
    },
  ],
  version: [
    { name: 'namespace', valuesOf: ({ namespace }) => namespace },
    { name: 'datetime__gte', test: makeTimeFilter(({ datetime }) => datetime ?? '', false) },
    { name: 'datetime__lte', test: makeTimeFilter(({ datetime }) => datetime ?? '', true) },
  ],
  file: [
    { name: 'id', valuesOf: ({ id }) => String(id) },
    { name: 'path', valuesOf: ({ path }) => path },
    { name: 'kind', valuesOf: ({ record }) => record },
    { name: 'status', choices: ['ok', 'invalid'], valuesOf: ({ status }) => status },
  ],
};

const fieldFilters = (kind: EntityKind) =>
  fieldsOf(kind)
    .filter(({ filter }) => filter)
    .map(fieldFilter);

/** The filters of a kind, such as `namespace` and `type` in `?namespace=parks&type=geometry`. */
export const filtersOfKind = <K extends Kind>(kind: K): readonly Filter<Entities[K]>[] => [
  ...(kind === 'file' ? [] : (fieldFilters(kind) as unknown as readonly Filter<Entities[K]>[])),
  ...(otherFilters[kind] ?? []),
];

const unchanged = (value: string) => value;

/** Makes the function that makes the tests of a filter. */
function filterTest<T>({ choices, form, fold = unchanged, valuesOf = () => [], test }: Filter<T>): FilterTest<T> {
  if (test) return test;
  return (name, values) => {
    for (const value of values) {
      if (choices && !choices.includes(value))
        throw new ValidationError({
          [name]: [`Select a valid choice. ${value} is not one of the available choices: ${choices.join(', ')}.`],
        });
      if (form && !new RegExp(form.pattern).test(value))
        throw new ValidationError({ [name]: [`Enter a value such as ${form.example}, not "${excerpt(value)}".`] });
    }
    const wanted = new Set(values.map(fold));
    return (item) => {
      const own = valuesOf(item);
      if (typeof own === 'string') return wanted.has(fold(own));
      return own.some((value) => wanted.has(fold(value)));
    };
  };
}

/** A table with an entry for each kind. An entry is made when it is first needed: most commands need none. */
function eachKind<T>(make: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  const table = {} as Record<Kind, T>;
  for (const kind of Object.keys(collections) as Kind[])
    Object.defineProperty(table, kind, {
      configurable: true,
      enumerable: true,
      get() {
        const value = make(kind);
        Object.defineProperty(table, kind, { value, enumerable: true });
        return value;
      },
    });
  return table;
}

/** Makers of tests, keyed by kind and filter. */
export const filterTests = eachKind(
  (kind): Readonly<Record<string, FilterTest<never>>> =>
    Object.fromEntries(filtersOfKind(kind).map((filter) => [filter.name, filterTest(filter as Filter<never>)])),
);

/** Functions that return the value to order by, keyed by kind and field. Unknown numbers count as -1. */
export const orderFields = eachKind((kind): Readonly<Record<string, (item: never) => string | number>> => {
  if (kind === 'file') return { id: ({ id }: CatalogueFile) => id, path: ({ path }: CatalogueFile) => path };
  const fields = fieldsOf(kind).filter(({ order }) => order);
  const own = Object.fromEntries(
    fields.map((field) => {
      const key = keyOf(field);
      return [field.name, (item: Item) => (item[key] ?? -1) as string | number];
    }),
  );
  return kind === 'dataset' ? { ...own, updated: lastUpdateOf } : own;
});

/** Functions that return the text to search in, keyed by kind: each value is a line, so that no term spans two values. */
export const searchText = eachKind((kind): ((item: never) => string) => {
  if (kind === 'file')
    return ({ path, problems }: CatalogueFile) => [path, ...problems.map(({ message }) => message)].join('\n');
  const keys = fieldsOf(kind)
    .filter(({ search }) => search)
    .map(keyOf);
  return (item: Item) => {
    let text = '';
    for (const key of keys) text += `${Array.isArray(item[key]) ? item[key].join('\n') : item[key]}\n`;
    return text;
  };
});

/** Names and labels of a dataset's columns, each in a line. */
export function columnText({ columns }: Dataset): string {
  let text = '';
  for (const { name, label } of columns) text += label && label !== name ? `${name}\n${label}\n` : `${name}\n`;
  return text;
}
