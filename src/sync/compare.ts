/** Comparison of two catalogues, and the plans that can be made from it. */
import { isBytesPath } from '../catalogue/layout.ts';
import type { Replica, TimelineAnswer, TimelineQuestion } from '../catalogue/replica.ts';
import type { Merge } from './classify.ts';
import { compareAudiences } from './compare-audiences.ts';
import { actualPath, joinExtensions } from './extensions.ts';
import type { FileState, Files, Side, ThreeWay } from './files.ts';
import { detectMoves, recordSharedMoves } from './find-moves.ts';
import { withoutLineEnds } from './line-ends.ts';
import { readManifest, readRemote } from './listing.ts';
import { findAliasMerges } from './merge-aliases.ts';
import { findFilesNotCheckedOut } from './not-checked-out.ts';
import { findHiddenPayloads, findPayloadsBeforeVersions } from './payloads.ts';
import { planSync, type SyncPlan } from './plan.ts';
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
  const known = state.header.tag ?? undefined;
  const isFirst = source !== undefined && state.files.size === 0;
  const spool = isFirst ? await TextSpool.open(pair.spool) : undefined;
  const [ourSpool, theirSpool] = source === 'ours' ? [spool, undefined] : [undefined, spool];
  try {
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
        .manifest({ texts: ourSpool !== undefined })
        .then((manifest) => readManifest(manifest, 'local', unreadable, ourSpool)),
      readRemote(pair, { known, texts: theirSpool !== undefined, timeline, signal }, unreadable, theirSpool),
    );
    const theirs = remote.tag === null ? new Map(state.files) : remote.files;
    const { files: ours, replica } = await withoutLineEnds(pair.ours, local.files, theirs, {
      state,
      spool: ourSpool,
      signal,
    });
    const texts = {
      ours: makeRecordTextReader(replica, ourSpool, signal),
      theirs: makeRecordTextReader(pair.theirs, theirSpool, signal),
    };
    await recordSharedMoves(state, { base: state.files, ours, theirs }, texts);
    const base: Files = new Map(state.files);
    for (const path of pair.findCloudPlaceholders?.(recordsMissingLocally(base, ours)) ?? [])
      unreadable.set(
        path,
        `iCloud Drive has taken it off this disk. Download it, in Finder or by: brctl download ${path}`,
      );
    const hiddenReason = reasonIfHidden(pair.viewer, state.header.seenBy);
    const removedBefore = await findRemovedBefore(pair, joinExtensions({ base, ours, theirs }));
    const mergesOfResolved = new Map<string, Merge>();
    return {
      async plan(resolved = new Map()) {
        const resolvedBase = new Map(base);
        for (const [path, file] of resolved) {
          if (file) resolvedBase.set(path, file);
          else resolvedBase.delete(path);
        }
        const moved = await detectMoves(state, { base: resolvedBase, ours, theirs }, texts);
        const replaced = await findReplacedContainers(state, moved, texts);
        const movedOntoOthers = await findMovedOntoOthers(state, moved, texts, replaced);
        const compared = { ...moved, texts };
        const audiences = await compareAudiences(compared);
        const hiddenPayloads = await findHiddenPayloads(compared);
        const payloadsBeforeVersions = await findPayloadsBeforeVersions(compared);
        const notCheckedOut = pair.notCheckedOut && (await findFilesNotCheckedOut(moved, pair.notCheckedOut));
        const reasons = {
          leftAlone: new Map([
            ...unreadable,
            ...movedOntoOthers,
            ...Object.entries(selectUnnamed(removedBefore, names)),
          ]),
          unreadable: new Set(unreadable.keys()),
          hiddenReason,
          hiddenPayloads,
          payloadsBeforeVersions,
          notCheckedOut,
        };
        const input = { ...moved, replaced, ...reasons, audiences };
        const plan = planSync(input);
        const merges = new Map([...mergesOfResolved, ...(await findAliasMerges(plan.conflicts, state, texts))]);
        // Once a side is chosen, its record keeps the former name that the other one has given it with another.
        const movedHere = new Set(moved.moves.flatMap(({ by, to }) => (by === 'ours' ? to : [])));
        for (const [path, { aliased }] of merges) {
          const text = movedHere.has(path) ? (aliased?.theirs ?? undefined) : undefined;
          if (aliased) mergesOfResolved.set(path, { status: 'conflict', aliased, text });
        }
        return merges.size ? planSync({ ...input, merges }) : plan;
      },
      findLostRecords: () => findLostRecords(state, { base, ours, theirs }, texts),
      texts,
      ours: replica,
      theirs,
      tag: remote.tag ?? known ?? '',
      timeline: answer,
      removedBefore,
      hasPath: (matches) => [base, ours, theirs].some((files) => [...files.keys()].some(matches)),
      close: async () => void (await spool?.close()),
    };
  } catch (error) {
    await spool?.close();
    throw error;
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
