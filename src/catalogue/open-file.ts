/** Open files of a catalogue: payloads and media. */
import type { Version } from './types.ts';

/** Bytes of a stored file, which is open until its stream ends or `close` is called. */
export interface OpenFile {
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** The bytes from `start` to `end`, both included; by default all of them. Destroying the stream closes the file. */
  stream(range?: { readonly start: number; readonly end: number }): import('node:stream').Readable;
  /** Closes a file from which no stream was requested. */
  close(): Promise<void>;
}

/** The bytes of a version, as they were uploaded. */
export interface Payload extends OpenFile {
  readonly version: Version;
  /** Name for saving the file. */
  readonly fileName: string;
}

/** A file below site_media/, such as an image of a dataset. */
export interface Media extends OpenFile {
  /** Strong validator of the bytes (RFC 9110, section 8.8.3), without quotes. */
  readonly tag: string;
}
