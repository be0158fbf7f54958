/**
 * Plan of a synchronisation: the steps that bring two catalogues to the same state, from their files now and in the last
 * common state. Pure; it doesn't depend on which of the two is a folder and which a server.
 */
import {
  describeFilePath,
  enclosingContainerFolders,
  isBytesPath,
  kindAndRefOfPath,
  parseCataloguePath,
} from '../catalogue/layout.ts';
import { type AudienceChange, audienceChangeOn } from './audience.ts';
import { type Blocked, classifySyncFiles, type SyncInput } from './classify.ts';
import { actualPath, isSameFile, withExtensionOf } from './extensions.ts';
import { containerFolder, dependencyRank, type FileState, type Files, type LocatedFile, type Side } from './files.ts';
import { type Move, pathAfterMove, pathBeforeMoves } from './moves.ts';

interface StepPaths {
  /** Path on the side that is changed. */
  readonly path: string;
  /**
   * Path in the last common state, and on the other side but for the extension (`sourcePath`): another one if the other side
   * lacks a move.
   */
  readonly from: string;
}

/** A change of one side, so that it has what the other has. `ifMatch` is the checksum that the file has there now. */
export type SyncStep = StepPaths &
  (
    | { readonly do: 'put'; readonly now: FileState; readonly ifMatch: string | null }
    /** `replaces` is the path of the record's file on that side, if it has another extension. */
    | {
        readonly do: 'write';
        readonly now: FileState;
        readonly ifMatch: string | null;
        readonly replaces?: string | undefined;
        /** The text to write, if it isn't that of the other side, but has the aliases of both. */
        readonly merged?: string | undefined;
        /** Of the record of a namespace or dataset, if it changes who may see it. */
        readonly audience?: AudienceChange | undefined;
      }
    | { readonly do: 'remove'; readonly ifMatch: string }
    | { readonly do: 'move'; readonly to: string; readonly fromTo: string; readonly ifMatch: string }
  );

/** Path of the file that a step writes, on the side that it comes from. */
export const sourcePath = ({ path, from }: StepPaths): string => withExtensionOf(from, path);

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
  /** Files of both sides, by their paths after the moves. */
  readonly files: Readonly<Record<Side, Files>>;
}

export function planSync(input: SyncInput): SyncPlan {
  const { base, ours, theirs, moves } = input;
  const { statuses, blocked } = classifySyncFiles(input);
  const byOurs = moves.filter(({ by }) => by === 'ours');
  const byTheirs = moves.filter(({ by }) => by === 'theirs');
  const agreed: Agreed[] = [];
  const conflicts: Conflict[] = [];
  const conflicting = [...statuses].flatMap(([path, status]) => (status === 'conflict' ? [path] : []));
  const incoming = moveSteps('theirs', moves, { base, target: ours }, conflicting);
  const outgoing = moveSteps('ours', moves, { base, target: theirs }, conflicting);
  // By path: the order of the last common state is that in which its files happened to arrive.
  for (const [path, status] of [...statuses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const merged = input.merges?.get(path)?.text;
    const withAudience = (target: Side) => withAudienceChange(audienceChangeOn(target, input.audiences?.get(path)));
    if (status === 'incoming')
      incoming.push(
        ...fileSteps(path, { base, target: ours, source: theirs }, byOurs)
          .map(withText(merged))
          .map(withAudience('ours')),
      );
    else if (status === 'outgoing')
      outgoing.push(...fileSteps(path, { base, target: theirs, source: ours }, byTheirs).map(withAudience('theirs')));
    else if (status === 'same' && !isSameFile(base.get(path), ours.get(path)))
      agreed.push({ from: pathBeforeMoves(path, moves), now: fileBefore(ours, path, byTheirs) });
    else if (status === 'conflict')
      conflicts.push({
        path,
        from: pathBeforeMoves(path, moves),
        base: fileBefore(base, path, moves),
        ours: fileBefore(ours, path, byTheirs),
        theirs: fileBefore(theirs, path, byOurs),
      });
  }
  return {
    incoming: sortByStage(incoming),
    outgoing: sortByStage(outgoing),
    conflicts,
    blocked,
    agreed,
    files: { ours, theirs },
  };
}

/** A file with its path before moves that its side lacks. */
function fileBefore(files: Files, path: string, moves: readonly Move[]): LocatedFile | null {
  const file = files.get(path);
  return file ? { ...file, path: actualPath(pathBeforeMoves(path, moves), file) } : null;
}

/**
 * Steps that repeat the moves of a side on the other one. A move into a namespace that the other side has removed waits until
 * that conflict is resolved.
 * @param conflicting paths of files in conflict
 */
function moveSteps(
  by: Side,
  moves: readonly Move[],
  { base, target }: { readonly base: Files; readonly target: Files },
  conflicting: readonly string[],
): SyncStep[] {
  const removed = new Set(conflicting.flatMap((path) => (target.has(path) ? [] : (containerFolder(path) ?? []))));
  return moves.flatMap((move, i): SyncStep[] => {
    if (enclosingContainerFolders(move.to).some((folder) => removed.has(folder))) return [];
    const last = moves.slice(i + 1).reduce(pathAfterMove, move.to);
    const file = target.get(last);
    if (move.by !== by || file === undefined) return [];
    const pending = moves.slice(0, i).filter((other) => other.by !== by);
    const [path, to] = [move.path, move.to].map((one) => actualPath(one, file)) as [string, string];
    const [from, fromTo] = [move.path, move.to].map((one) =>
      actualPath(pathBeforeMoves(one, pending), base.get(last)),
    ) as [string, string];
    return [{ do: 'move', path, to, from, fromTo, ifMatch: file.checksum }];
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

/** A step of a record writes a merged text, if there is one. */
const withText =
  (merged: string | undefined) =>
  (step: SyncStep): SyncStep =>
    step.do === 'write' && merged !== undefined ? { ...step, merged } : step;

/** A step of a record that changes who may see its namespace or dataset. */
const withAudienceChange =
  (audience: AudienceChange | undefined) =>
  (step: SyncStep): SyncStep =>
    step.do === 'write' && audience !== undefined ? { ...step, audience } : step;

/** Stage after all removals. */
const lastStage = 101;

/**
 * Stage of a step: additions in the order of dependencies, then removals in reverse, and last the records that
 * become visible to more people. Moves come right before the first step that may need them. Steps of one stage don't depend on each other, except moves.
 */
export function stepStage(step: SyncStep): number {
  const rank = dependencyRank(step.path);
  if (step.do === 'write' && step.audience === 'wider') return lastStage;
  if (step.do === 'move') return rank - 0.5;
  return step.do === 'remove' ? 100 - rank : rank;
}

export const sortByStage = (steps: readonly SyncStep[]): readonly SyncStep[] =>
  steps
    .map((step) => [stepStage(step), step] as const)
    .sort(([a], [b]) => a - b)
    .map(([, step]) => step);

/**
 * Resolves conflicts by a change of the last common state: the file of the side that was not chosen becomes the common
 * one, so that the chosen file counts as the only change. An interrupted run keeps the choice.
 * @returns files by path in the last common state; null for those to remove from it
 */
export function baseFilesAfterConflictChoice(
  conflicts: readonly Conflict[],
  choice: Side,
): ReadonlyMap<string, LocatedFile | null> {
  return new Map(conflicts.map(({ from, ours, theirs }) => [from, choice === 'ours' ? theirs : ours]));
}

/**
 * True if a name means a path: the path itself, or the name of a record (`parks/trees`, `groups/gardeners`) for the
 * record and everything in it.
 */
export function nameCoversPath(name: string, path: string): boolean {
  const own = describeFilePath(path);
  return path === name || own === name || own.startsWith(`${name}/`) || own.startsWith(`${name}@`);
}

/**
 * The part of a plan that names mean, with the namespaces, datasets and payloads that it needs.
 * @param names none for the whole plan
 */
export function selectNamedPartOfPlan(plan: SyncPlan, names: readonly string[]): SyncPlan {
  if (names.length === 0) return plan;
  const isNamed = ({ path }: { readonly path: string }) => names.some((name) => nameCoversPath(name, path));
  const select = (steps: readonly SyncStep[]) => {
    const containers = new Set(steps.filter(isNamed).flatMap(({ path }) => enclosingContainerFolders(path)));
    const isNeeded = (step: SyncStep) =>
      ((step.do === 'write' && step.ifMatch === null) || step.do === 'move') &&
      containers.has(containerFolder(step.do === 'move' ? step.to : step.path) ?? '');
    const isPayload = makePayloadSelector(steps, isNamed);
    return steps.filter((step) => isNamed(step) || isNeeded(step) || isPayload(step));
  };
  return {
    incoming: select(plan.incoming),
    outgoing: select(plan.outgoing),
    conflicts: plan.conflicts.filter(isNamed),
    blocked: plan.blocked.filter(isNamed),
    agreed: plan.agreed,
    files: plan.files,
  };
}

/**
 * A function that returns true for the payloads that versions may need. Which one is a version's own is in its record: one
 * that is named after another version is not.
 * @param isChosen true for the versions
 */
function makePayloadSelector(
  steps: readonly SyncStep[],
  isChosen: (step: SyncStep) => boolean,
): (step: SyncStep) => boolean {
  const folderOf = (step: SyncStep) => enclosingContainerFolders(step.path)[0] ?? '';
  const chosen = new Set<string>();
  const others = new Set<string>();
  for (const step of steps) {
    const { ref } = kindAndRefOfPath(step.path);
    if (step.do !== 'write' || ref?.kind !== 'version') continue;
    if (isChosen(step)) chosen.add(folderOf(step));
    else others.add(`${folderOf(step)}${ref.slug}`);
  }
  return (step) => {
    const info = step.do === 'put' && chosen.has(folderOf(step)) ? parseCataloguePath(step.path) : null;
    return info?.kind === 'payload' && !others.has(`${folderOf(step)}${info.file.split('.')[0]}`);
  };
}
