/** A catalogue folder as a set of files, for one viewer. */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotFoundError, UnavailableError } from '../../catalogue/errors.ts';
import { parseCataloguePath, scopeToReread, type Unit } from '../../catalogue/layout.ts';
import { localAdmin } from '../../catalogue/permissions.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';
import type {
  ChangeOutcome,
  Digests,
  FileBytes,
  FileEntry,
  Manifest,
  RecordChange,
  Replica,
  TimelineQuestion,
} from '../../catalogue/replica.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import type { Access } from '../catalogue-files.ts';
import { pushCommitMessage } from '../git/commit-messages.ts';
import { couldSeeHeldRecord, hasHeldRecords } from '../held-records.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import { inlineLessForBatches } from '../reading/inlining.ts';
import type { UnitStore } from '../reading/unit-store.ts';
import { planGroupReferenceWrites, planReaderReferenceWrites } from '../records/membership.ts';
import { planQueryDatasetWrites } from '../records/query-datasets.ts';
import { planColumnWritesForNewestVersion, recordHasColumnsOfNewestVersion } from '../records/version-columns.ts';
import { type Committed, commit, type StepOutcome } from '../transaction.ts';
import { existsInTree, type Stamp, UnreadableFileError } from '../tree/file-tree.ts';
import { isSameFile } from '../tree/stamps.ts';
import { anyVersion, type Change, refAtUntrustedPath, type Step } from '../writing/change.ts';
import { CloneWriter } from './clone-writer.ts';
import { getReplicaFileEntry, readItemBytes } from './item-bytes.ts';
import { datasetsOfRecordPaths, findReplicaFile, makeFileVisibilityFilter, type ReplicaFile } from './items.ts';
import { KeptTexts } from './kept-texts.ts';
import { Inventory } from './manifest.ts';
import { storePayloadOrMedia } from './put.ts';
import { Timeline } from './timeline.ts';

/** Number of changes from which a batch is large: more of them will follow. */
const largeBatch = 250;

/** Longest wait for files that are being read, in milliseconds. */
const maxWait = 20_000;

/** Inventories by folder: all viewers of a folder share one. */
const inventories = new WeakMap<UnitStore, Inventory>();
const timelines = new WeakMap<UnitStore, Timeline>();

export class FileReplica implements Replica {
  readonly #access: Access;
  #clone: CloneWriter | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  get #inventory(): Inventory {
    const { store } = this.#access.files;
    const inventory = inventories.get(store) ?? new Inventory(store);
    inventories.set(store, inventory);
    return inventory;
  }

  async manifest(options: Parameters<Replica['manifest']>[0] = {}): Promise<Manifest | null> {
    const { files, viewer, visible } = this.#access;
    const kept = options.texts ? new KeptTexts() : undefined;
    await this.#answerTimeline(options.timeline);
    if (viewer === localAdmin && !files.isLoaded && !options.groups && options.known === undefined) {
      const manifest = await this.#inventory.manifestOfUnread(kept);
      if (manifest) return manifest;
    }
    await files.load({ onRead: kept?.keep });
    const isHeld = await this.#heldTest();
    return this.#inStep(() => this.#inventory.manifest(viewer, visible(), options, { kept, isHeld }));
  }

  async digests(count: number, { known, timeline }: Parameters<Replica['digests']>[1] = {}): Promise<Digests | null> {
    const { files, viewer, visible } = this.#access;
    await this.#answerTimeline(timeline);
    await files.load();
    const isHeld = await this.#heldTest();
    return this.#inStep(() => this.#inventory.digests(viewer, visible(), count, { known, isHeld }));
  }

  /**
   * Starts work as soon as the snapshot has all units as they were read last. While many are read again, as after a pull of git,
   * a record that has become private is still one that everybody may see in the snapshot. Staff see all.
   * @throws UnavailableError
   */
  async #inStep<T>(work: () => T): Promise<Awaited<T>> {
    const { files, viewer } = this.#access;
    for (const deadline = Date.now() + maxWait; files.store.isAheadOfSnapshot && !viewer.staff; await sleep(5))
      if (Date.now() > deadline) throw new UnavailableError('Many files are being read again. Try again in a moment.');
    return await work();
  }

  async #answerTimeline(question: TimelineQuestion | undefined): Promise<void> {
    const { root, store, options } = this.#access.files;
    if (!question || options.followsGit) return;
    const timeline = timelines.get(store) ?? new Timeline(root, options.readOnly);
    timelines.set(store, timeline);
    const answer = await timeline.answer(question.since);
    if (answer) question.onAnswer(answer);
  }

  /** True for the records that the viewer could see until the record of their namespace or dataset was missing; undefined if there is no such record. */
  async #heldTest(): Promise<((item: ReplicaFile) => boolean) | undefined> {
    const { files, viewer } = this.#access;
    const { store } = files;
    if (viewer.staff || !hasHeldRecords(store)) return undefined;
    const { history } = await files.feed();
    return (item) =>
      (item.kind === 'record' || item.kind === 'missing') &&
      item.state !== null &&
      item.path.startsWith(`${item.state.key}.`) &&
      couldSeeHeldRecord(store, history, viewer, item.state);
  }

  async entry(path: string): Promise<FileEntry> {
    return getReplicaFileEntry(this.#inventory, await this.#item(path));
  }

  async read(path: string, options?: Parameters<Replica['read']>[1]): Promise<Readable> {
    return readItemBytes(this.#access.files, this.#inventory, await this.#item(path), options);
  }

  async #item(path: string): Promise<ReplicaFile> {
    const { files, viewer } = this.#access;
    const scopes = viewer === localAdmin ? unitsOfFile(path) : null;
    // The local admin sees everything: whether a file is there doesn't depend on the rest.
    await (scopes ? files.ensureRead(scopes) : files.load());
    const item = await this.#inStep(() => this.#visibleItem(path));
    if (viewer === localAdmin || item.kind !== 'record' || !item.stamp || this.#isStill(path, item.stamp)) return item;
    // The record was written after it was read: it may be private now.
    await files.refresh(unitsOfFile(path) ?? []);
    return this.#inStep(() => this.#visibleItem(path));
  }

  #visibleItem(path: string): ReplicaFile {
    const { files, viewer, visible } = this.#access;
    const item = findReplicaFile(files.store, path);
    if (!item || !makeFileVisibilityFilter(viewer, visible())(item)) throw new NotFoundError();
    return item;
  }

  #isStill(path: string, stamp: Stamp): boolean {
    try {
      const now = this.#access.files.store.tree.stamp(path);
      return now !== null && isSameFile(now, stamp);
    } catch (error) {
      if (error instanceof UnreadableFileError) return false;
      throw error;
    }
  }

  async apply(
    changes: readonly RecordChange[],
    { dryRun, isClone }: Parameters<Replica['apply']>[1] = {},
  ): Promise<readonly ChangeOutcome[]> {
    const { files, viewer } = this.#access;
    await files.load();
    if (changes.length >= largeBatch) inlineLessForBatches();
    const commit = (some: readonly RecordChange[]) => this.#commit(some, dryRun);
    if (!isClone || dryRun || !viewer.staff || viewer.username !== null) return commit(changes);
    this.#clone ??= new CloneWriter(files);
    return this.#clone.apply(changes, commit);
  }

  async #commit(changes: readonly RecordChange[], dryRun = false): Promise<readonly ChangeOutcome[]> {
    const { files, viewer } = this.#access;
    // The local admin may write names of records that do not exist, as with any editor: `check` reports them.
    const allowMissingReferences = viewer.staff && viewer.username === null;
    const steps = changes.map((change) => this.#makeStep(change));
    const message = ({ outcomes }: Committed) => pushCommitMessage(changes.filter((_, i) => outcomes[i]?.done));
    // A pushed version may become the newest. If the record of its dataset didn't fit before, it was pushed for others to come.
    const fitting = datasetsOfRecordPaths(
      changes.map(({ path }) => path),
      ['version'],
    ).filter((ref) => recordHasColumnsOfNewestVersion(files, ref));
    const follow = dryRun ? [] : this.#columnSteps(fitting);
    const options = { dryRun, message, allowMissingReferences };
    const { outcomes } = await commit(this.#access, [...steps, ...follow], options);
    return changes.map(({ path }, i) => ({ path, ...(outcomes[i] as StepOutcome) }));
  }

  /** Steps that give the records of datasets the columns of their newest versions, where they have others. */
  #columnSteps(refs: readonly DatasetRef[]): readonly Step[] {
    const { files } = this.#access;
    const changes = (ref: DatasetRef) =>
      recordHasColumnsOfNewestVersion(files, ref) === false ? planColumnWritesForNewestVersion(files, ref) : [];
    return refs.map((ref) => ({ changes: () => changes(ref), onlyEdits: true }));
  }

  async fitColumns(paths: readonly string[]): Promise<void> {
    const { files } = this.#access;
    await files.load();
    const pause = makeRegularPause();
    const others: DatasetRef[] = [];
    for (const ref of (await this.#clone?.readDatasetsWithOtherColumns()) ?? datasetsOfRecordPaths(paths)) {
      if (recordHasColumnsOfNewestVersion(files, ref) === false) others.push(ref);
      await pause();
    }
    const steps = this.#columnSteps(others);
    if (steps.length) await commit(this.#access, steps, { message: () => 'Update columns' });
  }

  #makeStep(change: RecordChange): Step {
    const info = parseCataloguePath(change.path);
    const kind = info.kind === 'record' ? info.ref.kind : undefined;
    // `anyVersion` is for changes of this process only; a checksum '' matches no record.
    const conditional = change.ifMatch === anyVersion ? { ...change, ifMatch: '' } : change;
    const own = () => (conditional.do === 'move' && kind ? this.#moveChanges(conditional) : [conditional]);
    if (change.do !== 'write' && (kind === 'group' || kind === 'user'))
      return { changes: async () => [...(await this.#memberChanges(change)), ...own()] };
    if (change.do === 'move' && change.queries?.length)
      return { changes: async () => [...own(), ...(await this.#queryChanges(change))] };
    // Where a record lies that gets a new text and a new place is looked up at each attempt, under the locks.
    const dependsOnPlace = change.do === 'move' && change.text !== undefined;
    return { changes: dependsOnPlace ? own : own() };
  }

  /** The changes of a move: the record gets its new text at its former place. */
  #moveChanges(change: Extract<RecordChange, { readonly do: 'move' }>): readonly Change[] {
    const { path, to, ifMatch, text } = change;
    if (text === undefined) return [change];
    // If the record isn't there, it may have been moved before: it has the text then.
    if (!existsInTree(this.#access.files.store.tree, path))
      return [{ do: 'move', path, to, ifMatch: computeChecksum(text) }];
    return [
      { do: 'write', path, text, ifMatch },
      { do: 'move', path, to, ifMatch: anyVersion },
    ];
  }

  /** Changes of the queries that get the new name of their dataset with a move. */
  async #queryChanges({ path, to, queries }: Extract<RecordChange, { do: 'move' }>): Promise<readonly Change[]> {
    const [from, target] = [refAtUntrustedPath(path), refAtUntrustedPath(to)];
    return from.kind === target.kind ? planQueryDatasetWrites(this.#access.files, from, target, new Set(queries)) : [];
  }

  /** Changes of the records that name a group or user which is moved or removed. */
  async #memberChanges(change: Exclude<RecordChange, { readonly do: 'write' }>): Promise<readonly Change[]> {
    const { files } = this.#access;
    const ref = refAtUntrustedPath(change.path);
    const target = change.do === 'move' ? refAtUntrustedPath(change.to) : null;
    if (ref.kind === 'group' && target?.kind !== 'user')
      return planGroupReferenceWrites(files, ref, target as typeof ref | null, undefined);
    return ref.kind === 'user' && target?.kind !== 'group'
      ? planReaderReferenceWrites(files, ref, target as typeof ref | null)
      : [];
  }

  async put(path: string, bytes: FileBytes): Promise<void> {
    await this.#access.files.load();
    return storePayloadOrMedia(this.#access, this.#inventory.checksums, path, bytes);
  }
}

/** The unit of a file, and its namespace; null for a file of no unit. */
function unitsOfFile(path: string): readonly Unit[] | null {
  const unit = parseUntrustedCataloguePath(path) && scopeToReread(path);
  if (!unit || 'folder' in unit) return null;
  return unit.kind === 'dataset' ? [{ kind: 'namespace', slug: unit.namespace }, unit] : [unit];
}
