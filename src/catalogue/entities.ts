/** Entities, made from records: with defaults and derived values. */
import { columnStateForVersions } from './columns.ts';
import { makeTemplate, type NamedField } from './field.ts';
import { imageFields } from './field-forms.ts';
import { fieldsOf } from './fields.ts';
import { deriveIdFromAddress } from './ids.ts';
import { formatRef, type Refs } from './ref.ts';
import type { EntityKind, RecordOf } from './schemas.ts';
import type { Dataset, Entities, Group, Namespace, Query, User, Version } from './types.ts';

const none: readonly never[] = Object.freeze([]);

const entityFields = (kind: EntityKind) =>
  fieldsOf(kind).filter(({ source }) => source === 'file' || source === 'derived');
const fields = {
  namespace: entityFields('namespace'),
  dataset: entityFields('dataset'),
  version: entityFields('version'),
  group: entityFields('group'),
  user: entityFields('user'),
  query: entityFields('query'),
};

const storedIn = (kind: EntityKind): ReadonlyMap<string, NamedField> =>
  new Map(fields[kind].filter(({ source }) => source === 'file').map((field) => [field.name, field]));
/** Fields whose values are in the record, by name. */
const storedFields = {
  namespace: storedIn('namespace'),
  dataset: storedIn('dataset'),
  version: storedIn('version'),
  group: storedIn('group'),
  user: storedIn('user'),
  query: storedIn('query'),
};

/** Names of the values that an entity has from its reference. */
const referenceNames: Readonly<Record<EntityKind, readonly string[]>> = {
  namespace: ['kind', 'slug'],
  dataset: ['kind', 'namespace', 'slug'],
  version: ['kind', 'namespace', 'dataset', 'slug'],
  group: ['kind', 'slug'],
  user: ['kind', 'slug'],
  query: ['kind', 'slug'],
};

const templateOf = (kind: EntityKind) =>
  Object.assign(
    makeTemplate([...referenceNames[kind], ...fields[kind].map(({ name }) => name)]),
    Object.fromEntries(fields[kind].map((field) => [field.name, field.default])),
  );
const templates: { readonly [K in EntityKind]: Readonly<Record<string, unknown>> } = {
  namespace: templateOf('namespace'),
  dataset: templateOf('dataset'),
  version: templateOf('version'),
  group: templateOf('group'),
  user: templateOf('user'),
  query: templateOf('query'),
};

/**
 * Makes the entity of a record. Derived values are still empty. It isn't frozen: V8 gives frozen copies of a template a
 * hidden class each, which is larger than the entity.
 */
function entityFrom<K extends EntityKind>(ref: Refs[K], record: RecordOf<K>): Entities[K] {
  const entity: Record<string, unknown> = Object.assign({ ...templates[ref.kind as K] }, ref);
  const fileFields = storedFields[ref.kind as K];
  // The template has the defaults. A file may have unknown keys, even with the name of a derived field.
  for (const name in record) {
    const field = fileFields.get(name);
    const stored: unknown = record[name];
    if (field && stored !== undefined) entity[name] = field.toValue ? field.toValue(stored as never) : stored;
  }
  entity.id ??= deriveIdFromAddress(ref.kind, formatRef(ref));
  return entity as unknown as Entities[K];
}

export const namespaceFromRecord = (slug: string, record: RecordOf<'namespace'>): Namespace =>
  entityFrom<'namespace'>({ kind: 'namespace', slug }, record);

/** A dataset without its versions; `datasetWithVersions` adds them. */
export const datasetFromRecord = (namespace: string, slug: string, record: RecordOf<'dataset'>): Dataset =>
  entityFrom<'dataset'>({ kind: 'dataset', namespace, slug }, record);

/** Paths or URLs of a dataset's images, with the names of their fields. */
export const datasetImageAddresses = (dataset: Dataset): readonly (readonly [field: string, address: string])[] =>
  images.map(({ name }) => [name, String(dataset[name as keyof Dataset])]);

const images = imageFields('dataset');

/** The dataset with these versions, sorted newest first, and the columns of the newest that is ready. */
export function datasetWithVersions(dataset: Dataset, versions: readonly Version[]): Dataset {
  const sorted = versions.length ? [...versions].sort(compareNewestFirst) : none;
  const { columns, missing_columns, former_names } = columnStateForVersions(dataset, sorted);
  return { ...dataset, columns, missing_columns, former_names, versions: sorted };
}

/** Compares versions: the newest first, by datetime; of the same time, the greater slug first. */
export function compareNewestFirst(a: Version, b: Version): number {
  if (a.datetime !== b.datetime) return a.datetime < b.datetime ? 1 : -1;
  return a.slug < b.slug ? 1 : a.slug > b.slug ? -1 : 0;
}

/**
 * A version, with the values that are derived from its payload.
 * @param payload the payload in the data folder, its size in bytes; null if the record names none or it is missing
 */
export function versionFromRecord(
  namespace: string,
  dataset: string,
  slug: string,
  record: RecordOf<'version'>,
  payload: { readonly size: number } | null,
): Version {
  const { file } = record;
  const present = payload ? file?.size === undefined || file.size === payload.size : Boolean(file?.url);
  const version = entityFrom<'version'>({ kind: 'version', namespace, dataset, slug }, record);
  const values: Partial<Version> = {
    label: version.label ?? slug,
    datetime: isTime(version.datetime) ? version.datetime : datetimeFromSlug(slug),
    ready: version.ready && !version.draft && present,
    draft: version.draft,
    withdrawn: !version.draft && !version.ready,
    format: file?.format ?? '',
    media_type: file?.media_type ?? '',
    size: file?.size ?? payload?.size ?? null,
    href: file?.url ?? '',
  };
  return Object.assign(version, values);
}

/** True for a time that exists, or that JavaScript takes for a later one: not for `2020-99-99T00:00:00Z`. */
const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text));

/** The datetime of a slug that is a 20-digit timestamp; 1970-01-01 for other slugs. */
export function datetimeFromSlug(slug: string): string {
  const [, y, mo, d, h, mi, s, ms] = slug.match(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})\d{3}$/) ?? [];
  const datetime = `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`;
  return isTime(datetime) ? datetime : '1970-01-01T00:00:00.000Z';
}

export const groupFromRecord = (slug: string, record: RecordOf<'group'>): Group =>
  entityFrom<'group'>({ kind: 'group', slug }, record);

export const userFromRecord = (username: string, record: RecordOf<'user'>): User =>
  entityFrom<'user'>({ kind: 'user', slug: username }, record);

export const queryFromRecord = (slug: string, record: RecordOf<'query'>): Query =>
  entityFrom<'query'>({ kind: 'query', slug }, record);

/** Entities without what their references and the defaults of fields say, for a cache. */
export type EntityValues = Readonly<Record<string, unknown>>;

/** The values of an entity that are not the defaults; of a dataset, those of its versions, too. */
export function valuesOfEntity(entity: Entities[EntityKind]): EntityValues {
  const template = templates[entity.kind];
  const references = referenceNames[entity.kind];
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entity))
    if (!references.includes(name) && !isSameOrBothEmpty(value, template[name])) values[name] = value;
  if (entity.kind === 'dataset' && entity.versions.length)
    values.versions = entity.versions.map((version) => [version.slug, valuesOfEntity(version)]);
  return values;
}

function isSameOrBothEmpty(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return Array.isArray(a) === Array.isArray(b) && Object.keys(a).length === 0 && Object.keys(b).length === 0;
}

/** The entity with these values. Default values are shared between entities. */
export function entityFromValues<K extends EntityKind>(ref: Refs[K], values: EntityValues): Entities[K] {
  const entity = fillTemplate(ref.kind, values, ref.slug);
  if (ref.kind === 'dataset' || ref.kind === 'version') entity.namespace = ref.namespace;
  if (ref.kind === 'version') entity.dataset = ref.dataset;
  if (ref.kind === 'dataset' && values.versions) {
    const versions: unknown[] = [];
    for (const [slug, own] of values.versions as [string, EntityValues][]) {
      const version = fillTemplate('version', own, slug);
      version.namespace = ref.namespace;
      version.dataset = ref.slug;
      versions.push(version);
    }
    entity.versions = versions;
  }
  return entity as unknown as Entities[K];
}

/** A start does this for each record: `Object.assign` would take half as long again. */
function fillTemplate(kind: EntityKind, values: EntityValues, slug: string): Record<string, unknown> {
  const entity: Record<string, unknown> = { ...templates[kind] };
  for (const name in values) entity[name] = values[name];
  entity.kind = kind;
  entity.slug = slug;
  return entity;
}
