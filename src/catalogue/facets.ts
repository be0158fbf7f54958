/** What each kind can be searched, ordered and filtered by. */
import { ValidationError } from './errors.ts';
import { fold } from './fold.ts';
import { type CatalogueFile, columnTypes, type Entities, type Kind } from './types.ts';

/** Makes a test from a field's name and the values it may have. */
export type Facet<T> = (field: string, values: readonly string[]) => (item: T) => boolean;

/** The text that a search looks in: each field a line, so that no term spans two. */
export const searchText: { readonly [K in Kind]: (item: Entities[K]) => string } = {
  namespace: ({ label, description, slug }) => `${label}\n${description}\n${slug}`,
  dataset: ({ label, description, slug, keywords }) => `${label}\n${description}\n${slug}\n${keywords.join('\n')}`,
  version: ({ label, slug }) => `${label}\n${slug}`,
  group: ({ label, slug }) => `${label}\n${slug}`,
  user: ({ slug, name }) => `${slug}\n${name}`,
  query: ({ label, description, slug }) => `${label}\n${description}\n${slug}`,
  file: ({ path, problems }) => `${path}\n${problems.map(({ message }) => message).join('\n')}`,
};

type OrderFields<T> = Readonly<Record<string, (item: T) => string | number>>;

export const orderFields: { readonly [K in Kind]: OrderFields<Entities[K]> } = {
  namespace: { id: ({ id }) => id, label: ({ label }) => label, slug: ({ slug }) => slug },
  dataset: {
    id: ({ id }) => id,
    label: ({ label }) => label,
    slug: ({ slug }) => slug,
    namespace: ({ namespace }) => namespace,
  },
  version: {
    id: ({ id }) => id,
    label: ({ label }) => label,
    slug: ({ slug }) => slug,
    datetime: ({ datetime }) => datetime,
    size: ({ size }) => size ?? -1,
    rows: ({ rows }) => rows ?? -1,
  },
  group: { id: ({ id }) => id, label: ({ label }) => label, slug: ({ slug }) => slug },
  user: { id: ({ id }) => id, username: ({ slug }) => slug },
  query: { id: ({ id }) => id, label: ({ label }) => label, slug: ({ slug }) => slug },
  file: { id: ({ id }) => id, path: ({ path }) => path },
};

/** The field must be one of the values, exactly. */
function exact<T>(get: (item: T) => string | number): Facet<T> {
  return (_field, values) => {
    const wanted = new Set(values);
    return (item) => wanted.has(String(get(item)));
  };
}

/** One of the item's several values must be one of those wanted. */
function among<T>(get: (item: T) => readonly string[]): Facet<T> {
  return (_field, values) => {
    const wanted = new Set(values);
    return (item) => get(item).some((value) => wanted.has(value));
  };
}

/** As `among`, without regard to case and accents: keywords are words. */
function amongWords<T>(get: (item: T) => readonly string[]): Facet<T> {
  return (_field, values) => {
    const wanted = new Set(values.map(fold));
    return (item) => get(item).some((value) => wanted.has(fold(value)));
  };
}

function choice<T>(choices: readonly string[], get: (item: T) => readonly string[]): Facet<T> {
  return (field, values) => {
    for (const value of values)
      if (!choices.includes(value))
        throw new ValidationError({
          [field]: [`Select a valid choice. ${value} is not one of the available choices: ${choices.join(', ')}.`],
        });
    return among(get)(field, values);
  };
}

const truth = (value: boolean) => [String(value)];
const booleans = ['true', 'false'];
const visibilities = ['public', 'private'];
const address = ({ namespace, dataset }: { namespace: string; dataset: string }) => [
  dataset,
  `${namespace}/${dataset}`,
];

type Facets<T> = Readonly<Record<string, Facet<T>>>;

/** Filters by field: `?namespace=parks&type=geometry`. A parameter that is none of these is no filter. */
export const facets: { readonly [K in Kind]: Facets<Entities[K]> } = {
  namespace: {
    id: exact(({ id }) => id),
    label: exact(({ label }) => label),
    slug: exact(({ slug }) => slug),
    visibility: choice(visibilities, ({ visibility }) => [visibility]),
    owner: among(({ owners }) => owners),
  },
  dataset: {
    id: exact(({ id }) => id),
    label: exact(({ label }) => label),
    slug: exact(({ slug }) => slug),
    namespace: exact(({ namespace }) => namespace),
    keyword: amongWords(({ keywords }) => keywords),
    licence: exact(({ licence }) => licence),
    publisher: exact(({ publisher }) => publisher),
    visibility: choice(visibilities, ({ visibility }) => [visibility]),
    /** The type of a column. */
    type: choice(columnTypes, ({ columns }) => columns.map(({ type }) => type)),
    column: among(({ columns }) => columns.map(({ name }) => name)),
    ready: choice(booleans, ({ versions }) => truth(versions.some(({ ready }) => ready))),
  },
  version: {
    id: exact(({ id }) => id),
    label: exact(({ label }) => label),
    slug: exact(({ slug }) => slug),
    namespace: exact(({ namespace }) => namespace),
    dataset: among(address),
    checksum: exact(({ checksum }) => checksum),
    ready: choice(booleans, ({ ready }) => truth(ready)),
    /** `format` itself is taken: it chooses the representation. */
    media_type: exact(({ media_type }) => media_type),
  },
  group: {
    id: exact(({ id }) => id),
    label: exact(({ label }) => label),
    slug: exact(({ slug }) => slug),
    member: among(({ members }) => members),
  },
  user: {
    id: exact(({ id }) => id),
    username: exact(({ slug }) => slug),
    group: among(({ groups }) => groups),
  },
  query: {
    id: exact(({ id }) => id),
    label: exact(({ label }) => label),
    slug: exact(({ slug }) => slug),
    dataset: among(({ dataset }) => [dataset, dataset.slice(dataset.indexOf('/') + 1)]),
  },
  file: {
    id: exact(({ id }) => id),
    path: exact(({ path }) => path),
    kind: exact(({ record }: CatalogueFile) => record),
    status: choice(['ok', 'invalid'], ({ status }) => [status]),
  },
};
