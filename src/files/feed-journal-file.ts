/** The file of the feed's journal: a head, and a line of JSON for each state of a record or a user. */
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FeedHistory, type RecordState, type UserState } from '../catalogue/feed-history.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { writeDurably } from '../disk/durable.ts';
import { readLines } from './read-lines.ts';
import { makeRegularPause } from './reading/event-loop.ts';
import type { UnitState } from './reading/unit-reader.ts';

/** Name of the journal in the private folder. */
const feedFile = 'changes.ndjson';
export const feedPath = (root: string): string => join(root, privateFolder, feedFile);
const formatVersion = 1;
/** Number of states whose lines are made at once. */
const partSize = 100;

/** Writes a whole history. */
export async function writeHistory(path: string, history: FeedHistory): Promise<void> {
  const header = JSON.stringify({ changes: formatVersion, complete_since: history.completeSince });
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

/** Appends states to an existing file, durably. @throws Error with code ENOENT if there is none */
export async function appendStates(path: string, states: readonly (RecordState | UserState)[]): Promise<void> {
  const lines = await linesOf(states);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await file.appendFile(Buffer.concat(lines));
    await file.datasync();
  } finally {
    await file.close();
  }
}

export interface StoredHistory {
  readonly history: FeedHistory;
  /** True if a crash has cut off the last line. No answer of the feed had it yet. */
  readonly isCutOff: boolean;
}

/**
 * The history in a journal; null if there is none, or it is damaged.
 * @param units by key, whose texts are in memory anyway, and are used in place of equal ones
 */
export async function readHistory(path: string, units: ReadonlyMap<string, UnitState>): Promise<StoredHistory | null> {
  try {
    let history: FeedHistory | undefined;
    let size = 0;
    const pause = makeRegularPause();
    for await (const bytes of readLines(path)) {
      size += bytes.length + 1;
      const line = JSON.parse(bytes.toString());
      if (!history) {
        const { changes, complete_since: completeSince } = line;
        if (changes !== formatVersion || typeof completeSince !== 'number') return null;
        history = new FeedHistory(completeSince);
      } else if (typeof line.at !== 'number' || !('record' in line || 'user' in line)) return null;
      else history.add(withSharedTexts(line, units));
      await pause();
    }
    return history ? { history, isCutOff: (await stat(path)).size > size } : null;
  } catch {
    return null;
  }
}

/** A state that was parsed just now, with the texts of its unit. */
function withSharedTexts(
  state: { record?: string; versions?: string[] } & RecordState,
  units: ReadonlyMap<string, UnitState>,
): RecordState {
  const unit = units.get(state.record);
  if (!unit) return state;
  state.record = unit.key;
  const { entity } = unit.reading;
  if (!state.versions || !entity || !('versions' in entity)) return state;
  const slugs = new Map(entity.versions.map(({ slug }) => [slug, slug]));
  state.versions = state.versions.map((slug) => slugs.get(slug) ?? slug);
  return state;
}
