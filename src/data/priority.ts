/** Priority of threads and processes that work for the server: it comes first. */
import { getPriority, setPriority } from 'node:os';

/** Niceness beyond that of the server, which may have been started with some. */
const added = 5;

/**
 * Lowers the priority of a process below that of the caller; if it can't be lowered, it stays.
 * @param id of the process; by default this one: on Linux, only the thread that calls
 */
export function lowerPriority(id = 0): void {
  try {
    setPriority(id, Math.min(19, getPriority() + added));
  } catch {}
}
