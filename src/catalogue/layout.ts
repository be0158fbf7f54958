/**
 * Layout of a catalogue folder: reference ⇄ path. Pure; nothing else joins or takes apart these paths. Paths are
 * relative to the folder and have slashes, on every system.
 *
 *     catalogue.yaml                                      settings
 *     namespaces/parks/namespace.yaml                     namespace parks
 *     namespaces/parks/datasets/trees/dataset.yaml        dataset parks/trees
 *     namespaces/parks/datasets/trees/versions/2026.yaml  version parks/trees@2026
 *     namespaces/parks/datasets/trees/data/2026.csv       its payload
 *     groups/editors.yaml  users/ann.yaml  queries/tall.yaml
 *     site_media/oak.png                                  media: images and other files that pages show
 *     .catalogue/                                         private state and caches
 */
import { type DatasetRef, datasetRefOf, formatRef, type Ref, slugRule, usernameRule } from './ref.ts';
import type { RecordKind } from './schemas.ts';

/** Reference of something that has a record file of its own. */
export type RecordRef = Exclude<Ref, { kind: 'file' }>;

/** Unit of reading: one record file, or the folder of a dataset with its versions. */
export type Unit = { readonly kind: 'settings' } | Exclude<RecordRef, { kind: 'version' }>;

/** A unit, or all units below a folder: '' is the whole catalogue, else the path ends in a slash. */
export type Scope = Unit | { readonly folder: string };

/** Extensions of record files, in order of precedence if two files describe the same record. */
export const extensions = ['yaml', 'yml', 'json'] as const;
export type RecordFormat = 'yaml' | 'json';

/** Largest record that a catalogue reads or takes, in bytes. */
export const maxRecordSize = 1024 * 1024;

/** A folder is a catalogue if it has at least one of these. */
export const landmarks = ['namespaces', 'catalogue.yaml', 'catalogue.yml', 'catalogue.json'] as const;

/** Private state and caches: never in git, never served. */
export const privateFolder = '.catalogue';

/** File with the remote that a folder was cloned from or first pushed to. */
export const originPath = `${privateFolder}/remotes/origin.json`;
/** Images and other files that pages show. */
export const mediaFolder = 'site_media';
/** Folders of the records that are one file each. */
export const recordFolders = { group: 'groups', user: 'users', query: 'queries' } as const;

const flatKinds = ['group', 'user', 'query'] as const;

export const namespaceFolder = (slug: string): string => `namespaces/${slug}`;
export const datasetsFolder = (namespace: string): string => `${namespaceFolder(namespace)}/datasets`;
export const datasetFolder = (namespace: string, slug: string): string => `${datasetsFolder(namespace)}/${slug}`;
export const versionsFolder = (namespace: string, dataset: string): string =>
  `${datasetFolder(namespace, dataset)}/versions`;
export const payloadFolder = (namespace: string, dataset: string): string =>
  `${datasetFolder(namespace, dataset)}/data`;
export const payloadPath = (namespace: string, dataset: string, file: string): string =>
  `${payloadFolder(namespace, dataset)}/${file}`;
export const mediaPath = (name: string): string => `${mediaFolder}/${name}`;

/** Path of a record, without its extension. */
export function recordPathWithoutExtension(ref: RecordRef | Unit): string {
  switch (ref.kind) {
    case 'settings':
      return 'catalogue';
    case 'namespace':
      return `${namespaceFolder(ref.slug)}/namespace`;
    case 'dataset':
      // Joined: V8 keeps a text that is put together by "+" as a tree of its parts, and this one is a key that is kept.
      return ['namespaces', ref.namespace, 'datasets', ref.slug, 'dataset'].join('/');
    case 'version':
      return `${versionsFolder(ref.namespace, ref.dataset)}/${ref.slug}`;
    default:
      return `${recordFolders[ref.kind]}/${ref.slug}`;
  }
}

/** Paths at which a record can lie, in order of precedence. */
export const recordPaths = (ref: RecordRef | Unit): readonly string[] =>
  pathsWithRecordExtensions(recordPathWithoutExtension(ref));
/** A path without extension, with each extension of a record. */
export const pathsWithRecordExtensions = (stem: string): readonly string[] =>
  extensions.map((extension) => `${stem}.${extension}`);

/** Key of a unit in maps and in the names of locks. */
export const unitKey = (unit: Unit): string => recordPathWithoutExtension(unit);

/** Key of a scope in maps. */
export const scopeKey = (scope: Scope): string => ('folder' in scope ? scope.folder : unitKey(scope));

/** The unit that a record is read with: a version is read with its dataset. */
export function unitOfRecord(ref: RecordRef): Exclude<Unit, { kind: 'settings' }> {
  return ref.kind === 'version' ? datasetRefOf(ref) : ref;
}

/** The folder that contains the name of a record. Names in it are unique, regardless of case. */
export function siblingsFolder(ref: RecordRef): string {
  switch (ref.kind) {
    case 'namespace':
      return 'namespaces';
    case 'dataset':
      return datasetsFolder(ref.namespace);
    case 'version':
      return versionsFolder(ref.namespace, ref.dataset);
    default:
      return recordFolders[ref.kind];
  }
}

/**
 * Path of the record with all files that are moved and removed with it: the folder of a namespace or a dataset, else the
 * record file.
 * @param path of the record file, for its extension
 */
export function recordFolderOrFile(ref: RecordRef, path: string): string {
  if (ref.kind === 'namespace') return namespaceFolder(ref.slug);
  if (ref.kind === 'dataset') return datasetFolder(ref.namespace, ref.slug);
  return recordPathWithoutExtension(ref) + path.slice(path.lastIndexOf('.'));
}

/** Name and format of a record file; null if the extension is not one of a record. */
export function parseRecordFileName(name: string): { readonly stem: string; readonly format: RecordFormat } | null {
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  if (dot < 1 || !(extensions as readonly string[]).includes(extension)) return null;
  return { stem: name.slice(0, dot), format: extension === 'json' ? 'json' : 'yaml' };
}

/** Format of a record file, by its name: `.json` is JSON, anything else YAML. */
export const recordFormat = (path: string): RecordFormat => (/\.json$/i.test(path) ? 'json' : 'yaml');

/** True if a record of the kind may have this name. */
export function isValidName(kind: RecordKind, name: string): boolean {
  return (kind === 'user' ? usernameRule : slugRule).test(name);
}

/** Meaning of a path; `unknown` if it has none in the layout. */
export type PathInfo =
  | { readonly kind: 'settings' }
  | { readonly kind: 'record'; readonly ref: RecordRef }
  | { readonly kind: 'payload'; readonly dataset: DatasetRef; readonly file: string }
  | { readonly kind: 'media'; readonly name: string }
  | { readonly kind: 'unknown' };

const unknown: PathInfo = { kind: 'unknown' };

/** Parses a path. Names are not checked, except that a record must have a known extension. */
export function parseCataloguePath(path: string): PathInfo {
  // Taken apart without iterators and rests: thousands of paths are parsed in a push, each of them several times.
  const parts = path.split('/');
  const top = parts[0];
  if (top === mediaFolder && parts.length > 1) return { kind: 'media', name: path.slice(mediaFolder.length + 1) };
  const stem = parseRecordFileName(parts.at(-1) ?? '')?.stem;
  if (top === 'namespaces') return parseNamespacePath(parts, stem);
  if (stem === undefined) return unknown;
  if (parts.length === 1) return stem === 'catalogue' ? { kind: 'settings' } : unknown;
  const kind = flatKinds.find((one) => recordFolders[one] === top);
  return kind && parts.length === 2 ? { kind: 'record', ref: { kind, slug: stem } } : unknown;
}

function parseNamespacePath(parts: readonly string[], stem: string | undefined): PathInfo {
  const namespace = parts[1] ?? '';
  const slug = parts[3] ?? '';
  const record = (ref: RecordRef): PathInfo => ({ kind: 'record', ref });
  if (parts.length === 3 && stem === 'namespace') return record({ kind: 'namespace', slug: namespace });
  if (parts[2] !== 'datasets') return unknown;
  if (parts.length === 5 && stem === 'dataset') return record({ kind: 'dataset', namespace, slug });
  const file = parts[5];
  if (parts.length !== 6 || !file) return unknown;
  const last = parts[4];
  if (last === 'data') return { kind: 'payload', dataset: { kind: 'dataset', namespace, slug }, file };
  if (last !== 'versions' || stem === undefined) return unknown;
  return record({ kind: 'version', namespace, dataset: slug, slug: stem });
}

/** True if every name of a record may be written. */
export function hasValidNames(ref: RecordRef): boolean {
  const above = ref.kind === 'version' ? [ref.namespace, ref.dataset] : ref.kind === 'dataset' ? [ref.namespace] : [];
  return isValidName(ref.kind, ref.slug) && above.every((slug) => slugRule.test(slug));
}

/** True unless a name in the path has another meaning on Windows, or can't exist there. */
export const isPortablePath = (path: string): boolean =>
  path
    .split('/')
    .every((name) => !/[<>:"|?*]|[. ]$/.test(name) && !/^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name));

/**
 * Path of the media file that an address in a record leads to (`/site_media/oak.png`); null if it leads to another
 * place.
 */
export const mediaPathInUrl = (address: string): string | null =>
  address.startsWith(`/${mediaFolder}/`) ? address.slice(1) : null;

/** True for a payload. A dataset may be called "data" itself. */
export const isPayloadPath = (path: string): boolean => parseCataloguePath(path).kind === 'payload';

/** True for bytes that never change, a payload or a media file; false for a record. */
export function isBytesPath(path: string): boolean {
  const { kind } = parseCataloguePath(path);
  return kind === 'payload' || kind === 'media';
}

/** The kind of record that a path holds, and its reference: for the list of files. */
export function kindAndRefOfPath(path: string): {
  readonly kind: RecordKind | 'payload' | 'unknown';
  readonly ref: Ref | null;
} {
  const info = parseCataloguePath(path);
  switch (info.kind) {
    case 'record':
      // A version whose name is not valid is reported as a version all the same.
      if (info.ref.kind !== 'version' && !hasValidNames(info.ref)) break;
      return { kind: info.ref.kind, ref: info.ref };
    case 'payload':
      return { kind: 'payload', ref: info.dataset };
    case 'settings':
      return { kind: 'settings', ref: null };
  }
  return { kind: 'unknown', ref: null };
}

/**
 * The scope to read again when a path changes: a unit, or a folder in which units may have been added or removed; null
 * if nothing that is read depends on the path.
 */
export function scopeToReread(path: string): Scope | null {
  const [top = '', second, third, fourth, ...rest] = path.split('/');
  if (path === '') return { folder: '' };
  if (top === privateFolder) return null;
  if (top === 'namespaces') {
    if (second === undefined || !slugRule.test(second)) return { folder: 'namespaces/' };
    if (third === undefined) return { folder: `${namespaceFolder(second)}/` };
    if (third !== 'datasets')
      return parseRecordFileName(third)?.stem === 'namespace' ? { kind: 'namespace', slug: second } : null;
    if (fourth === undefined || !slugRule.test(fourth)) return { folder: `${datasetsFolder(second)}/` };
    // Below the payloads themselves, nothing concerns the dataset.
    return rest[0] === 'data' && rest.length > 2 ? null : { kind: 'dataset', namespace: second, slug: fourth };
  }
  const kind = flatKinds.find((one) => recordFolders[one] === top);
  if (kind) {
    const name = second === undefined ? null : parseRecordFileName(second);
    return name && isValidName(kind, name.stem) ? { kind, slug: name.stem } : { folder: `${top}/` };
  }
  return second === undefined && parseRecordFileName(top)?.stem === 'catalogue' ? { kind: 'settings' } : null;
}

/** Name of a file for people: `parks/trees`, `parks/trees@2026`, `groups/editors`; the path of what has no such name. */
export function describeFilePath(path: string): string {
  const info = parseCataloguePath(path);
  if (info.kind === 'payload') return `${formatRef(info.dataset)}/data/${info.file}`;
  if (info.kind !== 'record') return path;
  return info.ref.kind in recordFolders ? recordPathWithoutExtension(info.ref) : formatRef(info.ref);
}

/** Kind and name of a record: `dataset parks/trees`; the path of what is not one. */
export function describeRecordAtPath(path: string): string {
  const info = parseCataloguePath(path);
  return info.kind === 'record' ? `${info.ref.kind} ${formatRef(info.ref)}` : path;
}

/** Slugs of the namespace and the dataset that a path lies in, or is the folder of. */
export function containingSlugs(path: string): { readonly namespace?: string; readonly dataset?: string } {
  const [top, namespace, middle, dataset] = path.split('/');
  if (top !== 'namespaces' || !namespace) return {};
  return middle === 'datasets' && dataset ? { namespace, dataset } : { namespace };
}

/** Folders of the dataset and the namespace that a file lies in, the innermost first, each with a slash at its end. */
export function enclosingContainerFolders(path: string): readonly string[] {
  const { namespace, dataset } = containingSlugs(path.slice(0, path.lastIndexOf('/')));
  if (namespace === undefined) return [];
  return [
    ...(dataset === undefined ? [] : [`${datasetFolder(namespace, dataset)}/`]),
    `${namespaceFolder(namespace)}/`,
  ];
}
