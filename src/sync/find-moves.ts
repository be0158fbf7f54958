/** Detection of moves: by the ids in records, whose texts are read for it, and by the content of folders. */
import type { Files, Side, ThreeWay } from './files.ts';
import {
  filesAfterMoves,
  isInMovedFolder,
  type Move,
  type MoveCandidates,
  type MovedApart,
  matchMoves,
  movableKinds,
  moveCandidates,
  moveCandidatesApart,
  moveCandidatesOfBothSides,
  pathBeforeMoves,
  type Renaming,
  recordFolderFingerprints,
} from './moves.ts';
import { concernsOneFileOnly } from './run.ts';
import type { SyncState } from './state.ts';
import { parseRecordFields, type TextReader } from './texts.ts';

type TextReaders = Readonly<Record<Side, TextReader>>;

/** Of more records than this, ids are not compared, since their texts would have to be read. */
const maxIds = 500;

/** Records in the state the moves that both sides have made alike, as after a run that ended before it could do so. */
export async function recordSharedMoves(
  state: SyncState,
  { base, ours, theirs }: ThreeWay,
  texts: TextReaders,
): Promise<void> {
  let before = base;
  for (const kind of movableKinds) {
    const found = await findMoves(state, moveCandidatesOfBothSides(kind, { base: before, ours, theirs }), {
      before,
      after: [ours, theirs],
      texts: texts.ours,
      statePath: (path) => path,
      textPath: (path) => path,
    });
    for (const { path, to } of found) await state.move(path, to);
    before = filesAfterMoves(before, found);
  }
}

/** Detects the moves of both sides. Each of the three is returned with its paths after the moves that it lacks. */
export async function detectMoves(
  state: SyncState,
  sides: ThreeWay,
  texts: TextReaders,
): Promise<ThreeWay & { readonly moves: readonly Move[] }> {
  let { base, ours, theirs } = sides;
  const moves: Move[] = [];
  for (const kind of movableKinds)
    for (const by of ['ours', 'theirs'] as const) {
      const [mover, other] = by === 'ours' ? [ours, theirs] : [theirs, ours];
      const missing = moves.filter((move) => move.by !== by);
      const found = await findMoves(state, moveCandidates(kind, base, mover, other), {
        before: base,
        after: [mover],
        texts: texts[by],
        statePath: (path) => pathBeforeMoves(path, moves),
        textPath: (path) => pathBeforeMoves(path, missing),
      });
      base = filesAfterMoves(base, found);
      if (by === 'ours') theirs = filesAfterMoves(theirs, found);
      else ours = filesAfterMoves(ours, found);
      moves.push(...found.map((move) => ({ ...move, by })));
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
  const { base, ours, theirs, moves } = found;
  const apart: MovedApart[] = [];
  for (const kind of movableKinds) {
    const [byOurs = [], byTheirs = []] = await Promise.all(
      (['ours', 'theirs'] as const).map((by) =>
        findMoves(state, moveCandidatesApart(kind, found, by), {
          before: base,
          after: [by === 'ours' ? ours : theirs],
          texts: texts[by],
          statePath: (path) => pathBeforeMoves(path, moves),
          textPath: (path) =>
            pathBeforeMoves(
              path,
              moves.filter((move) => move.by !== by),
            ),
        }),
      ),
    );
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

/** Sources of the features by which records are recognised. */
interface MoveSources {
  /** Files of the last common state. */
  readonly before: Files;
  readonly after: readonly Files[];
  /** Texts of the first of `after`. */
  readonly texts: TextReader;
  /** Path in the last common state. */
  statePath(path: string): string;
  /** Path by which `texts` knows it. */
  textPath(path: string): string;
}

async function findMoves(
  state: SyncState,
  candidates: MoveCandidates,
  sources: MoveSources,
): Promise<readonly Renaming[]> {
  const { removed, added } = candidates;
  if (removed.length === 0 || added.length === 0) return [];
  const { before, after, texts, statePath, textPath } = sources;
  const marks = new Map<string, string[]>();
  for (const path of removed) marks.set(path, idMarks(path, await state.text(statePath(path))));
  for (const path of added) {
    const { checksum = '' } = after[0]?.get(path) ?? {};
    const text = added.length > maxIds ? null : await texts.get(textPath(path), checksum).catch(nullIfRefused);
    marks.set(path, idMarks(path, text));
  }
  for (const [files, paths] of [[before, removed], ...after.map((files) => [files, added] as const)] as const)
    for (const [path, print] of recordFolderFingerprints(files, paths)) marks.get(path)?.push(`all ${print}`);
  return matchMoves(candidates, (path) => [...new Set(marks.get(path))]);
}

function idMarks(path: string, text: string | null): string[] {
  const id = text === null ? undefined : parseRecordFields(path, text)?.id;
  return typeof id === 'number' ? [`id ${id}`] : [];
}

function nullIfRefused(error: unknown): null {
  if (concernsOneFileOnly(error)) return null;
  throw error;
}
