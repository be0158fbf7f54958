/**
 * The interface of a catalogue. The server and the command line use it; a folder of files and a remote server implement
 * it. Read this first. A `Catalogue` is a catalogue as one viewer sees it: records that the viewer may not see are left
 * out. Results are immutable; an unchanged record is the same object in each `revision`.
 */

import type { VersionProfile } from './column-statistics.ts';
import type { FileProblems } from './diagnostic.ts';
import type { Difference, DifferenceOptions, Rename } from './difference.ts';
import type { Facets } from './facets.ts';
import type { FeaturesRequest } from './feature-parameters.ts';
import type { ChangedRecord, ChangesOptions, ListChangedDatasets } from './feed.ts';
import type { MapRequest, RowsMap } from './maps.ts';
import type { Media, Payload, RowsFile } from './open-file.ts';
import type { OutputFormatName } from './output-formats.ts';
import type { DatasetRef, NamespaceRef, Ref, RefOf, VersionRef } from './ref.ts';
import type { Replica } from './replica.ts';
import type { TableField } from './table-fields.ts';
import type { Trash } from './trash.ts';
import type {
  CatalogueFile,
  Column,
  ColumnType,
  Commit,
  Entities,
  FileDetails,
  Kind,
  ReadingOptionChanges,
  Settings,
  Version,
  WorkBudget,
} from './types.ts';

/** Differences between the columns of a version and those of the version before. */
export interface ColumnChanges {
  readonly added: readonly Column[];
  readonly dropped: readonly Column[];
  readonly retyped: readonly { readonly name: string; readonly from: ColumnType; readonly to: ColumnType }[];
}

/** Options of a list: filters, search, order and page. All are optional. */
export interface ListOptions {
  /** Only the datasets of this namespace, or, with `dataset`, only the versions of this dataset. */
  readonly namespace?: string | undefined;
  readonly dataset?: string | undefined;
  /** Terms, separated by spaces or commas; a record must contain all of them. */
  readonly search?: string | undefined;
  /** Comma-separated fields; a minus before a field is for descending order. Of a search, `relevance`: the best first. */
  readonly ordering?: string | undefined;
  /** Wanted values, keyed by filter; of several values of a filter, a record must have one. */
  readonly filters?: Readonly<Record<string, readonly string[]>> | undefined;
  /** From 1; default 1. */
  readonly page?: number | 'last' | undefined;
  /** Default and maximum are in the catalogue's settings. */
  readonly pageSize?: number | undefined;
  /** Lists the items after this cursor (`nextCursor` of the page before) instead of a page; '' for the first of them. */
  readonly cursor?: string | undefined;
  /** True to count the facets of a list of datasets. */
  readonly facets?: boolean | undefined;
  /** Dates, such as `2026-01-31`, for which the facets count the datasets that were updated since. */
  readonly updatedSince?: readonly string[] | undefined;
}

/** One page of a collection. */
export interface Page<T> {
  /** Number of items on all pages. */
  readonly count: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly pageSize: number;
  readonly items: readonly T[];
  /** If a cursor was given: that of the next page, null for the last page. Absent if an older server knows no cursors. */
  readonly nextCursor?: string | null;
  /** If they were asked for. An older server counts none. */
  readonly facets?: Facets;
}

/** A page of the feed of changes. */
export interface ChangesPage extends Page<ChangedRecord> {
  /**
   * Time up to which changes are listed: ISO 8601, UTC. That of the first page is `since` for the next request. Null from an
   * older server.
   */
  readonly until: string | null;
  /**
   * Time from which on removals are known. For an earlier `since`, read everything again, without `since`. Null from an older
   * server, which knows none.
   */
  readonly completeSince: string | null;
}

/** A query for rows of a version, or for groups of them (`row-parameters.ts`): the parameters of a data URL. */
export interface RowsRequest {
  /** Decoded names and values of the query string, in order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Format from the path, such as `csv` in `data.csv`. It has precedence over a parameter. */
  readonly format?: string | undefined;
  /** Format if neither the path nor a parameter gives one; default geojson, of groups objects. */
  readonly preferred?: string | undefined;
  /** Length of the encoded query string, in bytes. */
  readonly length?: number | undefined;
  readonly budget?: WorkBudget | undefined;
  /** URLs of the next and the previous part of the rows, for formats that have links. */
  readonly links?: ((part: RowsPart) => { readonly next: string | null; readonly previous: string | null }) | undefined;
  /** If the parameters are those of OGC API - Features. A remote catalogue knows only those of data URLs. */
  readonly features?: FeaturesRequest | undefined;
  /** Parquet only: fields of an Apache Iceberg table, whose ids the columns get. A remote catalogue knows none. */
  readonly tableFields?: readonly TableField[] | undefined;
}

/** The rows whose distribution a profile has beside that of all rows. */
export type ProfileRequest = Pick<RowsRequest, 'parameters' | 'length' | 'budget'>;

/** Part of the matching rows. */
export interface RowsPart {
  /** Number of all matching rows. */
  readonly matched: number;
  /** Index of the first row of the part, from 0. */
  readonly offset: number;
  readonly limit: number;
  /** True if the part was requested by page, not by limit and offset. */
  readonly paged: boolean;
}

/** Rows of a version in a format. */
export interface Rows {
  readonly version: Version;
  readonly format: string;
  readonly contentType: string;
  /** File name extension, without the dot. */
  readonly extension: string;
  /** Null if the document has all matching rows. */
  readonly part: RowsPart | null;
  /** Strong validator (RFC 9110, section 8.8.1), without quotes: the same for the same request and data. */
  readonly tag: string;
  /** True if the document is the payload, byte for byte: it can then be served as a file, with ranges. */
  readonly isPayload: boolean;
  /** The document as a file that can be read in parts; null for a selection of the rows, and from a remote catalogue. */
  readonly file: RowsFile | null;
  /** The document. Destroying the stream stops the query. If the stream fails, the document is incomplete. */
  stream(): import('node:stream').Readable;
}

/** Fields of an upload besides its bytes. */
export interface UploadDetails {
  /** Expected SHA-256 of the bytes, in hexadecimal. */
  readonly checksum?: string | undefined;
  readonly label?: string | undefined;
  readonly notes?: string | undefined;
  /** Replaces the summary that is computed from the data. */
  readonly metadata?: string | undefined;
  /** False for a draft, which only owners see until it is made ready. */
  readonly ready?: boolean | undefined;
  /** Columns that the version before has under another name; their descriptions go to the new one. */
  readonly renames?: readonly Rename[] | undefined;
  /** True to accept a version without rows, or without any column of the version before. */
  readonly force?: boolean | undefined;
  /** True to accept a file without readable rows after one with rows. */
  readonly replace?: boolean | undefined;
}

/** Bytes to publish as a new version of a dataset. */
export interface Upload extends UploadDetails {
  /** A stream, or the path of a local file. */
  readonly source: import('node:stream').Readable | string;
  /** Its extension gives the format and the extension of the payload. */
  readonly fileName?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Options for reading it; the dataset remembers them for the next version. */
  readonly reading?: ReadingOptionChanges | undefined;
  /**
   * Details that are known only after the source has been read, such as form fields that follow the file. They have
   * precedence over those above. Called at the end of the source; if it rejects, nothing is published.
   */
  readonly details?: (() => Promise<UploadDetails>) | undefined;
  /** Called with the number of bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Aborts the upload; all that was stored of it is then deleted. */
  readonly signal?: AbortSignal | undefined;
}

/** Result of an upload. */
export interface Published {
  readonly version: Version;
  /** False if the newest version has the same bytes: then `version` is that one. */
  readonly created: boolean;
  readonly changes: ColumnChanges;
  /** Sentences about the reading: what was recognized, and which values don't fit; or that the payload was missing before. */
  readonly remarks: readonly string[];
}

/** Kinds of records that `create` can create. */
export type CreatableKind = 'namespace' | 'dataset' | 'query' | 'group' | 'user';
/** Kinds of records that `edit` can change. */
export type WritableKind = CreatableKind | 'version';

/**
 * Unchecked values, keyed by field; `input.ts` parses them. The namespace of a dataset is a slug, the dataset of a query
 * `<namespace>/<dataset>`, its version a slug or null. Owners of a namespace and groups of a user are slugs, members of a
 * group usernames. A `username` can't be changed later; a password is written and never read. An image of a dataset is a
 * path or URL, or bytes (Uint8Array), which are stored and replaced by their path.
 */
export type Input = Readonly<Record<string, unknown>>;

/** Options of a write. */
export interface WriteOptions<Expected = never> {
  /** The entity as it was read before (If-Match): if it has changed since, nothing is written. */
  readonly ifMatch?: Expected | undefined;
  /** Hash of the present password, which a user gave to change it: it must still be the stored one. */
  readonly passwordHash?: string | undefined;
  /** True to check the write and return its result without writing anything. */
  readonly dryRun?: boolean | undefined;
}

/** Conditions of a removal. */
export interface RemoveOptions extends WriteOptions<Entities[Kind]> {
  /** True to keep nothing in the trash: staff may do so, and owners with a dataset that has no versions and no data. */
  readonly permanently?: boolean | undefined;
}

/** References of records that have a history. */
export type HistoryRef = NamespaceRef | DatasetRef | VersionRef;

export interface Catalogue {
  /** State of the catalogue: another object after each change that the viewer can see. */
  readonly revision: object;
  readonly settings: Settings;
  /** Language of the labels, in which slugs are spelled, as a BCP 47 tag; '' if it isn't known. */
  language(): Promise<string>;
  /** Records that were removed. */
  readonly trash: Trash;
  /** The same catalogue as a set of files. */
  readonly replica: Replica;
  /** @throws NotFoundError if the page, or the namespace or dataset in the options, doesn't exist; MovedError */
  list<K extends Kind>(kind: K, options: ListOptions): Promise<Page<Entities[K]>>;
  /** Files of a dataset that have problems, sorted by path; the dataset itself need not be readable. Only in a folder. */
  problemsOf?(ref: DatasetRef): Promise<readonly FileProblems[]>;
  /** @throws NotFoundError, MovedError */
  get<K extends Kind>(ref: RefOf<K>): Promise<Entities[K]>;
  /**
   * The payload of a version; `latest` is the newest ready one.
   * @throws NotFoundError with the reason why there is no payload; MovedError
   */
  payload(ref: VersionRef): Promise<Payload>;
  /**
   * The matching rows of a version; `latest` is the newest ready one.
   * @throws NotFoundError if the version has no rows that can be read; ValidationError, keyed by parameter;
   *   UnavailableError if the query takes too long
   */
  rows(ref: VersionRef, request: RowsRequest): Promise<Rows>;
  /** A map of the rows that a request selects. @throws as `rows` */
  map(ref: VersionRef, request: MapRequest): Promise<RowsMap>;
  /**
   * Statistics of the columns of a version's rows; `latest` is the newest ready one. With parameters, `matched` has those of the rows
   * that they select. @throws as `rows`; UnavailableError also if they aren't ready in time
   */
  profile(ref: VersionRef, request?: ProfileRequest): Promise<VersionProfile>;
  /** Types of a column by the slug of the version. Only where versions come without their columns. */
  columnTypes?(dataset: DatasetRef, name: string): Promise<ReadonlyMap<string, ColumnType | null>>;
  /** Sizes in bytes of a version's files in other formats that are made already. Only where they are kept. */
  fileSizes?(version: Version): Promise<ReadonlyMap<OutputFormatName, number>>;
  /**
   * The differences between the rows of two versions, of the same dataset or of two.
   * @throws NotFoundError if one of them has no rows that can be read; ValidationError for `_key` if the key does not
   *   identify rows; UnavailableError; the signal's reason
   */
  difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference>;
  /** @throws NotFoundError */
  media(path: string): Promise<Media>;
  /**
   * Namespaces, datasets and queries that changed since a time, and those removed or hidden since; the last change last.
   * @throws ValidationError if the time is not one of RFC 3339; NotFoundError for an invalid cursor
   */
  changes(options?: ChangesOptions): Promise<ChangesPage>;
  readonly changedDatasets?: ListChangedDatasets;
  /** Checksums, times and commits of files, in the order of the argument. @param signal stops it */
  inspect(files: readonly CatalogueFile[], signal?: AbortSignal): Promise<readonly FileDetails[]>;
  /**
   * The commits that changed a record, the newest first; an empty list if the folder is not in a git repository.
   * @throws NotFoundError if the record or the page doesn't exist; MovedError; UnavailableError
   */
  history(ref: HistoryRef, options?: Pick<ListOptions, 'page' | 'pageSize'>): Promise<Page<Commit>>;

  /** @throws ValidationError, ConflictError, NotPermittedError */
  create<K extends CreatableKind>(kind: K, input: Input, options?: WriteOptions): Promise<Entities[K]>;
  /**
   * Changes the given fields and no others. A new slug or namespace moves the record; its old URL then redirects.
   * @throws NotFoundError, ValidationError, ConflictError (also for a broken file), StaleError, NotPermittedError
   */
  edit<K extends WritableKind>(ref: RefOf<K>, input: Input, options?: WriteOptions<Entities[K]>): Promise<Entities[K]>;
  /**
   * Publishes bytes as the newest version of a dataset. They are read once; if they are refused, nothing of them is kept.
   * @throws NotFoundError, ValidationError (a broken payload, or one with another checksum), DataLossError (a version
   *   without rows, or that has no column of the version before), NotPermittedError, UnavailableError (the disk is full)
   */
  publish(ref: DatasetRef, upload: Upload, options?: WriteOptions): Promise<Published>;
  /** @throws NotFoundError, ConflictError (a namespace that has datasets, a broken file), StaleError, NotPermittedError */
  remove(ref: Ref, options?: RemoveOptions): Promise<void>;
}
