/** The records of the feed of changes: which there are, which of them units concern, and what state they are in. */
import { audienceOfRecord } from '../catalogue/audience.ts';
import type { RecordState } from '../catalogue/feed-history.ts';
import { parseCataloguePath, recordPathWithoutExtension, type Unit } from '../catalogue/layout.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { User } from '../catalogue/types.ts';
import { type FeedRef, listFeedRefs } from './changes-feed.ts';
import type { UnitStore } from './reading/unit-store.ts';

/** Paths of records, each once, with their references. */
export type Records = Iterable<readonly [record: string, ref: FeedRef]>;

/** The records of a snapshot, and those that were known before. */
export function* recordsWithKnown(
  { snapshot, states }: UnitStore,
  known: Iterable<string>,
): Generator<readonly [string, FeedRef]> {
  const present = new Set<string>();
  for (const ref of listFeedRefs(snapshot)) {
    const path = recordPathWithoutExtension(ref);
    // The same text as that of the unit's state: it is kept for each record.
    const record = states.get(path)?.key ?? path;
    present.add(record);
    yield [record, ref];
  }
  for (const record of known) {
    const ref = present.has(record) ? null : refAt(record);
    if (ref) yield [record, ref];
  }
}

export function takeFirst<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) if (first.push(item) >= count) break;
  return first;
}

/** References with their records' paths, each once. */
export function* uniqueRefs(refs: Iterable<FeedRef>): Generator<readonly [string, FeedRef]> {
  const seen = new Set<string>();
  for (const ref of refs) {
    const record = recordPathWithoutExtension(ref);
    if (!seen.has(record)) yield [record, ref];
    seen.add(record);
  }
}

/** The state of a record in a snapshot. Its time `at` is 0 until it is added to the feed. */
export function recordState(snapshot: Snapshot, record: string, ref: FeedRef): RecordState {
  const at = 0;
  const seenBy = audienceOfRecord(snapshot, ref);
  if (ref.kind !== 'dataset' || seenBy === null) return { record, at, seenBy };
  const versions = snapshot.folders.get(ref.namespace)?.datasets.get(ref.slug)?.versions ?? [];
  const published = versions.filter(({ draft }) => !draft).map(({ slug }) => slug);
  return { record, at, seenBy, versions: published.sort() };
}

/** The records whose state may change if units do. */
export function* affectedRefs(snapshot: Snapshot, units: readonly Unit[]): Generator<FeedRef> {
  let hasDatasets = false;
  for (const unit of units) {
    if (unit.kind === 'query') yield unit;
    if (unit.kind !== 'namespace' && unit.kind !== 'dataset') continue;
    hasDatasets = true;
    yield unit;
    // Readers of a dataset see its namespace.
    if (unit.kind === 'dataset') yield { kind: 'namespace', slug: unit.namespace };
    else
      for (const slug of snapshot.folders.get(unit.slug)?.datasets.keys() ?? [])
        yield { kind: 'dataset', namespace: unit.slug, slug };
  }
  if (hasDatasets) for (const slug of snapshot.queries.keys()) yield { kind: 'query', slug };
}

/** The users whose rights may change if units do: a group gives them while its record is there. */
export function affectedUsers({ users }: Snapshot, units: readonly Unit[]): readonly User[] {
  const changed = units.flatMap((unit) => (unit.kind === 'user' ? (users.get(unit.slug) ?? []) : []));
  const groups = units.flatMap((unit) => (unit.kind === 'group' ? unit.slug : []));
  if (groups.length === 0) return changed;
  const members = [...users.values()].filter((user) => user.groups.some((group) => groups.includes(group)));
  return [...new Set([...changed, ...members])];
}

function refAt(record: string): FeedRef | null {
  const info = parseCataloguePath(`${record}.yaml`);
  return info.kind === 'record' && ['namespace', 'dataset', 'query'].includes(info.ref.kind)
    ? (info.ref as FeedRef)
    : null;
}
