/**
 * Where things lie in a catalogue folder. Nothing else joins or takes apart its paths. Paths are relative to the folder
 * and have slashes, on every system.
 *
 * The unit of reading is the smallest thing that makes sense alone: one record file, or the folder of a dataset with
 * its versions.
 */
import { type Ref, slugRule, usernameRule, type VersionRef } from '../catalogue/ref.ts';
import type { RecordKind } from '../catalogue/schemas.ts';

export type Unit =
  | { readonly kind: 'settings' }
  | { readonly kind: 'namespace'; readonly slug: string }
  | { readonly kind: 'dataset'; readonly namespace: string; readonly slug: string }
  | { readonly kind: 'group' | 'user' | 'query'; readonly slug: string };

/** Extensions of record files, in order of precedence where two files would make the same record. */
export const extensions = ['yaml', 'yml', 'json'] as const;
export type RecordFormat = 'yaml' | 'json';

/** What a folder has at least one of to be a catalogue. */
export const landmarks = ['namespaces', 'catalogue.yaml', 'catalogue.yml', 'catalogue.json'] as const;

/** Private state and caches: never in git, never served. */
export const privateFolder = '.catalogue';
/** Images and other files that pages show. */
export const mediaFolder = 'site_media';

/** Folders of records that are one file each. */
export const flatFolders = { group: 'groups', user: 'users', query: 'queries' } as const;

/** The name by which a unit is known; also that of its lock. */
export function keyOf(unit: Unit): string {
  return stemOf(unit);
}

/** Path of a unit's record, without extension. */
export function stemOf(unit: Unit): string {
  switch (unit.kind) {
    case 'settings':
      return 'catalogue';
    case 'namespace':
      return `namespaces/${unit.slug}/namespace`;
    case 'dataset':
      return `${datasetFolder(unit.namespace, unit.slug)}/dataset`;
    default:
      return `${flatFolders[unit.kind]}/${unit.slug}`;
  }
}

/** Path of a version's record, without extension. */
export const versionStem = ({ namespace, dataset, slug }: VersionRef) =>
  `${datasetFolder(namespace, dataset)}/versions/${slug}`;

/** Where a unit's record can be, in order of precedence. */
export const candidates = (stem: string) => extensions.map((extension) => `${stem}.${extension}`);

export const namespaceFolder = (slug: string) => `namespaces/${slug}`;
export const datasetsFolder = (namespace: string) => `namespaces/${namespace}/datasets`;
export const datasetFolder = (namespace: string, slug: string) => `namespaces/${namespace}/datasets/${slug}`;
export const payloadPath = (namespace: string, dataset: string, file: string) =>
  `${datasetFolder(namespace, dataset)}/data/${file}`;

/** The unit that a reference's record lies in. */
export function unitOf(ref: Exclude<Ref, { kind: 'file' }>): Unit {
  return ref.kind === 'version' ? { kind: 'dataset', namespace: ref.namespace, slug: ref.dataset } : ref;
}

/**
 * What a path belongs to: a unit, whose content may have changed; or a folder that holds units, in which units may have
 * come or gone (its path with a slash at the end, '' for the whole); or nothing that matters.
 */
export function placeOf(path: string): Unit | { readonly folder: string } | null {
  const [top = '', second, third, fourth, ...rest] = path.split('/');
  if (path === '') return { folder: '' };
  if (path === privateFolder || path.startsWith(`${privateFolder}/`)) return null;
  if (top === 'namespaces') {
    if (second === undefined) return { folder: 'namespaces/' };
    if (!slugRule.test(second)) return { folder: 'namespaces/' };
    if (third === undefined) return { folder: `namespaces/${second}/` };
    if (third !== 'datasets')
      return recordName(third)?.stem === 'namespace' ? { kind: 'namespace', slug: second } : null;
    if (fourth === undefined || !slugRule.test(fourth)) return { folder: `namespaces/${second}/datasets/` };
    // What happens inside of a payload folder concerns the dataset only as far as the payloads' sizes go.
    return rest[0] === 'data' && rest.length > 2 ? null : { kind: 'dataset', namespace: second, slug: fourth };
  }
  for (const kind of ['group', 'user', 'query'] as const) {
    if (top !== flatFolders[kind]) continue;
    if (second === undefined) return { folder: `${top}/` };
    const name = recordName(second);
    return name && validName(kind, name.stem) ? { kind, slug: name.stem } : { folder: `${top}/` };
  }
  return second === undefined && recordName(top)?.stem === 'catalogue' ? { kind: 'settings' } : null;
}

/** Takes a record file's name apart; null where the extension is none of a record. */
export function recordName(name: string): { readonly stem: string; readonly format: RecordFormat } | null {
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  if (dot < 1 || !(extensions as readonly string[]).includes(extension)) return null;
  return { stem: name.slice(0, dot), format: extension === 'json' ? 'json' : 'yaml' };
}

/** Whether a name can be that of a record of the kind. */
export function validName(kind: RecordKind, name: string): boolean {
  return (kind === 'user' ? usernameRule : slugRule).test(name);
}

/** Whether a path is where a dataset has its payloads; a dataset may be called "data" itself. */
export const isPayload = (path: string): boolean => /^namespaces\/[^/]+\/datasets\/[^/]+\/data\/[^/]+$/.test(path);

/** The kind of record that a path holds, and its reference; for the list of files. */
export function recordAt(path: string): { kind: RecordKind | 'payload' | 'unknown'; ref: Ref | null } {
  const version = /^namespaces\/([^/]+)\/datasets\/([^/]+)\/versions\/([^/]+)\.[a-z]+$/.exec(path);
  if (version) {
    const [, namespace = '', dataset = '', slug = ''] = version;
    return { kind: 'version', ref: { kind: 'version', namespace, dataset, slug } };
  }
  const place = placeOf(path);
  if (!place || 'folder' in place) return { kind: 'unknown', ref: null };
  if (place.kind === 'settings') return { kind: 'settings', ref: null };
  if (place.kind === 'dataset' && isPayload(path)) return { kind: 'payload', ref: place };
  return stemOf(place) === path.slice(0, path.lastIndexOf('.'))
    ? { kind: place.kind, ref: place }
    : { kind: 'unknown', ref: null };
}
