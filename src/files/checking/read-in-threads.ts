/** Units of a large catalogue, read by worker threads and the main thread for `catalogue check`. */
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { type PackedState, SharedValues, unpackState } from '../reading/packed-state.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import { type Batch, batchSize, type ReadRequest, UnitReaders } from '../reading/unit-readers.ts';
import type { DiskTree } from '../tree/disk-tree.ts';
import { readFaultlessUnit } from './faultless-unit.ts';

/**
 * A state, the records that it was read from, and paths at which nothing was found; `unread` for a unit with faults, which
 * the main thread reads.
 */
export type CheckReply =
  | readonly [
      state: PackedState,
      records: readonly (readonly [path: string, value: RecordValue])[],
      absent: readonly string[],
    ]
  | 'unread';

/** Number of units from which threads are started: for fewer, starting them takes longer than reading. */
const minUnits = 1000;

/** Units without faults, and their records. */
export interface FaultlessUnits {
  /** By key of the unit. */
  readonly states: Map<string, UnitState>;
  /** By path. */
  readonly values: Map<string, RecordValue>;
  /** Paths at which nothing was found. */
  readonly absent: Set<string>;
}

/** Makes the threads that read units with their records. */
export const startCheckReaders = (root: string): UnitReaders<CheckReply> =>
  new UnitReaders<CheckReply>(root, undefined, '../checking/check-thread');

/**
 * Reads units in threads and in the main thread, if there are many. Those that have faults, or that a thread left when it
 * died, are missing in the result.
 */
export async function readFaultlessUnits(
  disk: DiskTree,
  units: readonly Unit[],
  startReaders = startCheckReaders,
): Promise<FaultlessUnits> {
  const read: FaultlessUnits = { states: new Map(), values: new Map(), absent: new Set() };
  if (units.length < minUnits) return read;
  const readers = startReaders(disk.root);
  try {
    const shared = new SharedValues();
    for (let at = 0; at < units.length; at += batchSize)
      await readers.read(batchOf(units.slice(at, at + batchSize), disk, read, shared));
    await readers.finish();
  } finally {
    await readers.close();
  }
  return read;
}

function batchOf(
  units: readonly Unit[],
  disk: DiskTree,
  { states, values, absent }: FaultlessUnits,
  shared: SharedValues,
): Batch<CheckReply> {
  return {
    message: () => JSON.stringify(units.map((unit): ReadRequest => [unit])),
    take(replies, packed) {
      const columns = shared.columns(packed);
      for (const [i, reply] of replies.entries()) {
        if (reply === 'unread') continue;
        const [state, records, paths] = reply;
        states.set(unitKey(units[i] as Unit), unpackState(state, columns, shared));
        for (const [path, value] of records) values.set(path, value);
        for (const path of paths) absent.add(path);
      }
    },
    readHere() {
      for (const unit of units) {
        const read = readFaultlessUnit(disk, unit);
        if (!read) continue;
        states.set(unitKey(unit), read.state);
        for (const [path, value] of read.tree.values()) values.set(path, value);
        for (const path of read.tree.absent) absent.add(path);
      }
    },
  };
}
