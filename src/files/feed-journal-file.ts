/** The file of the feed's journal: a head, and a line of JSON for each state of a record or a user. */
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FeedHistory, type RecordState, type UserState } from '../catalogue/feed-history.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { writeDurably } from '../disk/durable.ts';
import { readLines } from './read-lines.ts';
import { makeRegularPause } from './reading/event-loop.ts';
import type { UnitState } from './reading/unit-state.ts';
import { isAbsent } from './tree/file-tree.ts';

/** Name of the journal in the private folder. */
const feedFile = 'changes.ndjson';
export const feedPath = (root: string): string => join(root, privateFolder, feedFile);
const formatVersion = 1;
/** Number of states whose lines are made at once. */
const partSize = 100;

/** Writes a whole history. @param setBackFrom time from which the clock was set back before it began; 0 if it wasn't */
export async function writeHistory(path: string, history: FeedHistory, setBackFrom: number): Promise<void> {
  const head = { changes: formatVersion, complete_since: history.completeSince };
  const header = JSON.stringify(setBackFrom ? { ...head, set_back_from: setBackFrom } : head);
  const lines = await linesOf([...history.states()]);
  await writeDurably(path, Buffer.concat([Buffer.from(`${header}\n`), ...lines]), { mode: 0o600 });
}

/** A line for each state, made in slices. */
async function linesOf(states: readonly (RecordState | UserState)[]): Promise<Buffer[]> {
  const pause = makeRegularPause();
  const parts: Buffer[] = [];
  for (let start = 0; start < states.length; start += partSize) {
    const lines = states.slice(start, start + partSize).map((state) => `${JSON.stringify(state)}\n`);
    parts.push(Buffer.from(lines.join('')));
    await pause();
  }
  return parts;
}

/** Appends states to an existing file, durably. @returns false if the file is missing */
export async function appendStates(path: string, states: readonly (RecordState | UserState)[]): Promise<boolean> {
  const lines = await linesOf(states);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND).catch(nullIfMissing);
  if (!file) return false;
  try {
    await file.appendFile(Buffer.concat(lines));
    await file.datasync();
  } finally {
    await file.close();
  }
  return true;
}

function nullIfMissing(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

export interface StoredHistory {
  readonly history: FeedHistory;
  /** True if it must be written again: lines are left out, or a crash has cut off the last one. No answer of the feed had that one yet. */
  readonly isDamaged: boolean;
  /** Number of the lines that are left out. */
  readonly badLines: number;
  /** Time from which the clock was set back before the history began; 0 if it wasn't. */
  readonly setBackFrom: number;
}

/**
 * The history in a journal; null if the file is missing, or its head is of another version. Damaged lines are left out: what a
 * record became is noticed as a difference between the history and the folder.
 * @param units by key, whose texts are in memory anyway, and are used in place of equal ones
 * @throws Error with a code if the file can't be read
 */
export async function readHistory(path: string, units: ReadonlyMap<string, UnitState>): Promise<StoredHistory | null> {
  let history: FeedHistory | undefined;
  let [size, badLines, setBackFrom] = [0, 0, 0];
  const pause = makeRegularPause();
  const stats = await stat(path).catch(nullIfMissing);
  if (!stats) return null;
  for await (const bytes of readLines(path)) {
    size += bytes.length + 1;
    const line = parseLine(bytes);
    if (!history) {
      const { changes, complete_since: completeSince, set_back_from: from } = line ?? {};
      if (changes !== formatVersion || typeof completeSince !== 'number') return null;
      history = new FeedHistory(completeSince);
      if (typeof from === 'number') setBackFrom = from;
    } else if (line && isState(line)) history.add(withSharedTexts(line, units));
    else badLines++;
    await pause();
  }
  return history ? { history, isDamaged: badLines > 0 || stats.size > size, badLines, setBackFrom } : null;
}

const isState = (line: Partial<RecordState & UserState>): line is RecordState | UserState =>
  typeof line.at === 'number' &&
  (typeof line.user === 'number' || (typeof line.record === 'string' && line.seenBy !== undefined));

/** @returns null if it is no object of JSON */
function parseLine(bytes: Buffer): Record<string, unknown> | null {
  try {
    const line: unknown = JSON.parse(bytes.toString());
    return typeof line === 'object' ? (line as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** A state that was parsed just now, with the texts of its unit. */
function withSharedTexts(
  state: RecordState | UserState,
  units: ReadonlyMap<string, UnitState>,
): RecordState | UserState {
  const unit = 'record' in state ? units.get(state.record) : undefined;
  if (!unit || !('record' in state)) return state;
  const { entity } = unit.reading;
  const slugs = new Map(entity && 'versions' in entity ? entity.versions.map(({ slug }) => [slug, slug]) : []);
  const versions = state.versions?.map((slug) => slugs.get(slug) ?? slug);
  return { ...state, record: unit.key, ...(versions && { versions }) };
}
