/**
 * Who may see what is in a namespace or dataset, where the sides differ, and what the steps of a run change in that. Pure.
 */
import { enclosingContainerFolders } from '../catalogue/layout.ts';
import { containerFolder, type Files, type Side, type ThreeWay } from './files.ts';
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
  /** True if it is also hidden there from readers of the namespace that it leaves. */
  readonly isMixed: boolean;
  /** True if everybody sees public datasets in the namespace that it leaves, and not in the other one. */
  readonly isClosing: boolean;
}

export interface AudienceComparison {
  /** The records that show more on a side, by their path after the moves. */
  readonly records: ReadonlyMap<string, Wider>;
  readonly moves: readonly MoveBetweenNamespaces[];
  /** Paths of the records of the datasets to which queries that differ belong on either side, by the path of the query. */
  readonly queries: ReadonlyMap<string, readonly string[]>;
}

export const sameAudiences: AudienceComparison = { records: new Map(), moves: [], queries: new Map() };

/** The folders of the namespace and the dataset that a file belongs to. */
export const foldersAround = (path: string, { queries }: Pick<AudienceComparison, 'queries'>): readonly string[] =>
  (queries.get(path) ?? [path]).flatMap(enclosingContainerFolders);

/** What else is sent with a record, in its folder. */
export interface ChangesInFolder {
  /** True if something is added: those from whom the record hides it must not see it. */
  readonly adds: boolean;
  /** True if something is removed: those to whom the record shows it must not see it. */
  readonly removes: boolean;
  /** True if something is changed: one of the two must not see it before, and the other not after. */
  readonly changes: boolean;
}

/** What sending a file of one side does to the other one. */
export const changeBySending = (path: string, source: Files, target: Files): keyof ChangesInFolder =>
  !source.has(path) ? 'removes' : target.has(path) ? 'changes' : 'adds';

/** True for changes of which some would have to come before who may see them is changed, and others after it. */
export const needBothOrders = ({ adds, removes, changes }: ChangesInFolder): boolean => changes || (adds && removes);

export const noChanges: ChangesInFolder = { adds: false, removes: false, changes: false };

/**
 * The other changes in the folders of the records that show more to some people and less to others, by the path of the record.
 * @param statuses `incoming` or `outgoing` for what is sent
 */
export function findChangesInMixed(
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
    const change = changeBySending(path, source, target);
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
