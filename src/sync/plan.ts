/**
 * What is to be done so that two catalogues are in step: from what both had when they last were, and what each has now.
 * Pure. Nothing here knows which of the two is the folder and which the server.
 */
import { joinContainers } from './containers.ts';
import type { FileState, Files, Side } from './files.ts';
import { formerPath, type Move, movedPath } from './moves.ts';
import { isBytes, rankOf } from './paths.ts';
import { judge } from './verdicts.ts';

/** A file that is there. */
export type FileAt = FileState & { readonly path: string };

interface Placed {
  /** Where it is to be done. */
  readonly path: string;
  /** Its path at the other side and in the last common state: another where a rename has yet to be heard of there. */
  readonly from: string;
}

/** Something to be done at one side, so that it has what the other has. `ifMatch` is the checksum it has now. */
export type Step = Placed &
  (
    | { readonly do: 'write' | 'put'; readonly now: FileState; readonly ifMatch: string | null }
    | { readonly do: 'remove'; readonly ifMatch: string }
    | { readonly do: 'move'; readonly to: string; readonly fromTo: string; readonly ifMatch: string }
  );

/** Changed on both sides, and not to the same. */
export interface Conflict {
  /** As it will be when both have heard of what was renamed. */
  readonly path: string;
  /** Its path in the last common state. */
  readonly from: string;
  /** What each has, where it lies now; null where a side hasn't it. */
  readonly base: FileAt | null;
  readonly ours: FileAt | null;
  readonly theirs: FileAt | null;
}

/** What is left alone, and why. */
export interface Held {
  readonly path: string;
  readonly reason: string;
}

export interface Plan {
  /** What is to be done here, in its order. */
  readonly incoming: readonly Step[];
  /** What is to be done there, in its order. */
  readonly outgoing: readonly Step[];
  readonly conflicts: readonly Conflict[];
  readonly held: readonly Held[];
  /** The same on both sides, and another in the last common state. */
  readonly agreed: readonly Agreed[];
}

export interface Agreed {
  /** In the last common state. */
  readonly from: string;
  /** Where it lies here; null of what both removed. */
  readonly now: FileAt | null;
}

/**
 * What the last common state has to be for a choice to be made: what one side has becomes what both had, so that what the
 * other has is what is new. Nothing else has to know of the choice, and a run that is broken off doesn't forget it.
 * @returns by path in that state; null for what it hasn't then
 */
export function settled(conflicts: readonly Conflict[], choice: Side): ReadonlyMap<string, FileAt | null> {
  return new Map(conflicts.map(({ from, ours, theirs }) => [from, choice === 'ours' ? theirs : ours]));
}

/** What is known of both sides. All paths are as they will be after the moves. */
export interface Known {
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
  /** Each builds on those before. */
  readonly moves: readonly Move[];
  /** Files that can't be read at one side or the other, and why. */
  readonly broken?: ReadonlyMap<string, string>;
  /** Why what is missing there may only be out of sight, and isn't taken for removed. */
  readonly outOfSight?: string | undefined;
}

export function planFor(known: Known): Plan {
  const { base, ours, theirs, moves } = known;
  const { verdicts, held } = judge(known);
  joinContainers(known, verdicts);
  const byOurs = moves.filter(({ by }) => by === 'ours');
  const byTheirs = moves.filter(({ by }) => by === 'theirs');
  const agreed: Agreed[] = [];
  const conflicts: Conflict[] = [];
  const incoming = moveSteps('theirs', moves, ours);
  const outgoing = moveSteps('ours', moves, theirs);
  for (const [path, verdict] of verdicts) {
    if (verdict === 'incoming') incoming.push(...stepFor(path, ours, theirs, byOurs));
    else if (verdict === 'outgoing') outgoing.push(...stepFor(path, theirs, ours, byTheirs));
    else if (verdict === 'same' && base.get(path)?.checksum !== ours.get(path)?.checksum)
      agreed.push({ from: formerPath(path, moves), now: placed(ours, path, byTheirs) });
    else if (verdict === 'conflict')
      conflicts.push({
        path,
        from: formerPath(path, moves),
        base: placed(base, path, moves),
        ours: placed(ours, path, byTheirs),
        theirs: placed(theirs, path, byOurs),
      });
  }
  conflicts.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { incoming: inOrder(incoming), outgoing: inOrder(outgoing), conflicts, held, agreed };
}

function placed(files: Files, path: string, undone: readonly Move[]): FileAt | null {
  const file = files.get(path);
  return file ? { ...file, path: formerPath(path, undone) } : null;
}

function moveSteps(by: Side, moves: readonly Move[], target: Files): Step[] {
  return moves.flatMap((move, i): Step[] => {
    const last = moves.slice(i + 1).reduce(movedPath, move.to);
    const ifMatch = target.get(last)?.checksum;
    if (move.by !== by || ifMatch === undefined) return [];
    const pending = moves.slice(0, i).filter((other) => other.by !== by);
    const [from, fromTo] = [formerPath(move.path, pending), formerPath(move.to, pending)];
    return [{ do: 'move', path: move.path, to: move.to, from, fromTo, ifMatch }];
  });
}

/** @param pending renames that the other side has yet to hear of */
function stepFor(path: string, target: Files, source: Files, pending: readonly Move[]): Step[] {
  const now = source.get(path) ?? null;
  return stepTo(path, formerPath(path, pending), now, target.get(path)?.checksum ?? null);
}

/** The step that gives a side what the other has; none where bytes would have to go, which is done with their record. */
function stepTo(path: string, from: string, now: FileState | null, ifMatch: string | null): Step[] {
  if (now) return [{ do: isBytes(path) ? 'put' : 'write', path, from, now, ifMatch }];
  return ifMatch === null || isBytes(path) ? [] : [{ do: 'remove', path, from, ifMatch }];
}

/**
 * When a step's turn is: what is needed first comes first, and what is removed goes the other way. Moves come right
 * before the first that could need them. Steps of one stage don't need each other, but for moves.
 */
export function stageOf(step: Step): number {
  const rank = rankOf(step.path);
  if (step.do === 'move') return rank - 0.5;
  return step.do === 'remove' ? 100 - rank : rank;
}

export function inOrder(steps: readonly Step[]): readonly Step[] {
  return [...steps].sort((a, b) => stageOf(a) - stageOf(b));
}
