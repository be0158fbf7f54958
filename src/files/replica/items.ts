/** The files that a catalogue is made of, and which of them a viewer may see. */

import {
  mediaFolder,
  parsePath,
  parseRecordName,
  parseSafePath,
  payloadPath,
  scopeAt,
  scopeKey,
} from '../../catalogue/layout.ts';
import { isPersonalTo, owns, type Viewer } from '../../catalogue/permissions.ts';
import type { Reading, Snapshot } from '../../catalogue/snapshot.ts';
import type { Version } from '../../catalogue/types.ts';
import { shownImages } from '../bytes.ts';
import { isUnitVisible } from '../files-list.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';

/** A file that is there. */
export type Item =
  /** `state` is null of one that makes nothing, because it is broken or in the way of another. */
  | { readonly kind: 'record'; readonly path: string; readonly state: UnitState | null }
  | { readonly kind: 'payload'; readonly path: string; readonly state: UnitState; readonly version: Version }
  | { readonly kind: 'media'; readonly path: string };

/** The records of a unit, and those payloads of it that lie here whole. */
export function* itemsOf(state: UnitState): Generator<Item> {
  for (const [path, stamp] of state.stamps)
    if (stamp && parseRecordName(path) && parseSafePath(path)) yield { kind: 'record', path, state };
  const { reading, payloads } = state;
  if (reading.kind !== 'dataset' || !reading.entity?.versions.length) return;
  const sizes = new Map(payloads.map(([path, stamp]) => [path, stamp?.size]));
  for (const version of reading.entity.versions) {
    const path = payloadPath(version.namespace, version.dataset, version.file);
    // Two versions may have the same bytes; and what has another size is still being copied, or stands for a file elsewhere.
    if (!version.file || version.size === null || sizes.get(path) !== version.size || !parseSafePath(path)) continue;
    sizes.delete(path);
    yield { kind: 'payload', path, state, version };
  }
}

/** Records that no unit is read from, but of which something is known to be wrong. */
export function* strayItems(store: UnitStore, known: ReadonlySet<string>): Generator<Item> {
  for (const path of store.snapshot.diagnostics.keys()) {
    const kind = known.has(path) ? undefined : parseSafePath(path)?.kind;
    if (kind === 'record' || kind === 'settings') yield { kind: 'record', path, state: null };
  }
}

/** The files below site_media/; links are none. */
export function* mediaItems(folder: DiskTree): Generator<Item> {
  const folders = [`${mediaFolder}/`];
  for (let home = folders.pop(); home !== undefined; home = folders.pop())
    try {
      for (const entry of folder.leadsOutside(home) ? [] : folder.names(home)) {
        const path = `${home}${entry.name}`;
        if (entry.name.startsWith('.')) continue;
        if (entry.isDirectory()) folders.push(`${path}/`);
        else if (entry.isFile() && parseSafePath(path)) yield { kind: 'media', path };
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
    }
}

/** The file at a path; null where none is known. */
export function itemAt(store: UnitStore, path: string): Item | null {
  const info = parseSafePath(path);
  const unit = scopeAt(path);
  if (info === null) return null;
  if (info.kind === 'media') return { kind: 'media', path };
  const state = unit && store.states.get(scopeKey(unit));
  if (state) for (const item of itemsOf(state)) if (item.path === path) return item;
  return info.kind !== 'payload' && store.snapshot.diagnostics.has(path) ? { kind: 'record', path, state: null } : null;
}

/** Tells which files a viewer may see. */
export function sightOf(viewer: Viewer, visible: Snapshot): (item: Item) => boolean {
  return (item) => {
    switch (item.kind) {
      case 'record': {
        const info = parsePath(item.path);
        if (info.kind === 'record' && info.ref.kind === 'user' && !isPersonalTo(viewer, info.ref.slug)) return false;
        return (
          (item.state !== null && isUnitVisible(visible, item.state.reading)) || visible.diagnostics.has(item.path)
        );
      }
      case 'payload':
        // What was withdrawn is there for those who may bring it back.
        return (
          isUnitVisible(visible, item.state.reading) &&
          (item.version.ready || isOwn(viewer, visible, item.state.reading))
        );
      case 'media':
        if (viewer.staff) return true;
        // The name of a picture tells something of what it shows.
        return shownImages(visible).has(item.path);
    }
  };
}

function isOwn(viewer: Viewer, visible: Snapshot, reading: Reading): boolean {
  return reading.kind === 'dataset' && owns(viewer, visible.folders.get(reading.namespace));
}
