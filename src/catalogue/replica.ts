/**
 * A catalogue as a set of files: the interface for synchronising two catalogues. A record is transferred as its text, so
 * that comments, key order and unknown keys are the same on both sides.
 *
 * A replica shows its viewer the files of the records that the viewer may see, with two exceptions: the file of a user,
 * which holds an e-mail address, is shown to staff and that user only; the payload of a withdrawn version, to those who
 * may restore it. `catalogue.yaml` is shown to those who may see people, and can't be written: each catalogue has its own.
 * A broken record is shown as it is, and staff may replace it, with its checksum as `ifMatch`.
 */

/** One file: a record, a payload, or an image below site_media/. */
export interface FileEntry {
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /**
   * SHA-256 of its bytes in hexadecimal; of a payload, the one in the record of its version. '' if the file exists but
   * can't be read, or is the missing record of a namespace or dataset whose folder is there (its size is 0 then), and so
   * must not be taken for removed.
   */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
  /** True for a record: small text, written with `apply`. Other files are bytes that never change, added with `put`. */
  readonly record: boolean;
  /** Text of a record, if it was requested, is UTF-8, and hasn't changed since the manifest was begun. */
  readonly text?: string;
  /** Why the record of a namespace or dataset can't be read, if it is because of its folder, and what to do: for the local admin. */
  readonly problem?: string;
  /** Of a file that is not a record; in the result of `entry` only. */
  readonly mediaType?: string;
}

/** Groups of files (`manifest-groups.ts`): their number, and the indexes of some. */
export interface FileGroups {
  readonly count: number;
  readonly only: readonly number[];
}

/** Digests of the files in each group. */
export interface Digests {
  /** Tag of the manifest. */
  readonly tag: string;
  /** 32 hexadecimal digits for each group. */
  readonly digests: readonly string[];
}

/** Point of a catalogue's timeline, and whether that has an earlier point. */
export interface TimelineAnswer {
  readonly point: string;
  /** False if the timeline hasn't got the earlier point: the catalogue was set back, or its timeline was removed. */
  readonly hasPoint: boolean;
}

/** A question about the timeline of a catalogue, which goes with one about its files. */
export interface TimelineQuestion {
  /** Point that was seen last; null if none was. */
  readonly since: string | null;
  /** Called before the result is returned, unless the catalogue has no timeline. */
  readonly onAnswer: (answer: TimelineAnswer) => void;
}

export interface Manifest {
  /** Strong validator of the whole manifest (RFC 9110, section 8.8.1). */
  readonly tag: string;
  /** Sorted by path, by code point. Can be iterated once. */
  readonly entries: AsyncIterable<FileEntry>;
}

/**
 * A change of one record. `ifMatch` is the checksum that the record is expected to have; null if it must not exist. A
 * change that is done already succeeds, so that an interrupted client may send everything again.
 */
export type RecordChange =
  /**
   * Sets the whole text. Records that it refers to must exist. `replaces` is the path of the record's present file, which has
   * `ifMatch`, if that has another extension: it becomes the file at `path`, in one step.
   */
  | {
      readonly do: 'write';
      readonly path: string;
      readonly text: string;
      readonly ifMatch: string | null;
      readonly replaces?: string | undefined;
    }
  /** Removes a record; a dataset with all files in its folder. A namespace must be empty. */
  | { readonly do: 'remove'; readonly path: string; readonly ifMatch: string }
  /**
   * Renames a query, a group, or the record of a dataset or a namespace with all files in its folder. `text` is a new text that
   * the record gets in the same step, such as one with its former name. `queries` are the slugs of queries that get the new name
   * of their dataset in the same step, where they have the former one: that may be the name of another dataset next.
   */
  | {
      readonly do: 'move';
      readonly path: string;
      readonly to: string;
      readonly ifMatch: string;
      readonly text?: string | undefined;
      readonly queries?: readonly string[] | undefined;
    };

/** Outcome of a change; an error is one of `errors.ts`. */
export type ChangeOutcome =
  | { readonly path: string; readonly done: true }
  | { readonly path: string; readonly done: false; readonly error: Error };

/** Bytes of a new file. */
export interface FileBytes {
  readonly source: () => import('node:stream').Readable;
  readonly checksum: string;
  readonly size: number;
  /** Called with the number of bytes sent so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The signals of options close the connection to a remote; a local catalogue does without. */
export interface Replica {
  /**
   * All files that the viewer may see.
   * @param options.known tag of a manifest that the caller has (If-None-Match)
   * @param options.texts true to include the texts of records
   * @param options.groups lists the files of some groups only; the tag is that of all
   * @returns null if the known manifest is still valid
   */
  manifest(options?: {
    readonly known?: string | undefined;
    readonly texts?: boolean | undefined;
    readonly groups?: FileGroups | undefined;
    readonly timeline?: TimelineQuestion | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Manifest | null>;
  /**
   * The digests of the files that the viewer may see, by group.
   * @param count number of groups
   * @param options.known tag of a manifest that the caller has (If-None-Match)
   * @returns null if the known manifest is still valid; `unsupported` if the server is too old to compute digests
   */
  digests(
    count: number,
    options?: {
      readonly known?: string | undefined;
      readonly timeline?: TimelineQuestion | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<Digests | 'unsupported' | null>;
  /**
   * The entry of one file.
   * @throws NotFoundError
   */
  entry(path: string): Promise<FileEntry>;
  /**
   * The bytes of a file, from `start` to `end`, both included; by default all of them.
   * @throws NotFoundError; ConflictError if the file doesn't have the checksum (any more)
   */
  read(
    path: string,
    options?: {
      readonly checksum?: string | undefined;
      readonly start?: number | undefined;
      readonly end?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<import('node:stream').Readable>;
  /**
   * Applies changes in order. Each is atomic, and independent of the outcome of those before. When it returns, all are
   * durable and visible. Errors in outcomes: NotPermittedError, StaleError if `ifMatch` fails, ValidationError for an
   * invalid text, ConflictError if a name or an id is taken, or the record is still referred to.
   * @param options.isClone true if the folder is being cloned: nobody else writes in it, and records need not be visible yet
   */
  apply(
    changes: readonly RecordChange[],
    options?: {
      readonly dryRun?: boolean | undefined;
      readonly isClone?: boolean | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<readonly ChangeOutcome[]>;
  /**
   * Adds a payload or an image; does nothing if the file exists with the same bytes.
   * @throws ValidationError if the bytes don't have the checksum; ConflictError if the file exists with other bytes;
   *   NotPermittedError, UnavailableError
   */
  put(path: string, bytes: FileBytes): Promise<void>;
  /**
   * Gives the records of datasets the columns of their newest versions. Of a local catalogue, after a pull: a pushed version
   * may change the record by itself.
   * @param paths of records of these datasets, or of their versions
   */
  fitColumns?(paths: readonly string[]): Promise<void>;
}
