/** Open files of a catalogue: payloads and media. */
import type { Version } from './types.ts';

/** Bytes of a stored file, which is open until its stream ends or `close` is called. */
export interface OpenFile {
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** The bytes of a range; by default all of them. Destroying the stream closes the file. */
  stream(range?: ByteRange): import('node:stream').Readable;
  /** Closes a file from which no stream was requested, or that stays open after its streams. */
  close(): Promise<void>;
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
  /** True if the file stays open when the stream ends, for another range. */
  readonly staysOpen?: boolean;
}

/** The bytes of a version, as they were uploaded. */
export interface Payload extends OpenFile {
  readonly version: Version;
  /** Name for saving the file. */
  readonly fileName: string;
  /** Begins to read the bytes of a range from another server: errors come before the stream. */
  open?(range?: ByteRange): Promise<import('node:stream').Readable>;
  /**
   * Returns an address that clients may read the bytes from for some minutes; null if they are read here.
   * @param disposition value of Content-Disposition in its response
   */
  address?(disposition: string): Promise<string | null>;
}

/** A file below site_media/, such as an image of a dataset. */
export interface Media extends OpenFile {
  /** Strong validator of the bytes (RFC 9110, section 8.8.3), without quotes. */
  readonly tag: string;
}

/** All rows of a version in a format, as a file that is kept in a cache. */
export interface RowsFile {
  /** Strong validator, without quotes: the same for the same bytes. */
  readonly tag: string;
  /**
   * Opens the file.
   * @param isMade true to make it first if it isn't there
   * @returns null if it isn't there and can't be kept
   * @throws UnavailableError if making it takes long; it is there later
   */
  open(isMade: boolean): Promise<OpenFile | null>;
  /** The document from its beginning; the file is made on the way. */
  stream(): import('node:stream').Readable;
}
