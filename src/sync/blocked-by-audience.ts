/**
 * Files and moves that are blocked because of who may see them. Nothing must become visible by synchronisation to people for whom it
 * isn't meant, not even for a moment: what is added is blocked while its namespace or dataset is visible to more people on the other
 * side; and what becomes visible to more people does so last. Pure.
 */
import { describeFilePath, enclosingContainerFolders, isBytesPath } from '../catalogue/layout.ts';
import {
  type AudienceComparison,
  changeBySending,
  findChangesInMixed,
  foldersAround,
  type MoveBetweenNamespaces,
  needBothOrders,
  noChanges,
} from './audience.ts';
import { containerFolder, type Files, type Side, syncFileKind, type ThreeWay } from './files.ts';
import type { Move } from './moves.ts';

export interface BlockedByAudience {
  /** Reasons by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly moves: ReadonlySet<Move>;
}

/**
 * Finds the files and moves that are blocked.
 * @param statuses `incoming`, `outgoing`, `conflict` or `blocked` for each file that differs
 */
export function findBlockedByAudience(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): BlockedByAudience {
  const blocked = { files: new Map<string, string>(), moves: new Set<Move>() };
  if (audiences.records.size + audiences.moves.length === 0) return blocked;
  const now = new Map([...statuses].filter(([, status]) => status !== 'same'));
  const index = indexByFolder(audiences, sides, now.keys());
  const block = (path: string, reason: string, status = 'blocked') => {
    if (!blocked.files.has(path)) blocked.files.set(path, reason);
    now.set(path, status);
  };
  // What is blocked may block something else: a namespace for a dataset in it.
  for (let before = -1; before < blocked.files.size + blocked.moves.size; ) {
    before = blocked.files.size + blocked.moves.size;
    const files = [
      ...filesToBlock(audiences, sides, now, { ...index, blockedMoves: blocked.moves }),
      ...mixedRecordsToBlock(audiences, sides, now),
    ];
    const moves = [...movesToBlock(audiences, sides, now, index)];
    // A pull that has to come first isn't blocked by what waits for it.
    for (const { path, reason, waitsForPull } of files) block(path, reason, waitsForPull ? 'waiting' : 'blocked');
    for (const [{ move, record }, reason] of moves) {
      blocked.moves.add(move);
      const sent = move.by === 'ours' ? 'outgoing' : 'incoming';
      const blockSent = (folder: string | null, why: string) => {
        for (const path of index.pathsIn(folder)) if (now.get(path) === sent) block(path, why);
      };
      blockSent(containerFolder(record), reason);
      block(record, reason);
      // On that side, the former name isn't free for another dataset.
      blockSent(containerFolder(move.path), nameTakenReason);
    }
  }
  return blocked;
}

interface FolderIndex {
  /** Path of the record that shows more on a side, by its folder. */
  readonly records: ReadonlyMap<string, string>;
  /** Paths of the files that differ in the folder of a namespace or dataset, with those of its queries. */
  pathsIn(folder: string | null): readonly string[];
  /** True if a side has files in the folder of a namespace or dataset. */
  hasFolder(side: Side, folder: string | null): boolean;
}

/** Files and records by the folders that they are in: each of them, and each move, is looked at once, however many there are. */
function indexByFolder(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  differing: Iterable<string>,
): FolderIndex {
  const paths = new Map<string, string[]>();
  for (const path of differing)
    for (const folder of foldersAround(path, audiences)) {
      const known = paths.get(folder);
      if (known) known.push(path);
      else paths.set(folder, [path]);
    }
  const foldersOf = (files: Files) => new Set([...files.keys()].flatMap(enclosingContainerFolders));
  const isWidening = audiences.moves.some((move) => move.isWidening);
  const folders = isWidening ? { ours: foldersOf(sides.ours), theirs: foldersOf(sides.theirs) } : null;
  return {
    records: new Map([...audiences.records.keys()].map((record) => [containerFolder(record) ?? '', record])),
    pathsIn: (folder) => paths.get(folder ?? '') ?? [],
    hasFolder: (side, folder) => folders?.[side].has(folder ?? '') ?? false,
  };
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
    ? `It would become visible to more people, with a change of the remote that isn't here yet: ${describeFilePath(path)}. Make it as visible as before, pull, and then make it visible to them again.`
    : `It would become visible to more people, and ${describeFilePath(path)} in it hasn't been decided on.`;

const retakenReason = ({ move, record }: MoveBetweenNamespaces): string => {
  const [former, name] = [describeFilePath(move.path), describeFilePath(record)];
  const remedy =
    move.by === 'ours' ? `Give ${former} another name, push, and then give it this name again.` : removeLocal(move);
  return `It would become visible to more people as ${name} before its other changes, as another dataset is ${former} now. ${remedy}`;
};
const mixedMoveReason = ({ move }: MoveBetweenNamespaces): string =>
  'It would become visible to some and hidden from others in its new namespace, and has other changes. ' +
  (move.by === 'ours' ? 'Move it back, push, and then move it again.' : removeLocal(move));

const closingReason = ({ move }: MoveBetweenNamespaces): string =>
  'It would become visible to everybody in the namespace that it leaves, before it is in its new one. ' +
  (move.by === 'ours' ? 'Make it private, push, and then make it visible again.' : removeLocal(move));

const removeLocal = (move: Move): string =>
  `Remove the local ${describeFilePath(move.path)}, which goes to the trash, and then: catalogue pull --theirs`;
const nameTakenReason = 'Another dataset of this name has to be moved first.';

function* filesToBlock(
  audiences: AudienceComparison,
  { ours, theirs }: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
  { records, blockedMoves }: Pick<FolderIndex, 'records'> & { readonly blockedMoves: ReadonlySet<Move> },
): Generator<{ readonly path: string; readonly reason: string; readonly waitsForPull?: boolean }> {
  const movedByTheirs = audiences.moves.filter(({ move, isWidening }) => move.by === 'theirs' && isWidening);
  const foldersMoved = new Set(movedByTheirs.map(({ record }) => containerFolder(record)));
  for (const [path, status] of statuses) {
    for (const folder of foldersAround(path, audiences)) {
      const record = records.get(folder) ?? path;
      const wider = record === path ? undefined : audiences.records.get(record);
      const [recordStatus, kind] = [statuses.get(record), syncFileKind(record)];
      if (!wider) continue;
      if (status === 'outgoing' && ours.has(path) && wider.theirs && recordStatus !== 'outgoing')
        yield recordStatus === 'incoming'
          ? { path, reason: pullFirstReason(kind), waitsForPull: true }
          : { path, reason: undecidedReason(kind) };
      if (status === 'incoming' && theirs.has(path) && wider.ours && recordStatus !== 'incoming')
        yield { path, reason: recordStatus === 'outgoing' ? wouldShowReason(kind) : undecidedReason(kind) };
      const isLeftThere = theirs.has(path) && (isUndecided(status) || status === 'incoming');
      const isLeftHere = ours.has(path) && isUndecided(status);
      if (isBytesPath(path)) continue;
      if (
        (recordStatus === 'outgoing' && wider.ours && isLeftThere) ||
        (recordStatus === 'incoming' && wider.theirs && isLeftHere)
      )
        yield { path: record, reason: wouldWidenReason(path, status) };
    }
    if (status === 'outgoing' && ours.has(path) && foldersAround(path, audiences).some((one) => foldersMoved.has(one)))
      yield { path, reason: pullFirstReason('dataset'), waitsForPull: true };
  }
  for (const { move, record, left } of audiences.moves) {
    const namespace = blockedMoves.has(move) ? records.get(left) : undefined;
    const sent = move.by === 'ours' ? 'outgoing' : 'incoming';
    if (namespace !== undefined && statuses.get(namespace) === sent && audiences.records.get(namespace)?.[move.by])
      yield { path: namespace, reason: wouldWidenReason(record, undefined) };
  }
}

function* movesToBlock(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
  { records, pathsIn, hasFolder }: FolderIndex,
): Generator<readonly [MoveBetweenNamespaces, reason: string]> {
  for (const moved of audiences.moves) {
    const { by } = moved.move;
    const [sent, target] = by === 'ours' ? (['outgoing', 'theirs'] as const) : (['incoming', 'ours'] as const);
    const namespace = records.get(moved.entered) ?? '';
    if (audiences.records.get(namespace)?.[target] && statuses.get(namespace) !== sent)
      yield [moved, undecidedReason('namespace')];
    if (!moved.isWidening) continue;
    // Its record would be written at its former place, before the move.
    const isShown = audiences.records.get(moved.record)?.[by] && statuses.get(moved.record) === sent;
    if (isShown && moved.isClosing) yield [moved, closingReason(moved)];
    const isRetaken = hasFolder(by, containerFolder(moved.move.path));
    let changes = noChanges;
    for (const path of pathsIn(containerFolder(moved.record))) {
      const status = statuses.get(path);
      if (isBytesPath(path)) continue;
      if (status === sent && path !== moved.record)
        changes = { ...changes, [changeBySending(path, sides[by], sides[target])]: true };
      if (!sides[target].has(path)) continue;
      if (isUndecided(status) || (by === 'ours' && status === 'incoming'))
        yield [moved, wouldWidenReason(path, status)];
      if (isRetaken && status === sent) yield [moved, retakenReason(moved)];
    }
    if (moved.isMixed && needBothOrders(changes)) yield [moved, mixedMoveReason(moved)];
  }
}

/** Records that show more to some people and less to others, with other changes that would have to come before and after them. */
function* mixedRecordsToBlock(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): Generator<{ readonly path: string; readonly reason: string; readonly waitsForPull?: boolean }> {
  for (const [path, changes] of findChangesInMixed(audiences, sides, statuses))
    if (needBothOrders(changes)) {
      const isPush = statuses.get(path) === 'outgoing';
      const remedy = changes.changes
        ? isPush
          ? inTwoPushes
          : inTwoPulls(path)
        : `${isPush ? 'Push' : 'Pull'} again after that.`;
      const others = changes.changes ? 'changes' : 'removals, which come first';
      yield {
        path,
        reason: `It would become visible to some and hidden from others, and has other ${others}. ${remedy}`,
      };
    }
}

const inTwoPushes = 'Push it without its new readers and owners first, and then with them.';
const inTwoPulls = (path: string): string =>
  'First make the local one private, without readers and owners, and then: ' +
  `catalogue pull --theirs ${describeFilePath(path)}`;
