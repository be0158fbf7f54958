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

/** True for an exchange of names that becomes moves. */
type TakesExchange = (by: Side, moves: readonly Renaming[]) => boolean;

const bothSides = ['ours', 'theirs'] as const;

/** Detects the moves of both sides, also of records that the other side has removed. */
export async function detectMoves(
  state: SyncState,
  sides: ThreeWay,
  texts: TextReaders,
  takesExchange: TakesExchange = () => true,
): Promise<DetectedMoves> {
  const detection = new MoveDetection(state, sides, texts);
  for (const kind of movableKinds) {
    await detection.applyMovesOfKept(kind);
    await detection.applyExchanges(kind, takesExchange);
    await detection.applyMovesOfMissing(kind);
  }
  return detection.result();
}

/** The files of both sides while moves are found: each move that is found is applied to the files of the side that lacks it. */
class MoveDetection {
  readonly #state: SyncState;
  readonly #texts: TextReaders;
  #sides: ThreeWay;
  readonly #moves: Move[] = [];
  readonly #exchanges = { ours: [] as (readonly Renaming[])[], theirs: [] as (readonly Renaming[])[] };
  readonly #movedApart: MovedApart[] = [];
  readonly #rootsApart = new Set<string>();
  /** Indexes of the moves of records that the other side has removed. */
  readonly #movesOfRemoved: number[] = [];

  constructor(state: SyncState, sides: ThreeWay, texts: TextReaders) {
    this.#state = state;
    this.#texts = texts;
    this.#sides = joinExtensions(sides);
  }

  /** Applies the moves of records that the other side has at their former paths. */
  async applyMovesOfKept(kind: FileKind): Promise<void> {
    // A move may make room for another one.
    for (const by of bothSides) while (this.#apply((await this.#find(kind, true, [by])).flat(), by));
  }

  async applyExchanges(kind: FileKind, takesExchange: TakesExchange): Promise<void> {
    for (const by of bothSides) {
      const otherSide = by === 'ours' ? 'theirs' : 'ours';
      const { base, [by]: mover, [otherSide]: other } = this.#sides;
      const readers = this.#idReaders();
      const ids = { mover: readers[by], other: readers[otherSide] };
      for (const exchange of await findExchangedNames(kind, { base, mover, other, ids })) {
        if (!takesExchange(by, exchange)) continue;
        for (const move of exchange) this.#apply([move], by);
        this.#exchanges[by].push(exchange);
      }
    }
  }

  /**
   * Applies the moves of records that neither side has at their former paths: both sides have moved the record, or one has moved
   * it and the other one has removed it.
   */
  async applyMovesOfMissing(kind: FileKind): Promise<void> {
    const found = await this.#find(kind, false, bothSides);
    // A record in a folder that was moved apart has moved with the folder.
    const [ours = [], theirs = []] = found.map((moves) =>
      moves.filter(({ path }) => !isInRoots(path, this.#rootsApart)),
    );
    const ourPaths = new Map(ours.map(({ path, to }) => [path, to]));
    const theirPaths = new Map(theirs.map(({ path, to }) => [path, to]));
    for (const { path, to } of ours) {
      const their = theirPaths.get(path);
      if (their !== undefined) this.#addMovedApart({ path, ours: to, theirs: their });
    }
    this.#applyMovesOfRemoved(
      ours.filter(({ path }) => !theirPaths.has(path)),
      'ours',
    );
    this.#applyMovesOfRemoved(
      theirs.filter(({ path }) => !ourPaths.has(path)),
      'theirs',
    );
  }

  result(): DetectedMoves {
    const roots = new Set(this.#movesOfRemoved.map((index) => this.#rootAfterMoves(index)));
    const isInRemoved = (path: string) => roots.size > 0 && isInRoots(path, roots);
    return {
      ...this.#sides,
      moves: this.#moves,
      exchanges: this.#exchanges,
      movedApart: this.#movedApart,
      movedAndRemoved: new Set([...this.#sides.base.keys()].filter(isInRemoved)),
    };
  }

  /** Readers of ids at the paths after the moves so far. */
  #idReaders(): Record<Side, RecordIds> {
    return idReaders(this.#state, this.#sides, this.#texts, this.#moves);
  }

  /**
   * Finds moves of some sides.
   * @param otherHas whether the other side still has the records at their former paths
   * @returns the moves of each side
   */
  async #find(kind: FileKind, otherHas: boolean, sides: readonly Side[]): Promise<readonly (readonly Renaming[])[]> {
    const ids = this.#idReaders();
    const { base } = this.#sides;
    const rest = await withoutReplaced(kind, this.#sides, ids);
    const findMovesOf = (by: Side) => {
      const other = rest[by === 'ours' ? 'theirs' : 'ours'];
      const candidates = moveCandidates(kind, base, rest[by], other, { before: otherHas, after: false });
      return findMoves(candidates, base, [this.#sides[by]], ids[by]);
    };
    return Promise.all(sides.map(findMovesOf));
  }

  /** Applies moves of one side to the common state and to the other side. @returns whether there was a move */
  #apply(found: readonly Renaming[], by: Side): boolean {
    const moves = withExtensionsOfBefore(found);
    if (moves.length === 0) return false;
    const { base, ours, theirs } = this.#sides;
    this.#sides = joinExtensions({
      base: filesAfterMoves(base, moves),
      ours: by === 'theirs' ? filesAfterMoves(ours, moves) : ours,
      theirs: by === 'ours' ? filesAfterMoves(theirs, moves) : theirs,
    });
    this.#moves.push(...moves.map((move) => ({ ...move, by })));
    return true;
  }

  #addMovedApart(moved: MovedApart): void {
    this.#movedApart.push(moved);
    for (const root of rootsOfMovedApart(moved)) this.#rootsApart.add(root);
  }

  /** Applies moves of records that the other side has removed. */
  #applyMovesOfRemoved(moves: readonly Renaming[], by: Side): void {
    const start = this.#moves.length;
    this.#apply(moves, by);
    for (let index = start; index < this.#moves.length; index++) this.#movesOfRemoved.push(index);
  }

  /** The folder of the record that a move has moved, or the record itself if it has none, after the later moves. */
  #rootAfterMoves(index: number): string {
    const path = pathAfterMoves((this.#moves[index] as Move).to, this.#moves, index + 1);
    return containerFolder(path) ?? path;
  }
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
