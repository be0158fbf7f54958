/**
 * First reading of a large catalogue, by worker threads: they compare cached states with the files, and read what isn't
 * cached. A small catalogue, and whatever the threads leave unread, is read by the rescan that follows.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { SharedValues, unpackState } from './packed-state.ts';
import { type ScanResult, scanForUnits } from './scan.ts';
import type { UnitState } from './unit-reader.ts';
import { batchSize, maxThreads, type ReadReply, type ReadRequest, UnitReaders } from './unit-readers.ts';
import { unitOfReading } from './unit-reading.ts';
import type { UnitStore } from './unit-store.ts';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

/** Units for a thread, and the message that asks it to read them. */
interface Batch {
  readonly units: readonly Unit[];
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
  /** Keys of units whose files are as their cached state says. */
  #unchanged = new Set<string>();

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
    await this.#add(
      states.map(({ reading }) => unitOfReading(reading)),
      message,
      Math.max(1, maxThreads() - 1),
    );
  }

  /**
   * Reads the units that the store doesn't have, and gives it all that was read or found unchanged.
   * @returns what was found in the folder
   */
  async finish(store: UnitStore): Promise<readonly ScanResult[]> {
    const found: ScanResult[] = [];
    let missing: Unit[] = [];
    for (const one of scanForUnits(this.#tree)) {
      found.push(one);
      if (!('unit' in one) || store.states.has(unitKey(one.unit))) continue;
      if (missing.push(one.unit) < batchSize) continue;
      await this.#add(missing, readMessage(missing));
      missing = [];
    }
    if (missing.length) await this.#add(missing, readMessage(missing));
    if (this.#readers) await this.#send();
    await Promise.all(this.#sent);
    store.takeFreshStates(this.#read, this.#unchanged);
    return found;
  }

  /** Forgets what was compared: the cache is damaged. */
  async reset(): Promise<void> {
    await Promise.all(this.#sent);
    this.#unsent = [];
    this.#unsentCount = 0;
    this.#read = [];
    this.#unchanged = new Set();
  }

  async close(): Promise<void> {
    await this.#readers?.close();
  }

  /** @param threads to start, if none were started; default: as many as there are cores */
  async #add(units: readonly Unit[], message: string, threads?: number): Promise<void> {
    this.#unsent.push({ units, message });
    this.#unsentCount += units.length;
    if (!this.#readers && this.#unsentCount < minUnits) return;
    this.#readers ??= this.#startReaders(threads);
    await this.#send();
  }

  async #send(): Promise<void> {
    this.#unsentCount = 0;
    for (const { units, message } of this.#unsent.splice(0)) {
      const sent = await this.#readers?.read(message, (replies) => this.#take(units, replies));
      if (sent) this.#sent.push(sent.done);
    }
    await nextTurn();
  }

  #take(units: readonly Unit[], replies: readonly ReadReply[]): void {
    for (const [i, reply] of replies.entries()) {
      if (reply === 'unchanged') this.#unchanged.add(unitKey(units[i] as Unit));
      else if (reply !== 'unread') this.#read.push(unpackState(reply, this.#shared));
    }
  }
}

const readMessage = (units: readonly Unit[]): string => JSON.stringify(units.map((unit): ReadRequest => [unit]));

const compareMessage = (states: readonly UnitState[]): string =>
  JSON.stringify(
    states.map(({ reading, stamps, payloads }): ReadRequest => [unitOfReading(reading), stamps, payloads]),
  );
