/**
 * The catalogue as the files that it is made of: what two catalogues show and hand each other to be kept in step.
 * A record travels as its text, so that comments, key order and keys of one's own are the same on both sides.
 *
 * A depot shows its viewer what the viewer's catalogue shows; but the file of a user, which holds an e-mail address, to
 * staff and to that user only, and the payload of a version that was withdrawn to those who may bring it back.
 * `catalogue.yaml` is shown and can't be written: each catalogue has its own. Records that are broken are shown as they
 * are: staff who have seen just that may write over them.
 */

/** One file: a record, a payload, or an image below site_media/. */
export interface FileEntry {
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /**
   * SHA-256 of its bytes in hexadecimal; of a payload, as its version has recorded it. '' where a file is there and
   * can't be read: nothing can be said of it then, and least of all that it is gone.
   */
  readonly checksum: string;
  /** In bytes. */
  readonly size: number;
  /** Whether it is a record: small text, which `apply` writes. Anything else is bytes that never change, which `put` adds. */
  readonly record: boolean;
  /** The record's text, where it was asked for; none where it isn't UTF-8. */
  readonly text?: string;
  /** Of what is no record, where one file was asked for. */
  readonly mediaType?: string;
}

export interface Manifest {
  /** Strong validator of the whole: the same as long as no file is another. */
  readonly tag: string;
  /** By path, in the order of code points. To be read once. */
  readonly entries: AsyncIterable<FileEntry>;
}

/** Something that is done to one record. */
export type RecordChange =
  /** Its whole text from now on; what it names has to be there by then. Where it is the text already, that is done. */
  | { readonly do: 'write'; readonly path: string; readonly text: string; readonly ifMatch: string | null }
  /** With a dataset goes all that lies in its folder; a namespace has to be empty. */
  | { readonly do: 'remove'; readonly path: string; readonly ifMatch: string }
  /** A dataset or a namespace, named by its record, with all that lies in its folder; or a query or a group. */
  | { readonly do: 'move'; readonly path: string; readonly to: string; readonly ifMatch: string };
// `ifMatch`: the checksum that the record has as far as the writer knows; null where it isn't there. What was removed or
// moved as wanted already is done: so that one who was interrupted may send it all again.

/** What became of a change; an error is one of `errors.ts`. */
export type ChangeOutcome =
  | { readonly path: string; readonly done: true }
  | { readonly path: string; readonly done: false; readonly error: Error };

/** Bytes that are to be added. */
export interface FileBytes {
  readonly source: () => import('node:stream').Readable;
  readonly checksum: string;
  readonly size: number;
  /** Called with the number of bytes sent so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Replica {
  /**
   * All files that the viewer may see.
   * @param options.known the tag of a manifest that is at hand
   * @param options.texts whether the records' texts come with it
   * @returns null where that one still holds
   */
  manifest(options?: {
    readonly known?: string | undefined;
    readonly texts?: boolean | undefined;
  }): Promise<Manifest | null>;
  /**
   * What is known of one file.
   * @throws NotFoundError
   */
  entry(path: string): Promise<FileEntry>;
  /**
   * The bytes of a file, from `start` to `end`, both included; by default all of them.
   * @throws NotFoundError; ConflictError where they aren't those of the checksum (any more)
   */
  read(
    path: string,
    options?: {
      readonly checksum?: string | undefined;
      readonly start?: number | undefined;
      readonly end?: number | undefined;
    },
  ): Promise<import('node:stream').Readable>;
  /**
   * Does one change after the other, each whole or not at all, and whatever became of those before. All are on disk and
   * can be seen when it answers. Of each, the outcome: NotPermittedError, StaleError where the record isn't what was
   * seen, ValidationError where the text doesn't fit, ConflictError where names or ids are taken or it is needed still.
   */
  apply(
    changes: readonly RecordChange[],
    options?: { readonly dryRun?: boolean | undefined },
  ): Promise<readonly ChangeOutcome[]>;
  /**
   * Adds a payload or an image; nothing is done where the same bytes are there.
   * @throws ValidationError where the bytes aren't those of the checksum; ConflictError where others are there;
   *   NotPermittedError, UnavailableError
   */
  put(path: string, bytes: FileBytes): Promise<void>;
}
