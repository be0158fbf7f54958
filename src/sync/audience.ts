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
  /** Paths of the records of the datasets of queries that differ, by the path of the query. */
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
const foldersAround = (path: string, { queries }: AudienceComparison): readonly string[] =>
  enclosingContainerFolders(queries.get(path) ?? path);

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
    const files = [...filesToHold(audiences, sides, now, held.moves), ...mixedRecordsToHold(audiences, sides, now)];
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
      // On that side, the former name isn't free for another dataset.
      const former = containerFolder(move.path) ?? '';
      for (const [path, status] of now) if (status === sent && path.startsWith(former)) hold(path, nameTakenReason);
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

const retakenReason = ({ move, record }: MoveBetweenNamespaces): string => {
  const [former, name] = [describeFilePath(move.path), describeFilePath(record)];
  const remedy =
    move.by === 'ours'
      ? `Give ${former} another name, push, and then give it this name again.`
      : `Remove the local ${former}, which goes to the trash, and then: catalogue pull --theirs`;
  return `It would become visible to more people as ${name} before its other changes, as another dataset is ${former} now. ${remedy}`;
};
const nameTakenReason = 'Another dataset of this name has to be moved first.';

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
    const [former, folder] = [containerFolder(moved.move.path) ?? '', containerFolder(moved.record) ?? ''];
    const isRetaken = [...sides[by].keys()].some((path) => path.startsWith(former));
    for (const [path, status] of statuses)
      if (!isBytesPath(path) && sides[target].has(path) && foldersAround(path, audiences).includes(folder)) {
        if (isUndecided(status) || (by === 'ours' && status === 'incoming'))
          yield [moved, wouldWidenReason(path, status)];
        if (isRetaken && status === sent) yield [moved, retakenReason(moved)];
      }
  }
}

/** Records that show more to some people and less to others, with other changes that would have to come before and after them. */
function* mixedRecordsToHold(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): Generator<{ readonly path: string; readonly reason: string; readonly waitsForPull?: boolean }> {
  for (const [path, { adds, removes, changes }] of findChangesInMixed(audiences, sides, statuses))
    if (changes || (adds && removes)) {
      const isPush = statuses.get(path) === 'outgoing';
      const remedy = changes
        ? isPush
          ? inTwoPushes
          : inTwoPulls(path)
        : `${isPush ? 'Push' : 'Pull'} again after that.`;
      const others = changes ? 'changes' : 'removals, which come first';
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

/** What else is sent with a record, in its folder. */
interface ChangesInFolder {
  /** True if something is added: those from whom the record hides it must not see it. */
  readonly adds: boolean;
  /** True if something is removed: those to whom the record shows it must not see it. */
  readonly removes: boolean;
  /** True if something is changed: one of the two must not see it before, and the other not after. */
  readonly changes: boolean;
}

const noChanges: ChangesInFolder = { adds: false, removes: false, changes: false };

/**
 * The other changes in the folders of the records that show more to some people and less to others, by the path of the record.
 * @param statuses `incoming` or `outgoing` for what is sent
 */
function findChangesInMixed(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): ReadonlyMap<string, ChangesInFolder> {
  const found = new Map<string, ChangesInFolder>();
  const sent = new Map<string, { readonly record: string; readonly status: string }>();
  for (const [record, { ours, theirs }] of audiences.records) {
    const status = statuses.get(record);
    if (!ours || !theirs || (status !== 'outgoing' && status !== 'incoming')) continue;
    sent.set(containerFolder(record) ?? '', { record, status });
    found.set(record, noChanges);
  }
  const note = (folder: string, status: string, change: keyof ChangesInFolder) => {
    const mixed = sent.get(folder);
    const known = mixed?.status === status ? found.get(mixed.record) : undefined;
    if (mixed && known) found.set(mixed.record, { ...known, [change]: true });
  };
  for (const [path, status] of sent.size ? statuses : []) {
    if (status !== 'outgoing' && status !== 'incoming') continue;
    const [source, target] = status === 'outgoing' ? [sides.ours, sides.theirs] : [sides.theirs, sides.ours];
    const change = !source.has(path) ? 'removes' : target.has(path) ? 'changes' : 'adds';
    for (const folder of foldersAround(path, audiences))
      if (sent.get(folder)?.record !== path) note(folder, status, change);
  }
  for (const { move, left, entered } of audiences.moves) {
    const status = move.by === 'ours' ? 'outgoing' : 'incoming';
    note(left, status, 'removes');
    note(entered, status, 'adds');
  }
  return found;
}

/**
 * Of a step that changes who may see a namespace or dataset: `narrower` has to be done before what is added in it, `wider` after what
 * is removed.
 */
export type AudienceChange = 'wider' | 'narrower';

/**
 * The changes of who may see the namespaces and datasets whose records are sent, by the path of the record.
 * @param statuses as they are after what has to wait was found
 */
export function findAudienceChanges(
  audiences: AudienceComparison,
  sides: Pick<ThreeWay, Side>,
  statuses: ReadonlyMap<string, string>,
): ReadonlyMap<string, AudienceChange> {
  const inMixed = findChangesInMixed(audiences, sides, statuses);
  const changes = new Map<string, AudienceChange>();
  for (const [record, wider] of audiences.records) {
    const status = statuses.get(record);
    const target = status === 'outgoing' ? 'theirs' : status === 'incoming' ? 'ours' : null;
    if (target === null) continue;
    const isLast = !wider[target] || (inMixed.get(record)?.removes ?? false);
    changes.set(record, isLast ? 'wider' : 'narrower');
  }
  return changes;
}
