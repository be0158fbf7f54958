/**
 * What was read, kept for the next start: one line of JSON for each unit. It is never believed, only compared: a state
 * counts for as long as the stamps of its files are those on disk. A cache of another version, cut off or damaged, is
 * ignored as a whole.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { privateFolder } from './layout.ts';
import type { UnitState } from './reading.ts';

/** To be raised whenever states or entities get another shape. */
const version = 1;
const pathIn = (root: string) => join(root, privateFolder, 'cache', 'snapshot.ndjson');
const header = JSON.stringify({ catalogue: 'snapshot cache', version });

/** The states kept in the folder's cache; none where there is no cache that can be used. */
export async function readCache(root: string): Promise<readonly UnitState[]> {
  const states: UnitState[] = [];
  let sum = 0;
  let rest: Buffer | undefined;
  let first = true;
  try {
    for await (const chunk of createReadStream(pathIn(root), { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
        const line = bytes.toString('utf8', start, end);
        if (first) {
          if (line !== header) return [];
          first = false;
          continue;
        }
        if (line.startsWith('{"end"')) {
          const { end: count, sum: expected } = JSON.parse(line);
          return count === states.length && expected === sum ? states : [];
        }
        sum = crc32(bytes.subarray(start, end), sum);
        states.push(JSON.parse(line));
      }
      rest = bytes.subarray(start);
    }
  } catch {
    // Absent, unreadable or damaged: the files themselves say it all.
  }
  return [];
}

/** Writes the cache anew, beside and then into its place. */
export async function writeCache(root: string, states: Iterable<UnitState>): Promise<void> {
  const path = pathIn(root);
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  const file = await open(beside, 'w', 0o600);
  try {
    let sum = 0;
    let count = 0;
    let lines = [header];
    for (const state of states) {
      const line = JSON.stringify(state);
      sum = crc32(line, sum);
      lines.push(line);
      if (++count % 1000 === 0) {
        await file.write(`${lines.join('\n')}\n`);
        lines = [];
      }
    }
    lines.push(JSON.stringify({ end: count, sum }));
    await file.write(`${lines.join('\n')}\n`);
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(beside, { force: true });
    throw error;
  }
}
