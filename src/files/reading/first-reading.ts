/**
 * First reading of a large catalogue, by worker threads: they compare cached states with the files, and read what isn't
 * cached. A small catalogue, and whatever the threads leave unread, is read by the rescan that follows.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { unpackState } from './packed-state.ts';
import { scanForUnits } from './scan.ts';
import type { UnitState } from './unit-reader.ts';
import { batchSize, type ReadReply, type ReadRequest, UnitReaders } from './unit-readers.ts';
import { type UnitStore, unitOfReading } from './unit-store.ts';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

export class FirstReading {
  readonly #tree: DiskTree;
  readonly #startReaders: () => UnitReaders;
  #readers: UnitReaders | undefined;
  /** Requests that were not sent yet. */
  #unsent: ReadRequest[] = [];
  #sent: Promise<void>[] = [];
  #read: UnitState[] = [];
  /** Keys of units whose files are as their cached state says. */
  #unchanged = new Set<string>();

  constructor(tree: DiskTree, startReaders = () => new UnitReaders(tree.root)) {
    this.#tree = tree;
    this.#startReaders = startReaders;
  }

  /** Compares cached states with the files. */
  async compare(states: readonly UnitState[]): Promise<void> {
    await this.#add(states.map(({ reading, stamps, payloads }) => [unitOfReading(reading), stamps, payloads]));
  }

  /** Reads the units that the store doesn't have, and gives it all that was read or found unchanged. */
  async finish(store: UnitStore): Promise<void> {
    let missing: Unit[] = [];
    for (const found of scanForUnits(this.#tree)) {
      if (!('unit' in found) || store.states.has(unitKey(found.unit))) continue;
      if (missing.push(found.unit) < batchSize) continue;
      await this.#add(missing.map((unit) => [unit]));
      missing = [];
    }
    await this.#add(missing.map((unit) => [unit]));
    if (this.#readers) await this.#send();
    await Promise.all(this.#sent);
    store.takeFreshStates(this.#read, this.#unchanged);
  }

  /** Forgets what was compared: the cache is damaged. */
  async reset(): Promise<void> {
    await Promise.all(this.#sent);
    this.#unsent = [];
    this.#read = [];
    this.#unchanged = new Set();
  }

  async close(): Promise<void> {
    await this.#readers?.close();
  }

  async #add(requests: readonly ReadRequest[]): Promise<void> {
    this.#unsent.push(...requests);
    if (!this.#readers && this.#unsent.length < minUnits) return;
    this.#readers ??= this.#startReaders();
    if (this.#unsent.length >= batchSize) await this.#send();
    else await nextTurn();
  }

  async #send(): Promise<void> {
    while (this.#readers && this.#unsent.length) {
      const requests = this.#unsent.splice(0, batchSize);
      const { done } = await this.#readers.read(requests, (replies) => this.#take(requests, replies));
      this.#sent.push(done);
    }
    await nextTurn();
  }

  #take(requests: readonly ReadRequest[], replies: readonly ReadReply[]): void {
    for (const [i, reply] of replies.entries()) {
      if (reply === 'unchanged') this.#unchanged.add(unitKey((requests[i] as ReadRequest)[0]));
      else if (reply !== 'unread') this.#read.push(unpackState(reply));
    }
  }
}
