/** What the paths of a depot mean. Nothing else is read or written through it. */
import type { DatasetRef, Ref } from '../../catalogue/ref.ts';
import { slugRule } from '../../catalogue/ref.ts';
import { isPayload, mediaFolder, recordAt, recordName, type Unit, unitOf, validName } from '../layout.ts';

export type RecordRef = Exclude<Ref, { kind: 'file' }>;

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

/** In bytes: with the folder's own path before it, some systems take no more than 1024. */
const longestPath = 900;

/**
 * @param path as anybody may send it
 * @returns null where it has no place in the layout: what is hidden, leads elsewhere, or has a name that none can have
 */
export function depotPlace(path: string): DepotPlace | null {
  if (Buffer.byteLength(path) > longestPath || !path.split('/').every(isName)) return null;
  if (path.startsWith(`${mediaFolder}/`)) return { kind: 'media', path };
  if (isPayload(path)) {
    const [, namespace = '', , slug = ''] = path.split('/');
    const isSound = slugRule.test(namespace) && slugRule.test(slug);
    return isSound ? { kind: 'payload', path, unit: { kind: 'dataset', namespace, slug } } : null;
  }
  const stem = recordName(path)?.stem;
  if (stem === undefined) return null;
  const { kind, ref } = recordAt(path);
  if (kind === 'settings') return { kind, path, unit: { kind } };
  if (ref === null || ref.kind === 'file' || !hasName(ref)) return null;
  return { kind: 'record', path, stem, ref, unit: unitOf(ref) as RecordPlace['unit'] };
}

/** What a folder or file may be called: nothing hidden, nothing that is a path, no longer than file systems take. */
function isName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return name !== '' && !name.startsWith('.') && !/[\\\x00-\x1f\x7f]/.test(name) && Buffer.byteLength(name) <= 255;
}

function hasName(ref: RecordRef): boolean {
  const above = ref.kind === 'version' ? [ref.namespace, ref.dataset] : ref.kind === 'dataset' ? [ref.namespace] : [];
  return validName(ref.kind, ref.slug) && above.every((slug) => slugRule.test(slug));
}

/** Names that mean something else on Windows, or can't be there: nobody could keep in step with one who has them. */
export const isPortable = (path: string): boolean =>
  path
    .split('/')
    .every((name) => !/[<>:"|?*]|[. ]$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name));
