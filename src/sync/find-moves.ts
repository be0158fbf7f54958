/** Detection of moves: by the ids in records, whose texts are read for it, and by the content of folders. */
import { describeFilePath } from '../catalogue/layout.ts';
import { readSideFields } from './compared-texts.ts';
import { joinExtensions, withExtensionOf } from './extensions.ts';
import type { RecordFields } from './field-conflicts.ts';
import { containerFolder, type FileKind, type Files, type Side, type ThreeWay } from './files.ts';
import {
  filesAfterMoves,
  isInMovedFolder,
  type Move,
  type MoveCandidates,
  type MovedApart,
  matchMoves,
  movableKinds,
  moveCandidates,
  pathBeforeMoves,
  type Renaming,
  recordFolderFingerprints,
} from './moves.ts';
import { maxIds, pathsAddedTwice, pathsOfReplaceable, type RecordIds, withoutReplacedRecords } from './replaced.ts';
import type { SyncState } from './state.ts';
import { parseRecordFields, type TextReaders } from './texts.ts';

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
      if (their !== undefined && !apart.some((folder) => isInMovedFolder(path, folder)))
        apart.push({ path, ours: to, theirs: their });
    }
  }
  return apart;
}

/**
 * Finds the namespaces and datasets that a side has removed, and put others in their place, while the other side has changed or
 * added files in them; and those of one name that the sides have added each for itself.
 * @param found the result of `detectMoves`
 * @returns the side that has replaced each, by the path of its record
 */
export async function findReplacedContainers(
  state: SyncState,
  found: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReaders,
): Promise<ReadonlyMap<string, Side | 'both'>> {
  const ids = idReaders(state, found, texts, found.moves);
  const replaced = new Map<string, Side | 'both'>();
  for (const path of pathsAddedTwice(found)) {
    const [our, their] = [await ids.ours.now(path), await ids.theirs.now(path)];
    if (our !== undefined && their !== undefined && our !== their) replaced.set(path, 'both');
  }
  for (const by of ['ours', 'theirs'] as const)
    for (const path of pathsOfReplaceable(found, by)) {
      const [before, now] = [await ids[by].before(path), await ids[by].now(path)];
      if (before !== undefined && now !== undefined && before !== now) replaced.set(path, by);
    }
  return replaced;
}

/**
 * Finds the records that a side has moved to where the other one has added another of the same name. They look removed, and must
 * stay until that conflict is decided.
 * @param replaced as `findReplacedContainers` returns it
 * @returns reasons why they stay, by path
 */
export async function findMovedOntoOthers(
  state: SyncState,
  found: ThreeWay & { readonly moves: readonly Move[] },
  texts: TextReaders,
  replaced: ReadonlyMap<string, Side | 'both'>,
): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  const taken = [...replaced].flatMap(([path, by]) => (by === 'both' ? [path] : []));
  if (taken.length === 0) return reasons;
  const { base, ours, theirs } = found;
  const ids = idReaders(state, found, texts, found.moves);
  const takenById = { ours: await pathsById(taken, ids.ours), theirs: await pathsById(taken, ids.theirs) };
  for (const path of base.keys()) {
    if (containerFolder(path) === null || ours.has(path) === theirs.has(path)) continue;
    const mover = ours.has(path) ? 'theirs' : 'ours';
    const id = await ids[mover].before(path);
    const to = id === undefined ? undefined : takenById[mover].get(id);
    if (to !== undefined)
      reasons.set(
        path,
        `It was moved to ${describeFilePath(to)}, where each side has another one: decide on that first.`,
      );
  }
  return reasons;
}

/** Paths of records of a side by their ids. */
async function pathsById(paths: readonly string[], { now }: RecordIds): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const path of paths) {
    const id = await now(path);
    if (id !== undefined) found.set(id, path);
  }
  return found;
}

/** Ids in texts of records, by checksum. */
const knownIds = new WeakMap<SyncState, Map<string, number | undefined>>();

/** Readers of the ids of the records of both sides, by their paths after the moves. */
function idReaders(
  state: SyncState,
  files: Readonly<Record<Side, Files>>,
  texts: TextReaders,
  moves: readonly Move[],
): Readonly<Record<Side, RecordIds>> {
  const made = [...moves];
  const known = knownIds.get(state) ?? new Map<string, number | undefined>();
  knownIds.set(state, known);
  const idOf = async (checksum: string, read: () => Promise<RecordFields | null>) => {
    if (known.has(checksum)) return known.get(checksum);
    const fields = await read();
    const id = typeof fields?.id === 'number' ? fields.id : undefined;
    if (fields !== null) known.set(checksum, id);
    return id;
  };
  const compared = { ours: files.ours, theirs: files.theirs, moves: made, texts };
  const before = (path: string) => {
    const former = pathBeforeMoves(path, made);
    return idOf(state.files.get(former)?.checksum ?? '', async () => {
      const text = await state.text(former);
      return text === null ? null : parseRecordFields(former, text);
    });
  };
  const readersOf = (side: Side): RecordIds => ({
    before,
    now: (path) => idOf(files[side].get(path)?.checksum ?? '', () => readSideFields(compared, side, path)),
  });
  return { ours: readersOf('ours'), theirs: readersOf('theirs') };
}

async function withoutReplaced(
  kind: FileKind,
  { base, ours, theirs }: ThreeWay,
  ids: Readonly<Record<Side, RecordIds>>,
): Promise<ThreeWay> {
  return {
    base,
    ours: await withoutReplacedRecords(kind, base, ours, ids.ours),
    theirs: await withoutReplacedRecords(kind, base, theirs, ids.theirs),
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
