/**
 * First reading of a large catalogue, by worker threads: they compare cached states with the files, and read what isn't
 * cached. A small catalogue, and whatever the threads leave unread, is read by the rescan that follows.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Unit } from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { SharedValues, unpackState } from './packed-state.ts';
import { type ScanResult, scanForUnits } from './scan.ts';
import type { UnitState } from './unit-reader.ts';
import { batchSize, maxThreads, type ReadReply, type ReadRequest, type Replies, UnitReaders } from './unit-readers.ts';
import { unitOfReading } from './unit-reading.ts';
import type { UnitStore } from './unit-store.ts';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

/** Units for a thread, with the states that it compares, and the message that asks it to do so. */
interface Batch {
  readonly count: number;
  readonly states: readonly UnitState[];
  readonly message: string;
}

export class FirstReading {
  readonly #tree: DiskTree;
  readonly #startReaders: (count?: number) => UnitReaders;
  #readers: UnitReaders | undefined;
  /** Batches that were not sent yet, and the number of their units. */
  #unsent: Batch[] = [];
  #unsentCount = 0;
  #sent: Promise<void>[] = [];
  #read: UnitState[] = [];
  readonly #shared = new SharedValues();
  /** Cached states that are as the files say. */
  #unchanged: UnitState[] = [];

  constructor(tree: DiskTree, startReaders = (count?: number) => new UnitReaders(tree.root, count)) {
    this.#tree = tree;
    this.#startReaders = startReaders;
  }

  /**
   * Compares cached states with the files.
   * @param message the same as a message to a thread
   */
  async compare(states: readonly UnitState[], message = compareMessage(states)): Promise<void> {
    // Comparing takes as long as making the states, which this thread does.
    await this.#add({ count: states.length, states, message }, Math.max(1, maxThreads() - 1));
  }

  /**
   * Reads the units that the store doesn't have, and gives it all that was read or found unchanged.
   * @returns what was found in the folder, or 'known' if it has the units of the store and no others
   */
  async finish(store: UnitStore): Promise<readonly ScanResult[] | 'known'> {
    const found = store.folders.areUnchanged(this.#tree) ? 'known' : await this.#readMissing(store);
    if (this.#readers) await this.#send();
    await Promise.all(this.#sent);
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
      await this.#add(readBatch(missing));
      missing = [];
    }
    if (missing.length) await this.#add(readBatch(missing));
    return found;
  }

  /** Forgets what was compared: the cache is damaged. */
  async reset(): Promise<void> {
    await Promise.all(this.#sent);
    this.#unsent = [];
    this.#unsentCount = 0;
    this.#read = [];
    this.#unchanged = [];
  }

  async close(): Promise<void> {
    await this.#readers?.close();
  }

  /** @param threads to start, if none were started; default: as many as there are cores */
  async #add(batch: Batch, threads?: number): Promise<void> {
    this.#unsent.push(batch);
    this.#unsentCount += batch.count;
    if (!this.#readers && this.#unsentCount < minUnits) return;
    this.#readers ??= this.#startReaders(threads);
    await this.#send();
  }

  async #send(): Promise<void> {
    this.#unsentCount = 0;
    for (const { states, message } of this.#unsent.splice(0)) {
      const sent = await this.#readers?.read(message, (...replies) => this.#take(states, replies));
      if (sent) this.#sent.push(sent.done);
    }
    await nextTurn();
  }

  #take(states: readonly UnitState[], [replies, packed]: Replies<ReadReply>): void {
    const columns = this.#shared.columns(packed);
    for (const [i, reply] of replies.entries()) {
      if (reply === 'unchanged') this.#unchanged.push(states[i] as UnitState);
      else if (reply !== 'unread') this.#read.push(unpackState(reply, columns, this.#shared));
    }
  }
}

const readBatch = (units: readonly Unit[]): Batch => ({
  count: units.length,
  states: [],
  message: JSON.stringify(units.map((unit): ReadRequest => [unit])),
});

const compareMessage = (states: readonly UnitState[]): string =>
  JSON.stringify(
    states.map(({ reading, stamps, payloads }): ReadRequest => [unitOfReading(reading), stamps, payloads]),
  );
