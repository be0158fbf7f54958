/**
 * The feed of changes: when the files of each record last changed in this folder. There is no journal; the times are those of
 * the file system (ctime, which programs can't set), so that no change is missed that was made by hand, by git or by a copy.
 */
import type { ChangedRecord, ChangesOptions, Page } from '../catalogue/catalogue.ts';
import { pageAfterCursor } from '../catalogue/cursor.ts';
import { ValidationError } from '../catalogue/errors.ts';
import { recordPathWithoutExtension, unitKey } from '../catalogue/layout.ts';
import { allEntities, compareValues } from '../catalogue/listing.ts';
import { type Ref, refOf } from '../catalogue/ref.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { UnitStore } from './reading/unit-store.ts';

const kinds = ['namespace', 'dataset', 'query'] as const;
type FeedRef = Extract<Ref, { readonly kind: (typeof kinds)[number] }>;

/** Changes that are more recent aren't listed yet, in milliseconds: another one may follow within the same tick. */
const settlingTime = 1000;

/**
 * Namespaces, datasets and queries that changed since a time, the last changed one last.
 * @param visible the part of the snapshot that the viewer may see
 * @throws ValidationError if `since` is not a time of RFC 3339; NotFoundError for an invalid cursor
 */
export function listChanges(
  store: UnitStore,
  visible: Snapshot,
  { since, cursor = '', pageSize }: ChangesOptions,
): Page<ChangedRecord> {
  const from = since === undefined ? 0 : parseTime(since);
  const until = Date.now() - settlingTime;
  const changes = kinds
    .flatMap((kind) => [...allEntities(visible, kind)].map((entity) => refOf(entity) as FeedRef))
    .map((ref) => ({ ref, time: lastChange(store, ref) }))
    .filter(({ time }) => time >= from && time <= until)
    .map(({ ref, time }) => ({ ref, datetime: new Date(time).toISOString() }))
    .sort(
      (a, b) =>
        compareValues(a.datetime, b.datetime) ||
        compareValues(recordPathWithoutExtension(a.ref), recordPathWithoutExtension(b.ref)),
    );
  const order = [
    { value: ({ datetime }: ChangedRecord) => datetime, isDescending: false },
    { value: ({ ref }: ChangedRecord) => recordPathWithoutExtension(ref), isDescending: false },
  ];
  return pageAfterCursor(changes, { cursor, pageSize }, visible.settings, order, compareValues);
}

/** Time of the last change of a record and what belongs to it, in whole milliseconds. */
function lastChange(store: UnitStore, ref: FeedRef): number {
  const { stamps = [], payloads = [] } = store.states.get(unitKey(ref)) ?? {};
  // Folders are among the stamps: a removed version is a change of the dataset.
  const own = [...stamps, ...payloads].map(([, stamp]) => Math.floor(stamp?.ctime ?? 0));
  // A namespace that was private shows its datasets from its change on.
  const within = ref.kind === 'dataset' ? lastChange(store, { kind: 'namespace', slug: ref.namespace }) : 0;
  return Math.max(within, ...own);
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
