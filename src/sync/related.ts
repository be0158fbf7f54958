/** Recognition of a remote that has nothing left of the last common state: it is another catalogue, or lacks its files. */
import { ConflictError } from '../catalogue/errors.ts';
import { isBytesPath } from '../catalogue/layout.ts';
import { readSideFields } from './compared-texts.ts';
import { joinExtensions } from './extensions.ts';
import { type Side, syncFileKind, type ThreeWay } from './files.ts';
import { detectMoves } from './find-moves.ts';
import type { SyncPlan } from './plan.ts';
import type { SyncState } from './state.ts';
import { parseRecordFields, type TextReaders } from './texts.ts';

/** Numbers of records. */
export interface LostRecords {
  /** In the last common state: the remote has none of them. */
  readonly lost: number;
  /** On the remote: others. */
  readonly others: number;
}

/** Of more records that have changed than this, ids are not compared, since their texts would have to be read. */
const maxIds = 100;

/** Kinds that may be the same in a new catalogue, if people set up their accounts again from a copy. */
const accountKinds = ['user', 'group'];

/** @returns null if the remote has a record of the last common state: with the same text, the same id, or moved */
export async function findLostRecords(
  state: SyncState,
  sides: ThreeWay,
  texts: TextReaders,
): Promise<LostRecords | null> {
  const { base, ours, theirs } = joinExtensions(sides);
  const records = [...base.keys()].filter((path) => !isBytesPath(path));
  const content = records.filter((path) => !accountKinds.includes(syncFileKind(path)));
  const common = content.length ? content : records;
  if (common.length === 0 || common.some((path) => theirs.get(path)?.checksum === base.get(path)?.checksum))
    return null;
  const changed = common.filter((path) => theirs.has(path)).slice(0, maxIds);
  for (const path of changed) {
    const before = await state.text(path);
    const id = before === null ? undefined : parseRecordFields(path, before)?.id;
    if (id === undefined) continue;
    if (id === (await readSideFields({ ours, theirs, moves: [], texts }, 'theirs', path))?.id) return null;
  }
  const { moves } = await detectMoves(state, sides, texts);
  if (moves.some(({ by }) => by === 'theirs')) return null;
  return { lost: common.length, others: [...theirs.keys()].filter((path) => !isBytesPath(path)).length };
}

/** The remote has nothing left of what both sides had in common. The command line adds what to type. */
export class LostRecordsError extends ConflictError {}

/**
 * Checks that nothing is to be done with a remote that has lost all records.
 * @param from the side that changes come from
 * @throws LostRecordsError
 */
export function assertNothingToDo({ lost, others }: LostRecords, plan: SyncPlan, from: Side): void {
  const { incoming, outgoing, conflicts } = plan;
  if (incoming.length + conflicts.length + (from === 'ours' ? outgoing.length : 0) === 0) return;
  throw new LostRecordsError(
    `Of ${lost} record${lost === 1 ? '' : 's'} that both sides had in common, the remote shows none, and ` +
      `${others || 'no'} other${others === 1 ? '' : 's'}: it may be another catalogue, or lack its files. Nothing was changed.`,
  );
}
