/**
 * Who may see what is in a namespace or dataset, where the sides differ. Nothing must become visible by synchronisation to people
 * for whom it isn't meant, not even for a moment: what is added waits while its namespace or dataset is visible to more people on
 * the other side; and what becomes visible to more people does so last. Pure.
 */
import { describeFilePath, enclosingContainerFolders, isBytesPath } from '../catalogue/layout.ts';
import { containerFolder, type Side, syncFileKind, type ThreeWay } from './files.ts';
import type { Move } from './moves.ts';

/** The sides whose record shows the namespace or dataset to people who can't see it by the other one. */
export type Wider = Readonly<Record<Side, boolean>>;

/** A move of a dataset into another namespace. Paths are those after all moves. */
export interface MoveBetweenNamespaces {
  readonly move: Move;
  /** Path of the dataset's record. */
  readonly record: string;
  /** Folder of the namespace that it leaves, and of the one that it comes into. */
  readonly left: string;
  readonly entered: string;
  /** True if it is visible to more people there, on the side that lacks the move. */
  readonly isWidening: boolean;
}

export interface AudienceComparison {
  /** The records that show more on a side, by their path after the moves. */
  readonly records: ReadonlyMap<string, Wider>;
  readonly moves: readonly MoveBetweenNamespaces[];
  /** Folders of the datasets of queries that differ, by the path of the query. */
  readonly queries: ReadonlyMap<string, string>;
}

export const sameAudiences: AudienceComparison = { records: new Map(), moves: [], queries: new Map() };

/** What has to wait. */
export interface HeldByAudience {
  /** Reasons by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly moves: ReadonlySet<Move>;
}

/** The folders of the namespace and the dataset that a file belongs to. */
function foldersAround(path: string, { queries }: AudienceComparison): readonly string[] {
  const folder = queries.get(path);
  return folder === undefined ? enclosingContainerFolders(path) : enclosingContainerFolders(`${folder}dataset.yaml`);
}

/**
 * Finds what has to wait.
 * @param statuses `incoming`, `outgoing`, `conflict` or `blocked` for each file that differs
 */
export function findHeldByAudience(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): HeldByAudience {
  const held = { files: new Map<string, string>(), moves: new Set<Move>() };
  if (audiences.records.size + audiences.moves.length === 0) return held;
  const now = new Map([...statuses].filter(([, status]) => status !== 'same'));
  const hold = (path: string, reason: string, status = 'blocked') => {
    if (!held.files.has(path)) held.files.set(path, reason);
    now.set(path, status);
  };
  // What waits may make something else wait: a namespace for a dataset in it.
  for (let before = -1; before < held.files.size + held.moves.size; ) {
    before = held.files.size + held.moves.size;
    const files = [...filesToHold(audiences, sides, now, held.moves)];
    const moves = [...movesToHold(audiences, sides, now)];
    // A pull that has to come first isn't held by what waits for it.
    for (const { path, reason, waitsForPull } of files) hold(path, reason, waitsForPull ? 'waiting' : 'blocked');
    for (const [{ move, record }, reason] of moves) {
      held.moves.add(move);
      const sent = move.by === 'ours' ? 'outgoing' : 'incoming';
      const folder = containerFolder(record) ?? '';
      for (const [path, status] of now)
        if (status === sent && foldersAround(path, audiences).includes(folder)) hold(path, reason);
      hold(record, reason);
    }
  }
  return held;
}

const isUndecided = (status: string | undefined): boolean => status === 'conflict' || status === 'blocked';

const undecidedReason = (kind: string): string =>
  `The ${kind} it is in is visible to more people on the other side: decide on the ${kind} first.`;
const pullFirstReason = (kind: string): string =>
  `The remote has made the ${kind} it is in visible to more people: pull first.`;
const wouldShowReason = (kind: string): string =>
  `The ${kind} it is in is visible to more people here. To have it, make the ${kind} private, pull, and then make it visible again.`;
const wouldWidenReason = (path: string, status: string | undefined): string =>
  status === 'incoming'
    ? `It would become visible to more people, with a change of the remote that isn't here yet: ${describeFilePath(path)}. Pull first.`
    : `It would become visible to more people, and ${describeFilePath(path)} in it hasn't been decided on.`;

function* filesToHold(
  audiences: AudienceComparison,
  { ours, theirs }: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
  heldMoves: ReadonlySet<Move>,
): Generator<{ readonly path: string; readonly reason: string; readonly waitsForPull?: boolean }> {
  const records = new Map([...audiences.records.keys()].map((record) => [containerFolder(record) ?? '', record]));
  const movedByTheirs = audiences.moves.filter(({ move, isWidening }) => move.by === 'theirs' && isWidening);
  for (const [path, status] of statuses) {
    for (const folder of foldersAround(path, audiences)) {
      const record = records.get(folder) ?? path;
      const wider = record === path ? undefined : audiences.records.get(record);
      const [ofRecord, kind] = [statuses.get(record), syncFileKind(record)];
      if (!wider) continue;
      if (status === 'outgoing' && ours.has(path) && wider.theirs && ofRecord !== 'outgoing')
        yield ofRecord === 'incoming'
          ? { path, reason: pullFirstReason(kind), waitsForPull: true }
          : { path, reason: undecidedReason(kind) };
      if (status === 'incoming' && theirs.has(path) && wider.ours && ofRecord !== 'incoming')
        yield { path, reason: ofRecord === 'outgoing' ? wouldShowReason(kind) : undecidedReason(kind) };
      const isLeftThere = theirs.has(path) && (isUndecided(status) || status === 'incoming');
      const isLeftHere = ours.has(path) && isUndecided(status);
      if (isBytesPath(path)) continue;
      if (
        (ofRecord === 'outgoing' && wider.ours && isLeftThere) ||
        (ofRecord === 'incoming' && wider.theirs && isLeftHere)
      )
        yield { path: record, reason: wouldWidenReason(path, status) };
    }
    if (status === 'outgoing' && ours.has(path))
      for (const { record } of movedByTheirs)
        if (foldersAround(path, audiences).includes(containerFolder(record) ?? ''))
          yield { path, reason: pullFirstReason('dataset'), waitsForPull: true };
  }
  for (const { move, record, left } of audiences.moves) {
    const namespace = heldMoves.has(move) ? records.get(left) : undefined;
    const sent = move.by === 'ours' ? 'outgoing' : 'incoming';
    if (namespace !== undefined && statuses.get(namespace) === sent && audiences.records.get(namespace)?.[move.by])
      yield { path: namespace, reason: wouldWidenReason(record, undefined) };
  }
}

function* movesToHold(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): Generator<readonly [MoveBetweenNamespaces, reason: string]> {
  for (const moved of audiences.moves) {
    const { by } = moved.move;
    const [sent, target] = by === 'ours' ? (['outgoing', 'theirs'] as const) : (['incoming', 'ours'] as const);
    for (const [record, wider] of audiences.records)
      if (containerFolder(record) === moved.entered && wider[target] && statuses.get(record) !== sent)
        yield [moved, undecidedReason('namespace')];
    if (!moved.isWidening) continue;
    const folder = containerFolder(moved.record) ?? '';
    for (const [path, status] of statuses)
      if (!isBytesPath(path) && sides[target].has(path) && foldersAround(path, audiences).includes(folder))
        if (isUndecided(status) || (by === 'ours' && status === 'incoming'))
          yield [moved, wouldWidenReason(path, status)];
  }
}

/** Of a step that changes who may see a namespace or dataset: `narrower` has to be done before what is added in it, `wider` after what is removed. */
export type AudienceChange = 'wider' | 'narrower';

/** The change that a step on a side makes, by the path of the record. */
export function audienceChangeOn(target: Side, wider: Wider | undefined): AudienceChange | undefined {
  if (!wider) return undefined;
  const [now, next] = target === 'theirs' ? [wider.theirs, wider.ours] : [wider.ours, wider.theirs];
  if (now) return 'narrower';
  return next ? 'wider' : undefined;
}
