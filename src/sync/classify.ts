/** Status of each file: the side that changed it since the last common state. Pure. */
import { enclosingContainerFolders, isBytesPath, pathsWithRecordExtensions } from '../catalogue/layout.ts';
import { type AudienceComparison, sameAudiences } from './audience.ts';
import { findBlockedByAudience } from './blocked-by-audience.ts';
import {
  containerFolder,
  type Files,
  membersOfFolders,
  type Side,
  type Status,
  syncFileKind,
  type ThreeWay,
} from './files.ts';
import { joinContainers, joinReplaced } from './join-folders.ts';
import { isInRoots, type Move, type MovedApart, reasonOfMovesApart, rootsOfMovedApart } from './moves.ts';
import { notCheckedOutReason } from './not-checked-out.ts';

/** A file that is skipped. */
export interface Blocked {
  readonly path: string;
  /** Reason, and remedy, as a sentence for people. */
  readonly reason: string;
  /** True if both sides have changed it, and somebody has to decide. */
  readonly isConflict?: true;
  /** True if it can't be read on one side. */
  readonly isUnreadable?: true;
  /** True if git leaves the local file out of the folder. There may be many. */
  readonly isNotCheckedOut?: true;
}

/** What becomes of a conflict of which the aliases, or all, need no decision. */
export interface Merge {
  /** The side whose text has everything is the source. `conflict`: other fields need a decision. */
  readonly status: 'incoming' | 'outgoing' | 'conflict';
  /** Text that the local file gets in place of the remote one. A push sends it later. */
  readonly text?: string | undefined;
  /** The text of each side with the aliases of both, if it lacks some: a move on that side takes them along. */
  readonly aliased?: Readonly<Record<Side, string | null>>;
}

/** Input of a plan. All paths are those after the moves. */
export interface SyncInput extends ThreeWay {
  /** Each builds on those before. */
  readonly moves: readonly Move[];
  /** Slugs of the queries that get the new name of their dataset with a move. */
  readonly queriesOfMoves?: ReadonlyMap<Move, readonly string[]>;
  /** Records that both sides have moved, to different paths. */
  readonly movedApart?: readonly MovedApart[];
  /** Files of records that one side has moved and the other one has removed. A move alone is a change, too: they are in conflict. */
  readonly movedAndRemoved?: ReadonlySet<string>;
  /**
   * Namespaces and datasets that a side has removed, with others in their place, by the paths of their records; only those in which
   * the other side has changed or added files. `both`: each side has added one of its own.
   */
  readonly replaced?: ReadonlyMap<string, Side | 'both'>;
  /** Differences in who may see namespaces and datasets. */
  readonly audiences?: AudienceComparison | undefined;
  /** Reasons why files are left alone, by path; with a record, what is in its folder on one side only. */
  readonly leftAlone?: ReadonlyMap<string, string>;
  /** Those of these files that can't be read on one side. */
  readonly unreadable?: ReadonlySet<string>;
  /**
   * Reason why files that the remote lacks may only be hidden from the user. They don't count as removed then. Undefined if
   * the user has all rights by which they were seen.
   */
  readonly hiddenReason?: string | undefined;
  /** Files that are missing locally because git leaves them out of the folder. */
  readonly notCheckedOut?: ReadonlySet<string> | undefined;
  /** Payloads that the remote only hides. */
  readonly hiddenPayloads?: ReadonlySet<string>;
  /** Payloads of the last common state whose versions aren't in it. A side that lacks both has not removed them. */
  readonly payloadsBeforeVersions?: ReadonlySet<string>;
  /** What becomes of conflicts of which the aliases, or all, need no decision, by path. */
  readonly merges?: ReadonlyMap<string, Merge>;
}

/** Statuses by path, and the files that are skipped, while the steps of `classifySyncFiles` determine them. */
interface Classification {
  readonly statuses: Map<string, Status>;
  readonly blocked: Blocked[];
}

/** Paths in the folder of a record of a namespace or dataset. */
type MembersOf = (record: string) => readonly string[];

/** @returns status by path, the files that are skipped, and the moves that are blocked */
export function classifySyncFiles(input: SyncInput): {
  readonly statuses: ReadonlyMap<string, Status>;
  readonly blocked: readonly Blocked[];
  readonly blockedMoves: ReadonlySet<Move>;
} {
  const { notCheckedOut = new Set(), replaced = new Map(), movedAndRemoved = new Set() } = input;
  const statuses = statusesByContent(input);
  const classification = { statuses, blocked: [] };
  const leftAlone = findRecordsLeftAlone(input, statuses);
  const records = [...notCheckedOut, ...leftAlone.map(({ path }) => path), ...replaced.keys()];
  const members = membersOfFolders(records.map(containerFolder), statuses.keys());
  const membersOf = (record: string) => members.get(containerFolder(record)) ?? [];
  blockNotCheckedOut(classification, input, membersOf);
  blockLeftAlone(classification, input, leftAlone, membersOf);
  blockHidden(classification, input);
  joinContainers(input, statuses, movedAndRemoved);
  for (const [record, by] of replaced)
    for (const side of by === 'both' ? (['ours', 'theirs'] as const) : [by])
      joinReplaced({ record, members: membersOf(record), by: side }, input, statuses);
  for (const [path, { status }] of input.merges ?? [])
    if (statuses.get(path) === 'conflict') statuses.set(path, status);
  blockMovedApart(classification, input);
  const blockedMoves = blockByAudience(classification, input);
  return { ...classification, blockedMoves };
}

/** Status of each file by its content on both sides and in the last common state. */
function statusesByContent(input: SyncInput): Map<string, Status> {
  const { base, ours, theirs, movedAndRemoved = [] } = input;
  const statuses = new Map<string, Status>();
  const removals = { ours: datasetsWithRemovals(base, ours), theirs: datasetsWithRemovals(base, theirs) };
  for (const path of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()]))
    statuses.set(path, isBytesPath(path) ? bytesStatus(path, input, removals) : recordStatus(path, input));
  for (const path of movedAndRemoved)
    if (['incoming', 'outgoing'].includes(statuses.get(path) ?? '')) statuses.set(path, 'conflict');
  return statuses;
}

/** Blocks a file, unless both sides have the same or it is blocked already. */
function block({ statuses, blocked }: Classification, path: string, reason: string, isUnreadable = false): void {
  if (statuses.get(path) === 'same' || statuses.get(path) === 'blocked') return;
  statuses.set(path, 'blocked');
  blocked.push({ path, reason, ...(isUnreadable && { isUnreadable }) });
}

/** Blocks the files in the folder of a record that is left alone: those that a side lacks may be missing because of the record. */
function blockMembers({ statuses }: Classification, { ours, theirs }: SyncInput, members: readonly string[]): void {
  for (const path of members)
    if (statuses.get(path) !== 'same' && !(ours.has(path) && theirs.has(path))) statuses.set(path, 'blocked');
}

/**
 * Blocks the files that git leaves out of the folder, also those that the remote has removed: they stay in the common state until
 * the local file is there again, and is removed, too.
 */
function blockNotCheckedOut(classification: Classification, input: SyncInput, membersOf: MembersOf): void {
  const { statuses, blocked } = classification;
  for (const path of input.notCheckedOut ?? []) {
    statuses.set(path, 'blocked');
    if (!isBytesPath(path)) blocked.push({ path, reason: notCheckedOutReason, isNotCheckedOut: true });
    blockMembers(classification, input, membersOf(path));
  }
}

/** A record that is left alone, by its path in the comparison. */
interface LeftAlone {
  readonly path: string;
  readonly reason: string;
  readonly isUnreadable: boolean;
}

/** The records that are left alone and are in the comparison, where their paths may have another extension. */
function findRecordsLeftAlone(
  { leftAlone = new Map(), unreadable }: SyncInput,
  statuses: ReadonlyMap<string, Status>,
): readonly LeftAlone[] {
  return [...leftAlone].flatMap(([path, reason]) => {
    const paths = [path, ...pathsWithRecordExtensions(path.replace(/\.[^./]+$/, ''))];
    const found = paths.find((one) => statuses.has(one));
    return found === undefined ? [] : { path: found, reason, isUnreadable: unreadable?.has(path) ?? false };
  });
}

function blockLeftAlone(
  classification: Classification,
  input: SyncInput,
  records: readonly LeftAlone[],
  membersOf: MembersOf,
): void {
  for (const { path, reason, isUnreadable } of records) {
    block(classification, path, reason, isUnreadable);
    blockMembers(classification, input, membersOf(path));
  }
}

/** Blocks files that the remote seems to have removed, if it may only hide them. */
function blockHidden(classification: Classification, { base, theirs, hiddenReason }: SyncInput): void {
  if (hiddenReason === undefined) return;
  for (const [path, status] of classification.statuses)
    if ((status === 'incoming' || status === 'conflict') && base.has(path) && !theirs.has(path))
      block(classification, path, hiddenReason);
}

/**
 * Blocks the records that both sides have moved to different paths, also files in them that both sides lack by now: by these,
 * a record is recognised until both sides have one name for it.
 */
function blockMovedApart({ statuses, blocked }: Classification, { moves, movedApart = [] }: SyncInput): void {
  const roots = new Set(movedApart.flatMap(rootsOfMovedApart));
  if (roots.size > 0) for (const path of statuses.keys()) if (isInRoots(path, roots)) statuses.set(path, 'blocked');
  for (const apart of movedApart)
    blocked.push({ path: apart.ours, reason: reasonOfMovesApart(apart, moves), isConflict: true });
}

/**
 * Blocks what must not become visible to more people yet. A conflict stays one.
 * @returns the moves that are blocked for the same reason
 */
function blockByAudience({ statuses, blocked }: Classification, input: SyncInput): ReadonlySet<Move> {
  const { files, moves } = findBlockedByAudience(input.audiences ?? sameAudiences, input, statuses);
  for (const [path, reason] of files)
    if (statuses.get(path) !== 'conflict') {
      if (!isBytesPath(path)) blocked.push({ path, reason, isConflict: true });
      statuses.set(path, 'blocked');
    }
  return moves;
}

function recordStatus(path: string, { base, ours, theirs }: ThreeWay): Status {
  const files = [base, ours, theirs].map((side) => side.get(path));
  const content = threeWayStatus(files.map((file) => file?.checksum));
  const extension = threeWayStatus(files.map((file) => file && (file.extension ?? '')));
  if (content === extension || extension === 'same') return content;
  return content === 'same' ? extension : 'conflict';
}

function threeWayStatus([before, local, remote]: readonly (string | undefined)[]): Status {
  if (local === remote) return 'same';
  if (before === remote) return 'outgoing';
  return before === local ? 'incoming' : 'conflict';
}

/**
 * Status of bytes, which are added and removed with the record that names them. Bytes that a side lost without their
 * record are added again; media files are only ever added.
 * @param removals for each side, the datasets in which it has removed records
 */
function bytesStatus(path: string, input: SyncInput, removals: Readonly<Record<Side, ReadonlySet<string>>>): Status {
  const { base, ours, theirs, hiddenPayloads, payloadsBeforeVersions } = input;
  if (hiddenPayloads?.has(path)) return 'ignored';
  if (ours.has(path) && theirs.has(path)) return recordStatus(path, input);
  if (!ours.has(path) && !theirs.has(path)) return 'same';
  const lacking = ours.has(path) ? 'theirs' : 'ours';
  const isRemoved = syncFileKind(path) === 'media' || removals[lacking].has(enclosingContainerFolders(path)[0] ?? '');
  if (base.has(path) && isRemoved && !payloadsBeforeVersions?.has(path)) return 'ignored';
  return lacking === 'ours' ? 'incoming' : 'outgoing';
}

/** Folders of the datasets in which a side has removed records. */
function datasetsWithRemovals(base: Files, side: Files): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of base.keys())
    if (!side.has(path) && ['dataset', 'version'].includes(syncFileKind(path)))
      folders.add(enclosingContainerFolders(path)[0] ?? '');
  return folders;
}
