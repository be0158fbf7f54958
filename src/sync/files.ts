/** Files as synchronisation sees them: paths with checksums, their kinds, and the order in which they need each other. */
import { enclosingContainerFolders, parseCataloguePath, type RecordRef } from '../catalogue/layout.ts';

export interface FileState {
  /** SHA-256 in hexadecimal. */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
  /** With its dot; if it isn't that of the path by which the file is compared (`extensions.ts`). */
  readonly extension?: string | undefined;
}

/** Files of a catalogue by path. */
export type Files = ReadonlyMap<string, FileState>;

/** A file with its path. */
export type LocatedFile = FileState & { readonly path: string };

/** The sides of a synchronisation, as git names them: `ours` is the local catalogue, `theirs` the remote. */
export type Side = 'ours' | 'theirs';

/** Files of both sides, and of the last common state (`base`). */
export interface ThreeWay {
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
}

/** Status of a file. `ignored`: the sides differ, and nothing is to be done about it. */
export type Status = 'same' | 'incoming' | 'outgoing' | 'conflict' | 'blocked' | 'ignored';

export type FileKind = RecordRef['kind'] | 'payload' | 'media' | 'settings' | 'unknown';

/** Kinds by path: a first push asks for that of each of its thousands of paths again and again. */
const kinds = new Map<string, FileKind>();
const maxKinds = 100_000;

export function syncFileKind(path: string): FileKind {
  const known = kinds.get(path);
  if (known !== undefined) return known;
  const info = parseCataloguePath(path);
  const kind = info.kind === 'record' ? info.ref.kind : info.kind;
  if (kinds.size >= maxKinds) kinds.clear();
  kinds.set(path, kind);
  return kind;
}

/** The folder of a dataset or a namespace, with a slash at its end, by the path of its record; null for other files. */
export function containerFolder(path: string): string | null {
  const kind = syncFileKind(path);
  return kind === 'dataset' || kind === 'namespace' ? (enclosingContainerFolders(path)[0] ?? null) : null;
}

/** Paths in each of some folders of namespaces and datasets, found in one pass: there may be many of both. */
export function membersOfFolders(
  folders: Iterable<string | null>,
  paths: Iterable<string>,
): ReadonlyMap<string | null, readonly string[]> {
  const members = new Map<string | null, string[]>(Array.from(folders, (folder) => [folder, []]));
  if (members.size === 0) return members;
  for (const path of paths) for (const folder of enclosingContainerFolders(path)) members.get(folder)?.push(path);
  return members;
}

/** Kinds in the order of their dependencies: each needs only those before it. */
const dependencyOrder: readonly FileKind[] = [
  'group',
  'user',
  'namespace',
  'media',
  'dataset',
  'payload',
  'version',
  'query',
  'unknown',
];

/** Position of a file in the order of additions; removals go in reverse. */
export const dependencyRank = (path: string): number => dependencyOrder.indexOf(syncFileKind(path));
