/** The trash: what was removed and can still be put back. Only staff may look into it. */
import type { Ref } from './ref.ts';

/** What was removed, and what there is to know of it. */
export interface TrashEntry {
  /** The time at which it was removed, to the millisecond and without separators, and a random part. */
  readonly id: string;
  readonly ref: Exclude<Ref, { kind: 'file' }>;
  /** Where it lay: files or folders, relative to the catalogue folder. */
  readonly paths: readonly string[];
  /** ISO 8601. */
  readonly removed: string;
  /** Username; null for one who had the folder in hand. */
  readonly by: string | null;
}

export interface Trash {
  /** What is in it, what was removed last first. @throws NotPermittedError */
  list(): Promise<readonly TrashEntry[]>;
  /**
   * Puts something back where it was, byte for byte; the catalogue shows it then.
   * @param options.dryRun check only that it can be done
   * @throws NotFoundError; ConflictError where its place is taken, or what it lay in is gone; NotPermittedError,
   *   UnavailableError
   */
  restore(id: string, options?: { readonly dryRun?: boolean | undefined }): Promise<TrashEntry>;
  /** Deletes something for good. @throws NotFoundError, NotPermittedError, UnavailableError */
  remove(id: string): Promise<void>;
  /**
   * Deletes for good what was removed earlier than that; all of it by default.
   * @returns what is gone
   * @throws NotPermittedError, UnavailableError
   */
  empty(before?: Date): Promise<readonly TrashEntry[]>;
}

/** Whether something was removed earlier than that, by the id of its entry. */
export function wasRemovedBefore(id: string, before: Date): boolean {
  const limit = before.toISOString().replace(/\D/g, '');
  return id.slice(0, limit.length) <= limit;
}
