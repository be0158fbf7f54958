/** Marks of processes, in temporary names and lock notes: by them, others see if the writer still runs. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** A mark within a name or a note. */
export const markPattern = /[0-9a-f]{8}-[0-9a-z]+-[0-9a-f]{8}/;

/**
 * The machine, or the container on it, in which process ids are unique, until it is restarted. Machines with the same host
 * name, as clones have it, may share a folder; outside of containers, their pid namespaces have the same number.
 */
export const placeOf = (host: string, pidNamespace: string, boot: string): string =>
  createHash('sha256').update(`${host} ${pidNamespace} ${boot}`).digest('hex').slice(0, 8);

const place = placeOf(hostname(), pidNamespace(), bootId());
const runKey = 'catalogue-run';
/** Process ids are reused; in a container that restarts, at once. All threads of a process have the same run. */
const run = String(getEnvironmentData(runKey) ?? randomBytes(4).toString('hex'));
setEnvironmentData(runKey, run);

/** The mark of this process: place, process id and run. */
export const writerMark = `${place}-${process.pid.toString(36)}-${run}`;

/**
 * What is known of the process of a mark: whether it has certainly ended; or runs, as far as its process id says, which may have
 * been reused; `unknown` if it ran on another machine, or there is no mark.
 */
export function writerState(mark: string): 'running' | 'ended' | 'unknown' {
  const [markPlace, pidText = '', markRun] = mark.split('-');
  if (markPlace !== place) return 'unknown';
  const pid = Number.parseInt(pidText, 36);
  if (pid === process.pid) return markRun === run ? 'running' : 'ended';
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (error) {
    // EPERM: it runs, for another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'ended' : 'running';
  }
}

export const hasWriterEnded = (mark: string): boolean => writerState(mark) === 'ended';

/** A random id of the start of the machine (Linux); all of its containers have the same. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

/** The pid namespace (Linux): containers with the same host name have process ids of their own. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
