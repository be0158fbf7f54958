/**
 * State of the catalogue at one moment. A snapshot never changes: `nextSnapshot` makes the next one, in which every
 * entity that did not change is the same object. Readers may keep a snapshot for as long as they like.
 */

import type { Diagnostic } from './diagnostic.ts';
import { settingsFromRecord } from './settings.ts';
import type { Dataset, Group, Namespace, Query, Settings, User } from './types.ts';

/** A folder in `namespaces/`. */
export interface Folder {
  /** Null if namespace.yaml is missing: then its datasets are hidden from everybody. */
  readonly namespace: Namespace | null;
  readonly datasets: ReadonlyMap<string, Dataset>;
  /** True in a part of a snapshot if the viewer may see single datasets of a private namespace, and nothing else of it. */
  readonly isPartial?: true;
}

export interface Snapshot {
  readonly settings: Settings;
  /** Keyed by slug of the namespace. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly users: ReadonlyMap<string, User>;
  readonly queries: ReadonlyMap<string, Query>;
  /** Problems of files, keyed by path. */
  readonly diagnostics: ReadonlyMap<string, readonly Diagnostic[]>;
}

export const emptySnapshot: Snapshot = Object.freeze({
  settings: settingsFromRecord({}),
  folders: new Map(),
  groups: new Map(),
  users: new Map(),
  queries: new Map(),
  diagnostics: new Map(),
});

/** Present state of one entity, from its files or from a planned change; null if it doesn't exist (any more). */
export type UnitReading =
  | { readonly kind: 'settings'; readonly entity: Settings | null }
  | { readonly kind: 'namespace'; readonly slug: string; readonly entity: Namespace | null }
  | { readonly kind: 'dataset'; readonly namespace: string; readonly slug: string; readonly entity: Dataset | null }
  | { readonly kind: 'group'; readonly slug: string; readonly entity: Group | null }
  | { readonly kind: 'user'; readonly slug: string; readonly entity: User | null }
  | { readonly kind: 'query'; readonly slug: string; readonly entity: Query | null };

/** Entities and files that were read again. */
export interface SnapshotChange {
  readonly readings: Iterable<UnitReading>;
  /** Keyed by path; an empty list for a file that has no problems (any more). */
  readonly diagnostics: ReadonlyMap<string, readonly Diagnostic[]>;
}

/**
 * The next snapshot.
 * @returns the same snapshot if the change contains nothing new
 */
export function nextSnapshot(snapshot: Snapshot, change: SnapshotChange): Snapshot {
  const steps = nextSnapshotInSteps(snapshot, change);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps, one for each reading. Readings that are added in the meantime count, too. */
export function* nextSnapshotInSteps(snapshot: Snapshot, change: SnapshotChange): Generator<void, Snapshot> {
  const draft = new Draft(snapshot);
  for (const reading of change.readings) {
    draft.put(reading);
    yield;
  }
  for (const [path, diagnostics] of change.diagnostics)
    draft.diagnostics.put(path, diagnostics.length ? diagnostics : null);
  const next = draft.finish();
  if (next !== snapshot) predecessors.set(next, new WeakRef(snapshot));
  return next;
}

/** A weak reference: a snapshot doesn't keep the ones before it in memory. */
const predecessors = new WeakMap<Snapshot, WeakRef<Snapshot>>();

/** The snapshot from which `nextSnapshot` made this one; undefined if it is no longer in memory. */
export const previousSnapshotOf = (snapshot: Snapshot): Snapshot | undefined => predecessors.get(snapshot)?.deref();

const wholes = new WeakMap<Snapshot, Snapshot>();

/** A snapshot in which some members are replaced by smaller ones. */
export function snapshotWithSmallerMembers(whole: Snapshot, members: Partial<Snapshot>): Snapshot {
  const part = Object.freeze({ ...whole, ...members });
  wholes.set(part, whole);
  return part;
}

/** The snapshot that this one is a part of; undefined for a whole one. */
export const unrestrictedSnapshotOf = (part: Snapshot): Snapshot | undefined => wholes.get(part);

/** The map with its values replaced, or deleted if the replacement is null; the same map if no value changes. */
export function replaceMapValues<T>(
  map: ReadonlyMap<string, T>,
  replace: (value: T, key: string) => T | null,
): ReadonlyMap<string, T> {
  let result: Map<string, T> | undefined;
  for (const [key, value] of map) {
    const replacement = replace(value, key);
    if (replacement === value) continue;
    result ??= new Map(map);
    if (replacement === null) result.delete(key);
    else result.set(key, replacement);
  }
  return result ?? map;
}

/** Values made from snapshots, kept as long as their snapshot: of each one, the values used last. */
export class SnapshotCache<T> {
  readonly #values = new WeakMap<Snapshot, Map<string, T>>();
  readonly #limit: number;

  /** @param limit number of values kept for each snapshot */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(snapshot: Snapshot, key: string): T | undefined {
    return this.#values.get(snapshot)?.get(key);
  }

  /** The value of a key, which is made if it isn't kept. */
  getOrMake(snapshot: Snapshot, key: string, make: () => T): T {
    const value = this.get(snapshot, key) ?? make();
    const values = this.#values.get(snapshot) ?? new Map<string, T>();
    this.#values.set(snapshot, values);
    // The last key of a map is the one used last.
    values.delete(key);
    values.set(key, value);
    for (const leastUsed of values.keys()) {
      if (values.size <= this.#limit) break;
      values.delete(leastUsed);
    }
    return value;
  }
}

/** The next snapshot while it is made: maps are copied when they are first changed. */
class Draft {
  readonly #before: Snapshot;
  #settings: Settings;
  readonly #folders: CopyOnWriteMap<Folder>;
  readonly #groups: CopyOnWriteMap<Group>;
  readonly #users: CopyOnWriteMap<User>;
  readonly #queries: CopyOnWriteMap<Query>;
  readonly diagnostics: CopyOnWriteMap<readonly Diagnostic[]>;
  /** Namespaces that were read, keyed by slug. */
  readonly #namespaces = new Map<string, Namespace | null>();
  /** Datasets of the folders in which some were read, keyed by slug of the namespace. */
  readonly #datasets = new Map<string, CopyOnWriteMap<Dataset>>();

  constructor(before: Snapshot) {
    this.#before = before;
    this.#settings = before.settings;
    this.#folders = new CopyOnWriteMap(before.folders);
    this.#groups = new CopyOnWriteMap(before.groups);
    this.#users = new CopyOnWriteMap(before.users);
    this.#queries = new CopyOnWriteMap(before.queries);
    this.diagnostics = new CopyOnWriteMap(before.diagnostics);
  }

  put(reading: UnitReading): void {
    switch (reading.kind) {
      case 'settings':
        this.#settings = reading.entity ?? emptySnapshot.settings;
        break;
      case 'namespace':
        this.#namespaces.set(reading.slug, reading.entity);
        break;
      case 'dataset':
        this.#datasetsIn(reading.namespace).put(reading.slug, reading.entity);
        break;
      case 'group':
        this.#groups.put(reading.slug, withKnownMembers(reading.entity, this.#before.groups.get(reading.slug)));
        break;
      case 'user':
        this.#users.put(reading.slug, reading.entity);
        break;
      case 'query':
        this.#queries.put(reading.slug, reading.entity);
        break;
    }
  }

  #datasetsIn(namespace: string): CopyOnWriteMap<Dataset> {
    let datasets = this.#datasets.get(namespace);
    if (!datasets) {
      datasets = new CopyOnWriteMap(this.#before.folders.get(namespace)?.datasets ?? new Map());
      this.#datasets.set(namespace, datasets);
    }
    return datasets;
  }

  finish(): Snapshot {
    this.#putFolders();
    const maps = [this.#folders, this.#groups, this.#users, this.#queries, this.diagnostics];
    if (this.#settings === this.#before.settings && !maps.some(({ isChanged }) => isChanged)) return this.#before;
    const groups = this.#groups.map;
    return Object.freeze({
      settings: this.#settings,
      folders: this.#folders.map,
      groups: this.#groups.isChanged || this.#users.isChanged ? withMembers(groups, this.#users.map) : groups,
      users: this.#users.map,
      queries: this.#queries.map,
      diagnostics: this.diagnostics.map,
    });
  }

  /** Joins namespaces and datasets to folders. */
  #putFolders(): void {
    for (const slug of new Set([...this.#namespaces.keys(), ...this.#datasets.keys()])) {
      const old = this.#before.folders.get(slug);
      const read = this.#namespaces.get(slug);
      const namespace = read === undefined ? (old?.namespace ?? null) : read;
      const datasets = this.#datasets.get(slug)?.map ?? old?.datasets ?? new Map<string, Dataset>();
      if (old?.namespace === namespace && old?.datasets === datasets) continue;
      this.#folders.put(slug, namespace || datasets.size ? Object.freeze({ namespace, datasets }) : null);
    }
  }
}

/** A map that is copied when it is first changed. */
class CopyOnWriteMap<T> {
  readonly #original: ReadonlyMap<string, T>;
  #copy: Map<string, T> | undefined;

  constructor(original: ReadonlyMap<string, T>) {
    this.#original = original;
  }

  get map(): ReadonlyMap<string, T> {
    return this.#copy ?? this.#original;
  }

  get isChanged(): boolean {
    return this.#copy !== undefined;
  }

  /** @param value null to delete the key */
  put(key: string, value: T | null): void {
    if (value === null ? !this.map.has(key) : this.map.get(key) === value) return;
    this.#copy ??= new Map(this.#original);
    if (value === null) this.#copy.delete(key);
    else this.#copy.set(key, value);
  }
}

/** Groups as they were read, keyed by the same groups with members. */
const groupsAsRead = new WeakMap<Group, Group>();

/**
 * A group that was read again, and has no members yet. If nothing in its file changed, it is the present group, with its
 * members: so that an unchanged group stays the same object.
 */
function withKnownMembers(read: Group | null, present: Group | undefined): Group | null {
  return read && present && groupsAsRead.get(present) === read ? present : read;
}

/** Groups with their members, which stand in the users' files. A group whose members don't change stays the same object. */
function withMembers(groups: ReadonlyMap<string, Group>, users: ReadonlyMap<string, User>): ReadonlyMap<string, Group> {
  const members = new Map<string, string[]>(Array.from(groups.keys(), (slug) => [slug, []]));
  for (const user of users.values()) for (const group of user.groups) members.get(group)?.push(user.slug);
  return new Map(
    Array.from(groups, ([slug, group]) => {
      const names = (members.get(slug) ?? []).sort();
      if (names.length === group.members.length && names.every((name, i) => name === group.members[i]))
        return [slug, group];
      const result = Object.freeze({ ...group, members: names });
      groupsAsRead.set(result, groupsAsRead.get(group) ?? group);
      return [slug, result];
    }),
  );
}
