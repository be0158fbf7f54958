/**
 * The one interface between those who present a catalogue (the server, the command line) and those who are one
 * (a folder of files, a server elsewhere). Read this first.
 *
 * A `Catalogue` is a catalogue as one viewer sees it: what the viewer may not see isn't in it, and its absence leaves
 * no trace. Reads answer with immutable values; unchanged values keep their identity while `revision` moves on.
 */

import type { Difference, DifferenceOptions } from './difference.ts';
import type { DatasetRef, NamespaceRef, Ref, RefOf, VersionRef } from './ref.ts';
import type { Replica } from './replica.ts';
import type { Trash } from './trash.ts';
import type {
  CatalogueFile,
  Column,
  ColumnType,
  Commit,
  Entities,
  FileDetails,
  Kind,
  Settings,
  Version,
} from './types.ts';

/** A question to a collection; every part may be left out. */
export interface ListOptions {
  /** Only what lies in this namespace, or in this dataset. */
  readonly namespace?: string | undefined;
  readonly dataset?: string | undefined;
  /** Terms, separated by blanks or commas, that must all be found. */
  readonly search?: string | undefined;
  /** Comma-separated fields; a minus for descending. */
  readonly ordering?: string | undefined;
  /** Field by field, the value it must have; of several values of a field, any. */
  readonly filters?: Readonly<Record<string, readonly string[]>> | undefined;
  /** From 1; default 1. */
  readonly page?: number | 'last' | undefined;
  /** Default and greatest: the catalogue's settings. */
  readonly pageSize?: number | undefined;
}

/** One page of a collection. */
export interface Page<T> {
  /** Of the whole collection, as filtered. */
  readonly count: number;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly pageSize: number;
  readonly items: readonly T[];
}

/** The bytes of a version, as they were taken in. */
export interface Payload {
  readonly version: Version;
  /** Name to save it under. */
  readonly fileName: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** The bytes from `start` to `end`, both included; all of them by default. Destroying the stream lets go of the file. */
  stream(range?: { readonly start: number; readonly end: number }): import('node:stream').Readable;
  /** Lets go of the file where no stream was asked for. */
  close(): Promise<void>;
}

/** A question to the rows of a version: the parameters of a data address. */
export interface RowsRequest {
  /** Names and values, decoded, in their order. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** The format that the address itself names, such as `csv` in `data.csv`: it wins over a parameter. */
  readonly format?: string | undefined;
  /** The format where neither address nor parameter names one; default geojson. */
  readonly preferred?: string | undefined;
  /** Length of the query string as it came, in bytes. */
  readonly length?: number | undefined;
  /** The addresses of the rows before and after a part of them, for formats that hold links. */
  readonly links?: ((part: RowsPart) => { readonly next: string | null; readonly previous: string | null }) | undefined;
}

/** Which of the rows that were found are shown. */
export interface RowsPart {
  /** How many were found in all. */
  readonly matched: number;
  /** Of the first shown, from 0. */
  readonly offset: number;
  readonly limit: number;
  /** Whether a page was asked for, and not a limit and an offset. */
  readonly paged: boolean;
}

/** Rows of a version, written in a format. */
export interface Rows {
  readonly version: Version;
  readonly format: string;
  readonly contentType: string;
  /** Of a file name, without the dot. */
  readonly extension: string;
  /** Null where all rows found are shown. */
  readonly part: RowsPart | null;
  /** Strong validator, without quotes: the same as long as question and data are. */
  readonly tag: string;
  /** Whether the payload is the document, byte for byte: then it is better served as what it is, with ranges. */
  readonly isPayload: boolean;
  /** The document. Destroying the stream stops the work; an error of it leaves the document without an end. */
  stream(): import('node:stream').Readable;
}

/** A file below site_media/, such as an image of a dataset. */
export interface Media {
  readonly mediaType: string;
  readonly size: number;
  readonly modified: Date;
  /** Strong validator of the bytes (RFC 9110, section 8.8.3), without quotes. */
  readonly tag: string;
  stream(range?: { readonly start: number; readonly end: number }): import('node:stream').Readable;
  close(): Promise<void>;
}

/** Fields of an upload besides its bytes. */
export interface UploadDetails {
  /** SHA-256 in hexadecimal that the bytes must have. */
  readonly checksum?: string | undefined;
  readonly label?: string | undefined;
  readonly notes?: string | undefined;
  /** Replaces the summary that is made of the data. */
  readonly metadata?: string | undefined;
}

/** Bytes to publish as a new version of a dataset. */
export interface Upload extends UploadDetails {
  /** A stream, or the path of a local file. */
  readonly source: import('node:stream').Readable | string;
  /** Tells the format, and gives the payload its extension. */
  readonly fileName?: string | undefined;
  readonly mediaType?: string | undefined;
  /**
   * Further details, which win over those above, if they are known only when the source has been read to its end, such
   * as the fields behind the file of a form. Called then; if it rejects, nothing is published.
   */
  readonly details?: (() => Promise<UploadDetails>) | undefined;
  /** Called with the number of bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Aborts the upload; nothing of it remains then. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of an upload. */
export interface Published {
  readonly version: Version;
  /** False where the bytes are those of the newest version: that one is it, then. */
  readonly created: boolean;
  readonly changes: ColumnChanges;
}

/** How the columns of a version differ from those of the one before. */
export interface ColumnChanges {
  readonly added: readonly Column[];
  readonly dropped: readonly Column[];
  readonly retyped: readonly { readonly name: string; readonly from: ColumnType; readonly to: ColumnType }[];
}

/** The kinds that can be created through the interface with nothing but fields. */
export type CreatableKind = 'namespace' | 'dataset' | 'query' | 'group' | 'user';
/** The kinds whose fields can be edited. */
export type WritableKind = CreatableKind | 'version';

/**
 * Fields by name, as they came in: `input.ts` says what each may be. The namespace of a dataset is its slug here, the
 * dataset of a query `<namespace>/<dataset>`, and its version a slug or null. Owners and a user's groups are slugs, a
 * group's members usernames. A user is created by `username`, which stays; its password is written and never read.
 * An image of a dataset is an address, or its bytes (Uint8Array), which the catalogue keeps: the address is theirs then.
 */
export type Input = Readonly<Record<string, unknown>>;

/** Conditions of a write. */
export interface WriteOptions<Seen = never> {
  /** The entity that the writer has read: if the files say something else by now, nothing is written. */
  readonly ifMatch?: Seen | undefined;
  /** Check the write and answer as if it were done, without writing anything. */
  readonly dryRun?: boolean | undefined;
}

/** What has a history of its own. */
export type HistoryRef = NamespaceRef | DatasetRef | VersionRef;

export interface Catalogue {
  /** Another object after every change that this viewer can see; the same one as long as nothing changes. */
  readonly revision: object;
  readonly settings: Settings;
  /** What was removed from it. */
  readonly trash: Trash;
  /** The same catalogue as the files that it is made of. */
  readonly replica: Replica;

  /** @throws NotFoundError where the page doesn't exist, or the namespace or dataset asked within; MovedError */
  list<K extends Kind>(kind: K, question: ListOptions): Promise<Page<Entities[K]>>;
  /** @throws NotFoundError, MovedError */
  get<K extends Kind>(ref: RefOf<K>): Promise<Entities[K]>;
  /**
   * The payload of a version; `latest` is the newest ready one.
   * @throws NotFoundError that says why there is none; MovedError
   */
  payload(ref: VersionRef): Promise<Payload>;
  /**
   * The rows of a version that a question means; `latest` is the newest ready version.
   * @throws NotFoundError where there are none that can be read; ValidationError under the names of the parameters;
   *   UnavailableError where finding them takes too long
   */
  rows(ref: VersionRef, question: RowsRequest): Promise<Rows>;
  /**
   * How the rows of one version differ from those of another, of the same dataset or not.
   * @throws NotFoundError where one of them has no rows that can be read; ValidationError under `_key` where the key is
   *   none; UnavailableError; the signal's reason
   */
  difference(from: VersionRef, to: VersionRef, options?: DifferenceOptions): Promise<Difference>;
  /** @throws NotFoundError */
  media(path: string): Promise<Media>;
  /** Checksum, time and commit of files, in their order. */
  inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]>;

  /**
   * The commits that touched it, the newest first; none outside of git.
   * @throws NotFoundError where it or the page doesn't exist; MovedError; UnavailableError
   */
  history(ref: HistoryRef, question?: Pick<ListOptions, 'page' | 'pageSize'>): Promise<Page<Commit>>;

  /** @throws ValidationError, ConflictError, NotPermittedError */
  create<K extends CreatableKind>(kind: K, input: Input, options?: WriteOptions): Promise<Entities[K]>;
  /**
   * Changes the fields given and no others; a new slug or namespace moves the record, and its old address redirects.
   * @throws NotFoundError, ValidationError, ConflictError (also where a file is broken: it says where), StaleError,
   *   NotPermittedError
   */
  edit<K extends WritableKind>(ref: RefOf<K>, input: Input, options?: WriteOptions<Entities[K]>): Promise<Entities[K]>;
  /**
   * Takes bytes in as the newest version of a dataset. They are read once, and nothing of them remains where they are
   * refused.
   * @throws NotFoundError, ValidationError (a payload that is broken, or not the one that the checksum says),
   *   NotPermittedError, UnavailableError (the disk takes no more)
   */
  publish(ref: DatasetRef, upload: Upload, options?: WriteOptions): Promise<Published>;
  /** @throws NotFoundError, ConflictError (a namespace that has datasets, a broken file), StaleError, NotPermittedError */
  remove(ref: Ref, options?: WriteOptions<Entities[Kind]>): Promise<void>;
}
