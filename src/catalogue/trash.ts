/** The trash: removed records, which can still be restored. Only staff may use it. */
import type { Ref } from './ref.ts';

/** A list in which a group or user is named. The record is known by its id: it may be renamed. */
export interface ListReference {
  readonly kind: 'user' | 'namespace' | 'dataset';
  readonly id: number;
  readonly field: 'groups' | 'owners' | 'readers';
}

/** A removed record. */
export interface TrashEntry {
  /** Time of the removal, in milliseconds and without separators, followed by a random part. */
  readonly id: string;
  readonly ref: Exclude<Ref, { kind: 'file' }>;
  /** Former paths of its files or folders, relative to the catalogue folder. */
  readonly paths: readonly string[];
  /** Time of the removal, in ISO 8601. */
  readonly removed: string;
  /** Username; null if it was removed by the local admin. */
  readonly by: string | null;
  /** Id of the namespace or dataset that it was in. By this id, the container is found even if another one has its name now. */
  readonly container?: number | undefined;
  /** The lists that named it, if it is a group or user: the removal took it out of them. */
  readonly referencedBy?: readonly ListReference[] | undefined;
  /** Ids of the groups and users that its lists name, by their names there: others may have these names later. */
  readonly names?: Readonly<Record<string, number>> | undefined;
}

export interface Trash {
  /** All entries, the last removed first. @throws NotPermittedError */
  list(): Promise<readonly TrashEntry[]>;
  /**
   * Restores a record at its former paths, byte for byte. If the namespace or dataset that it was in was renamed or moved since, the
   * record is restored there. Lists that named a group or user name it again. Groups and users that were renamed since get their
   * present names in the record's own lists; others that have the former names now aren't listed. Aliases that other records have
   * now are left out.
   * @param options.dryRun true to check only that it can be restored
   * @returns the entry, with the reference and the paths that the record has now
   * @throws NotFoundError; ConflictError if a path is in use, or the namespace or dataset around it no longer exists;
   *   NotPermittedError, UnavailableError
   */
  restore(id: string, options?: { readonly dryRun?: boolean | undefined }): Promise<TrashEntry>;
  /** Deletes an entry permanently. @throws NotFoundError, NotPermittedError, UnavailableError */
  remove(id: string): Promise<void>;
  /**
   * Deletes permanently the entries that were removed before a time; by default all.
   * @returns the deleted entries
   * @throws NotPermittedError, UnavailableError
   */
  empty(before?: Date): Promise<readonly TrashEntry[]>;
}

/** True if an entry was removed before a time, which is read from its id. */
export function isTrashEntryOlder(id: string, before: Date): boolean {
  const limit = before.toISOString().replace(/\D/g, '');
  return id.slice(0, limit.length) <= limit;
}
