/**
 * The catalogue folder as it was last read: a state for each unit, and the snapshot of all. Events only say which units
 * to read again (`rescan`); their content always comes from the files.
 */
import type { Diagnostic } from '../../catalogue/diagnostic.ts';
import { type Scope, type Unit, unitKey } from '../../catalogue/layout.ts';
import { emptySnapshot, nextSnapshotInSteps, type Snapshot, type UnitReading } from '../../catalogue/snapshot.ts';
import { runAtOnce, type Steps } from '../../catalogue/steps.ts';
import type { WorkerPool } from '../../data/worker-pool.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { outdateStamps, type PackedStamps } from '../tree/stamps.ts';
import { AddedUnits } from './added-units.ts';
import { isBeingWritten } from './being-written.ts';
import type { Step } from './event-loop.ts';
import { type Below, groupByFolder } from './group-by-folder.ts';
import { heldState, isHeldState, makeLostFolderTest } from './held-state.ts';
import { readUnitInSteps } from './read-unit.ts';
import { type ScanResult, scanForUnits } from './scan.ts';
import { type FoundBesides, SearchedFolders } from './searched-folders.ts';
import type { LargeRecord, LargeRecords } from './unit-reader.ts';
import { namespacesToReread, readingOf, unitOfReading } from './unit-reading.ts';
import type { UnitState } from './unit-state.ts';
import { isAsWritten, stateAfterWrite, type WrittenUnit } from './written-unit.ts';

/** Number of times that a unit is read in steps, while another rescan sets its state each time; then it is read at once. */
const maxTries = 3;
/** Number of changed units up to which the next snapshot is made in one step, and of those in a step of the first snapshot. */
const maxAtOnce = 100;

export class UnitStore {
  readonly tree: DiskTree;
  /** Called after each new snapshot, with the units that changed. */
  onUpdate: ((units: readonly Unit[]) => void) | undefined;
  readonly #states = new Map<string, UnitState>();
  /** Where the units were found, and what else. */
  readonly folders = new SearchedFolders();
  #snapshot: Snapshot = emptySnapshot;
  #changeCount = 0;
  /** States of units that the next rescan doesn't read. */
  readonly #fresh = new Set<UnitState>();
  /** Units whose state changed since the last snapshot, and the diagnostics of their files. */
  #changedUnits = new Map<string, Unit>();
  #changedDiagnostics = new Map<string, readonly Diagnostic[]>();
  readonly added = new AddedUnits();
  readonly #workers: WorkerPool | undefined;

  /** @param workers threads that parse large records */
  constructor(root: string, workers?: WorkerPool) {
    this.#workers = workers;
    this.tree = new DiskTree(root);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** States of the units that were read, by key. */
  get states(): ReadonlyMap<string, UnitState> {
    return this.#states;
  }

  /** Count of changed states. A cache that was saved at another count is out of date. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** True if the snapshot lacks states of units, because others are still being read. */
  get isAheadOfSnapshot(): boolean {
    return this.#changedUnits.size > 0;
  }

  /**
   * Takes states from a cache. The next rescan compares them with the files.
   * @param folders stamps of the folders in which the units were found
   */
  restore(states: Iterable<UnitState>, folders: PackedStamps = ''): void {
    this.folders.restore(folders);
    for (const state of states) {
      this.#states.set(state.key, state);
      this.#markChanged(state.key, unitOfReading(state.reading), state);
    }
  }

  /**
   * Takes states that were read just now. The next rescan of the whole folder doesn't read them again.
   * @param unchanged restored states that were compared with the files just now
   */
  takeFreshStates(states: Iterable<UnitState>, unchanged: Iterable<UnitState>): void {
    for (const state of unchanged) this.#fresh.add(state);
    const isLost = makeLostFolderTest(this.tree);
    for (const state of states) {
      const { key } = state;
      const unit = unitOfReading(state.reading);
      // The rescan tells a broken record from one that is gone, and keeps the last valid one.
      if (state.reading.entity === null || this.#states.get(key)?.diagnostics.length || isLost(unit)) continue;
      this.#states.set(key, state);
      this.#markChanged(key, unit, state);
      this.#changeCount++;
      this.#fresh.add(state);
    }
  }

  /**
   * Takes the state of a unit that this process has written; the next snapshot has it.
   * @returns false if its files have to be read
   */
  takeWritten(written: WrittenUnit | undefined): boolean {
    if (!written) return false;
    const key = unitKey(written.unit);
    const state = this.#states.get(key) === written.before ? stateAfterWrite(this.tree, written) : undefined;
    if (!state) return false;
    this.#set(key, written.unit, state);
    return true;
  }

  /**
   * Takes the state of a unit that this process has added; the next snapshot has it.
   * @returns false if its files have to be read
   */
  takeAdded(state: UnitState | undefined): boolean {
    if (!state) return false;
    const unit = unitOfReading(state.reading);
    const key = unitKey(unit);
    // Another rescan may have read it meanwhile.
    if (this.#states.has(key)) return false;
    this.added.add(unit);
    this.#set(key, unit, state);
    return true;
  }

  /** True if the unit's files are as this process wrote them last: they needn't be read again before the next write. */
  isAsWritten(unit: Unit): boolean {
    return isAsWritten(this.tree, unit, this.#states);
  }

  /** True if the unit is probably being written. */
  isBeingWritten(unit: Unit): Steps<boolean> {
    return isBeingWritten(this.tree, unit, this.#states.get(unitKey(unit)));
  }

  /** Makes the next rescan read all units below a folder, even if their stamps are unchanged: the folder was replaced. */
  invalidate(prefix: string): void {
    for (const [key, state] of this.#states)
      if (key.startsWith(prefix)) this.#states.set(key, { ...state, stamps: outdateStamps(state.stamps) });
  }

  /**
   * Reads the units in the scopes again, if their files changed, and makes the next snapshot at the end. Each step reads
   * at most one unit; several rescans can run at once, and each snapshot has the newest state of every unit. The
   * snapshot stays as it is if there is no catalogue in the folder (any more).
   * @param found what was found just now in the folder that is a scope, if that is known: 'known' units only, or this
   */
  *rescan(scopes: readonly Scope[], found?: Iterable<ScanResult> | 'known'): Generator<Step> {
    const below = groupByFolder(this.#states, scopes);
    for (const scope of scopes) {
      if (!('folder' in scope)) yield* this.#rescanUnit(scope);
      else if (found === 'known') yield* this.#rescanKnownUnits();
      else yield* this.#rescanFolder(scope.folder, found ?? scanForUnits(this.tree, scope.folder), below);
      yield;
    }
    for (const unit of [...namespacesToReread(this.#changedUnits.values(), this.#states)])
      yield* this.#updateState(unitKey(unit), unit);
    // Without scopes, the states are those of records that were written just now.
    if (scopes.length === 0 || this.tree.isCatalogue()) yield* this.#updateSnapshot();
  }

  /** Reads the units that have a state, but for fresh ones. */
  *#rescanKnownUnits(): Generator<Step> {
    for (const [key, state] of this.#states) {
      if (this.#fresh.has(state)) continue;
      const unit = unitOfReading(state.reading);
      yield* state.lacksRecord ? this.#rescanUnit(unit) : this.#updateState(key, unit);
      yield;
    }
    this.#fresh.clear();
  }

  /** Reads the units below a folder, and those that were below it before. */
  *#rescanFolder(prefix: string, scanned: Iterable<ScanResult>, below: Below<UnitState>): Generator<Step> {
    const seen = new Set<string>();
    const besides: FoundBesides[] = [];
    for (const found of scanned) {
      if ('unit' in found) {
        seen.add(found.key);
        const state = this.#states.get(found.key);
        const isFresh = state !== undefined && this.#fresh.has(state);
        if (!isFresh && !this.added.has(found.key)) yield* this.#updateState(found.key, found.unit);
      } else besides.push(found);
      yield;
    }
    this.#fresh.clear();
    if (!this.tree.isCatalogue()) return;
    for (const [key, state] of below(prefix)) {
      if (seen.has(key)) continue;
      yield* this.#rescanUnit(unitOfReading(state.reading));
      yield;
    }
    for (const [path, found] of this.folders.replace(prefix, besides)) this.#changedDiagnostics.set(path, found);
  }

  /** Reads one unit. A folder above it may have become a link that can't be followed: then it stays as it was. */
  *#rescanUnit(unit: Unit): Generator<Step> {
    const key = unitKey(unit);
    const before = this.#states.get(key);
    if (!makeLostFolderTest(this.tree)(unit)) yield* this.#updateState(key, unit);
    else if (before && !isHeldState(before)) this.#set(key, unit, heldState(before));
  }

  #set(key: string, unit: Unit, state: UnitState): void {
    this.#markChanged(key, unit, state);
    this.#states.set(key, state);
    this.#changeCount++;
  }

  /** Reads a unit and sets its state. */
  *#updateState(key: string, unit: Unit): Generator<Step> {
    const [state, before] = yield* this.#readUnit(unit);
    if (state === before) return;
    const isEmpty = state.reading.entity === null && state.diagnostics.every(([, found]) => found.length === 0);
    // If the whole catalogue folder is gone, its units were not removed: it may come back.
    if (isEmpty && before && !this.tree.isCatalogue()) return;
    this.#markChanged(key, unit, state);
    if (isEmpty && unit.kind !== 'settings') this.#states.delete(key);
    else this.#states.set(state.key, state);
    if (before || !isEmpty) this.#changeCount++;
  }

  /**
   * Reads a unit; its large records after a step that has them checked in threads. They are not read again then: a file
   * that is saved all the time would never be as it was checked, and its next event leads to the next rescan.
   * @returns with its last state
   */
  *#readUnit(unit: Unit): Generator<Step, [state: UnitState, before: UnitState | undefined]> {
    const key = unitKey(unit);
    const large: LargeRecords = new Map();
    let isChecked = this.#workers !== undefined;
    for (let tries = 1; ; tries++) {
      const before = this.#states.get(key);
      const steps = readUnitInSteps(this.tree, unit, before, isChecked ? large : undefined);
      const state = tries < maxTries ? yield* steps : runAtOnce(steps);
      const unchecked = isChecked ? [...large].filter(([, { result }]) => !result) : [];
      if (this.#states.get(key) === before) {
        if (unchecked.length === 0) return [state, before];
        yield async () => {
          const { checkLargeRecord } = await import('./large-records.ts');
          const checked = await Promise.all(unchecked.map(([, record]) => checkLargeRecord(this.#workers, record)));
          for (const [i, [path]] of unchecked.entries()) large.set(path, checked[i] as LargeRecord);
        };
        isChecked = unchecked.every(([path]) => large.get(path)?.result);
      }
      // Another rescan has read the unit meanwhile, perhaps after a write: its state is not replaced by an older one.
      if (this.#states.get(key) !== before) large.clear();
    }
  }

  #markChanged(key: string, unit: Unit, { diagnostics }: UnitState): void {
    // Behind all others: who is going through them meets it once more.
    this.#changedUnits.delete(key);
    this.#changedUnits.set(key, unit);
    for (const [path, found] of diagnostics) this.#changedDiagnostics.set(path, found);
  }

  /** Makes the next snapshot, in steps if many units changed. If another rescan makes one meanwhile, that has all of them. */
  *#updateSnapshot(): Generator<void> {
    let changed: Map<string, Unit>;
    let next: Snapshot;
    do {
      changed = this.#changedUnits;
      const isShort = changed.size <= maxAtOnce;
      const isFirst = this.#snapshot === emptySnapshot;
      const readings = this.#readingsOf(changed);
      const steps = nextSnapshotInSteps(this.#snapshot, { readings, diagnostics: this.#changedDiagnostics });
      let step = steps.next();
      for (let count = 1; !step.done && changed === this.#changedUnits; count++) {
        if (!isShort && (!isFirst || count % maxAtOnce === 0)) yield;
        step = steps.next();
      }
      next = step.done ? step.value : this.#snapshot;
    } while (changed !== this.#changedUnits);
    this.#snapshot = next;
    this.#changedUnits = new Map();
    this.#changedDiagnostics = new Map();
    if (changed.size) this.onUpdate?.([...changed.values()]);
  }

  *#readingsOf(units: ReadonlyMap<string, Unit>): Generator<UnitReading> {
    for (const [key, unit] of units) yield this.#states.get(key)?.reading ?? readingOf(unit, null);
  }
}
