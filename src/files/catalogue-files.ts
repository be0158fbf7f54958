/** Interface of an open catalogue folder for the modules of this room. `FileCatalogue` implements it. */
import type { Accounts } from '../catalogue/accounts.ts';
import { ConflictError, NotFoundError } from '../catalogue/errors.ts';
import { type RecordRef, type Scope, unitKey } from '../catalogue/layout.ts';
import type { Viewer } from '../catalogue/permissions.ts';
import type { DatasetRef } from '../catalogue/ref.ts';
import type { Snapshot } from '../catalogue/snapshot.ts';
import type { Ingest } from '../data/ingest/ingest.ts';
import type { WorkerPool } from '../data/worker-pool.ts';
import type { FeedJournal } from './feed-journal.ts';
import type { UnitStore } from './reading/unit-store.ts';
import type { OnRead } from './tree/disk-tree.ts';
import { findRecordFile } from './tree/file-tree.ts';
import type { WriteContext } from './writing/write-context.ts';

export interface OpenOptions {
  /** Follow the files as they change; without it, they are read once. */
  readonly watch?: boolean;
  /** Use and save the cache in `.catalogue/`, which makes the next start faster; `'read'`: use it only. Default: as `watch`. */
  readonly cache?: boolean | 'read';
  /** Write nothing: no records, accounts or caches. */
  readonly readOnly?: boolean;
  /** True if the files come from a git remote: other servers, each with a folder of its own, may answer at the same address. */
  readonly followsGit?: boolean;
  /** Maximum number of folders to watch; default: what the limits of the system allow. The rest is polled. */
  readonly watchBudget?: number;
  /** Milliseconds between two scans of the whole folder; default 30,000. */
  readonly scanEvery?: number;
  /** Keep versions in other formats than their own in the cache; default true. */
  readonly keepFormats?: boolean;
  /** Maximum time to find rows, in milliseconds; default 10,000. */
  readonly patience?: number;
  /** Ingests payloads; by default, this process does. A server has others for it. */
  readonly ingest?: Ingest;
  /** Threads for the records that take long; by default, the main thread reads and writes all. */
  readonly workers?: WorkerPool;
  /** Receives one line for each event worth logging. */
  readonly log?: (line: string) => void;
  /** Called when the threads that read a large catalogue for the first time have all replied; never for a small one. */
  readonly onThreadsRun?: () => void;
  /** Called after each change of the snapshot. */
  readonly onChange?: () => void;
}

export interface LoadOptions {
  /** True to use the default settings if catalogue.yaml is broken. */
  readonly lenient?: boolean;
  /** Gets the texts of the records that are read. */
  readonly onRead?: OnRead | undefined;
}

export interface CatalogueFiles {
  /** Absolute path of the folder. */
  readonly root: string;
  readonly store: UnitStore;
  readonly snapshot: Snapshot;
  readonly options: OpenOptions;
  readonly accounts: Accounts;
  readonly commits: CommitQueue;
  /** True if everything has been read. */
  readonly isLoaded: boolean;
  /** Adds work to do when the folder is closed. */
  onClose(end: () => Promise<void>): void;
  /** Reads everything, unless that has been done. */
  load(options?: LoadOptions): Promise<void>;
  /** The journal of the feed of changes. */
  feed(): Promise<FeedJournal>;
  /** Reads the scopes, unless everything has been read. */
  ensureRead(scopes: readonly Scope[]): Promise<void>;
  /** Notes that somebody views a dataset: its files are watched, if there are more than can be watched. */
  noteView(dataset: DatasetRef): void;
  /** Reads the scopes again, and notifies listeners of what changed. */
  refresh(scopes: readonly Scope[]): Promise<void>;
}

/** Git commits of writes. */
export interface CommitQueue {
  /**
   * Runs a write and commits what it changed, if the settings want that.
   * @param by username; null for the local admin, who commits by hand
   * @param message of the commit, from the result
   */
  runAndCommit<T>(
    by: string | null,
    work: (context: WriteContext) => Promise<T>,
    message: (result: T) => string | null,
  ): Promise<T>;
  /** Resolves when all writes so far are committed, or after five seconds. */
  drained(): Promise<void>;
}

/** A catalogue folder, and the viewer who reads and writes it. */
export interface Access {
  readonly files: CatalogueFiles;
  readonly viewer: Viewer;
  /** The part of the catalogue that the viewer may see, at this moment. */
  readonly visible: () => Snapshot;
}

/**
 * The path of an existing record file, with its extension.
 * @throws NotFoundError; ConflictError if it is missing, and the record is shown in its last state
 */
export function requireRecordPath(files: CatalogueFiles, ref: RecordRef): string {
  const path = findRecordFile(files.store.tree, ref);
  if (path !== undefined) return path;
  if (ref.kind !== 'version' && files.store.states.get(unitKey(ref))?.lacksRecord)
    throw new ConflictError(`The file ${unitKey(ref)}.yaml is missing: put it back first.`);
  throw new NotFoundError();
}
