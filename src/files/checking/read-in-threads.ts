/** Units of a large catalogue, read by worker threads and the main thread for `catalogue check`. */
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import { type PackedState, SharedValues, unpackState } from '../reading/packed-state.ts';
import { type Batch, batchSize, type ReadRequest, UnitReaders } from '../reading/unit-readers.ts';
import type { UnitState } from '../reading/unit-state.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { readFaultlessUnit } from './faultless-unit.ts';

/** A state; `unread` for a unit with faults, which the main thread reads. */
export type CheckReply = PackedState | 'unread';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

/** Makes the threads that read units with their records. */
export const startCheckReaders = (root: string): UnitReaders<CheckReply> =>
  new UnitReaders<CheckReply>(root, undefined, '../checking/check-thread');

/**
 * Reads units in threads and in the main thread, if there are many. The threads start while the rest is still to be found.
 * @returns by key, the states of those that are faultless; also missing is what a thread had when it died
 */
export async function readFaultlessUnits(
  disk: DiskTree,
  units: Iterable<Unit>,
  startReaders = startCheckReaders,
): Promise<ReadonlyMap<string, UnitState>> {
  const states = new Map<string, UnitState>();
  const all: Unit[] = [];
  let readers: UnitReaders<CheckReply> | undefined;
  try {
    for (const unit of units) if (all.push(unit) >= minUnits) readers ??= startReaders(disk.root);
    if (!readers) return states;
    const shared = new SharedValues();
    for (let at = 0; at < all.length; at += batchSize)
      await readers.read(batchOf(all.slice(at, at + batchSize), disk, states, shared));
    await readers.finish();
  } finally {
    await readers?.close();
  }
  return states;
}

/** @param states gets those of the faultless units */
function batchOf(
  units: readonly Unit[],
  disk: DiskTree,
  states: Map<string, UnitState>,
  shared: SharedValues,
): Batch<CheckReply> {
  return {
    message: () => JSON.stringify(units.map((unit): ReadRequest => [unit])),
    take(replies, packed) {
      const columns = shared.columns(packed);
      for (const [i, reply] of replies.entries())
        if (reply !== 'unread') states.set(unitKey(units[i] as Unit), unpackState(reply, columns, shared));
    },
    readHere() {
      for (const unit of units) {
        const state = readFaultlessUnit(disk, unit);
        if (state) states.set(unitKey(unit), state);
      }
    },
  };
}
