/** Detection of moves: by the ids in records, whose texts are read for it, and by the content of folders. */
import { type Exchanges, findExchangedNames } from './exchanged-names.ts';
import { joinExtensions, withExtensionOf } from './extensions.ts';
import { containerFolder, type FileKind, type Files, type Side, type ThreeWay } from './files.ts';
import {
  filesAfterMoves,
  isInRoots,
  type Move,
  type MoveCandidates,
  type MovedApart,
  matchMoves,
  movableKinds,
  moveCandidates,
  pathAfterMoves,
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
  /** @returns whether there was a move */
  const record = async (kind: FileKind): Promise<boolean> => {
    const { base, ours, theirs } = sides;
    const ids = idReaders(state, sides, texts, []);
    const rest = await withoutReplaced(kind, sides, ids);
    const candidates = moveCandidates(kind, base, rest.ours, rest.theirs, { before: false, after: true });
    const found = withExtensionsOfBefore(await findMoves(candidates, base, [ours, theirs], ids.ours));
    for (const { path, to } of found) await state.move(path, to);
    if (found.length) sides = joinExtensions({ base: filesAfterMoves(base, found), ours, theirs });
    return found.length > 0;
  };
  // A move may make room for another one.
  for (const kind of movableKinds) while (await record(kind));
}

/** Moves of both sides, and the files with their paths after the moves that they lack. */
export interface DetectedMoves extends ThreeWay {
  readonly moves: readonly Move[];
  /** Those of exchanged names. */
  readonly exchanges: Exchanges;
  /** Records that both sides have moved, to different paths. */
  readonly movedApart: readonly MovedApart[];
  /** Files of records that one side has moved and the other one has removed, by their paths after the moves. */
  readonly movedAndRemoved: ReadonlySet<string>;
}

/**
 * Detects the moves of both sides, also of records that the other side has removed.
 * @param takesExchange true for an exchange of names that becomes moves
 */
export async function detectMoves(
  state: SyncState,
  sides: ThreeWay,
  texts: TextReaders,
  takesExchange: (by: Side, moves: readonly Renaming[]) => boolean = () => true,
): Promise<DetectedMoves> {
  let { base, ours, theirs } = joinExtensions(sides);
  const moves: Move[] = [];
  const exchanges = { ours: [] as (readonly Renaming[])[], theirs: [] as (readonly Renaming[])[] };
  const movedApart: MovedApart[] = [];
  const roots = new Set<string>();
  const positionsOfRemoved: number[] = [];
  /** @returns whether there was a move */
  const apply = (found: readonly Renaming[], by: Side): boolean => {
    const made = withExtensionsOfBefore(found);
    if (made.length === 0) return false;
    base = filesAfterMoves(base, made);
    if (by === 'ours') theirs = filesAfterMoves(theirs, made);
    else ours = filesAfterMoves(ours, made);
    ({ base, ours, theirs } = joinExtensions({ base, ours, theirs }));
    moves.push(...made.map((move) => ({ ...move, by })));
    return true;
  };
  /** @param otherHas whether the other side still has the records at their paths of before */
  const find = async (kind: FileKind, otherHas: boolean, sidesThatMoved: readonly Side[]) => {
    const ids = idReaders(state, { ours, theirs }, texts, moves);
    const rest = await withoutReplaced(kind, { base, ours, theirs }, ids);
    const movesOf = (by: Side) => {
      const [mover, other] = by === 'ours' ? [rest.ours, rest.theirs] : [rest.theirs, rest.ours];
      const candidates = moveCandidates(kind, base, mover, other, { before: otherHas, after: false });
      return findMoves(candidates, base, [by === 'ours' ? ours : theirs], ids[by]);
    };
    return Promise.all(sidesThatMoved.map(movesOf));
  };
  for (const kind of movableKinds) {
    // A move may make room for another one.
    for (const by of ['ours', 'theirs'] as const) while (apply((await find(kind, true, [by])).flat(), by));
    for (const by of ['ours', 'theirs'] as const) {
      const [mover, other] = by === 'ours' ? [ours, theirs] : [theirs, ours];
      const ids = idReaders(state, { ours, theirs }, texts, moves);
      const idsOf = { mover: ids[by], other: ids[by === 'ours' ? 'theirs' : 'ours'] };
      for (const made of await findExchangedNames(kind, { base, mover, other, ids: idsOf })) {
        if (!takesExchange(by, made)) continue;
        for (const move of made) apply([move], by);
        exchanges[by].push(made);
      }
    }
    // Of what neither side has at its place any more, one has removed what it has at no other place.
    const [byOurs = [], byTheirs = []] = await find(kind, false, ['ours', 'theirs']);
    const theirPaths = new Map(byTheirs.map(({ path, to }) => [path, to]));
    const ourPaths = new Map(byOurs.map(({ path, to }) => [path, to]));
    // What is in a folder that was moved apart has moved with it.
    const isAlone = ({ path }: Renaming) => !isInRoots(path, roots);
    const apart = byOurs.filter(isAlone).flatMap(({ path, to }) => {
      const their = theirPaths.get(path);
      return their === undefined ? [] : { path, ours: to, theirs: their };
    });
    const ofRemoved = {
      ours: byOurs.filter((move) => isAlone(move) && !theirPaths.has(move.path)),
      theirs: byTheirs.filter((move) => isAlone(move) && !ourPaths.has(move.path)),
    };
    movedApart.push(...apart);
    for (const moved of apart) for (const root of rootsOfMovedApart(moved)) roots.add(root);
    const start = moves.length;
    for (const by of ['ours', 'theirs'] as const) apply(ofRemoved[by], by);
    for (let at = start; at < moves.length; at++) positionsOfRemoved.push(at);
  }
  const rootsOfRemoved = new Set(
    positionsOfRemoved.map((at) => {
      const path = pathAfterMoves((moves[at] as Move).to, moves, at + 1);
      return containerFolder(path) ?? path;
    }),
  );
  const isOfRemoved = (path: string) => rootsOfRemoved.size > 0 && isInRoots(path, rootsOfRemoved);
  return {
    base,
    ours,
    theirs,
    moves,
    exchanges,
    movedApart,
    movedAndRemoved: new Set([...base.keys()].filter(isOfRemoved)),
  };
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
