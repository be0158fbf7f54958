/** Units of a large catalogue, read by worker threads for `catalogue check`. */
import { type Unit, unitKey } from '../../catalogue/layout.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { type PackedState, SharedValues, unpackState } from '../reading/packed-state.ts';
import type { UnitState } from '../reading/unit-reader.ts';
import { batchSize, type Replies, UnitReaders } from '../reading/unit-readers.ts';

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
  readonly states: ReadonlyMap<string, UnitState>;
  /** By path. */
  readonly values: ReadonlyMap<string, RecordValue>;
  /** Paths at which nothing was found. */
  readonly absent: Set<string>;
}

/** Makes the threads that read units with their records. */
export const startCheckReaders = (root: string): UnitReaders<CheckReply> =>
  new UnitReaders<CheckReply>(root, undefined, '../checking/check-thread');

/**
 * Reads units in threads, if there are many. Those that have faults, or that a thread left when it died, are missing in
 * the result.
 */
export async function readFaultlessUnits(
  root: string,
  units: readonly Unit[],
  startReaders = startCheckReaders,
): Promise<FaultlessUnits> {
  const states = new Map<string, UnitState>();
  const values = new Map<string, RecordValue>();
  const absent = new Set<string>();
  if (units.length < minUnits) return { states, values, absent };
  const shared = new SharedValues();
  const readers = startReaders(root);
  try {
    const sent: Promise<void>[] = [];
    for (let at = 0; at < units.length; at += batchSize) {
      const batch = units.slice(at, at + batchSize);
      const take = (...[replies, packed]: Replies<CheckReply>) => {
        const columns = shared.columns(packed);
        for (const [i, reply] of replies.entries()) {
          if (reply === 'unread') continue;
          const [state, records, paths] = reply;
          states.set(unitKey(batch[i] as Unit), unpackState(state, columns, shared));
          for (const [path, value] of records) values.set(path, value);
          for (const path of paths) absent.add(path);
        }
      };
      const { done } = await readers.read(
        batch.map((unit) => [unit]),
        take,
      );
      sent.push(done);
    }
    await Promise.all(sent);
  } finally {
    await readers.close();
  }
  return { states, values, absent };
}
