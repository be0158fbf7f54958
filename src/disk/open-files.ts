/** Files and connections that a process may have open. */
import { readFileSync } from 'node:fs';

/** Number of files and connections that this process may have open at once (`ulimit -n`); Infinity if that isn't known. */
export function mostOpenFiles(): number {
  try {
    const [, most] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  } catch {
    // Only Linux has the file.
    return Number.POSITIVE_INFINITY;
  }
}
