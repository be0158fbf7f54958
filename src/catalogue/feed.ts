/** The feed of changes: records that changed since a time, and those that the viewer may see no longer. */
import type { DatasetRef, NamespaceRef, QueryRef, VersionRef } from './ref.ts';
import type { Dataset } from './types.ts';

/** A record in the feed of changes. */
export interface ChangedRecord {
  /** A version only if it was removed: other changes of a version are changes of its dataset. */
  readonly ref: NamespaceRef | DatasetRef | VersionRef | QueryRef;
  /**
   * Time of the last change of its files, or of its versions and payloads, or of the viewer's rights to see it: ISO 8601,
   * UTC. Of a removed record, the time at which the removal was noticed.
   */
  readonly datetime: string;
  /**
   * Time of the last change of its own file, which describes it: ISO 8601, UTC. Null for a removed record, and from an older
   * server.
   */
  readonly recordDatetime: string | null;
  /** True if the viewer could see the record at this reference, and can't any longer. */
  readonly removed: boolean;
  /** Present reference of a record that was renamed or moved; null for others. */
  readonly movedTo: ChangedRecord['ref'] | null;
}

/** Options of the feed of changes. */
export interface ChangesOptions {
  /** Date or time of RFC 3339: only changes at this time or later. Without it, everything is listed that is there. */
  readonly since?: string | undefined;
  /** `nextCursor` of the page before; by default the first page. */
  readonly cursor?: string | undefined;
  readonly pageSize?: number | undefined;
}

/** Which datasets with changed descriptions are wanted. */
export interface ChangedDatasetsOptions {
  /** The namespace of the datasets, or the only dataset; by default, all are wanted. */
  readonly within?: NamespaceRef | DatasetRef | undefined;
  /** Only datasets with any change at this time or later, in milliseconds since 1970. */
  readonly since: number;
  /** Number of datasets, at most. */
  readonly limit: number;
}

/** A dataset, and when the file changed that describes it: ISO 8601, UTC. */
export interface ChangedDataset {
  readonly dataset: Dataset;
  readonly datetime: string;
}

/**
 * Lists the datasets whose own files changed last, the last changed one first. Only a folder does it: that takes less work than all
 * pages of the changes.
 */
export type ListChangedDatasets = (options: ChangedDatasetsOptions) => Promise<readonly ChangedDataset[]>;
