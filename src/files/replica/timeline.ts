/**
 * Timeline of a catalogue folder. A point is the random id of a run of a server, and a number that is counted up. The file
 * `.catalogue/timeline` gets a line for each new point. A client remembers the last point that it saw. If the file lacks this point later,
 * the folder was set back: it was restored from a backup, which doesn't have the file, or from a snapshot of its disk. Points depend on
 * time only, so that they reveal nothing about records.
 */
import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateFolder } from '../../catalogue/layout.ts';
import type { TimelineAnswer } from '../../catalogue/replica.ts';
import { removeDurably, writeDurably } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { inheritOwner } from '../../disk/owner.ts';
import { makeFolderInPrivateFolder } from '../../disk/private-folder.ts';
import { isAbsent } from '../tree/file-tree.ts';

/** Name of the file in the private folder. */
const timelineFile = 'timeline';
/** Key of the lock of the file. */
const timelineKey = `${privateFolder}/${timelineFile}`;
/** Milliseconds from one point to the next. */
const pointEvery = 60_000;
/** Number of lines from which the file is written anew, with one line for each run. */
const manyLines = 1000;

/** Last points of all runs, by their ids, in the order of the file. */
interface Points {
  readonly runs: ReadonlyMap<string, number>;
  /** 0 if the file is missing. */
  readonly lines: number;
  /** True if a crash, or a full disk, has cut off the last line. */
  readonly isCut: boolean;
}

export class Timeline {
  readonly #root: string;
  readonly #readOnly: boolean;
  #run = '';
  #count = 0;
  #time = 0;
  #answering: Promise<unknown> = Promise.resolve();

  constructor(root: string, readOnly = false) {
    this.#root = root;
    this.#readOnly = readOnly;
  }

  /**
   * The present point, and whether the timeline has an earlier one.
   * @param since the earlier point; null for a client that has seen none
   * @returns null if there is no point, and none can be written
   */
  answer(since: string | null): Promise<TimelineAnswer | null> {
    const answer = this.#answering.then(() => this.#answer(since)).catch(() => null);
    this.#answering = answer;
    return answer;
  }

  async #answer(since: string | null): Promise<TimelineAnswer | null> {
    const points = await readPoints(this.#path);
    const [last] = [...points.runs].at(-1) ?? [];
    if (this.#readOnly && last === undefined) return null;
    const hasPoint = since === null || isIn(points, since);
    const point = this.#readOnly ? `${last}.${points.runs.get(last ?? '')}` : await this.#advance(points);
    return { point, hasPoint };
  }

  get #path(): string {
    return join(this.#root, privateFolder, timelineFile);
  }

  /** The present point, which is in the file. */
  async #advance(points: Points): Promise<string> {
    // A run whose points are not in the file any more is over: the folder was set back while the server ran.
    const isNew = this.#run === '' || (points.runs.get(this.#run) ?? -1) < this.#count;
    const now = performance.now();
    if (isNew || now - this.#time >= pointEvery) {
      const [run, count] = isNew ? [randomBytes(8).toString('hex'), 1] : [this.#run, this.#count + 1];
      await withLock(this.#root, timelineKey, async () => {
        // Other servers of the folder may have added points.
        const all = await readPoints(this.#path);
        // A line that is appended to a cut one would be lost with it.
        if (all.isCut || all.lines > manyLines) await this.#rewrite(all);
        await this.#append(`${run} ${count}\n`);
      });
      [this.#run, this.#count, this.#time] = [run, count, now];
    }
    return `${this.#run}.${this.#count}`;
  }

  async #append(line: string): Promise<void> {
    await makeFolderInPrivateFolder(this.#root);
    const file = await open(this.#path, 'a', 0o600);
    try {
      inheritOwner(this.#path);
      await file.appendFile(line);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #rewrite({ runs }: Points): Promise<void> {
    const lines = [...runs].map(([run, count]) => `${run} ${count}\n`);
    await writeDurably(this.#path, lines.join(''), { mode: 0o600 });
  }
}

/** Removes the timeline of a folder that is about to be set back, as by a restore, so that clients that saw its points notice it. */
export async function removeTimeline(root: string): Promise<void> {
  await removeDurably(join(root, privateFolder, timelineFile)).catch((error) => {
    if (!isAbsent(error)) throw error;
  });
}

async function readPoints(path: string): Promise<Points> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (isAbsent(error)) return '';
    throw error;
  });
  const runs = new Map<string, number>();
  // A line that is cut off is left out: its point was in no answer.
  const lines = text.split('\n');
  const isCut = lines.pop() !== '';
  for (const line of lines) {
    const [run = '', count] = line.split(' ');
    runs.set(run, Math.max(runs.get(run) ?? 0, Number(count) || 0));
  }
  return { runs, lines: lines.length, isCut };
}

function isIn({ runs }: Points, point: string): boolean {
  const [, run = '', count] = /^(\w+)\.(\d+)$/.exec(point) ?? [];
  const last = runs.get(run);
  return last !== undefined && Number(count) <= last;
}
