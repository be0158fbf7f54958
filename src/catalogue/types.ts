/**
 * What the catalogue holds, as programs see it: a record's fields with their defaults filled in, and its place
 * (namespace, slug) beside them. All of it is immutable; an unchanged record keeps its object identity from one
 * snapshot to the next, so anything prepared from it can be kept in a WeakMap.
 */
export const columnTypes = [
  'geometry',
  'integer',
  'float',
  'string',
  'boolean',
  'date',
  'datetime',
  'time',
  'object',
  'array',
] as const;

export type ColumnType = (typeof columnTypes)[number];
export type Visibility = 'public' | 'private';

/** One typed column of a dataset. */
export interface Column {
  readonly type: ColumnType;
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly unit: string;
}

export interface Settings {
  readonly title: string;
  readonly description: string;
  /** Without a final slash; '' means that of each request. */
  readonly base_url: string;
  readonly page_size: number;
  readonly max_page_size: number;
  readonly ordering: string;
  readonly licence: string;
  readonly publisher: string;
  readonly contact: string;
  readonly homepage: string;
  readonly trust_proxy: boolean;
  readonly cors: boolean;
  readonly git: {
    /** Each write over HTTP becomes a commit. */
    readonly commit: boolean;
  };
  /** Looked at when the server starts. */
  readonly metrics: boolean;
}

export interface Namespace {
  readonly kind: 'namespace';
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  readonly description: string;
  readonly visibility: Visibility;
  /** Slugs of groups. */
  readonly owners: readonly string[];
  /** Former slugs. */
  readonly aliases: readonly string[];
}

export interface Dataset {
  readonly kind: 'dataset';
  /** Slug of the namespace. */
  readonly namespace: string;
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  readonly description: string;
  readonly image: string;
  readonly showcase_image: string;
  readonly thumbnail_image: string;
  readonly keywords: readonly string[];
  readonly licence: string;
  readonly homepage: string;
  readonly publisher: string;
  readonly contact: string;
  readonly visibility: Visibility;
  readonly columns: readonly Column[];
  /** Former addresses: `<namespace>/<dataset>`, or `<dataset>` within the same namespace. */
  readonly aliases: readonly string[];
  /** Newest first. */
  readonly versions: readonly Version[];
}

export interface Version {
  readonly kind: 'version';
  readonly namespace: string;
  readonly dataset: string;
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  /** ISO 8601 with milliseconds and Z. */
  readonly datetime: string;
  /** SHA-256 in hexadecimal, or '' where none is recorded. */
  readonly checksum: string;
  readonly metadata: string;
  /** Whether its data can be served: not withdrawn, and the payload is there. */
  readonly ready: boolean;
  readonly notes: string;
  readonly format: string;
  readonly media_type: string;
  /** In bytes. */
  readonly size: number | null;
  readonly rows: number | null;
  readonly bbox: readonly number[] | null;
  /** Name of the payload in the dataset's data folder, or '' where it lies elsewhere or nowhere. */
  readonly file: string;
  /** Where a payload lies that is kept elsewhere, or ''. */
  readonly href: string;
}

export interface Group {
  readonly kind: 'group';
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  /** Usernames; the users' files say so. */
  readonly members: readonly string[];
  /** Former slugs. */
  readonly aliases: readonly string[];
}

export interface User {
  readonly kind: 'user';
  /** The username. */
  readonly slug: string;
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly staff: boolean;
  /** Slugs of groups. */
  readonly groups: readonly string[];
}

export interface Query {
  readonly kind: 'query';
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  readonly description: string;
  /** `<namespace>/<dataset>` */
  readonly dataset: string;
  /** Slug of a version, or null for the newest ready one. */
  readonly version: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Former slugs. */
  readonly aliases: readonly string[];
}

/** Kinds of problems, for programs. */
export type DiagnosticCode =
  /** The file cannot be read, parsed, or does not fit its schema: the record is broken. */
  | 'unreadable'
  | 'syntax'
  | 'schema'
  /** The file has no place in the layout, its folder lacks its record, or another file has the same name. */
  | 'layout'
  | 'container'
  | 'name'
  /** Another record has the id; the record has none. */
  | 'id'
  | 'missing-id'
  /** A record, an image or a former address that a field names. */
  | 'reference'
  | 'image'
  | 'alias'
  | 'column'
  | 'unknown-key'
  | 'payload'
  | 'accounts'
  /** As reported by a server that does not say. */
  | 'unknown';

/** Problem in a file, with its place and what to write instead. */
export interface Diagnostic {
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /** From 1; 1 if the whole file is meant. */
  readonly line: number;
  readonly column: number;
  /** JSON Pointer (RFC 6901) into the record; '' is the whole. */
  readonly pointer: string;
  readonly message: string;
  /** An error makes something wrong or not served; a warning is worth a look. */
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
}

/** One file of the catalogue, seen from inside: the resource "intrinsecus". */
export interface CatalogueFile {
  readonly kind: 'file';
  readonly id: number;
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /** What the file is a record of; 'unknown' where it has no place in the layout. */
  readonly record:
    | 'settings'
    | 'namespace'
    | 'dataset'
    | 'version'
    | 'query'
    | 'group'
    | 'user'
    | 'payload'
    | 'unknown';
  /** The resource it makes, as `ref.ts` writes it; null where there is none. */
  readonly ref: import('./ref.ts').Ref | null;
  readonly status: 'ok' | 'invalid';
  readonly problems: readonly Diagnostic[];
}

/** What is known of a file only by looking at it. */
export interface FileDetails {
  /** SHA-256 of its bytes in hexadecimal; '' where it can't be read. */
  readonly checksum: string;
  /** ISO 8601; '' where it can't be read. */
  readonly modified: string;
  readonly commit: Commit | null;
}

/** A commit that touched a file. */
export interface Commit {
  readonly id: string;
  readonly author: string;
  readonly datetime: string;
  readonly message: string;
}

export interface Entities {
  namespace: Namespace;
  dataset: Dataset;
  version: Version;
  group: Group;
  user: User;
  query: Query;
  file: CatalogueFile;
}

/** The kinds of things that have an address. */
export type Kind = keyof Entities;
export type Entity = Entities[Kind];
