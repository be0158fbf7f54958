/**
 * First reading of a large catalogue, by worker threads and the main thread: they compare cached states with the files, and
 * read what isn't cached. A small catalogue, and whatever is left unread, is read by the rescan that follows.
 */
import type { Unit } from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { SharedValues, shareValuesOfReading, unpackState } from './packed-state.ts';
import { readChangedUnit, readUnit } from './read-unit.ts';
import { type ScanResult, scanForUnits } from './scan.ts';
import { haveUnchangedFiles } from './unchanged-files.ts';
import { type Batch, batchSize, type ReadReply, type ReadRequest, type Replies, UnitReaders } from './unit-readers.ts';
import { unitOfReading } from './unit-reading.ts';
import type { UnitState } from './unit-state.ts';
import type { UnitStore } from './unit-store.ts';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

export class FirstReading {
  readonly #tree: DiskTree;
  readonly #startReaders: () => UnitReaders;
  #readers: UnitReaders | undefined;
  /** Batches from before the threads were started, and the number of their units. */
  #first: Batch[] = [];
  #firstCount = 0;
  #read: UnitState[] = [];
  readonly #shared = new SharedValues();
  /** Cached states that are as the files say. */
  #unchanged: UnitState[] = [];

  /**
   * @param tree the texts that threads read are given to its `onRead`, too, if it has one now
   * @param onThreadsRun called when the threads, if there are any, have all replied
   */
  constructor(tree: DiskTree, onThreadsRun?: () => void, startReaders = () => startUnitReaders(tree, onThreadsRun)) {
    this.#tree = tree;
    this.#startReaders = startReaders;
  }

  /** Starts the threads, if that many units are expected: they need some time to be ready. */
  expect(units: number): void {
    if (units >= minUnits) this.#readers ??= this.#startReaders();
  }

  /**
   * Compares cached states with the files.
   * @param message the same as a message to a thread
   */
  async compare(states: readonly UnitState[], message?: string): Promise<void> {
    await this.#add(states.length, {
      message: () => message ?? JSON.stringify(states.map(compareRequest)),
      take: (...replies) => this.#take(replies, states),
      readHere: () => {
        for (const state of states)
          if (haveUnchangedFiles(this.#tree, state)) this.#unchanged.push(state);
          else this.#takeRead(readChangedUnit(this.#tree, unitOfReading(state.reading)));
      },
    });
  }

  /**
   * Reads the units that the store doesn't have, and gives it all that was read or found unchanged.
   * @returns what was found in the folder, or 'known' if it has the units of the store and no others
   */
  async finish(store: UnitStore): Promise<readonly ScanResult[] | 'known'> {
    const found = store.folders.areUnchanged(this.#tree) ? 'known' : await this.#readMissing(store);
    await this.#readers?.finish();
    store.takeFreshStates(this.#read, this.#unchanged);
    return found;
  }

  /** Asks for the units that the store doesn't have. @returns what was found in the folder */
  async #readMissing(store: UnitStore): Promise<readonly ScanResult[]> {
    const found: ScanResult[] = [];
    let missing: Unit[] = [];
    for (const one of scanForUnits(this.#tree)) {
      found.push(one);
      if (!('unit' in one) || store.states.has(one.key)) continue;
      if (missing.push(one.unit) < batchSize) continue;
      await this.#readUnits(missing);
      missing = [];
    }
    if (missing.length) await this.#readUnits(missing);
    return found;
  }

  async #readUnits(units: readonly Unit[]): Promise<void> {
    await this.#add(units.length, {
      message: () => JSON.stringify(units.map((unit): ReadRequest => [unit])),
      take: (...replies) => this.#take(replies),
      readHere: () => {
        for (const unit of units) this.#takeRead(readUnit(this.#tree, unit));
      },
    });
  }

  /** The states compared so far that are as the files say; none if they are too few for threads. */
  async findUnchanged(): Promise<readonly UnitState[]> {
    if (!this.#readers) await this.reset();
    await this.#readers?.finish();
    return this.#unchanged;
  }

  /** Forgets what was compared: the cache is damaged. */
  async reset(): Promise<void> {
    await this.#readers?.finish();
    this.#first = [];
    this.#firstCount = 0;
    this.#read = [];
    this.#unchanged = [];
  }

  async close(): Promise<void> {
    await this.#readers?.close();
  }

  /** @param count of units in the batch */
  async #add(count: number, batch: Batch): Promise<void> {
    this.#first.push(batch);
    this.#firstCount += count;
    this.expect(this.#firstCount);
    if (this.#readers) for (const one of this.#first.splice(0)) await this.#readers.read(one);
  }

  /** Takes a state that the main thread has read. */
  #takeRead(state: UnitState | null): void {
    if (state) this.#read.push(shareValuesOfReading(state, this.#shared));
  }

  /** @param compared the states that a thread has compared */
  #take([replies, packed, texts]: Replies<ReadReply>, compared?: readonly UnitState[]): void {
    for (const [path, text] of texts ?? []) this.#tree.onRead?.(path, text);
    const columns = this.#shared.columns(packed);
    for (const [i, reply] of replies.entries()) {
      if (reply === 'unchanged') this.#unchanged.push(compared?.[i] as UnitState);
      else if (reply !== 'unread') this.#read.push(unpackState(reply, columns, this.#shared));
    }
  }
}

const startUnitReaders = ({ root, onRead }: DiskTree, onThreadsRun?: () => void) =>
  new UnitReaders(root, undefined, undefined, onRead !== undefined, onThreadsRun);

const compareRequest = ({ reading, stamps, payloads }: UnitState): ReadRequest => [
  unitOfReading(reading),
  stamps,
  payloads,
];
