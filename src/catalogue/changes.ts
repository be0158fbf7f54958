/** How one state of a catalogue differs from another, thing by thing: what a branch changes. */

import type { DifferenceCounts, DifferenceKey } from './difference.ts';
import { allEntities, type ListedKind } from './listing.ts';
import { formatRef, refOf } from './ref.ts';
import type { Snapshot } from './snapshot.ts';
import type { Column, ColumnType, Dataset, Entities, Version } from './types.ts';

export interface ColumnChange {
  readonly change: 'added' | 'dropped' | 'changed';
  readonly name: string;
  /** As it is now; of one that was dropped, as it was. */
  readonly type: ColumnType;
  /** What of it differs: its type, and what people say of it. */
  readonly fields: readonly FieldChange[];
}

export interface VersionChange {
  /** Withdrawn are those whose data were served and aren't any more. */
  readonly change: 'added' | 'removed' | 'withdrawn' | 'changed';
  readonly slug: string;
  readonly label: string;
  readonly rows: number | null;
  readonly size: number | null;
  readonly fields: readonly FieldChange[];
}

/** How the rows of the newest versions differ; without counts, why that can't be told. */
export interface RowsChange {
  /** Slugs of versions. */
  readonly from: string;
  readonly to: string;
  readonly counts: DifferenceCounts | null;
  readonly key: DifferenceKey | null;
  readonly reason: string;
}

type ChangedKind = 'settings' | Exclude<ListedKind, 'version'>;

export interface EntityChange {
  readonly kind: ChangedKind;
  readonly change: 'added' | 'removed' | 'changed';
  /** As `formatRef` writes it; '' for the settings. */
  readonly name: string;
  /** What it was called, where it was renamed or moved. */
  readonly was: string | null;
  readonly label: string;
  readonly fields: readonly FieldChange[];
  /** Of a dataset. */
  readonly columns: readonly ColumnChange[];
  readonly versions: readonly VersionChange[];
  readonly rows: RowsChange | null;
}

/** The order in which they are told. */
const kinds = ['namespace', 'dataset', 'query', 'group', 'user'] as const;
type Kind = (typeof kinds)[number];

/**
 * What came, went and changed between two snapshots: the settings first, then kind by kind, by name. What differs in
 * rows is for others to say, who can read them.
 */
export function compareSnapshots(before: Snapshot, after: Snapshot): readonly EntityChange[] {
  const settings = fieldChanges(before.settings, after.settings);
  const renamed = new Map(
    pairsOf(before, after, 'namespace').flatMap(({ old, now }) =>
      old && now && old.slug !== now.slug ? [[old.slug, now.slug]] : [],
    ),
  );
  const things = kinds.flatMap((kind) =>
    pairsOf(before, after, kind, renamed)
      .map(({ old, now }) => changeOf(kind, old, now, renamed))
      .filter((change) => change !== null)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  );
  return settings.length ? [{ kind: 'settings', ...nothing, fields: settings }, ...things] : things;
}

const nothing = {
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
 * Things of the same name belong together; of the others those of the same id, or one that says what it was called.
 * @param renamed namespaces that have another name now, by the one they had
 */
function pairsOf<K extends Kind>(
  before: Snapshot,
  after: Snapshot,
  kind: K,
  renamed: ReadonlyMap<string, string> = new Map(),
): readonly Pair<Entities[K]>[] {
  const homes = new Map([...renamed].map(([old, now]) => [now, old]));
  const name = (entity: Entities[K]) => formatRef(refOf(entity));
  const left = new Map([...allEntities(before, kind)].map((entity) => [name(entity), entity]));
  const pairs: Pair<Entities[K]>[] = [];
  const come: Entities[K][] = [];
  for (const now of allEntities(after, kind)) {
    const old = left.get(name(now));
    if (!old) come.push(now);
    else pairs.push({ old, now });
    left.delete(name(now));
  }
  const byId = new Map([...left.values()].map((old) => [old.id, old]));
  for (const now of come) {
    const same = byId.get(now.id);
    const former = same && left.has(name(same)) ? same : left.get(formerName(now, homes) ?? '');
    if (former) left.delete(name(former));
    pairs.push({ old: former, now });
  }
  return [...pairs, ...[...left.values()].map((old) => ({ old, now: undefined }))];
}

/** The newest of the names that a thing had; a dataset may have kept its own in a namespace that hasn't. */
function formerName(entity: Entities[Kind], homes: ReadonlyMap<string, string>): string | undefined {
  if (!('aliases' in entity)) return undefined;
  const alias = entity.aliases.at(-1);
  if (entity.kind !== 'dataset' || alias?.includes('/')) return alias;
  const home = homes.get(entity.namespace);
  return home === undefined && alias === undefined ? undefined : `${home ?? entity.namespace}/${alias ?? entity.slug}`;
}

function changeOf(
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
  const columns = columnChanges(from?.columns ?? [], to?.columns ?? []);
  const versions = versionChanges(from, to);
  if (!old || !now) return { kind, ...nothing, change: now ? 'added' : 'removed', name, label, columns, versions };
  const was = formatRef(refOf(old)) === name ? null : formatRef(refOf(old));
  const fields = [...fieldChanges(old, now, was === null ? [] : ['aliases']), ...orderChange(from, to)];
  // With a namespace, all that is in it is called otherwise: that is said once, of the namespace.
  const isCarried = from && to && from.slug === to.slug && renamed.get(from.namespace) === to.namespace;
  const isSame = (was === null || isCarried) && fields.length + columns.length + versions.length === 0;
  return isSame ? null : { kind, ...nothing, name, was, label, fields, columns, versions };
}

function columnChanges(before: readonly Column[], after: readonly Column[]): readonly ColumnChange[] {
  const old = new Map(before.map((column) => [column.name, column]));
  const now = new Set(after.map(({ name }) => name));
  const changed = after.flatMap((column): ColumnChange[] => {
    const { name, type } = column;
    const was = old.get(name);
    if (!was) return [{ change: 'added', name, type, fields: [] }];
    const fields = fieldChanges(was, column);
    return fields.length ? [{ change: 'changed', name, type, fields }] : [];
  });
  const dropped = before.filter(({ name }) => !now.has(name));
  return [...changed, ...dropped.map(({ name, type }) => ({ change: 'dropped', name, type, fields: [] }) as const)];
}

/** The order of the columns that were there and still are. */
function orderChange(old: Dataset | undefined, now: Dataset | undefined): readonly FieldChange[] {
  const names = (one: Dataset | undefined, other: Dataset | undefined) => {
    const known = new Set(other?.columns.map(({ name }) => name));
    return (one?.columns ?? []).map(({ name }) => name).filter((name) => known.has(name));
  };
  const [from, to] = [names(old, now), names(now, old)];
  return from.join('\0') === to.join('\0') ? [] : [{ field: 'order of columns', from, to }];
}

/** The newest first, as datasets have them; those that went come last. */
function versionChanges(before: Dataset | undefined, after: Dataset | undefined): readonly VersionChange[] {
  const old = new Map(before?.versions.map((version) => [version.slug, version]));
  const changes: VersionChange[] = [];
  const note = (change: VersionChange['change'], version: Version, fields: readonly FieldChange[] = []) => {
    const { slug, label, rows, size } = version;
    changes.push({ change, slug, label, rows, size, fields });
  };
  for (const version of after?.versions ?? []) {
    const was = old.get(version.slug);
    old.delete(version.slug);
    if (!was) note('added', version);
    else {
      const fields = fieldChanges(was, version, ['dataset']);
      if (fields.length) note(was.ready && !version.ready ? 'withdrawn' : 'changed', version, fields);
    }
  }
  for (const version of old.values()) note('removed', version);
  return changes;
}

/** A field in which two records differ. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Keys that aren't compared: parts of the name, lists with differences of their own, and values of other records. */
const skipped: readonly string[] = ['kind', 'namespace', 'slug', 'columns', 'versions', 'members'];

/**
 * The fields in which two records of a kind differ, in the order of the second.
 * @param except fields that aren't compared
 */
export function fieldChanges(before: object, after: object, except: readonly string[] = []): readonly FieldChange[] {
  const [old, now] = [before, after] as readonly [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(now), ...Object.keys(old)])]
    .filter((field) => !skipped.includes(field) && !except.includes(field) && !isJsonEqual(old[field], now[field]))
    .map((field) => ({ field, from: old[field] ?? null, to: now[field] ?? null }));
}

/** True if two JSON values are equal, in whatever order their keys stand. */
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
