/** What the paths of a depot mean. Nothing else is read or written through it. */

import { parseSafePath, type RecordRef, recordStem, type Unit, unitOf } from '../../catalogue/layout.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';

export interface RecordPlace {
  readonly kind: 'record';
  readonly path: string;
  /** The path without its extension. */
  readonly stem: string;
  readonly ref: RecordRef;
  /** What it is read with. */
  readonly unit: Exclude<Unit, { kind: 'settings' }>;
}
export interface PayloadPlace {
  readonly kind: 'payload';
  readonly path: string;
  /** The dataset that it is of. */
  readonly unit: DatasetRef;
}
/** A file below site_media/. */
export interface MediaPlace {
  readonly kind: 'media';
  readonly path: string;
}
/** `catalogue.yaml`, which each catalogue has for itself. */
export interface SettingsPlace {
  readonly kind: 'settings';
  readonly path: string;
  readonly unit: { readonly kind: 'settings' };
}
export type DepotPlace = RecordPlace | PayloadPlace | MediaPlace | SettingsPlace;

/** Null where a path from outside has no place in the layout, or a name that the catalogue may not write. */
export function depotPlace(path: string): DepotPlace | null {
  const info = parseSafePath(path);
  switch (info?.kind) {
    case 'media':
      return { kind: 'media', path };
    case 'payload':
      return { kind: 'payload', path, unit: info.dataset };
    case 'settings':
      return { kind: 'settings', path, unit: { kind: 'settings' } };
    case 'record':
      return { kind: 'record', path, stem: recordStem(info.ref), ref: info.ref, unit: unitOf(info.ref) };
    default:
      return null;
  }
}
