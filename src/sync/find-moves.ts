/** Detection of moves: by the ids in records, whose texts are read for it, and by the content of folders. */
import { joinExtensions, withExtensionOf } from './extensions.ts';
import type { FileKind, Files, Side, ThreeWay } from './files.ts';
import {
  filesAfterMoves,
  isInRoots,
  type Move,
  type MoveCandidates,
  type MovedApart,
  matchMoves,
  movableKinds,
  moveCandidates,
  type Renaming,
  recordFolderFingerprints,
  rootsOfMovedApart,
} from './moves.ts';
import { idReaders, maxIds, type RecordIds } from './record-ids.ts';
import { withoutReplaced } from './replaced.ts';
import type { SyncState } from './state.ts';
import type { TextReaders } from './texts.ts';

/** Records in the state the moves that both sides have made alike, as after a run that ended before it could do so. */
export async function recordSharedMoves(state: SyncState, given: ThreeWay, texts: TextReaders): Promise<void> {
  let sides = joinExtensions(given);
  for (const kind of movableKinds) {
    const { base, ours, theirs } = sides;
    const ids = idReaders(state, sides, texts, []);
    const rest = await withoutReplaced(kind, sides, ids);
    const candidates = moveCandidates(kind, base, rest.ours, rest.theirs, { before: false, after: true });
    const found = withExtensionsOfBefore(await findMoves(candidates, base, [ours, theirs], ids.ours));
    for (const { path, to } of found) await state.move(path, to);
    if (found.length) sides = joinExtensions({ base: filesAfterMoves(base, found), ours, theirs });
  }
}

/** Detects the moves of both sides. Each of the three is returned with its paths after the moves that it lacks. */
export async function detectMoves(
  state: SyncState,
  sides: ThreeWay,
  texts: TextReaders,
): Promise<ThreeWay & { readonly moves: readonly Move[] }> {
  let { base, ours, theirs } = joinExtensions(sides);
  const moves: Move[] = [];
  const detect = async (kind: FileKind, by: Side): Promise<number> => {
    const ids = idReaders(state, { ours, theirs }, texts, moves);
    const rest = await withoutReplaced(kind, { base, ours, theirs }, ids);
    const [mover, other] = by === 'ours' ? [rest.ours, rest.theirs] : [rest.theirs, rest.ours];
    const candidates = moveCandidates(kind, base, mover, other);
    const found = withExtensionsOfBefore(await findMoves(candidates, base, [by === 'ours' ? ours : theirs], ids[by]));
    if (found.length === 0) return 0;
    base = filesAfterMoves(base, found);
    if (by === 'ours') theirs = filesAfterMoves(theirs, found);
    else ours = filesAfterMoves(ours, found);
    ({ base, ours, theirs } = joinExtensions({ base, ours, theirs }));
    moves.push(...found.map((move) => ({ ...move, by })));
    return found.length;
  };
  for (const kind of movableKinds)
    for (const by of ['ours', 'theirs'] as const) {
      // A move may make room for another one.
      while ((await detect(kind, by)) > 0);
    }
  return { base, ours, theirs, moves };
}

/**
 * Detects records that both sides have moved, to different paths.
 * @param found the result of `detectMoves`
 */
export async function detectMovesApart(
  state: SyncState,
  found: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReaders,
): Promise<readonly MovedApart[]> {
  const { base, moves } = found;
  const ids = idReaders(state, found, texts, moves);
  const apart: MovedApart[] = [];
  const roots = new Set<string>();
  for (const kind of movableKinds) {
    const sides = await withoutReplaced(kind, found, ids);
    const movesOf = (by: Side, other: Side) => {
      const candidates = moveCandidates(kind, base, sides[by], sides[other], { before: false, after: false });
      return findMoves(candidates, base, [found[by]], ids[by]);
    };
    const [byOurs, byTheirs] = await Promise.all([movesOf('ours', 'theirs'), movesOf('theirs', 'ours')]);
    const theirPaths = new Map(byTheirs.map(({ path, to }) => [path, to]));
    for (const { path, to } of byOurs) {
      const their = theirPaths.get(path);
      // What is in a folder has moved with it.
      if (their === undefined || isInRoots(path, roots)) continue;
      const moved = { path, ours: to, theirs: their };
      apart.push(moved);
      for (const root of rootsOfMovedApart(moved)) roots.add(root);
    }
  }
  return apart;
}

/**
 * Finds the moves among candidates.
 * @param before files of the last common state
 * @param after files of the sides that moved; `ids` are those of the first one
 */
async function findMoves(
  candidates: MoveCandidates,
  before: Files,
  after: readonly Files[],
  ids: RecordIds,
): Promise<readonly Renaming[]> {
  const { removed, added } = candidates;
  if (removed.length === 0 || added.length === 0) return [];
  const marks = new Map<string, string[]>();
  for (const path of removed) marks.set(path, idMarks(await ids.before(path)));
  for (const path of added) marks.set(path, idMarks(added.length > maxIds ? undefined : await ids.now(path)));
  for (const [files, paths] of [[before, removed], ...after.map((files) => [files, added] as const)] as const)
    for (const [path, print] of recordFolderFingerprints(files, paths)) marks.get(path)?.push(`all ${print}`);
  return matchMoves(candidates, (path) => [...new Set(marks.get(path))]);
}

/** Moves to paths with the extensions of before: that a record has another one is a change of its own. */
const withExtensionsOfBefore = (moves: readonly Renaming[]): readonly Renaming[] =>
  moves.map(({ path, to }) => ({ path, to: withExtensionOf(to, path) })).filter(({ path, to }) => path !== to);

const idMarks = (id: number | undefined): string[] => (id === undefined ? [] : [`id ${id}`]);
