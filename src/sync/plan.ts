/**
 * Plan of a synchronisation: the steps that bring two catalogues to the same state, from their files now and in the last
 * common state. Pure; it doesn't depend on which of the two is a folder and which a server.
 */
import { enclosingContainerFolders, isBytesPath } from '../catalogue/layout.ts';
import { type AudienceChange, findAudienceChanges, sameAudiences } from './audience.ts';
import { type Blocked, classifySyncFiles, type SyncInput } from './classify.ts';
import { delayWideningMoves } from './delayed-moves.ts';
import { actualPath, isSameFile } from './extensions.ts';
import { containerFolder, type Files, type LocatedFile, type Side } from './files.ts';
import { locateFile, locateFileBefore, type Move, pathAfterMoves, pathBeforeMoves } from './moves.ts';
import { type SyncStep, sortByStage } from './steps.ts';

/** A file that both sides have changed, in different ways. */
export interface Conflict {
  /** Path after the moves of both sides. */
  readonly path: string;
  /** Path in the last common state. */
  readonly from: string;
  /** The file in the last common state and on each side, with its path there; null if it is missing. */
  readonly base: LocatedFile | null;
  readonly ours: LocatedFile | null;
  readonly theirs: LocatedFile | null;
}

/** A file that is the same on both sides, but not in the last common state. */
export interface Agreed {
  /** Path in the last common state. */
  readonly from: string;
  /** The local file; null if both sides have removed it. */
  readonly now: LocatedFile | null;
}

export interface SyncPlan {
  /** Steps on the local side, in order. */
  readonly incoming: readonly SyncStep[];
  /** Steps on the remote side, in order. */
  readonly outgoing: readonly SyncStep[];
  readonly conflicts: readonly Conflict[];
  readonly blocked: readonly Blocked[];
  readonly agreed: readonly Agreed[];
  /** True if the user may not see now what was removed locally: it stays in the last common state, and the removal is sent later. */
  readonly hasHiddenRemovals: boolean;
  /** Files of both sides, by their paths after the moves. */
  readonly files: Readonly<Record<Side, Files>>;
}

export function planSync(input: SyncInput): SyncPlan {
  const { base, ours, theirs, moves } = input;
  const { statuses, blocked, blockedMoves } = classifySyncFiles(input);
  const audiences = input.audiences ?? sameAudiences;
  const audienceChanges = findAudienceChanges(audiences, input, statuses);
  const byOurs = moves.filter(({ by }) => by === 'ours');
  const byTheirs = moves.filter(({ by }) => by === 'theirs');
  const agreed: Agreed[] = [];
  let hasHiddenRemovals = false;
  const conflicts: Conflict[] = [];
  const conflicting = [...statuses].flatMap(([path, status]) => (status === 'conflict' ? [path] : []));
  const incoming = moveSteps('theirs', input, { base, target: ours }, conflicting, blockedMoves);
  const outgoing = moveSteps('ours', input, { base, target: theirs }, conflicting, blockedMoves);
  // By path: the order of the last common state is that in which its files happened to arrive.
  for (const [path, status] of [...statuses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const merged = input.merges?.get(path)?.text;
    const withAudience = withAudienceChange(audienceChanges.get(path), audiences.queries.get(path));
    if (status === 'incoming')
      incoming.push(
        ...fileSteps(path, { base, target: ours, source: theirs }, byOurs).map(withText(merged)).map(withAudience),
      );
    else if (status === 'outgoing')
      outgoing.push(...fileSteps(path, { base, target: theirs, source: ours }, byTheirs).map(withAudience));
    else if (status === 'same' && !isSameFile(base.get(path), ours.get(path))) {
      if (!ours.has(path) && input.hiddenReason !== undefined) hasHiddenRemovals = true;
      else agreed.push({ from: pathBeforeMoves(path, moves), now: locateFile(input, 'ours', path) });
    } else if (status === 'conflict')
      conflicts.push({
        path,
        from: pathBeforeMoves(path, moves),
        base: locateFileBefore(base, path, moves),
        ours: locateFile(input, 'ours', path),
        theirs: locateFile(input, 'theirs', path),
      });
  }
  const inOrder = (side: Side, steps: readonly SyncStep[]) =>
    sortByStage(delayWideningMoves(withAliases(steps, input, side), audiences.moves));
  return {
    incoming: inOrder('ours', incoming),
    outgoing: inOrder('theirs', outgoing),
    conflicts,
    blocked,
    agreed,
    hasHiddenRemovals,
    files: { ours, theirs },
  };
}

/**
 * Steps that repeat the moves of a side on the other one. A move into a namespace that the other side has removed waits until
 * that conflict is resolved.
 * @param conflicting paths of files in conflict
 * @param blocked moves that are not made
 */
function moveSteps(
  by: Side,
  { moves, queriesOfMoves }: Pick<SyncInput, 'moves' | 'queriesOfMoves'>,
  { base, target }: { readonly base: Files; readonly target: Files },
  conflicting: readonly string[],
  blocked: ReadonlySet<Move>,
): SyncStep[] {
  const removed = new Set(conflicting.flatMap((path) => (target.has(path) ? [] : (containerFolder(path) ?? []))));
  const byOther = moves.filter((move) => move.by !== by);
  let pending = 0;
  return moves.flatMap((move, i): SyncStep[] => {
    if (move.by !== by) pending++;
    if (blocked.has(move) || enclosingContainerFolders(move.to).some((folder) => removed.has(folder))) return [];
    const last = pathAfterMoves(move.to, moves, i + 1);
    const file = target.get(last);
    if (move.by !== by || file === undefined) return [];
    const [path, to] = [move.path, move.to].map((one) => actualPath(one, file)) as [string, string];
    const [from, fromTo] = [move.path, move.to].map((one) =>
      actualPath(pathBeforeMoves(one, byOther, pending), base.get(last)),
    ) as [string, string];
    const queries = queriesOfMoves?.get(move);
    return [{ do: 'move', path, to, from, fromTo, ifMatch: file.checksum, ...(queries && { queries }) }];
  });
}

/**
 * The step that gives a side the file that the other has. Bytes are not removed: that is done with their record.
 * @param pending moves that the source lacks
 */
function fileSteps(
  path: string,
  { base, target, source }: Readonly<Record<'base' | 'target' | 'source', Files>>,
  pending: readonly Move[],
): SyncStep[] {
  const [now, present] = [source.get(path), target.get(path)];
  const from = actualPath(pathBeforeMoves(path, pending), base.get(path));
  const ifMatch = present?.checksum ?? null;
  const presentPath = actualPath(path, present);
  if (!now) return ifMatch === null || isBytesPath(path) ? [] : [{ do: 'remove', path: presentPath, from, ifMatch }];
  if (isBytesPath(path)) return [{ do: 'put', path, from, now, ifMatch }];
  const written = actualPath(path, now);
  const isReplaced = present !== undefined && presentPath !== written;
  return [{ do: 'write', path: written, from, now, ifMatch, ...(isReplaced && { replaces: presentPath }) }];
}

/**
 * The steps of a side, in which a move takes the former name of its record along if no other step writes that: without it, the
 * former address would lead nowhere until the rest is synchronised.
 */
function withAliases(steps: readonly SyncStep[], { merges, ...sides }: SyncInput, side: Side): readonly SyncStep[] {
  const aliased = new Map(
    [...(merges ?? [])].map(([path, merge]) => [actualPath(path, sides[side].get(path)), merge.aliased?.[side]]),
  );
  const written = new Set(steps.flatMap((step) => (step.do === 'write' ? [step.path] : [])));
  return steps.map((step) => {
    const text = step.do === 'move' && !written.has(step.to) ? aliased.get(step.to) : undefined;
    return text ? { ...step, aliased: text } : step;
  });
}

/** A step of a record writes a merged text, if there is one. */
const withText =
  (merged: string | undefined) =>
  (step: SyncStep): SyncStep =>
    step.do === 'write' && merged !== undefined ? { ...step, merged } : step;

/** A step of a record that changes who may see its namespace or dataset. */
const withAudienceChange =
  (audience: AudienceChange | undefined, datasetsOfQuery: readonly string[] | undefined) =>
  (step: SyncStep): SyncStep => {
    if (datasetsOfQuery !== undefined) return { ...step, datasetsOfQuery };
    return step.do === 'write' && audience !== undefined ? { ...step, audience } : step;
  };

/**
 * Resolves conflicts by a change of the last common state: the file of the side that was not chosen becomes the common
 * one, so that the chosen file counts as the only change. An interrupted run keeps the choice. If that is the removal of a file that the
 * other side has moved, the common file is at its new path: else, the move alone would be a conflict again.
 * @returns files by path in the last common state; null for those to remove from it
 */
export function baseFilesAfterConflictChoice(
  conflicts: readonly Conflict[],
  choice: Side,
): ReadonlyMap<string, LocatedFile | null> {
  return new Map(
    conflicts.flatMap(({ from, ours, theirs }): readonly (readonly [string, LocatedFile | null])[] => {
      const [chosen, other] = choice === 'ours' ? [ours, theirs] : [theirs, ours];
      if (chosen || !other || other.path === from) return [[from, other]];
      return [
        [from, null],
        [other.path, other],
      ];
    }),
  );
}
