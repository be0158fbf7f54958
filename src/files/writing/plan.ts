/** Plan of a transaction: the actions on disk, and the records as they will be afterwards. Nothing is written here. */
import { basename } from 'node:path/posix';
import { ConflictError, NotFoundError } from '../../catalogue/errors.ts';
import {
  type RecordRef,
  recordFolderOrFile,
  recordFormat,
  recordPaths,
  type Scope,
  siblingsFolder,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import { findEntity } from '../../catalogue/lookup.ts';
import type { RecordSet, RecordValue, Touched } from '../../catalogue/record-set.ts';
import { formatRef } from '../../catalogue/ref.ts';
import { readingsChangedByRecordMove, readingsChangedByRecordRemoval } from '../../catalogue/relocate.ts';
import { nextSnapshot, type Snapshot, type UnitReading } from '../../catalogue/snapshot.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { computeChecksum } from '../../disk/checksum.ts';
import { RecordText } from '../../text/parse.ts';
import type { Access } from '../catalogue-files.ts';
import { editLargeRecord, parseLargeRecord } from '../reading/large-records.ts';
import { existsInTree, readOrNull } from '../tree/file-tree.ts';
import type { OverlayTree } from '../tree/overlay-tree.ts';
import type { Action } from './action.ts';
import { anyVersion, type Change, refAtUntrustedPath, scopesToRefresh } from './change.ts';
import {
  assertNamespaceEmpty,
  assertOneFilePerRecord,
  assertOtherExtension,
  assertRecordNotBroken,
  assertRecordTextValid,
  assertRecordUnchanged,
  isPlaceOfRecordTaken,
  ownPayloadPaths,
  parseMove,
  recordValueOrEmpty,
} from './conditions.ts';
import { PlannedUnits } from './planned-units.ts';
import { assertPathStaysInFolder, openRecordFile, plannedRecordFile, type RecordFile } from './record-file.ts';
import { assertChangePermitted, assertRecordContentsPermitted } from './rights.ts';
import { trashContextOf } from './trash.ts';
import { UnusedIds } from './unused-ids.ts';

type ChangeOf<D extends Change['do']> = Extract<Change, { readonly do: D }>;

/** Plan of one step. */
export interface PlannedStep {
  readonly actions: readonly Action[];
  readonly touched: readonly Touched[];
  /** Scopes to read again afterwards. */
  readonly scopes: readonly Scope[];
}

/** Plans steps in order, each on the result of those before. */
export class TransactionPlan {
  readonly #access: Access;
  readonly #overlay: OverlayTree;
  readonly #dryRun: { readonly snapshot: Snapshot } | undefined;
  readonly #unusedIds: UnusedIds;
  /** What the units say that the plan changes. */
  readonly units: PlannedUnits;
  /** The records after the changes so far; undefined before the first. */
  #next: Snapshot | undefined;
  #touched: Touched[] = [];
  #scopes: Scope[] = [];
  /** Records that the step moves, as they are before it, by their new paths; null for those that it restores. */
  #moved = new Map<string, Touched['before']>();
  /** Namespaces that the step renames: former slugs by new ones. */
  #renamed = new Map<string, string>();

  /** @param dryRun in a dry run, the records after the earlier steps, which were not written */
  constructor(access: Access, overlay: OverlayTree, dryRun?: { readonly snapshot: Snapshot }) {
    this.#access = access;
    this.#overlay = overlay;
    this.#dryRun = dryRun;
    this.#unusedIds = new UnusedIds(access.viewer);
    this.units = new PlannedUnits(overlay, access.files.store.states, dryRun !== undefined);
  }

  /**
   * Plans the changes of a step.
   * @throws NotPermittedError, NotFoundError, StaleError, ConflictError, ValidationError
   */
  async addStep(changes: readonly Change[]): Promise<PlannedStep> {
    this.#touched = [];
    this.#scopes = [];
    this.#moved = new Map();
    this.#renamed = new Map();
    const actions: Action[] = [];
    for (const change of changes) {
      assertChangePermitted(this.#access, change);
      const action = await this.#plan(change);
      if (action) actions.push(action);
    }
    return { actions, touched: this.#touched, scopes: this.#scopes };
  }

  /** The records after all steps that were planned. */
  recordsAfter(): RecordSet {
    const snapshot = this.#readWritten();
    const overlay = this.#overlay;
    return {
      snapshot,
      record(path) {
        const parsed = overlay.parsed(path);
        return parsed && 'value' in parsed ? (parsed.value as RecordValue) : undefined;
      },
      paths: () => [],
      has: (path) => existsInTree(overlay, path),
      names: (folder) => overlay.names(folder).map(({ name }) => name),
    };
  }

  /** Text that a record will have; undefined if it will not exist, or can't be read. */
  text(path: string): string | undefined {
    return readOrNull(this.#overlay, path)?.text;
  }

  #plan(change: Change): Promise<Action | null> | Action | null {
    switch (change.do) {
      case 'write':
        return this.#write(change);
      case 'create':
        return this.#create(change);
      case 'edit':
        return this.#edit(change);
      case 'remove':
        return this.#remove(change);
      case 'move':
        return this.#move(change);
      case 'add':
        return this.#add(change);
      case 'restore':
        return this.#restore(change);
    }
  }

  async #write({ path, text: given, ifMatch, replaces }: ChangeOf<'write'>): Promise<Action | null> {
    const ref = refAtUntrustedPath(path);
    if (replaces !== undefined) assertOtherExtension(path, replaces);
    const source = await this.#parsed(ref, new RecordText(given, recordFormat(path)));
    const record = assertRecordTextValid(ref.kind, path, source);
    const own = await this.#open(path);
    // If a file is there already, the change was made before.
    const former = replaces !== undefined && !own.bytes ? replaces : path;
    const file = former === path ? own : await this.#open(former);
    const { bytes } = file;
    const before = bytes && recordValueOrEmpty(this.#tree.recordText(former, bytes.toString()).parsed);
    assertRecordContentsPermitted(this.#access, ref, record, before);
    if (former === path && bytes?.equals(Buffer.from(given))) return null;
    const next = record.id === before?.id ? source : this.#unusedIds.replaceHidden(this.#snapshot, ref, source, record);
    const { text } = next;
    assertRecordUnchanged(this.#snapshot, { ref, path: former, bytes }, ifMatch, this.#access.viewer.staff);
    assertOneFilePerRecord(this.#overlay, ref, former);
    if (former !== path && bytes) this.#overlay.remove(former);
    this.#setText(ref, path, next, bytes === null);
    if (former !== path && bytes) return { do: 'rewrite', from: former, path, text, file, before: bytes };
    return bytes
      ? { do: 'replace', path, text, file, before: bytes, ifChanged: 'stale' }
      : { do: 'create', ref, path, text };
  }

  async #create({ path, text }: ChangeOf<'create'>): Promise<Action> {
    const ref = refAtUntrustedPath(path);
    const source = await this.#parsed(ref, new RecordText(text, recordFormat(path)));
    assertRecordContentsPermitted(this.#access, ref, assertRecordTextValid(ref.kind, path, source), null);
    await this.#open(path);
    this.#setText(ref, path, source, true, isPlaceOfRecordTaken(this.#overlay, ref));
    return { do: 'create', ref, path, text };
  }

  async #edit({ path, set, isConsequence }: ChangeOf<'edit'>): Promise<Action | null> {
    const ref = refAtUntrustedPath(path);
    const file = await this.#open(path);
    if (!file.bytes) throw new NotFoundError(`There is no file ${path}.`);
    assertRecordNotBroken(this.#snapshot, path);
    const before = await this.#parsed(ref, this.#tree.recordText(path, file.bytes.toString()));
    const record = recordValueOrEmpty(before.parsed);
    const keys = set(record, () => this.#readWritten());
    if (Object.entries(keys).every(([key, value]) => value === record[key])) return null;
    const after = await editLargeRecord(this.#access.files.options.workers, ref.kind, before, keys);
    const { text } = after;
    if (text === before.text) return null;
    const valid = assertRecordTextValid(ref.kind, path, after);
    if (!isConsequence) assertRecordContentsPermitted(this.#access, ref, valid, record, this.#renamed);
    this.#setText(ref, path, after, false);
    return { do: 'replace', path, text, file, before: file.bytes, ifChanged: 'retry' };
  }

  async #remove({ path, ifMatch }: ChangeOf<'remove'>): Promise<Action | null> {
    const ref = refAtUntrustedPath(path);
    const { bytes } = await this.#open(path);
    if (!bytes && ifMatch !== anyVersion) return null;
    assertRecordUnchanged(this.#snapshot, { ref, path, bytes }, ifMatch, this.#access.viewer.staff);
    assertOneFilePerRecord(this.#overlay, ref, path);
    if (ref.kind === 'namespace') assertNamespaceEmpty(this.#overlay, this.#snapshot, ref.slug);
    const paths = [recordFolderOrFile(ref, path), ...ownPayloadPaths(this.#overlay, this.#snapshot, ref)];
    const before = this.#readWritten();
    for (const one of paths) this.#overlay.remove(one);
    this.#scopes.push(...scopesToRefresh(ref));
    this.#apply(readingsChangedByRecordRemoval(before, ref));
    return { do: 'remove', ref, paths, context: trashContextOf(this.#snapshot, ref) };
  }

  async #move({ path, to, ifMatch }: ChangeOf<'move'>): Promise<Action | null> {
    const [from, goal] = parseMove(path, to);
    const { bytes } = await this.#open(path);
    const target = await this.#open(to);
    if (!bytes && target.bytes && computeChecksum(target.bytes) === ifMatch) return null;
    assertRecordUnchanged(this.#snapshot, { ref: from, path, bytes }, ifMatch, this.#access.viewer.staff);
    assertOneFilePerRecord(this.#overlay, from, path);
    const places = { from: recordFolderOrFile(from, path), to: recordFolderOrFile(goal, to) };
    const isTaken = this.#overlay.names(siblingsFolder(goal)).some(({ name }) => name === basename(places.to));
    const before = this.#readWritten();
    if (from.kind === 'namespace') this.#renamed.set(formatRef(goal), from.slug);
    this.#overlay.move(places.from, places.to);
    this.#scopes.push(...scopesToRefresh(from), ...scopesToRefresh(goal));
    const entity = findEntity(this.#snapshot, from) ?? null;
    this.#moved.set(to, entity);
    this.#touched.push({ ref: goal, path: to, isNew: true, isTaken, before: entity });
    this.#apply(readingsChangedByRecordMove(before, from, goal));
    return { do: 'move', ...places };
  }

  async #add({ path, from, size, replace = false }: ChangeOf<'add'>): Promise<Action | null> {
    assertPathStaysInFolder(this.#tree, path);
    const existing = this.#tree.size(path);
    const info = parseUntrustedCataloguePath(path);
    // The name of an image is its checksum: a file of another size is damaged, or is a Git LFS pointer.
    if (existing !== null && replace && existing === size && info?.kind === 'media') return null;
    if (existing !== null && !replace) throw new ConflictError(`${path} exists already.`);
    this.#overlay.add(path, size);
    if (info?.kind === 'payload') this.#scopes.push(info.dataset);
    return from === null ? null : { do: 'add', path, from, replace };
  }

  /** Reads the units that were written in the overlay. */
  #readWritten(): Snapshot {
    return this.#apply(this.units.read());
  }

  #apply(readings: readonly UnitReading[]): Snapshot {
    this.#next = nextSnapshot(this.#next ?? this.#snapshot, { readings, diagnostics: new Map() });
    return this.#next;
  }

  #restore(change: ChangeOf<'restore'>): Action {
    const { ref, path, size, record } = change;
    const existing = [path, ...recordPaths(ref)].find((one) => existsInTree(this.#overlay, one));
    if (existing)
      throw new ConflictError(
        `The ${ref.kind} ${formatRef(ref)} can't be restored: ${existing} exists. Rename or remove it first.`,
      );
    if (record) {
      this.#setText(ref, record.path, new RecordText(record.text, recordFormat(record.path)), true);
      this.#moved.set(record.path, null);
    } else this.#overlay.add(path, size);
    this.#scopes.push(...scopesToRefresh(ref));
    return change;
  }

  /** Sets the text of a record in the overlay. */
  #setText(ref: RecordRef, path: string, record: RecordText, isNew: boolean, isTaken = false): void {
    this.#overlay.write(path, record);
    if (!this.#dryRun) this.#tree.rememberText(path, record);
    const unit = unitOfRecord(ref);
    this.units.add(unit, path, record, isNew);
    this.#scopes.push(unit);
    const before = findEntity(this.#snapshot, ref) ?? this.#moved.get(path) ?? null;
    this.#touched.push({ ref, path, isNew, isTaken, before });
  }

  get #snapshot(): Snapshot {
    return this.#dryRun?.snapshot ?? this.#access.files.snapshot;
  }

  /** The record file at a path; in a dry run, or if the step moves or restores it, with the contents that earlier changes give it. */
  async #open(path: string): Promise<RecordFile> {
    const isOnDisk = !this.#dryRun && !this.#moved.has(path);
    if (isOnDisk && !this.#overlay.isInMissingFolder(path)) return openRecordFile(this.#tree, path);
    const text = this.#overlay.read(path)?.text;
    return plannedRecordFile(this.#tree, path, text === undefined ? null : Buffer.from(text));
  }

  #parsed({ kind }: RecordRef, record: RecordText): Promise<RecordText> {
    return parseLargeRecord(this.#access.files.options.workers, kind, record);
  }

  get #tree() {
    return this.#access.files.store.tree;
  }
}
