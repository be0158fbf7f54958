/**
 * Renames, found again: a record that is gone at one path and has come at another, with the same id or with the same
 * files. What is known as a move keeps its history and its former address, and its payloads don't travel again. Pure.
 */
import type { Files, Side } from './files.ts';
import { type FileKind, fileAt, folderOf, homesOf } from './paths.ts';

export interface Move {
  /** Of the record, before and after. */
  readonly path: string;
  readonly to: string;
  readonly by: Side;
}

/** What one side may have moved: records that are gone there, and records that have come. */
export interface Candidates {
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** Kinds that can be moved, in the order in which they have to be looked at: a dataset lies in a namespace. */
export const movable: readonly FileKind[] = ['namespace', 'dataset', 'group', 'query'];

/**
 * Records of a kind that may have been moved. Only what the other side has still can be moved there, and only to where it
 * has nothing.
 */
export function candidatesOf(kind: FileKind, base: Files, mover: Files, other: Files): Candidates {
  const isKind = (path: string) => fileAt(path).kind === kind;
  const gone = [...base.keys()].filter((path) => isKind(path) && !mover.has(path) && other.has(path));
  if (gone.length === 0) return { gone, come: [] };
  return { gone, come: [...mover.keys()].filter((path) => isKind(path) && !base.has(path) && !other.has(path)) };
}

/** Records of a kind that both sides may have moved, to the same place. */
export function commonCandidatesOf(kind: FileKind, base: Files, ours: Files, theirs: Files): Candidates {
  const isKind = (path: string) => fileAt(path).kind === kind;
  const gone = [...base.keys()].filter((path) => isKind(path) && !ours.has(path) && !theirs.has(path));
  if (gone.length === 0) return { gone, come: [] };
  return { gone, come: [...ours.keys()].filter((path) => isKind(path) && theirs.has(path) && !base.has(path)) };
}

/**
 * Pairs what is gone with what has come.
 * @param marks by what a record is known wherever it lies, each the name of a thing that no two records have
 */
export function movesAmong(
  { gone, come }: Candidates,
  marks: (path: string) => readonly string[],
): readonly Omit<Move, 'by'>[] {
  const places = new Map<string, string | null>();
  // A mark that several have tells none of them.
  for (const to of come) for (const mark of marks(to)) places.set(mark, places.has(mark) ? null : to);
  const taken = new Set<string>();
  return gone.flatMap((path) => {
    const found = marks(path)
      .map((mark) => places.get(mark))
      .find((to) => to && extensionOf(to) === extensionOf(path) && !taken.has(to));
    if (!found) return [];
    taken.add(found);
    return [{ path, to: found }];
  });
}

const extensionOf = (path: string) => path.slice(path.lastIndexOf('.'));

/** All that lies in the folder of a record, as one text: the same wherever the folder lies. */
export function fingerprintsIn(files: Files, records: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map(records.map((path) => [folderOf(path) ?? path, [] as string[]]));
  for (const [path, { checksum }] of files) {
    for (const home of [path, ...homesOf(path)]) folders.get(home)?.push(`${path.slice(home.length)} ${checksum}`);
  }
  return new Map(records.map((path) => [path, (folders.get(folderOf(path) ?? path) ?? []).sort().join('\n')]));
}

/** Where a path lies after a move. */
export function movedPath(path: string, { path: record, to }: Pick<Move, 'path' | 'to'>): string {
  const [from, target] = [folderOf(record), folderOf(to)];
  if (from === null || target === null) return path === record ? to : path;
  return path.startsWith(from) ? target + path.slice(from.length) : path;
}

/** Where a path lay before moves, of which each builds on those before. */
export function formerPath(path: string, moves: readonly Move[]): string {
  return moves.reduceRight((at, { path: from, to }) => movedPath(at, { path: to, to: from }), path);
}

/** Files by path, as they lie after moves of one kind. */
export function movedAll<T>(files: ReadonlyMap<string, T>, moves: readonly Omit<Move, 'by'>[]): ReadonlyMap<string, T> {
  if (moves.length === 0) return files;
  const targets = new Map(moves.map((move) => [folderOf(move.path) ?? move.path, move]));
  const target = (path: string) => [path, ...homesOf(path)].map((home) => targets.get(home)).find(Boolean);
  return new Map(
    [...files].map(([path, value]) => {
      const move = target(path);
      return [move ? movedPath(path, move) : path, value];
    }),
  );
}
