/** All entities of a kind in a snapshot, in the orders that lists are asked for. Sorted lists are kept with their snapshot. */
import { compareValues } from './compare.ts';
import { orderFields } from './filters.ts';
import { previousSnapshotOf, type Snapshot, SnapshotCache, unrestrictedSnapshotOf } from './snapshot.ts';
import { filterInSteps, insertInSteps, SharedSteps, type Steps, setInSteps, sortInSteps } from './steps.ts';
import type { CatalogueFile, Entities, Entity, Kind, Settings, Version } from './types.ts';

/** Kinds of entities in a snapshot. (The list of files is in `files/files-list.ts`.) */
export type ListedKind = Exclude<Kind, 'file'>;

/** All entities of a kind, in no particular order. */
export function allEntities<K extends ListedKind>(snapshot: Snapshot, kind: K): Iterable<Entities[K]> {
  return entitiesByKind[kind](snapshot) as Iterable<Entities[K]>;
}

const entitiesByKind: { [K in ListedKind]: (snapshot: Snapshot) => Iterable<Entities[K]> } = {
  *namespace(snapshot) {
    for (const { namespace } of snapshot.folders.values()) if (namespace) yield namespace;
  },
  *dataset(snapshot) {
    for (const { datasets } of snapshot.folders.values()) yield* datasets.values();
  },
  *version(snapshot) {
    for (const { datasets } of snapshot.folders.values())
      for (const dataset of datasets.values()) yield* dataset.versions;
  },
  group: (snapshot) => snapshot.groups.values(),
  user: (snapshot) => snapshot.users.values(),
  query: (snapshot) => snapshot.queries.values(),
};

type Compare = (a: Entity, b: Entity) => number;

/**
 * Compares by the fields of an ordering, of which unknown ones are ignored; then by the default ordering; then by address,
 * so that the order of equal entities never depends on the order of reading.
 */
export function comparison(kind: ListedKind, ordering: string | undefined, settings: Settings): Compare {
  const wanted = compareByKeys(keysOf(kind, ordering));
  const usual = compareByKeys(usualKeys(kind, settings));
  return (a, b) => wanted(a, b) || usual(a, b) || compareValues(addressOf(a), addressOf(b));
}

/** The keys of the default ordering: versions are listed newest first. */
export const usualKeys = (kind: ListedKind, settings: Settings) =>
  kind === 'version' ? newestFirstKeys : keysOf(kind, settings.ordering);

const newestFirstKeys: readonly Key[] = [
  { name: '-datetime', value: (version) => (version as Version).datetime },
  { name: '-slug', value: ({ slug }: Exclude<Entity, CatalogueFile>) => slug } as Key,
];

/** The parts of an address, separated by spaces, which sort before every character of a slug. */
export function addressOf(entity: Entity): string {
  const { namespace = '', dataset = '', slug = '' } = entity as { namespace?: string; dataset?: string; slug?: string };
  return `${namespace} ${dataset} ${slug}`;
}

export interface Key {
  readonly name: string;
  readonly value: (entity: Entity) => string | number;
}

export function keysOf(kind: Kind, ordering = ''): readonly Key[] {
  const fields = orderFields[kind] as Readonly<Record<string, (entity: never) => string | number>>;
  return ordering
    .split(',')
    .map((name) => name.trim())
    .flatMap((name) => {
      const value = Object.hasOwn(fields, name.replace(/^-/, '')) && fields[name.replace(/^-/, '')];
      return value ? [{ name, value: value as Key['value'] }] : [];
    });
}

/** Compares by one key after the other. */
export function compareByKeys(keys: readonly Key[]): Compare {
  return (a, b) => {
    for (const { name, value } of keys) {
      const order = compareValues(value(a), value(b));
      if (order !== 0) return name.startsWith('-') ? -order : order;
    }
    return 0;
  };
}

/** Sorted lists, keyed by kind and ordering. Few are kept, since clients may ask for any ordering. */
const sortedLists = new SnapshotCache<SharedSteps<readonly Entity[]>>(16);

/** All entities of a kind, sorted. */
export function sorted(snapshot: Snapshot, kind: ListedKind, ordering: string | undefined): Steps<readonly Entity[]> {
  const keys = keysOf(kind, ordering).map(({ name }) => name);
  const name = `${kind}:${keys.join(',')}`;
  return sortedLists
    .getOrMake(snapshot, name, () => new SharedSteps(sortEntities(snapshot, kind, ordering, name)))
    .run();
}

function* sortEntities(
  snapshot: Snapshot,
  kind: ListedKind,
  ordering: string | undefined,
  name: string,
): Steps<readonly Entity[]> {
  const whole = unrestrictedSnapshotOf(snapshot);
  const start = whole ? yield* sorted(whole, kind, ordering) : precedingList(snapshot, name);
  return yield* sortFrom(start, snapshot, comparison(kind, ordering, snapshot.settings), kind);
}

/** The same list of the latest preceding snapshot that has it; empty if there is none, or if the default ordering was another one. */
function precedingList(snapshot: Snapshot, name: string): readonly Entity[] {
  for (let before = previousSnapshotOf(snapshot); before; before = previousSnapshotOf(before)) {
    if (before.settings.ordering !== snapshot.settings.ordering) return [];
    const items = sortedLists.get(before, name)?.value;
    if (items) return items;
  }
  return [];
}

/** Most entities that are put into a preceding list one by one; more are sorted together with it. */
const maxInserted = 1000;

/**
 * Sorts all entities of a kind.
 * @param start a sorted list of an earlier snapshot, or of the whole of which this is a part: entities that are the same in
 *   both needn't be compared with each other. Others may have other values here: datasets without their drafts.
 */
function* sortFrom(
  start: readonly Entity[],
  snapshot: Snapshot,
  compare: Compare,
  kind: ListedKind,
): Steps<readonly Entity[]> {
  const others = yield* setInSteps<Entity>(allEntities(snapshot, kind));
  const unchanged = yield* filterInSteps(start, (item) => others.delete(item));
  if (others.size === 0) return unchanged;
  if (unchanged.length === 0 || others.size > maxInserted)
    return yield* sortInSteps([...unchanged, ...others], compare);
  return yield* insertInSteps(unchanged, yield* sortInSteps([...others], compare), compare);
}
