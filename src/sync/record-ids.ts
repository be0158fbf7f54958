/** Ids of records, by which they are recognised at other paths, or with other texts. */
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { readSideFields } from './compared-texts.ts';
import type { RecordFields } from './field-conflicts.ts';
import type { Files, Side } from './files.ts';
import { type Move, pathBeforeMoves } from './moves.ts';
import type { SyncState } from './state.ts';
import { parseRecordFields, type TextReaders, textsAtOnce } from './texts.ts';

/** Readers of the ids of records; undefined if the text is unknown, or has no id. */
export interface RecordIds {
  /** In the last common state. */
  before(path: string): Promise<number | undefined>;
  /** On the side. */
  now(path: string): Promise<number | undefined>;
}

/** Of more records than this, ids are not compared, since their texts would have to be read. */
export const maxIds = 500;

/** Ids in texts of records, by checksum. */
const knownIds = new WeakMap<SyncState, Map<string, number | undefined>>();

/** Readers of the ids of the records of both sides, by their paths after the moves. */
export function idReaders(
  state: SyncState,
  files: Readonly<Record<Side, Files>>,
  texts: TextReaders,
  moves: readonly Move[],
): Readonly<Record<Side, RecordIds>> {
  const made = [...moves];
  const known = knownIds.get(state) ?? new Map<string, number | undefined>();
  knownIds.set(state, known);
  const idOf = async (checksum: string, read: () => Promise<RecordFields | null>) => {
    if (known.has(checksum)) return known.get(checksum);
    const fields = await read();
    const id = typeof fields?.id === 'number' ? fields.id : undefined;
    if (fields !== null) known.set(checksum, id);
    return id;
  };
  const compared = { ours: files.ours, theirs: files.theirs, moves: made, texts };
  const before = (path: string) => {
    const former = pathBeforeMoves(path, made);
    return idOf(state.files.get(former)?.checksum ?? '', async () => {
      const text = await state.text(former);
      return text === null ? null : parseRecordFields(former, text);
    });
  };
  const readersOf = (side: Side): RecordIds => ({
    before,
    now: (path) => idOf(files[side].get(path)?.checksum ?? '', () => readSideFields(compared, side, path)),
  });
  return { ours: readersOf('ours'), theirs: readersOf('theirs') };
}

/** The ids of records by path, without those that are unknown. */
export async function readIds(paths: readonly string[], read: RecordIds['now']): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  await forEachConcurrent(paths, textsAtOnce, async (path) => {
    const id = await read(path);
    if (id !== undefined) ids.set(path, id);
  });
  return ids;
}
