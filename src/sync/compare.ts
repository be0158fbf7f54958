/** Comparison of two catalogues, and the plans that can be made from it. */
import { isBytesPath } from '../catalogue/layout.ts';
import type { Replica, TimelineAnswer, TimelineQuestion } from '../catalogue/replica.ts';
import type { Merge } from './classify.ts';
import { compareAudiences } from './compare-audiences.ts';
import { exchangeReasons, findExchangesWithQueries, type HeldExchange, isHeldExchange } from './exchanged-names.ts';
import { actualPath, joinExtensions } from './extensions.ts';
import type { FileState, Files, Side, ThreeWay } from './files.ts';
import { detectMoves, recordSharedMoves } from './find-moves.ts';
import { withoutLineEnds } from './line-ends.ts';
import { readManifest, readRemote } from './listing.ts';
import { findAliasMerges } from './merge-aliases.ts';
import { findFilesNotCheckedOut } from './not-checked-out.ts';
import { findHiddenPayloads, findPayloadsBeforeVersions } from './payloads.ts';
import { planSync, type SyncPlan } from './plan.ts';
import { findQueriesOfMoves } from './queries-of-moves.ts';
import { findLostRecords, type LostRecords } from './related.ts';
import { findRecordsRemovedBefore, type ListChanges, selectAdditions, selectUnnamed } from './removed-before.ts';
import { findMovedOntoOthers, findReplacedContainers } from './replaced.ts';
import { type RemoteViewer, reasonIfHidden } from './rights.ts';
import type { RemovedBefore, SyncState } from './state.ts';
import { makeRecordTextReader, type TextReaders, TextSpool } from './texts.ts';

/** Two catalogues that are synchronised. */
export interface Pair {
  /** The local catalogue. */
  readonly ours: Replica;
  /** The remote catalogue. */
  readonly theirs: Replica;
  /** Their last common state. */
  readonly state: SyncState;
  /** Path for a temporary file of texts. */
  readonly spool: string;
  /** The user of the remote. */
  readonly viewer: RemoteViewer;
  /** Lists the files that git leaves out of the local folder. */
  readonly notCheckedOut?: (() => Promise<ReadonlySet<string>>) | undefined;
  /** Finds those of some missing local files that iCloud Drive has taken off the disk. */
  readonly findCloudPlaceholders?: ((paths: Iterable<string>) => ReadonlySet<string>) | undefined;
  /** Lists the changes of the remote. */
  readonly listChanges?: ListChanges | undefined;
}

export interface Comparison {
  /** @param resolved changes of the last common state, by path; null removes the file from it */
  plan(resolved?: ReadonlyMap<string, FileState | null>): Promise<SyncPlan>;
  /** The records that both sides had in common, if the remote has nothing left of them; else null. */
  findLostRecords(): Promise<LostRecords | null>;
  readonly texts: TextReaders;
  /** The local catalogue, in which records have the checksums and texts of the plan. */
  readonly ours: Replica;
  /** Files of the remote. */
  readonly theirs: Files;
  /** Tag of the remote's manifest. */
  readonly tag: string;
  /** Answer of the remote about its timeline; null if it has none. */
  readonly timeline: TimelineAnswer | null;
  /** Local records that the remote had removed before the first run. */
  readonly removedBefore: RemovedBefore;
  /** True if a path on either side, or in the last common state, matches. */
  hasPath(matches: (path: string) => boolean): boolean;
  close(): Promise<void>;
}

interface CompareOptions {
  /** The side of which a first run will need all texts. */
  readonly source?: Side | undefined;
  /** Names of the records to synchronise: they are sent, also if the remote had removed them before. */
  readonly names?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Compares the sides. */
export async function compareReplicas(
  pair: Pair,
  { source, names = [], signal }: CompareOptions = {},
): Promise<Comparison> {
  const { state } = pair;
  const isFirst = source !== undefined && state.files.size === 0;
  const spool = isFirst ? await TextSpool.open(pair.spool) : undefined;
  try {
    const spools = source === 'ours' ? { ours: spool } : { theirs: spool };
    const sides = await readSides(pair, spools, signal);
    const { base, ours, theirs, texts } = sides;
    const removedBefore = await findRemovedBefore(pair, joinExtensions(sides));
    const mergesOfResolved = new Map<string, Merge>();
    return {
      plan: (resolved = new Map()) =>
        planOf(pair, sides, { resolved, mergesOfResolved, notNamed: selectUnnamed(removedBefore, names) }),
      findLostRecords: () => findLostRecords(state, sides, texts),
      texts,
      ours: sides.replica,
      theirs,
      tag: sides.tag,
      timeline: sides.timeline,
      removedBefore,
      hasPath: (matches) => [base, ours, theirs].some((files) => [...files.keys()].some(matches)),
      close: async () => void (await spool?.close()),
    };
  } catch (error) {
    await spool?.close();
    throw error;
  }
}

/** Files of both sides and of their last common state, as they were read. */
interface ReadSides extends ThreeWay {
  /** The local catalogue, in which records have the checksums and texts of `ours`. */
  readonly replica: Replica;
  readonly texts: TextReaders;
  /** Why a file can't be read, by path. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Why a file that the remote lacks may only be hidden; undefined if none is. */
  readonly hiddenReason: string | undefined;
  readonly tag: string;
  readonly timeline: TimelineAnswer | null;
}

/** @param spools where the texts of a side are kept, if all of them will be needed */
async function readSides(
  pair: Pair,
  spools: { readonly [side in Side]?: TextSpool | undefined },
  signal: AbortSignal | undefined,
): Promise<ReadSides> {
  const { state } = pair;
  const known = state.header.tag ?? undefined;
  const unreadable = new Map<string, string>();
  let answer: TimelineAnswer | null = null;
  const timeline: TimelineQuestion = {
    since: state.header.timeline ?? null,
    onAnswer({ point, hasPoint }) {
      answer = { point, hasPoint: hasPoint && answer?.hasPoint !== false };
    },
  };
  const [local, remote] = await awaitBoth(
    pair.ours
      .manifest({ texts: spools.ours !== undefined })
      .then((manifest) => readManifest(manifest, 'local', unreadable, spools.ours)),
    readRemote(pair, { known, texts: spools.theirs !== undefined, timeline, signal }, unreadable, spools.theirs),
  );
  const theirs = remote.tag === null ? new Map(state.files) : remote.files;
  const { files: ours, replica } = await withoutLineEnds(pair.ours, local.files, theirs, {
    state,
    spool: spools.ours,
    signal,
  });
  const texts = {
    ours: makeRecordTextReader(replica, spools.ours, signal),
    theirs: makeRecordTextReader(pair.theirs, spools.theirs, signal),
  };
  await recordSharedMoves(state, { base: new Map(state.files), ours, theirs }, texts);
  const base: Files = new Map(state.files);
  for (const path of pair.findCloudPlaceholders?.(recordsMissingLocally(base, ours)) ?? [])
    unreadable.set(
      path,
      `iCloud Drive has taken it off this disk. Download it, in Finder or by: brctl download ${path}`,
    );
  const hiddenReason = reasonIfHidden(pair.viewer, state.header.seenBy);
  const tag = remote.tag ?? known ?? '';
  return { base, ours, theirs, replica, texts, unreadable, hiddenReason, tag, timeline: answer };
}

interface PlanOptions {
  /** Changes of the last common state, by path; null removes the file from it. */
  readonly resolved: ReadonlyMap<string, FileState | null>;
  /** The merges of conflicts that earlier plans had: they are kept and added to. */
  readonly mergesOfResolved: Map<string, Merge>;
  /** Why a record is left alone that the remote had removed before, by path. */
  readonly notNamed: RemovedBefore;
}

async function planOf(
  { state, notCheckedOut }: Pair,
  { base, ours, theirs, texts, unreadable, hiddenReason }: ReadSides,
  { resolved, mergesOfResolved, notNamed }: PlanOptions,
): Promise<SyncPlan> {
  const resolvedBase = new Map(base);
  for (const [path, file] of resolved) {
    if (file) resolvedBase.set(path, file);
    else resolvedBase.delete(path);
  }
  const { moved, audiences, held } = await findMovesToTakeOver(state, { base: resolvedBase, ours, theirs }, texts);
  const replaced = await findReplacedContainers(state, moved, texts);
  const movedOntoOthers = await findMovedOntoOthers(state, moved, texts, replaced);
  const compared = { ...moved, texts };
  const input = {
    ...moved,
    queriesOfMoves: await findQueriesOfMoves(compared),
    replaced,
    audiences,
    leftAlone: new Map([
      ...unreadable,
      ...movedOntoOthers,
      ...exchangeReasons(held, audiences),
      ...Object.entries(notNamed),
    ]),
    unreadable: new Set(unreadable.keys()),
    hiddenReason,
    hiddenPayloads: await findHiddenPayloads(compared),
    payloadsBeforeVersions: await findPayloadsBeforeVersions(compared),
    notCheckedOut: notCheckedOut && (await findFilesNotCheckedOut(moved, notCheckedOut)),
  };
  const plan = planSync(input);
  const merges = new Map([...mergesOfResolved, ...(await findAliasMerges(plan.conflicts, state, texts))]);
  // Once a side is chosen, its record keeps the former name that the other one has given it with another.
  const movedHere = new Set(moved.moves.flatMap(({ by, to }) => (by === 'ours' ? to : [])));
  for (const [path, { aliased }] of merges) {
    const text = movedHere.has(path) ? (aliased?.theirs ?? undefined) : undefined;
    if (aliased) mergesOfResolved.set(path, { status: 'conflict', aliased, text });
  }
  return merges.size ? planSync({ ...input, merges }) : plan;
}

/** Moves of both sides, without the exchanges of names that are held since queries would be visible in between. */
async function findMovesToTakeOver(state: SyncState, sides: ThreeWay, texts: TextReaders) {
  // Without the moves of a namespace, more may be found in it.
  for (let held: readonly HeldExchange[] = []; ; ) {
    const moved = await detectMoves(state, sides, texts, (by, moves) => !isHeldExchange(held, by, moves));
    const audiences = await compareAudiences({ ...moved, texts });
    const found = findExchangesWithQueries(moved, audiences);
    if (found.length === 0) return { moved, audiences, held };
    held = [...held, ...found];
  }
}

/** Paths of the records of the last common state that the local folder lacks. */
const recordsMissingLocally = (base: Files, ours: Files): readonly string[] =>
  [...base].flatMap(([path, file]) => (isBytesPath(path) || ours.get(path)?.checksum ? [] : actualPath(path, file)));

/** Before the first run, the remote is asked; later, the common state has what it answered. */
async function findRemovedBefore({ state, listChanges }: Pair, sides: ThreeWay): Promise<RemovedBefore> {
  if (state.files.size > 0) return selectAdditions(state.header.removedBefore ?? {}, sides);
  return listChanges ? findRecordsRemovedBefore(sides, listChanges) : {};
}

/** Both results; if one fails, its error is thrown after the other has ended. */
async function awaitBoth<T>(...work: readonly [Promise<T>, Promise<T>]): Promise<readonly [T, T]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
