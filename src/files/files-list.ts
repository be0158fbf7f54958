/** The files of a catalogue as entities of their own (kind `file`), with their diagnostics. */
import { deriveIdFromAddress, maxId } from '../catalogue/ids.ts';
import { kindAndRefOfPath, parseRecordFileName, payloadPath } from '../catalogue/layout.ts';
import type { ListedKind } from '../catalogue/listing.ts';
import { getEntity } from '../catalogue/lookup.ts';
import { type Ref, type Refs, refOf } from '../catalogue/ref.ts';
import type { Snapshot, UnitReading } from '../catalogue/snapshot.ts';
import type { CatalogueFile } from '../catalogue/types.ts';
import type { UnitStore } from './reading/unit-store.ts';
import { unpackStamps } from './tree/stamps.ts';

const lists = new WeakMap<Snapshot, readonly CatalogueFile[]>();
const none: readonly never[] = [];

/**
 * The files that a viewer may see, sorted by path: records, payloads, and files with diagnostics.
 * @param visible the part of the snapshot that the viewer may see
 */
export function listVisibleFiles(store: UnitStore, visible: Snapshot): readonly CatalogueFile[] {
  let list = lists.get(visible);
  if (!list) {
    const records = new Map<string, RecordAt>();
    for (const { reading, stamps } of store.states.values()) {
      if (!isUnitVisible(visible, reading)) continue;
      const isHidden = makeHiddenDraftTest(visible, reading);
      for (const [path, stamp] of unpackStamps(stamps)) {
        const record = stamp && parseRecordFileName(path) ? kindAndRefOfPath(path) : null;
        if (record && !isHidden(record.ref)) records.set(path, record);
      }
      if (reading.kind !== 'dataset' || !reading.entity) continue;
      for (const version of reading.entity.versions)
        if (version.file && !isHidden(version))
          records.set(payloadPath(version.namespace, version.dataset, version.file), {
            kind: 'payload',
            ref: refOf(version),
          });
    }
    for (const path of visible.diagnostics.keys()) if (!records.has(path)) records.set(path, kindAndRefOfPath(path));
    list = toFiles(visible, records);
    lists.set(visible, list);
  }
  return list;
}

type RecordAt = ReturnType<typeof kindAndRefOfPath>;

function toFiles(visible: Snapshot, records: ReadonlyMap<string, RecordAt>): readonly CatalogueFile[] {
  const ids = new Set<number>();
  return [...records]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { kind, ref }]) => {
      const problems = visible.diagnostics.get(path) ?? none;
      // Ids are short hashes: two paths may get the same one.
      let id = deriveIdFromAddress('file', path);
      while (ids.has(id)) id = (id % maxId) + 1;
      ids.add(id);
      return {
        kind: 'file',
        id,
        path,
        record: kind,
        ref: ref && exists(visible, ref) ? ref : null,
        status: problems.length ? 'invalid' : 'ok',
        problems,
      };
    });
}

function exists(visible: Snapshot, ref: Ref): boolean {
  try {
    return Boolean(getEntity(visible, ref as Refs[ListedKind]));
  } catch {
    return false;
  }
}

/** A function that returns true for drafts which the viewer may not see. */
export function makeHiddenDraftTest(visible: Snapshot, reading: UnitReading): (ref: Ref | null) => boolean {
  if (reading.kind !== 'dataset' || !reading.entity?.versions.some(({ draft }) => draft)) return () => false;
  const shown = visible.folders.get(reading.namespace)?.datasets.get(reading.slug)?.versions ?? none;
  const slugs = new Set(shown.map(({ slug }) => slug));
  return (ref) => ref?.kind === 'version' && !slugs.has(ref.slug);
}

/** True if the viewer may see the files of a unit. */
export function isUnitVisible(visible: Snapshot, reading: UnitReading): boolean {
  switch (reading.kind) {
    case 'namespace':
      return visible.folders.has(reading.slug);
    case 'dataset': {
      const folder = visible.folders.get(reading.namespace);
      return Boolean(folder && (reading.entity ? folder.datasets.has(reading.slug) : !folder.isPartial));
    }
    case 'query':
      return visible.queries.has(reading.slug);
    case 'user':
      return visible.users.has(reading.slug);
    default:
      return true;
  }
}
