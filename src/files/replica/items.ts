/** The files of a catalogue folder that can be synchronised, and which of them a viewer may see. */

import {
  mediaFolder,
  parseCataloguePath,
  parseRecordFileName,
  payloadPath,
  scopeKey,
  scopeToReread,
} from '../../catalogue/layout.ts';
import { isNamespaceOwnerOrStaff, isUserOrStaff, maySeePeople, type Viewer } from '../../catalogue/permissions.ts';
import { type DatasetRef, datasetRefOf, formatRef } from '../../catalogue/ref.ts';
import type { Snapshot, UnitReading } from '../../catalogue/snapshot.ts';
import type { Version } from '../../catalogue/types.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { isUnitVisible, makeHiddenFileTest } from '../files-list.ts';
import { messageOfEmptyFolder } from '../reading/missing-record.ts';
import type { UnitState } from '../reading/unit-state.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { imagesShown } from '../shown-images.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { type PackedStamps, unpackStamps } from '../tree/stamps.ts';

/** A file of the catalogue folder. */
export type ReplicaFile =
  /** `state` is null for a record that belongs to no unit, because it is broken or misplaced; `stamp` is that of the file in the state. */
  | { readonly kind: 'record'; readonly path: string; readonly state: UnitState | null; readonly stamp?: Stamp }
  /** The record of a unit that counts as broken because it is missing or can't be reached (`UnitState.lacksRecord`): it must not be taken for removed. */
  | { readonly kind: 'missing'; readonly path: string; readonly state: UnitState }
  | { readonly kind: 'payload'; readonly path: string; readonly state: UnitState; readonly version: Version }
  | { readonly kind: 'media'; readonly path: string };

/** The datasets of the records at some paths, each once. */
export function datasetsOfRecordPaths(
  paths: readonly string[],
  kinds: readonly string[] = ['dataset', 'version'],
): readonly DatasetRef[] {
  const refs = paths.flatMap((path) => {
    const info = parseCataloguePath(path);
    if (info.kind !== 'record' || !kinds.includes(info.ref.kind)) return [];
    return [info.ref.kind === 'version' ? datasetRefOf(info.ref) : (info.ref as DatasetRef)];
  });
  return [...new Map(refs.map((ref) => [formatRef(ref), ref])).values()];
}

/** The records of a unit, also a record that is missing, and its complete payloads. */
export function* listUnitFiles(state: UnitState): Generator<ReplicaFile> {
  if (state.lacksRecord) yield { kind: 'missing', path: `${state.key}.yaml`, state };
  for (const [path, stamp] of unpackStamps(state.stamps))
    if (stamp && parseRecordFileName(path) && parseUntrustedCataloguePath(path))
      if (!state.lacksRecord || !path.startsWith(`${state.key}.`)) yield { kind: 'record', path, state, stamp };
  const { reading, payloads } = state;
  if (reading.kind !== 'dataset' || !reading.entity?.versions.length) return;
  const sizes = new Map(Array.from(unpackStamps(payloads), ([path, stamp]) => [path, stamp?.size]));
  // Two versions may share a payload: it is listed for one that everybody may see.
  for (const version of [...reading.entity.versions].sort((a, b) => Number(b.ready) - Number(a.ready))) {
    const path = payloadPath(version.namespace, version.dataset, version.file);
    // A file of another size is still being copied, or is a Git LFS pointer.
    if (
      !version.file ||
      version.size === null ||
      sizes.get(path) !== version.size ||
      !parseUntrustedCataloguePath(path)
    )
      continue;
    sizes.delete(path);
    yield { kind: 'payload', path, state, version };
  }
}

/** What is wrong with a record that counts as broken because of its folder, and what to do; undefined if only the record is missing. */
export function problemOfFolder({ key, diagnostics }: UnitState): string | undefined {
  const kind = key.slice(key.lastIndexOf('/') + 1);
  const folder = key.slice(0, -kind.length - 1);
  const paths = [folder, `${folder}/datasets`, `${folder}/versions`];
  for (const [path, found] of diagnostics)
    for (const { code, message } of paths.includes(path) ? found : []) {
      if (code === 'unreadable') return `${path}: ${message} To remove the ${kind}, remove ${folder}.`;
      if (message === messageOfEmptyFolder(kind)) return `${path}: ${message}`;
    }
  return undefined;
}

/** The record at a path as `listUnitFiles` lists it, found without making the list. */
function findRecord(state: UnitState, path: string): ReplicaFile | null {
  const stamp = parseRecordFileName(path) && unpacked(state.stamps).get(path);
  return stamp ? { kind: 'record', path, state, stamp } : null;
}

/** The payload at a path as `listUnitFiles` lists it. */
function findPayload(state: UnitState, path: string): ReplicaFile | null {
  const stamp = unpacked(state.payloads).get(path);
  if (state.reading.kind !== 'dataset' || !stamp) return null;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const versions = state.reading.entity?.versions ?? [];
  const whole = versions.filter(({ file, size }) => file === name && size === stamp.size);
  const version = whole.find(({ ready }) => ready) ?? whole[0];
  return version ? { kind: 'payload', path, state, version } : null;
}

/** The stamps that were unpacked last, kept since a pull requests all files of a dataset one after another. */
const lastUnpacked: { readonly packed: PackedStamps; readonly stamps: ReadonlyMap<string, Stamp | null> }[] = [];
const maxUnpacked = 4;

function unpacked(packed: PackedStamps): ReadonlyMap<string, Stamp | null> {
  const known = lastUnpacked.find((one) => one.packed === packed);
  if (known) return known.stamps;
  const stamps = new Map(unpackStamps(packed));
  if (lastUnpacked.unshift({ packed, stamps }) > maxUnpacked) lastUnpacked.pop();
  return stamps;
}

/** Records with problems that belong to no unit. @param known paths of the records that belong to one */
export function* listStrayFiles(store: UnitStore, known: ReadonlySet<string>): Generator<ReplicaFile> {
  for (const path of store.snapshot.diagnostics.keys()) {
    const kind = known.has(path) ? undefined : parseUntrustedCataloguePath(path)?.kind;
    if (kind === 'record' || kind === 'settings') yield { kind: 'record', path, state: null };
  }
}

/** Files below site_media/; symbolic links are skipped. */
export function* listMediaFiles(tree: DiskTree): Generator<ReplicaFile> {
  const folders = [`${mediaFolder}/`];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    try {
      for (const entry of tree.leadsOutside(folder) ? [] : tree.names(folder)) {
        const path = `${folder}${entry.name}`;
        if (entry.name.startsWith('.')) continue;
        if (entry.isDirectory()) folders.push(`${path}/`);
        else if (entry.isFile() && parseUntrustedCataloguePath(path)) yield { kind: 'media', path };
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
    }
}

/** The file at a path; null if there is none. */
export function findReplicaFile(store: UnitStore, path: string): ReplicaFile | null {
  const info = parseUntrustedCataloguePath(path);
  const unit = scopeToReread(path);
  if (info === null) return null;
  // As in the list, links are skipped.
  if (info.kind === 'media') return store.tree.linkTarget(path) === path ? { kind: 'media', path } : null;
  const state = unit && store.states.get(scopeKey(unit));
  const item = state && (info.kind === 'payload' ? findPayload(state, path) : findRecord(state, path));
  if (item) return item;
  return info.kind !== 'payload' && store.snapshot.diagnostics.has(path) ? { kind: 'record', path, state: null } : null;
}

/** A function that returns true for the files that a viewer may see. */
export function makeFileVisibilityFilter(viewer: Viewer, visible: Snapshot): (item: ReplicaFile) => boolean {
  // Staff see the files of a namespace, too, that nobody sees because its record is missing: they were not removed.
  if (viewer.staff) return () => true;
  return (item) => {
    switch (item.kind) {
      case 'missing':
        return isUnitVisible(visible, item.state) && item.state.reading.entity !== null;
      case 'record': {
        const info = parseCataloguePath(item.path);
        // Comments in catalogue.yaml are for the people who run the catalogue.
        if (info.kind === 'settings' && !maySeePeople(viewer, visible.settings)) return false;
        if (info.kind === 'record' && info.ref.kind === 'user' && !isUserOrStaff(viewer, info.ref.slug)) return false;
        if (item.state === null) return visible.diagnostics.has(item.path);
        if (info.kind === 'record' && makeHiddenFileTest(visible, item.state)(item.path, info.ref)) return false;
        return isUnitVisible(visible, item.state) || visible.diagnostics.has(item.path);
      }
      case 'payload':
        // The payload of a withdrawn version is visible to users who may restore it.
        return (
          isUnitVisible(visible, item.state) &&
          (item.version.ready || isInOwnNamespace(viewer, visible, item.state.reading))
        );
      case 'media':
        // Images of hidden datasets are hidden, too: their names may reveal something.
        return imagesShown(visible).has(item.path);
    }
  };
}

function isInOwnNamespace(viewer: Viewer, visible: Snapshot, reading: UnitReading): boolean {
  return reading.kind === 'dataset' && isNamespaceOwnerOrStaff(viewer, visible.folders.get(reading.namespace));
}
