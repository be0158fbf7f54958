/**
 * The feed of changes: when the files of each record last changed in this folder, and which records were removed. The times
 * of changes are those of the file system (ctime, which programs can't set), so that no change is missed that was made by
 * hand, by git or by a copy. Removals, and changes of rights, are in the journal of the feed.
 */

import { resolveAlias } from '../catalogue/aliases.ts';
import type { ChangesPage, Page } from '../catalogue/catalogue.ts';
import { compareValues } from '../catalogue/compare.ts';
import { pageAfterCursor } from '../catalogue/cursor.ts';
import { ValidationError } from '../catalogue/errors.ts';
import type { ChangedRecord, ChangesOptions } from '../catalogue/feed.ts';
import type { FeedHistory } from '../catalogue/feed-history.ts';
import { parseCataloguePath, recordPaths, recordPathWithoutExtension, unitKey } from '../catalogue/layout.ts';
import { allEntities } from '../catalogue/listing.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import { type DatasetRef, type NamespaceRef, type QueryRef, refOf } from '../catalogue/ref.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { UnitStore } from './reading/unit-store.ts';
import { latestChange, unpackStamps } from './tree/stamps.ts';

const kinds = ['namespace', 'dataset', 'query'] as const;
/** A record in the feed that wasn't removed. */
export type FeedRef = NamespaceRef | DatasetRef | QueryRef;

/** Changes that are more recent aren't listed yet, in milliseconds: another one may follow within the same tick. */
export const settlingTime = 1000;

/** Sources of the feed for one viewer. */
export interface FeedSources {
  readonly store: UnitStore;
  readonly history: FeedHistory;
  readonly viewer: Viewer;
  /** Part of the snapshot that the viewer may see. */
  readonly visible: Snapshot;
}

type Change = Omit<ChangedRecord, 'datetime' | 'recordDatetime'> & { readonly time: number };

/**
 * Namespaces, datasets and queries that changed or were removed since a time, the last changed one last.
 * @throws ValidationError if `since` is not a time of RFC 3339; NotFoundError for an invalid cursor
 */
export function listChangesSince(sources: FeedSources, { since, cursor = '', pageSize }: ChangesOptions): ChangesPage {
  const { until, changes } = sortedChanges(sources, since, cursor !== '');
  const order = [
    { value: ({ datetime }: ChangedRecord) => datetime, isDescending: false },
    { value: ({ ref }: ChangedRecord) => recordPathWithoutExtension(ref), isDescending: false },
  ];
  const { visible, history } = sources;
  const page: Page<ChangedRecord> = pageAfterCursor(
    changes,
    { cursor, pageSize },
    visible.settings,
    order,
    compareValues,
  );
  const items = page.items.map((item) =>
    item.removed ? item : { ...item, recordDatetime: timeOfRecordFile(sources.store, item.ref as FeedRef) },
  );
  return { ...page, items, until: toIsoTime(until), completeSince: toIsoTime(history.completeSince) };
}

interface SortedChanges {
  readonly user: number | Viewer;
  readonly since: string | undefined;
  /** Time of the last change that could be in it, in milliseconds. */
  readonly until: number;
  readonly changes: readonly ChangedRecord[];
}
/** The last list of each snapshot: who reads it page by page doesn't pay for sorting it each time. */
const lastLists = new WeakMap<Snapshot, SortedChanges>();

/** All changes since a time, the last one last. @param isContinued true for a page after the first one, which may be of the same list */
function sortedChanges(sources: FeedSources, since: string | undefined, isContinued: boolean): SortedChanges {
  const user = knownViewer(sources.store, sources.viewer);
  const last = lastLists.get(sources.visible);
  if (isContinued && last?.since === since && last?.user === user) return last;
  const from = since === undefined ? 0 : parseTime(since);
  const until = Date.now() - settlingTime;
  const found = [...presentRecords(sources), ...(since === undefined ? [] : removedRecords(sources))];
  const changes = found
    .filter(({ time }) => time >= from && time <= until)
    .map(({ time, ...change }): ChangedRecord => ({ ...change, datetime: toIsoTime(time), recordDatetime: null }))
    .sort(
      (a, b) =>
        compareValues(a.datetime, b.datetime) ||
        compareValues(recordPathWithoutExtension(a.ref), recordPathWithoutExtension(b.ref)),
    );
  const list = { user, since, until, changes };
  lastLists.set(sources.visible, list);
  return list;
}

const toIsoTime = (time: number): string => new Date(time).toISOString();

/** Time of the last change of a record's own file; null if it isn't there. */
function timeOfRecordFile(store: UnitStore, ref: FeedRef): string | null {
  const paths = recordPaths(ref);
  for (const [path, stamp] of unpackStamps(store.states.get(unitKey(ref))?.stamps ?? ''))
    if (stamp && paths.includes(path)) return toIsoTime(Math.floor(stamp.ctime));
  return null;
}

/** References of all records in the feed. */
export function* listFeedRefs(snapshot: Snapshot): Generator<FeedRef> {
  for (const kind of kinds) for (const entity of allEntities(snapshot, kind)) yield refOf(entity) as FeedRef;
}

function* presentRecords({ store, history, viewer, visible }: FeedSources): Generator<Change> {
  const user = knownViewer(store, viewer);
  for (const ref of listFeedRefs(visible)) {
    const { since } = history.viewedBy(recordPathWithoutExtension(ref), user);
    yield { ref, removed: false, movedTo: null, time: Math.max(since, timeOfLastChange(store, ref)) };
  }
}

/** Records that the viewer could see before and can't see now. A record that is visible again isn't included. */
function* removedRecords({ store, history, viewer, visible }: FeedSources): Generator<Change> {
  const present = new Set(Array.from(listFeedRefs(visible), recordPathWithoutExtension));
  const user = knownViewer(store, viewer);
  for (const record of history.records) {
    const info = parseCataloguePath(`${record}.yaml`);
    if (info.kind !== 'record') continue;
    const { since, lost, lostVersions } = history.viewedBy(record, user);
    const ref = info.ref as FeedRef;
    if (!present.has(record)) {
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
  const { stamps = '', payloads = '' } = store.states.get(unitKey(ref)) ?? {};
  // Folders are among the stamps: a removed version is a change of the dataset.
  const own = Math.floor(Math.max(latestChange(stamps), latestChange(payloads)));
  // A namespace that was private shows its datasets from its change on.
  const within = ref.kind === 'dataset' ? timeOfLastChange(store, { kind: 'namespace', slug: ref.namespace }) : 0;
  return Math.max(within, own);
}

function parseTime(text: string): number {
  // A plus that isn't percent-encoded arrives as a space.
  const time = text.trim().replace(/ (?=\d\d:\d\d$)/, '+');
  const isDate = /^\d{4}-\d\d-\d\d$/.test(time);
  const isTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(time);
  const milliseconds = isDate || isTime ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(milliseconds))
    throw new ValidationError({ since: ['Write a date or a time of RFC 3339: 2026-01-31 or 2026-01-31T12:00:00Z.'] });
  return milliseconds;
}
