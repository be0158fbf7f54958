/**
 * The one interface between those who present a catalogue (the server, the command line) and those who are one
 * (a folder of files, a server elsewhere). Read this first.
 *
 * A `Catalogue` is a catalogue as one viewer sees it: what the viewer may not see isn't in it, and its absence leaves
 * no trace. Reads answer with immutable values; unchanged values keep their identity while `revision` moves on.
 */
import type { Ref, Refs, VersionRef } from './ref.ts';
import type { CatalogueFile, Entities, FileDetails, Kind, Settings, Version } from './types.ts';

/** A question to a collection; every part may be left out. */
export interface Question {
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

/** The kinds that can be created and edited through the interface. */
export type WritableKind = 'namespace' | 'dataset';

/**
 * Fields by name, as they came in: `input.ts` says what each may be. The namespace of a dataset is its slug here.
 */
export type Input = Readonly<Record<string, unknown>>;

export interface Catalogue {
  /** The same object as long as nothing changed that this viewer could see. */
  readonly revision: object;
  readonly settings: Settings;

  /** @throws NotFoundError where the page doesn't exist, or the namespace or dataset asked within */
  list<K extends Kind>(kind: K, question: Question): Promise<Page<Entities[K]>>;
  /** @throws NotFoundError, MovedError */
  get<K extends Kind>(ref: Refs[K]): Promise<Entities[K]>;
  /**
   * The payload of a version; `latest` is the newest ready one.
   * @throws NotFoundError that says why there is none; MovedError
   */
  payload(ref: VersionRef): Promise<Payload>;
  /** @throws NotFoundError */
  media(path: string): Promise<Media>;
  /** Checksum, time and commit of files, in their order. */
  inspect(files: readonly CatalogueFile[]): Promise<readonly FileDetails[]>;

  /** @throws ValidationError, ConflictError, NotPermittedError */
  create<K extends WritableKind>(kind: K, input: Input): Promise<Entities[K]>;
  /**
   * Changes the fields given and no others; a new slug or namespace moves the record, and its old address redirects.
   * @throws NotFoundError, ValidationError, ConflictError, NotPermittedError
   */
  edit<K extends WritableKind>(ref: Refs[K], input: Input): Promise<Entities[K]>;
  /** @throws NotFoundError, ConflictError (a namespace that still has datasets), NotPermittedError */
  remove(ref: Ref): Promise<void>;
}
