/**
 * The feed of changes: when the files of each record last changed in this folder, and which records were removed. The times
 * of changes are those of the file system (ctime, which programs can't set), so that no change is missed that was made by
 * hand, by git or by a copy. Removals, and changes of rights, are in the journal of the feed.
 */

import { resolveAlias } from '../catalogue/aliases.ts';
import type { ChangesPage, Page } from '../catalogue/catalogue.ts';
import { compareValues } from '../catalogue/compare.ts';
import { pageAfterCursor } from '../catalogue/cursor.ts';
import type { ChangedDataset, ChangedDatasetsOptions, ChangedRecord, ChangesOptions } from '../catalogue/feed.ts';
import type { FeedHistory } from '../catalogue/feed-history.ts';
import { parseTimeParameter } from '../catalogue/iso-time.ts';
import { parseCataloguePath, recordPaths, recordPathWithoutExtension, unitKey } from '../catalogue/layout.ts';
import { allEntities } from '../catalogue/listing.ts';
import { getEntity } from '../catalogue/lookup.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import { type DatasetRef, type NamespaceRef, type QueryRef, refOf } from '../catalogue/ref.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import { sortIndexesWithoutBlocking, Turns } from '../data/event-loop.ts';
import type { UnitStore } from './reading/unit-store.ts';
import { latestChange, unpackStamps } from './tree/stamps.ts';

const kinds = ['namespace', 'dataset', 'query'] as const;
/** A record in the feed that wasn't removed. */
export type FeedRef = NamespaceRef | DatasetRef | QueryRef;

/** Changes that are more recent aren't listed yet, in milliseconds: another one may follow within the same tick. */
export const settlingTime = 1000;

/** Milliseconds by which a time may be ahead of now. */
const maxAhead = 10 * 60_000;
/**
 * True for the time of an event or a file that was written while the clock was ahead. A feed that took it as it is would be silent
 * until that time.
 */
export const isAhead = (time: number): boolean => time > Date.now() + maxAhead;

/** Sources of the feed for one viewer. */
export interface FeedSources {
  readonly store: UnitStore;
  readonly history: FeedHistory;
  readonly viewer: Viewer;
  /** Part of the snapshot that the viewer may see. */
  readonly visible: Snapshot;
}

interface Change extends Omit<ChangedRecord, 'datetime' | 'recordDatetime'> {
  /** Of the last change, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * Namespaces, datasets and queries that changed or were removed since a time, the last changed one last.
 * @throws ValidationError if `since` is not a time of RFC 3339; NotFoundError for an invalid cursor
 */
export async function listChangesSince(
  sources: FeedSources,
  { since, cursor = '', pageSize }: ChangesOptions,
): Promise<ChangesPage> {
  const { visible, history, store } = sources;
  const { until, changes } = await sortedChanges(sources, since, cursor !== '');
  const from = since === undefined ? 0 : parseTimeParameter('since', since);
  // A client with a time that is still to come got it while the clock was ahead, and begins anew.
  const completeSince = Math.max(history.completeSince, isAhead(from) ? from + 1 : 0);
  const order = [
    { value: ({ time }: Change) => toIsoTime(time), isDescending: false },
    { value: ({ ref }: Change) => recordPathWithoutExtension(ref), isDescending: false },
  ];
  const page: Page<Change> = pageAfterCursor(changes, { cursor, pageSize }, visible.settings, order, compareValues);
  const items = page.items.map(
    ({ time, ...change }): ChangedRecord => ({
      ...change,
      datetime: toIsoTime(time),
      recordDatetime: change.removed ? null : isoTimeOrNull(timeOfRecordFile(store, change.ref as FeedRef)),
    }),
  );
  return { ...page, items, until: toIsoTime(until), completeSince: toIsoTime(completeSince) };
}

interface SortedChanges {
  /** Time of the last change that could be in it, in milliseconds. */
  readonly until: number;
  readonly changes: readonly Change[];
}

/** A list for one viewer; or, until it is complete, the work on it. */
interface ListForViewer {
  readonly user: number | Viewer;
  readonly since: string | undefined;
  readonly list: Promise<SortedChanges>;
  isComplete: boolean;
}
/**
 * Lists of each snapshot: those that are being made, for all requests that wait for the same one; and the last one, so that
 * who reads it page by page doesn't pay for sorting it each time.
 */
const lists = new WeakMap<Snapshot, readonly ListForViewer[]>();

/** All changes since a time, the last one last. @param isContinued true for a page after the first one, which may be of the same list */
function sortedChanges(sources: FeedSources, since: string | undefined, isContinued: boolean): Promise<SortedChanges> {
  const { visible } = sources;
  const user = knownViewer(sources.store, sources.viewer);
  const known = lists.get(visible) ?? [];
  const same = known.find((one) => one.since === since && one.user === user && (isContinued || !one.isComplete));
  if (same) return same.list;
  const from = since === undefined ? 0 : parseTimeParameter('since', since);
  const made: ListForViewer = { user, since, list: sortChanges(sources, from, since !== undefined), isComplete: false };
  lists.set(visible, [...known, made]);
  const finish = () => {
    made.isComplete = true;
    lists.set(visible, [...(lists.get(visible) ?? []).filter(({ isComplete }) => !isComplete), made]);
  };
  made.list.then(finish, finish);
  return made.list;
}

/** Finds and sorts all changes since a time, in turns. @param from milliseconds since 1970 */
async function sortChanges(sources: FeedSources, from: number, withRemoved: boolean): Promise<SortedChanges> {
  const turns = new Turns();
  const until = Date.now() - settlingTime;
  const found: Change[] = [];
  const paths: string[] = [];
  for (const change of eachChange(sources, withRemoved)) {
    // A file that was written while the clock was ahead counts as changed just now: its changes would be missed until then.
    const time = change && isAhead(change.time) ? until : (change?.time ?? 0);
    if (change && time >= from && time <= until) {
      found.push({ ...change, time });
      paths.push(recordPathWithoutExtension(change.ref));
    }
    if (turns.isOver) await turns.next();
  }
  const byTime = (a: number, b: number) =>
    (found[a] as Change).time - (found[b] as Change).time || compareValues(paths[a] as string, paths[b] as string);
  const changes: Change[] = [];
  for (const index of await sortIndexesWithoutBlocking(found.length, turns, byTime)) {
    changes.push(found[index] as Change);
    if (turns.isOver) await turns.next();
  }
  return { until, changes };
}

/** Datasets whose own files changed lately; of two with the same time, first the one that comes later in the feed of changes. */
export async function listChangedDatasets(
  sources: FeedSources,
  { within, since, limit }: ChangedDatasetsOptions,
): Promise<readonly ChangedDataset[]> {
  const { store, visible } = sources;
  const turns = new Turns();
  const until = Date.now() - settlingTime;
  let newest: { readonly ref: FeedRef; readonly path: string; readonly time: number; readonly own: number }[] = [];
  let oldest = 0;
  const keepNewest = () => {
    newest.sort((a, b) => b.own - a.own || b.time - a.time || compareValues(b.path, a.path));
    newest = newest.slice(0, limit);
    oldest = newest.length < limit ? 0 : (newest.at(-1)?.own ?? 0);
  };
  for (const { ref, time } of presentRecords(sources, datasetRefsWithin(visible, within))) {
    // Its own file can't have changed later than the dataset.
    const own = time >= Math.max(since, oldest) && time <= until ? timeOfRecordFile(store, ref) : null;
    if (own !== null && newest.push({ ref, path: recordPathWithoutExtension(ref), time, own }) >= 2 * limit)
      keepNewest();
    if (turns.isOver) await turns.next();
  }
  keepNewest();
  return newest.map(({ ref, own }) => ({
    dataset: getEntity<'dataset'>(visible, ref as DatasetRef),
    datetime: toIsoTime(own),
  }));
}

/** References of the datasets of a snapshot: all, those of a namespace, or only one. */
function* datasetRefsWithin(snapshot: Snapshot, within: ChangedDatasetsOptions['within']): Generator<DatasetRef> {
  if (within?.kind === 'dataset') yield within;
  const datasets = within
    ? (snapshot.folders.get(within.slug)?.datasets.values() ?? [])
    : allEntities(snapshot, 'dataset');
  if (within?.kind !== 'dataset') for (const dataset of datasets) yield refOf(dataset) as DatasetRef;
}

const toIsoTime = (time: number): string => new Date(time).toISOString();

const isoTimeOrNull = (time: number | null): string | null => (time === null ? null : toIsoTime(time));

/** Time of the last change of a record's own file, in whole milliseconds; null if it isn't there. */
function timeOfRecordFile(store: UnitStore, ref: FeedRef): number | null {
  const paths = recordPaths(ref);
  for (const [path, stamp] of unpackStamps(store.states.get(unitKey(ref))?.stamps ?? ''))
    if (stamp && paths.includes(path)) return Math.floor(stamp.ctime);
  return null;
}

/** References of all records in the feed. */
export function* listFeedRefs(snapshot: Snapshot): Generator<FeedRef> {
  for (const kind of kinds) for (const entity of allEntities(snapshot, kind)) yield refOf(entity) as FeedRef;
}

/** The changes of all records, and undefined for each step without one. */
function* eachChange(sources: FeedSources, withRemoved: boolean): Generator<Change | undefined> {
  const present = new Set<string>();
  for (const change of presentRecords(sources, listFeedRefs(sources.visible))) {
    if (withRemoved) present.add(recordPathWithoutExtension(change.ref));
    yield change;
  }
  if (withRemoved) yield* removedRecords(sources, present);
}

function* presentRecords<R extends FeedRef>(
  { store, history, viewer }: FeedSources,
  refs: Iterable<R>,
): Generator<Change & { readonly ref: R }> {
  const user = knownViewer(store, viewer);
  const namespaces = new Map<string, number>();
  for (const ref of refs) {
    const record = recordPathWithoutExtension(ref);
    let within = 0;
    if (ref.kind === 'dataset') {
      within = namespaces.get(ref.namespace) ?? timeOfNamespace(store, ref.namespace);
      namespaces.set(ref.namespace, within);
    }
    const { since } = history.viewedBy(record, user);
    yield { ref, removed: false, movedTo: null, time: Math.max(since, within, timeOfUnit(store, record)) };
  }
}

/**
 * Records that the viewer could see before and can't see now, and undefined for each other one. A record that is visible
 * again isn't included.
 * @param present paths of those that the viewer can see
 */
function* removedRecords(
  { store, history, viewer, visible }: FeedSources,
  present: ReadonlySet<string>,
): Generator<Change | undefined> {
  const user = knownViewer(store, viewer);
  for (const record of history.records) {
    yield;
    const { since, lost, lostVersions } = history.viewedBy(record, user);
    const isPresent = present.has(record);
    if (isPresent ? lostVersions.size === 0 : lost === null) continue;
    const info = parseCataloguePath(`${record}.yaml`);
    if (info.kind !== 'record') continue;
    const ref = info.ref as FeedRef;
    if (!isPresent) {
      const movedTo = (resolveAlias(visible, ref) as FeedRef | undefined) ?? null;
      if (lost !== null) yield { ref, removed: true, movedTo, time: lost };
    } else if (ref.kind === 'dataset') {
      const { namespace, slug: dataset } = ref;
      const versions = visible.folders.get(namespace)?.datasets.get(dataset)?.versions ?? [];
      for (const [slug, time] of lostVersions) {
        if (versions.some((version) => version.slug === slug)) continue;
        const version = { kind: 'version', namespace, dataset, slug } as const;
        yield { ref: version, removed: true, movedTo: null, time: Math.max(time, since) };
      }
    }
  }
}

/** The viewer as the history knows users: by id; or the rights of a viewer who is no user. */
function knownViewer({ snapshot }: UnitStore, viewer: Viewer): number | Viewer {
  return (viewer.username === null ? undefined : snapshot.users.get(viewer.username)?.id) ?? viewer;
}

/** Time of the last change of a record and what belongs to it, in whole milliseconds; 0 if there is none. */
export function timeOfLastChange(store: UnitStore, ref: FeedRef): number {
  const within = ref.kind === 'dataset' ? timeOfNamespace(store, ref.namespace) : 0;
  return Math.max(within, timeOfUnit(store, unitKey(ref)));
}

/** A namespace that was private shows its datasets from its change on. */
const timeOfNamespace = (store: UnitStore, slug: string) => timeOfUnit(store, unitKey({ kind: 'namespace', slug }));

function timeOfUnit(store: UnitStore, key: string): number {
  const { stamps = '', payloads = '' } = store.states.get(key) ?? {};
  // Folders are among the stamps: a removed version is a change of the dataset.
  return Math.floor(Math.max(latestChange(stamps), latestChange(payloads)));
}
