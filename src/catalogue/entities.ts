/** From what a file says to what the catalogue holds: defaults filled in, addresses added. */
import { derivedId } from './ids.ts';
import type { RecordOf } from './records.ts';
import type { Dataset, Group, Namespace, Query, User, Version } from './types.ts';

const none: readonly never[] = Object.freeze([]);

export function namespaceFrom(slug: string, record: RecordOf<'namespace'>): Namespace {
  return Object.freeze({
    kind: 'namespace',
    slug,
    id: record.id ?? derivedId('namespace', slug),
    label: record.label,
    description: record.description ?? '',
    visibility: record.visibility ?? 'public',
    owners: record.owners ?? none,
    aliases: record.aliases ?? none,
  });
}

/** A dataset without its versions; `withVersions` adds them. */
export function datasetFrom(namespace: string, slug: string, record: RecordOf<'dataset'>): Dataset {
  return Object.freeze({
    kind: 'dataset',
    namespace,
    slug,
    id: record.id ?? derivedId('dataset', `${namespace}/${slug}`),
    label: record.label,
    description: record.description ?? '',
    image: record.image ?? '',
    showcase_image: record.showcase_image ?? '',
    thumbnail_image: record.thumbnail_image ?? '',
    keywords: record.keywords ?? none,
    licence: record.licence ?? '',
    homepage: record.homepage ?? '',
    publisher: record.publisher ?? '',
    contact: record.contact ?? '',
    visibility: record.visibility ?? 'public',
    columns: (record.columns ?? none).map((column) => ({
      type: column.type,
      name: column.name,
      label: column.label ?? '',
      description: column.description ?? '',
      unit: column.unit ?? '',
    })),
    aliases: record.aliases ?? none,
    versions: none,
  });
}

/** The dataset with these versions, which are put newest first. */
export function withVersions(dataset: Dataset, versions: readonly Version[]): Dataset {
  return Object.freeze({ ...dataset, versions: versions.length ? [...versions].sort(newestFirst) : none });
}

/** Newest first by datetime; of the same moment, the greater slug first. */
export function newestFirst(a: Version, b: Version): number {
  if (a.datetime !== b.datetime) return a.datetime < b.datetime ? 1 : -1;
  return a.slug < b.slug ? 1 : a.slug > b.slug ? -1 : 0;
}

/**
 * @param payload what is known of the payload in the data folder: its size in bytes; null where the record names
 *   none or it isn't there
 */
export function versionFrom(
  namespace: string,
  dataset: string,
  slug: string,
  record: RecordOf<'version'>,
  payload: { readonly size: number } | null,
): Version {
  const { file } = record;
  const size = file?.size ?? payload?.size ?? null;
  const present = payload ? file?.size === undefined || file.size === payload.size : Boolean(file?.url);
  return Object.freeze({
    kind: 'version',
    namespace,
    dataset,
    slug,
    id: record.id ?? derivedId('version', `${namespace}/${dataset}@${slug}`),
    label: record.label ?? slug,
    datetime: milliseconds(record.datetime) ?? datetimeOf(slug),
    checksum: record.checksum ?? '',
    metadata: record.metadata ?? '',
    ready: (record.ready ?? true) && present,
    notes: record.notes ?? '',
    format: file?.format ?? '',
    media_type: file?.media_type ?? '',
    size,
    rows: record.rows ?? null,
    bbox: record.bbox ?? null,
    file: file?.url ? '' : (file?.name ?? ''),
    href: file?.url ?? '',
  });
}

/** ISO 8601 cut to milliseconds, which is how the interface writes it. */
function milliseconds(datetime: string | undefined): string | undefined {
  const [, seconds, fraction = ''] = datetime?.match(/^(.{19})(?:\.(\d+))?Z$/) ?? [];
  return seconds && `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** The moment that a 20-digit timestamp says; the epoch for a slug that is none. */
export function datetimeOf(slug: string): string {
  const [, y, mo, d, h, mi, s, ms] = slug.match(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})\d{3}$/) ?? [];
  return y ? `${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z` : '1970-01-01T00:00:00.000Z';
}

export function groupFrom(slug: string, record: RecordOf<'group'>): Group {
  return Object.freeze({
    kind: 'group',
    slug,
    id: record.id ?? derivedId('group', slug),
    label: record.label,
    members: none,
    aliases: record.aliases ?? none,
  });
}

export function userFrom(username: string, record: RecordOf<'user'>): User {
  return Object.freeze({
    kind: 'user',
    slug: username,
    id: record.id ?? derivedId('user', username),
    name: record.name ?? '',
    email: record.email ?? '',
    staff: record.staff ?? false,
    groups: record.groups ?? none,
  });
}

export function queryFrom(slug: string, record: RecordOf<'query'>): Query {
  return Object.freeze({
    kind: 'query',
    slug,
    id: record.id ?? derivedId('query', slug),
    label: record.label,
    description: record.description ?? '',
    dataset: record.dataset,
    version: record.version ?? null,
    parameters: record.parameters ?? {},
    aliases: record.aliases ?? none,
  });
}
