/** The file of the feed's journal: a head, and a line of JSON for each state of a record or a user. */
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FeedHistory, type RecordState, type UserState } from '../catalogue/feed-history.ts';
import { privateFolder } from '../catalogue/layout.ts';
import { writeDurably } from '../disk/durable.ts';
import { makeRegularPause } from './reading/event-loop.ts';

/** Name of the journal in the private folder. */
const feedFile = 'changes.ndjson';
export const feedPath = (root: string): string => join(root, privateFolder, feedFile);
const formatVersion = 1;

/** Writes a whole history. */
export async function writeHistory(path: string, history: FeedHistory): Promise<void> {
  const header = JSON.stringify({ changes: formatVersion, complete_since: history.completeSince });
  await writeDurably(path, `${header}\n${await linesOf([...history.states()])}`, { mode: 0o600 });
}

/** A line for each state, made in slices. */
async function linesOf(states: readonly (RecordState | UserState)[]): Promise<string> {
  const pause = makeRegularPause();
  const lines: string[] = [];
  for (const state of states) {
    lines.push(`${JSON.stringify(state)}\n`);
    await pause();
  }
  return lines.join('');
}

/** Appends states to an existing file, durably. @throws Error with code ENOENT if there is none */
export async function appendStates(path: string, states: readonly (RecordState | UserState)[]): Promise<void> {
  const lines = await linesOf(states);
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    await file.appendFile(lines);
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

/** The history in a journal; null if there is none, or it is damaged. */
export async function readHistory(path: string): Promise<StoredHistory | null> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n');
    const isCutOff = lines.pop() !== '';
    const { changes, complete_since: completeSince } = JSON.parse(lines.shift() ?? '');
    if (changes !== formatVersion || typeof completeSince !== 'number') return null;
    const history = new FeedHistory(completeSince);
    const pause = makeRegularPause();
    for (const line of lines) {
      await pause();
      const state = JSON.parse(line);
      if (typeof state.at !== 'number' || !('record' in state || 'user' in state)) return null;
      history.add(state);
    }
    return { history, isCutOff };
  } catch {
    return null;
  }
}
