/**
 * One moment of the catalogue. A snapshot never changes: `apply` makes the next one, in which everything that did not
 * change is the very same object. Readers keep one for as long as they like.
 */
import { settingsFrom } from './settings.ts';
import type { Dataset, Diagnostic, Group, Namespace, Query, Settings, User } from './types.ts';

/** A namespace's folder. Datasets may lie in one whose namespace.yaml is missing or broken: then nobody sees them. */
export interface Folder {
  readonly namespace: Namespace | null;
  readonly datasets: ReadonlyMap<string, Dataset>;
}

export interface Snapshot {
  readonly settings: Settings;
  /** By slug of the namespace. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly users: ReadonlyMap<string, User>;
  readonly queries: ReadonlyMap<string, Query>;
  /** By path: what is wrong with the file. */
  readonly diagnostics: ReadonlyMap<string, readonly Diagnostic[]>;
}

export const emptySnapshot: Snapshot = Object.freeze({
  settings: settingsFrom({}),
  folders: new Map(),
  groups: new Map(),
  users: new Map(),
  queries: new Map(),
  diagnostics: new Map(),
});

/** What was read of one thing: the entity as it is now, or null where there is none (any more). */
export type Reading =
  | { readonly kind: 'settings'; readonly entity: Settings | null }
  | { readonly kind: 'namespace'; readonly slug: string; readonly entity: Namespace | null }
  | { readonly kind: 'dataset'; readonly namespace: string; readonly slug: string; readonly entity: Dataset | null }
  | { readonly kind: 'group'; readonly slug: string; readonly entity: Group | null }
  | { readonly kind: 'user'; readonly slug: string; readonly entity: User | null }
  | { readonly kind: 'query'; readonly slug: string; readonly entity: Query | null };

/** What was read, and the problems of the files that were looked at: none where an entry's list is empty. */
export interface Change {
  readonly readings: readonly Reading[];
  readonly diagnostics: ReadonlyMap<string, readonly Diagnostic[]>;
}

/**
 * The next snapshot.
 * @returns the same snapshot where the change says nothing new
 */
export function apply(snapshot: Snapshot, change: Change): Snapshot {
  const draft = {
    settings: snapshot.settings,
    folders: copied(snapshot.folders),
    groups: copied(snapshot.groups),
    users: copied(snapshot.users),
    queries: copied(snapshot.queries),
    diagnostics: copied(snapshot.diagnostics),
  };
  const datasets = new Map<string, Copied<Dataset>>();
  const datasetsOf = (namespace: string) => {
    let copy = datasets.get(namespace);
    if (!copy) {
      copy = copied(snapshot.folders.get(namespace)?.datasets ?? new Map());
      datasets.set(namespace, copy);
    }
    return copy;
  };
  const namespaces = new Map<string, Namespace | null>();

  for (const reading of change.readings) {
    switch (reading.kind) {
      case 'settings':
        draft.settings = reading.entity ?? emptySnapshot.settings;
        break;
      case 'namespace':
        namespaces.set(reading.slug, reading.entity);
        break;
      case 'dataset':
        datasetsOf(reading.namespace).put(reading.slug, reading.entity);
        break;
      case 'group':
        draft.groups.put(reading.slug, asShown(reading.entity, snapshot.groups.get(reading.slug)));
        break;
      case 'user':
        draft.users.put(reading.slug, reading.entity);
        break;
      case 'query':
        draft.queries.put(reading.slug, reading.entity);
        break;
    }
  }

  for (const slug of new Set([...namespaces.keys(), ...datasets.keys()])) {
    const old = snapshot.folders.get(slug);
    const namespace = namespaces.has(slug) ? (namespaces.get(slug) ?? null) : (old?.namespace ?? null);
    const contents = datasets.get(slug)?.map ?? old?.datasets ?? new Map<string, Dataset>();
    if (old?.namespace === namespace && old?.datasets === contents) continue;
    draft.folders.put(slug, namespace || contents.size ? Object.freeze({ namespace, datasets: contents }) : null);
  }
  for (const [path, diagnostics] of change.diagnostics)
    draft.diagnostics.put(path, diagnostics.length ? diagnostics : null);

  const same =
    draft.settings === snapshot.settings &&
    [draft.folders, draft.groups, draft.users, draft.queries, draft.diagnostics].every((copy) => !copy.changed);
  if (same) return snapshot;
  return Object.freeze({
    settings: draft.settings,
    folders: draft.folders.map,
    groups: membership(draft.groups.map, draft.users.map, draft.groups.changed || draft.users.changed),
    users: draft.users.map,
    queries: draft.queries.map,
    diagnostics: draft.diagnostics.map,
  });
}

/** A map that is copied when it is first written to, and knows whether it was. */
interface Copied<T> {
  readonly map: ReadonlyMap<string, T>;
  readonly changed: boolean;
  put(key: string, value: T | null): void;
}

function copied<T>(original: ReadonlyMap<string, T>): Copied<T> {
  let copy: Map<string, T> | undefined;
  return {
    get map() {
      return copy ?? original;
    },
    get changed() {
      return copy !== undefined;
    },
    put(key, value) {
      const current = copy ?? original;
      if (value === null ? !current.has(key) : current.get(key) === value) return;
      copy ??= new Map(original);
      if (value === null) copy.delete(key);
      else copy.set(key, value);
    },
  };
}

/** Groups as they were read, by the group with its members that they became. */
const asRead = new WeakMap<Group, Group>();

/** The group that is shown already, where it is the one that was read. */
function asShown(read: Group | null, shown: Group | undefined): Group | null {
  return read && shown && asRead.get(shown) === read ? shown : read;
}

/** Users' files say which groups they are in; groups show their members. Groups that show the same stay the same. */
function membership(
  groups: ReadonlyMap<string, Group>,
  users: ReadonlyMap<string, User>,
  changed: boolean,
): ReadonlyMap<string, Group> {
  if (!changed) return groups;
  const members = new Map<string, string[]>(Array.from(groups.keys(), (slug) => [slug, []]));
  for (const user of users.values()) for (const group of user.groups) members.get(group)?.push(user.slug);
  return new Map(
    Array.from(groups, ([slug, group]) => {
      const now = (members.get(slug) ?? []).sort();
      const same = now.length === group.members.length && now.every((name, i) => name === group.members[i]);
      if (same) return [slug, group];
      const shown = Object.freeze({ ...group, members: now });
      asRead.set(shown, asRead.get(group) ?? group);
      return [slug, shown];
    }),
  );
}
