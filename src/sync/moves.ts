/**
 * Moves: a record that was removed at one path and added at another, with the same id or the same files, has been
 * renamed. A move keeps its history and its former address, and payloads are not transferred again. Pure.
 */
import { describeFilePath, enclosingContainerFolders, kindAndRefOfPath } from '../catalogue/layout.ts';
import { formatRef } from '../catalogue/ref.ts';
import { actualPath } from './extensions.ts';
import { containerFolder, type FileKind, type Files, type LocatedFile, type Side, syncFileKind } from './files.ts';

export interface Renaming {
  /** Path of the record before. */
  readonly path: string;
  /** Path of the record after. */
  readonly to: string;
}

export interface Move extends Renaming {
  /** The side that made the move. */
  readonly by: Side;
}

/** A record that both sides have moved, to different paths. */
export interface MovedApart {
  /** Path in the last common state. */
  readonly path: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Paths of the records that may have been moved, and of those that they may be now. */
export interface MoveCandidates {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Kinds that can be moved; the container first, since its members move with it. */
export const movableKinds: readonly FileKind[] = ['namespace', 'dataset', 'group', 'query'];

/**
 * Records that one side may have moved.
 * @param otherHas whether the other side has the record at its path in the last common state, and at the new one; by default, it has
 *   not moved it
 */
export function moveCandidates(
  kind: FileKind,
  base: Files,
  mover: Files,
  other: Files,
  otherHas: { readonly before: boolean; readonly after: boolean } = { before: true, after: false },
): MoveCandidates {
  const isOf = (path: string) => syncFileKind(path) === kind;
  const isRemoved = (path: string) => isOf(path) && !mover.has(path) && other.has(path) === otherHas.before;
  // Sorted: the order of the last common state is that in which files happened to arrive.
  const removed = [...base.keys()].filter(isRemoved).sort();
  if (removed.length === 0) return { removed, added: [] };
  const isAdded = (path: string) => isOf(path) && !base.has(path) && other.has(path) === otherHas.after;
  return { removed, added: [...mover.keys()].filter(isAdded) };
}

/**
 * Matches removed with added records.
 * @param marksOf features by which a record is recognised at any path
 */
export function matchMoves(
  { removed, added }: MoveCandidates,
  marksOf: (path: string) => readonly string[],
): readonly Renaming[] {
  const pathsByMark = new Map<string, string | null>();
  // A mark that several records share identifies none of them.
  for (const to of added) for (const mark of marksOf(to)) pathsByMark.set(mark, pathsByMark.has(mark) ? null : to);
  const matched = new Set<string>();
  return removed.flatMap((path) => {
    const found = marksOf(path)
      .map((mark) => pathsByMark.get(mark))
      .find((to) => to && !matched.has(to));
    if (!found) return [];
    matched.add(found);
    return [{ path, to: found }];
  });
}

/** The folders of a record that both sides have moved apart, or its paths if it has no folder. */
export const rootsOfMovedApart = ({ path, ours, theirs }: MovedApart): readonly string[] =>
  [path, ours, theirs].map((record) => containerFolder(record) ?? record);

/** True for a path that is one of these, or in a folder that is one of them. */
export const isInRoots = (path: string, roots: ReadonlySet<string>): boolean =>
  roots.has(path) || enclosingContainerFolders(path).some((folder) => roots.has(folder));

/** The content of each record's folder as one text, which does not depend on the path of the folder. */
export function recordFolderFingerprints(files: Files, records: readonly string[]): ReadonlyMap<string, string> {
  const contents = new Map(records.map((path) => [containerFolder(path) ?? path, [] as string[]]));
  for (const [path, { checksum }] of files) {
    for (const root of [path, ...enclosingContainerFolders(path)])
      contents.get(root)?.push(`${path.slice(root.length)} ${checksum}`);
  }
  return new Map(records.map((path) => [path, (contents.get(containerFolder(path) ?? path) ?? []).sort().join('\n')]));
}

/** The path of a file after a move. */
export function pathAfterMove(path: string, { path: record, to }: Renaming): string {
  const [from, target] = [containerFolder(record), containerFolder(to)];
  if (from === null || target === null) return path === record ? to : path;
  return path.startsWith(from) ? target + path.slice(from.length) : path;
}

/** Positions of moves by what they move, before and after them: a path is found without a look at all of thousands. */
interface MoveIndex {
  readonly length: number;
  readonly before: ReadonlyMap<string, readonly number[]>;
  readonly after: ReadonlyMap<string, readonly number[]>;
}
const indexes = new WeakMap<readonly Renaming[], MoveIndex>();

function indexOfMoves(moves: readonly Renaming[]): MoveIndex {
  const known = indexes.get(moves);
  if (known?.length === moves.length) return known;
  const positionsOf = (recordOf: (move: Renaming) => string) => {
    const positions = new Map<string, number[]>();
    for (const [i, move] of moves.entries()) {
      const root = containerFolder(recordOf(move)) ?? recordOf(move);
      positions.set(root, [...(positions.get(root) ?? []), i]);
    }
    return positions;
  };
  const index = { length: moves.length, before: positionsOf(({ path }) => path), after: positionsOf(({ to }) => to) };
  indexes.set(moves, index);
  return index;
}

const positionsFor = (path: string, positions: MoveIndex['before']): readonly number[] =>
  [path, ...enclosingContainerFolders(path)].flatMap((root) => positions.get(root) ?? []);

/** The path of a file after moves, of which each builds on those before. @param start position of the first one */
export function pathAfterMoves(path: string, moves: readonly Renaming[], start = 0): string {
  const { before } = indexOfMoves(moves);
  for (let at = path, next = start; ; next++) {
    next = Math.min(...positionsFor(at, before).filter((position) => position >= next));
    const move = moves[next];
    if (!move) return at;
    at = pathAfterMove(at, move);
  }
}

/** The path of a file before moves, of which each builds on those before. @param end position behind the last one */
export function pathBeforeMoves(path: string, moves: readonly Renaming[], end = moves.length): string {
  const { after } = indexOfMoves(moves);
  for (let at = path, last = end; ; ) {
    last = Math.max(...positionsFor(at, after).filter((position) => position < last));
    const move = moves[last];
    if (!move) return at;
    at = pathAfterMove(at, { path: move.to, to: move.path });
  }
}

/** A file with its path before moves. @param path after them, as in `files` */
export function locateFileBefore(files: Files, path: string, moves: readonly Move[]): LocatedFile | null {
  const file = files.get(path);
  return file ? { ...file, path: actualPath(pathBeforeMoves(path, moves), file) } : null;
}

/** A file of a side with its path there. @param path after the moves of both sides, as in their files */
export const locateFile = (
  { moves, ...sides }: Readonly<Record<Side, Files>> & { readonly moves: readonly Move[] },
  side: Side,
  path: string,
): LocatedFile | null => locateFileBefore(sides[side], path, movesLackedBy(side, moves));

/** Moves of the other side, by all moves. */
const lackedMoves: Readonly<Record<Side, WeakMap<readonly Move[], readonly Move[]>>> = {
  ours: new WeakMap(),
  theirs: new WeakMap(),
};

/** The moves that a side lacks: one list for thousands of files, since each list gets an index. */
export function movesLackedBy(side: Side, moves: readonly Move[]): readonly Move[] {
  const lacked = lackedMoves[side].get(moves) ?? moves.filter(({ by }) => by !== side);
  lackedMoves[side].set(moves, lacked);
  return lacked;
}

/** Files by path after moves of one kind. */
export function filesAfterMoves<T>(files: ReadonlyMap<string, T>, moves: readonly Renaming[]): ReadonlyMap<string, T> {
  if (moves.length === 0) return files;
  const movesByRoot = new Map(moves.map((move) => [containerFolder(move.path) ?? move.path, move]));
  const moveOf = (path: string) =>
    [path, ...enclosingContainerFolders(path)].map((root) => movesByRoot.get(root)).find((move) => move !== undefined);
  return new Map(
    [...files].map(([path, value]) => {
      const move = moveOf(path);
      return [move ? pathAfterMove(path, move) : path, value];
    }),
  );
}

/** The two names of a record, and the command that takes theirs. */
export function reasonOfMovesApart({ path, ours, theirs }: MovedApart, moves: readonly Move[]): string {
  const refOf = (record: string) => kindAndRefOfPath(record).ref;
  const [own, their] = [refOf(ours), refOf(theirs)];
  // Where they have moved the folder around it as well, the local one is still at its former place.
  const local = refOf(pathBeforeMoves(ours, movesLackedBy('ours', moves)));
  const isElsewhere = own?.kind === 'dataset' && their?.kind === 'dataset' && own.namespace !== their.namespace;
  const options = [
    ...(isElsewhere ? [`--namespace ${their.namespace}`] : []),
    ...(own && their && 'slug' in own && 'slug' in their && own.slug !== their.slug ? [`--slug ${their.slug}`] : []),
  ];
  return (
    `Both sides have renamed ${describeFilePath(path)}: the remote has it as ${describeFilePath(theirs)}. ` +
    `To take their name: catalogue ${local?.kind} edit ${local ? formatRef(local) : ''} ${options.join(' ')}`
  );
}
