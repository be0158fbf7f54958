/** Comparison of two catalogues: their files, read at once, and the plans that can be made from them. */
import { isBytesPath, kindAndRefOfPath } from '../catalogue/layout.ts';
import { chooseDigestGroupCount, digestGroupOfPath, GroupDigests, isSynced } from '../catalogue/manifest-groups.ts';
import type { FileEntry, Manifest, Replica, TimelineAnswer, TimelineQuestion } from '../catalogue/replica.ts';
import { computeChecksum } from '../disk/checksum.ts';
import { compareAudiences } from './compare-audiences.ts';
import { actualPath, joinExtensions } from './extensions.ts';
import { containerFolder, type FileState, type Files, type Side, type ThreeWay } from './files.ts';
import {
  detectMoves,
  detectMovesApart,
  findMovedOntoOthers,
  findReplacedContainers,
  recordSharedMoves,
} from './find-moves.ts';
import { withoutLineEnds } from './line-ends.ts';
import { findAliasMerges } from './merge-aliases.ts';
import { findFilesNotCheckedOut } from './not-checked-out.ts';
import { findHiddenPayloads, findPayloadsBeforeVersions } from './payloads.ts';
import { planSync, type SyncPlan } from './plan.ts';
import { findLostRecords, type LostRecords } from './related.ts';
import { findRecordsRemovedBefore, type ListChanges, selectAdditions, selectUnnamed } from './removed-before.ts';
import { type RemoteViewer, reasonIfHidden } from './rights.ts';
import type { Held, SyncState } from './state.ts';
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
  readonly removedBefore: Held;
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
    return {
      async plan(resolved = new Map()) {
        const resolvedBase = new Map(base);
        for (const [path, file] of resolved) {
          if (file) resolvedBase.set(path, file);
          else resolvedBase.delete(path);
        }
        const moved = await detectMoves(state, { base: resolvedBase, ours, theirs }, texts);
        const movedApart = await detectMovesApart(state, moved, texts);
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
          hiddenReason,
          hiddenPayloads,
          payloadsBeforeVersions,
          notCheckedOut,
        };
        const input = { ...moved, movedApart, replaced, ...reasons, audiences };
        const plan = planSync(input);
        const merges = await findAliasMerges(plan.conflicts, state, texts);
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
async function findRemovedBefore({ state, listChanges }: Pair, sides: ThreeWay): Promise<Held> {
  if (state.files.size > 0) return selectAdditions(state.header.removedBefore ?? {}, sides);
  return listChanges ? findRecordsRemovedBefore(sides, listChanges) : {};
}

/** Both results; if one fails, its error is thrown after the other has ended. */
async function awaitBoth<T>(...work: readonly [Promise<T>, Promise<T>]): Promise<readonly [T, T]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** With more groups that differ than this, all files are listed. */
const maxListedGroups = 500;

/** The files of the remote. */
async function readRemote(
  pair: Pair,
  options: NonNullable<Parameters<Replica['manifest']>[0]>,
  unreadable: Map<string, string>,
  spool: TextSpool | undefined,
): Promise<Listing> {
  const listing = pair.state.files.size ? await readDifferentGroups(pair, options, unreadable) : null;
  return listing ?? readManifest(await pair.theirs.manifest(options), 'remote', unreadable, spool);
}

/**
 * The files of the remote: those of the last common state, except for the groups of files in which the remote differs
 * from it, which are listed.
 * @param options.known tag of a manifest that has the files of the last common state
 * @returns null if all files must be listed: the server is too old, most files differ, or they are being changed
 */
async function readDifferentGroups(
  { theirs, state }: Pair,
  { known, timeline, signal }: NonNullable<Parameters<Replica['manifest']>[0]>,
  unreadable: Map<string, string>,
): Promise<Listing | null> {
  const count = chooseDigestGroupCount(state.files.size);
  const remote = await theirs.digests(count, { known, timeline, signal });
  if (remote === 'unsupported') return null;
  if (remote === null) return { files: new Map(), tag: null };
  const own = new GroupDigests(count);
  for (const [path, file] of state.files) own.add({ path, ...file });
  const digests = own.compute(computeChecksum);
  const only = [...digests.keys()].filter((group) => digests[group] !== remote.digests[group]);
  if (only.length > maxListedGroups) return null;
  const manifest = only.length ? await theirs.manifest({ groups: { count, only }, timeline, signal }) : null;
  const unreadableNow = new Map<string, string>();
  const listed = await readManifest(manifest, 'remote', unreadableNow);
  if (manifest && listed.tag !== remote.tag) return null;
  for (const [path, reason] of unreadableNow) unreadable.set(path, reason);
  const isListed = new Set(only);
  const unchanged = [...state.files]
    .filter(([path]) => !isListed.has(digestGroupOfPath(path, count)))
    .map(([path, { checksum, size }]) => [path, { checksum, size }] as const);
  return { files: new Map([...unchanged, ...listed.files]), tag: remote.tag };
}

/** Reason why a file without a checksum is left alone. That of a namespace or dataset may be missing, while records below it are there. */
function reasonIfUnreadable({ path, size, problem }: FileEntry, side: 'local' | 'remote'): string {
  if (side === 'local' && problem !== undefined) return problem;
  const folder = size === 0 ? containerFolder(path) : null;
  if (folder === null) return `The ${side} file can't be read.`;
  const name = `The ${side} ${path.slice(folder.length)} is missing or can't be read, while ${side === 'local' ? 'records below it are' : 'its folder is'} there`;
  const { kind } = kindAndRefOfPath(path);
  return side === 'local'
    ? `${name}. Put it back; or, to remove the ${kind}, remove its whole folder: ${folder.slice(0, -1)}`
    : `${name}: it has to be put back on the remote.`;
}

interface Listing {
  readonly files: Files;
  /** Null if there was no manifest, because the known one is still valid. */
  readonly tag: string | null;
}

/**
 * The synchronised files of a manifest.
 * @param unreadable collects the files without a checksum
 * @param spool collects the texts
 */
async function readManifest(
  manifest: Manifest | null,
  side: 'local' | 'remote',
  unreadable: Map<string, string>,
  spool?: TextSpool,
): Promise<Listing> {
  const files = new Map<string, FileState>();
  for await (const entry of manifest?.entries ?? []) {
    const { path, checksum, size } = entry;
    if (!isSynced(path)) continue;
    files.set(path, { checksum, size });
    if (checksum === '') unreadable.set(path, reasonIfUnreadable(entry, side));
    // A local folder computes the checksum from this very text.
    await spool?.add(entry, side === 'local');
  }
  return { files, tag: manifest?.tag ?? null };
}
