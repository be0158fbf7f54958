/** Who writes: a mark in whatever a writer leaves behind in a crash, by which others see that it is at work no more. */
import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a mark looks like, for finding it in a name or a note. */
export const markPattern = /[0-9a-f]{8}-[0-9a-z]+-[0-9a-f]{8}/;

/** The machine, or the container on it: within it, a number names one process at a time. */
const place = createHash('sha256').update(`${hostname()} ${processNumbers()}`).digest('hex').slice(0, 8);
/** Numbers come again, and in a container that starts anew they come at once. */
const run = randomBytes(4).toString('hex');

/** This process. */
export const writerMark = `${place}-${process.pid.toString(36)}-${run}`;

/**
 * Whether the process of a mark is surely gone. One of another machine may well be at work, and so may one whose number
 * another process has by now: of them, only time tells.
 */
export function isGone(mark: string): boolean {
  const [itsPlace, number = '', itsRun] = mark.split('-');
  if (itsPlace !== place) return false;
  const pid = Number.parseInt(number, 36);
  if (pid === process.pid) return itsRun !== run;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** On Linux, containers that share a host's name still count processes for themselves. */
function processNumbers(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
