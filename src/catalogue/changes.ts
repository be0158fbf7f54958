/** Differences between two states of a catalogue, record by record: for example the changes of a branch. */

import { type FormerNames, renamesBetween } from './column-names.ts';
import type { DifferenceCounts, DifferenceKey } from './difference.ts';
import { allEntities, type ListedKind } from './listing.ts';
import { decodeMetadata } from './metadata.ts';
import { formatRef, refOf } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Column, ColumnType, Dataset, Entities, Version } from './types.ts';

export interface ColumnChange {
  readonly change: 'added' | 'dropped' | 'changed';
  readonly name: string;
  /** Former name if people have said that it was renamed, else null. */
  readonly was: string | null;
  /** Present type; of a dropped column, its former type. */
  readonly type: ColumnType;
  /** Differences of its type and its texts. */
  readonly fields: readonly FieldChange[];
}

export interface VersionChange {
  /** `withdrawn` if its data were served before and are not now. */
  readonly change: 'added' | 'removed' | 'withdrawn' | 'changed';
  readonly slug: string;
  readonly label: string;
  readonly rows: number | null;
  readonly size: number | null;
  readonly fields: readonly FieldChange[];
}

/** Differences between the rows of the newest versions; counts are null if the rows can't be compared. */
export interface RowsChange {
  /** Slugs of versions. */
  readonly from: string;
  readonly to: string;
  readonly counts: DifferenceCounts | null;
  readonly key: DifferenceKey | null;
  /** Reason why the rows can't be compared; '' if they can. */
  readonly reason: string;
}

type ChangedKind = 'settings' | Exclude<ListedKind, 'version'>;

export interface EntityChange {
  readonly kind: ChangedKind;
  readonly change: 'added' | 'removed' | 'changed';
  /** As `formatRef` writes it; '' for the settings. */
  readonly name: string;
  /** Former name if it was renamed or moved, else null. */
  readonly was: string | null;
  readonly label: string;
  readonly fields: readonly FieldChange[];
  /** Of a dataset. */
  readonly columns: readonly ColumnChange[];
  readonly versions: readonly VersionChange[];
  readonly rows: RowsChange | null;
}

/** Kinds in the order of the report. */
const kinds = ['namespace', 'dataset', 'query', 'group', 'user'] as const;
type Kind = (typeof kinds)[number];

/**
 * The differences between two snapshots: first of the settings, then kind by kind, sorted by name. Rows are not compared:
 * `rows` is null.
 */
export function compareSnapshots(before: Snapshot, after: Snapshot): readonly EntityChange[] {
  const settings = compareFields(before.settings, after.settings);
  const renamed = new Map(
    matchEntities(before, after, 'namespace').flatMap(({ old, now }) =>
      old && now && old.slug !== now.slug ? [[old.slug, now.slug]] : [],
    ),
  );
  const entities = kinds.flatMap((kind) =>
    matchEntities(before, after, kind, renamed)
      .map(({ old, now }) => compareEntities(kind, old, now, renamed))
      .filter((change) => change !== null)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  );
  return settings.length ? [{ kind: 'settings', ...noChange, fields: settings }, ...entities] : entities;
}

const noChange = {
  change: 'changed',
  name: '',
  was: null,
  label: '',
  fields: [],
  columns: [],
  versions: [],
  rows: null,
} as const;

interface Pair<T> {
  readonly old: T | undefined;
  readonly now: T | undefined;
}

/**
 * Matches the entities of two snapshots: by name; then those left over by id, or by alias.
 * @param renamed present names of renamed namespaces, keyed by former name
 */
function matchEntities<K extends Kind>(
  before: Snapshot,
  after: Snapshot,
  kind: K,
  renamed: ReadonlyMap<string, string> = new Map(),
): readonly Pair<Entities[K]>[] {
  const homes = new Map([...renamed].map(([old, now]) => [now, old]));
  const name = (entity: Entities[K]) => formatRef(refOf(entity));
  const left = new Map([...allEntities(before, kind)].map((entity) => [name(entity), entity]));
  const pairs: Pair<Entities[K]>[] = [];
  const unmatched: Entities[K][] = [];
  for (const now of allEntities(after, kind)) {
    const old = left.get(name(now));
    if (!old) unmatched.push(now);
    else pairs.push({ old, now });
    left.delete(name(now));
  }
  const byId = new Map([...left.values()].map((old) => [old.id, old]));
  for (const now of unmatched) {
    const sameId = byId.get(now.id);
    const former = sameId && left.has(name(sameId)) ? sameId : left.get(formerName(now, homes) ?? '');
    if (former) left.delete(name(former));
    pairs.push({ old: former, now });
  }
  return [...pairs, ...[...left.values()].map((old) => ({ old, now: undefined }))];
}

/** The former name of an entity: its last alias, or for a dataset also its name in a namespace that was renamed. */
function formerName(entity: Entities[Kind], homes: ReadonlyMap<string, string>): string | undefined {
  if (!('aliases' in entity)) return undefined;
  const alias = entity.aliases.at(-1);
  if (entity.kind !== 'dataset' || alias?.includes('/')) return alias;
  const home = homes.get(entity.namespace);
  return home === undefined && alias === undefined ? undefined : `${home ?? entity.namespace}/${alias ?? entity.slug}`;
}

function compareEntities(
  kind: Kind,
  old: Entities[Kind] | undefined,
  now: Entities[Kind] | undefined,
  renamed: ReadonlyMap<string, string>,
): EntityChange | null {
  const entity = now ?? old;
  if (!entity) return null;
  const name = formatRef(refOf(entity));
  const label = 'label' in entity ? entity.label : entity.name;
  const datasets = [old, now].map((side) => (side?.kind === 'dataset' ? side : undefined));
  const [from, to] = datasets;
  const columns = compareColumnLists(from?.columns ?? [], to?.columns ?? [], {
    ...from?.former_names,
    ...to?.former_names,
  });
  const versions = compareVersions(from, to);
  if (!old || !now) return { kind, ...noChange, change: now ? 'added' : 'removed', name, label, columns, versions };
  const was = formatRef(refOf(old)) === name ? null : formatRef(refOf(old));
  const fields = [...compareFields(old, now, was === null ? [] : ['aliases']), ...compareOrder(from, to)];
  // Renaming a namespace renames all its datasets: that is reported once, for the namespace.
  const isCarried = from && to && from.slug === to.slug && renamed.get(from.namespace) === to.namespace;
  const isSame = (was === null || isCarried) && fields.length + columns.length + versions.length === 0;
  return isSame ? null : { kind, ...noChange, name, was, label, fields, columns, versions };
}

function compareColumnLists(
  before: readonly Column[],
  after: readonly Column[],
  former: FormerNames,
): readonly ColumnChange[] {
  const old = new Map(before.map((column) => [column.name, column]));
  const renamed = renamesBetween(former, namesOf(before), namesOf(after));
  const formerNames = new Map(renamed.map(({ from, to }) => [to, from]));
  const kept = new Set(after.map(({ name }) => formerNames.get(name) ?? name));
  const changed = after.flatMap((column): ColumnChange[] => {
    const { name, type } = column;
    const was = formerNames.get(name) ?? null;
    const previous = old.get(was ?? name);
    if (!previous) return [{ change: 'added', name, was, type, fields: [] }];
    const fields = compareFields(previous, column, ['name']);
    return was !== null || fields.length ? [{ change: 'changed', name, was, type, fields }] : [];
  });
  const dropped = before.filter(({ name }) => !kept.has(name));
  return [
    ...changed,
    ...dropped.map(({ name, type }) => ({ change: 'dropped', name, was: null, type, fields: [] }) as const),
  ];
}

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name);

/** A change in the order of the columns that both have. */
function compareOrder(old: Dataset | undefined, now: Dataset | undefined): readonly FieldChange[] {
  const names = (one: Dataset | undefined, other: Dataset | undefined) => {
    const known = new Set(namesOf(other?.columns ?? []));
    return namesOf(one?.columns ?? []).filter((name) => known.has(name));
  };
  const [from, to] = [names(old, now), names(now, old)];
  return from.join('\0') === to.join('\0') ? [] : [{ field: 'order of columns', from, to }];
}

/** Changes of versions, the newest first, as in a dataset; removed versions come last. */
function compareVersions(before: Dataset | undefined, after: Dataset | undefined): readonly VersionChange[] {
  const old = new Map(before?.versions.map((version) => [version.slug, version]));
  const changes: VersionChange[] = [];
  const add = (change: VersionChange['change'], version: Version, fields: readonly FieldChange[] = []) => {
    const { slug, label, rows, size } = version;
    changes.push({ change, slug, label, rows, size, fields });
  };
  for (const version of after?.versions ?? []) {
    const was = old.get(version.slug);
    old.delete(version.slug);
    if (!was) add('added', version);
    else {
      const fields = compareFields(was, version, ['dataset']);
      if (fields.length) add(was.ready && !version.ready ? 'withdrawn' : 'changed', version, fields);
    }
  }
  for (const version of old.values()) add('removed', version);
  return changes;
}

/** A field in which two records differ. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Keys that are not compared: parts of the name, lists that are compared in other functions, values of other records. */
const skipped: readonly string[] = [
  ...['kind', 'namespace', 'slug', 'columns', 'missing_columns', 'former_names', 'versions', 'members'],
  // It follows from other fields.
  'withdrawn',
];

/**
 * The fields in which two records of a kind differ, in the order of the second.
 * @param except fields that are not compared
 */
function compareFields(before: object, after: object, except: readonly string[] = []): readonly FieldChange[] {
  const [old, now] = [before, after] as readonly [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !skipped.includes(field) && !except.includes(field) && !isJsonEqual(old[field], now[field]))
    .map((field) => ({ field, from: old[field] ?? null, to: now[field] ?? null }));
}

/** True if two JSON values are equal; the order of keys does not matter. */
export function isJsonEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a, b] as readonly [Record<string, unknown>, Record<string, unknown>];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isJsonEqual(one[key], other[key]))
  );
}

/** The keys in which the metadata of two versions differ; null if one of them holds no JSON object. */
export function compareMetadata(before: string, after: string): readonly FieldChange[] | null {
  const [from, to] = [decodeMetadata(before), decodeMetadata(after)];
  if (!from || !to) return null;
  // A key may have the name of a property that every object has.
  const [old, now] = [new Map(Object.entries(from)), new Map(Object.entries(to))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((field) => !isJsonEqual(old.get(field), now.get(field)))
    .map((field) => ({ field, from: old.get(field) ?? null, to: now.get(field) ?? null }));
}
