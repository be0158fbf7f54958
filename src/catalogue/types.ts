/**
 * Entities of a catalogue: the fields of a record with their defaults, and the parts of its address (namespace, slug).
 * Entities are immutable. An unchanged record is the same object in the next snapshot, so that values computed from it
 * can be cached in a WeakMap.
 */
import type { Diagnostic } from './diagnostic.ts';
import type { PayloadSettings } from './payload-store.ts';

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

/** A column of data: its name and type, without the texts that people write. */
export type DataColumn = Pick<Column, 'name' | 'type'>;

/** A described column that the newest data lack. */
export interface MissingColumn extends Column {
  /** Slug of the first version without it. */
  readonly missing_since: string;
}

export interface Settings {
  readonly title: string;
  readonly description: string;
  readonly language: string;
  /** Without a final slash; '' for the base URL of each request. */
  readonly base_url: string;
  readonly page_size: number;
  readonly max_page_size: number;
  readonly file_cache: number;
  readonly ordering: string;
  readonly licence: string;
  readonly publisher: string;
  readonly contact: string;
  readonly homepage: string;
  readonly trust_proxy: boolean;
  /** People who may see users, authors of commits and catalogue.yaml: those signed in, or everybody. */
  readonly people: 'members' | 'public';
  readonly cors: boolean;
  readonly git: {
    /** True to commit each write over HTTP. */
    readonly commit: boolean;
  };
  /** Path or URL of a picture; '' if there is none. */
  readonly logo: string;
  /** Colour of the pages' links and buttons; '' for that of the program. */
  readonly accent: string;
  /** Addresses of the links in the foot of the pages, keyed by their texts. */
  readonly footer: Readonly<Record<string, string>>;
  /** The object store for large payloads; its `store` is '' if there is none. */
  readonly payloads: PayloadSettings;
  /** Sources that are imported again by `catalogue refresh`, by name. */
  readonly sources: Readonly<Record<string, SavedSource>>;
  /** Read when the server starts. */
  readonly metrics: boolean;
}

/** A source that catalogue.yaml names. */
export interface SavedSource {
  readonly url: string;
  readonly to?: string;
  readonly format?: string;
  readonly with_data?: boolean;
  readonly delay?: number;
}

/** Types that a column of text can be read as. */
export const readableTypes = ['string', 'integer', 'float', 'boolean', 'date', 'datetime', 'time'] as const;

/** Options for reading a payload, as far as people set them. `reading.ts` explains each. */
export interface ReadingOptions {
  readonly types?: Readonly<Record<string, (typeof readableTypes)[number]>>;
  readonly decimal?: '.' | ',';
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly date_format?: string;
  readonly lat?: string;
  readonly lon?: string;
  readonly geometry?: string;
  readonly header?: boolean;
  readonly skip?: number;
  readonly crs?: string;
  readonly layer?: string;
  readonly strict?: boolean;
}

/** Options to set, keyed by option; null forgets one. Of `types`, null forgets the type of a column. */
export type ReadingOptionChanges = {
  readonly [K in Exclude<keyof ReadingOptions, 'types'>]?: ReadingOptions[K] | null;
} & { readonly types?: Readonly<Record<string, (typeof readableTypes)[number] | null>> };

export interface Namespace {
  readonly kind: 'namespace';
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  readonly description: string;
  readonly visibility: Visibility;
  /** Slugs of groups. */
  readonly owners: readonly string[];
  /** Slugs of groups, and users as `user:<username>`. */
  readonly readers: readonly string[];
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
  /** URLs of files and pages on other servers, by their titles. */
  readonly links: Readonly<Record<string, string>>;
  readonly visibility: Visibility;
  /** Slugs of groups, and users as `user:<username>`. */
  readonly readers: readonly string[];
  /** YYYY-MM-DD or RFC 3339 in UTC; '' if only its versions tell it. So is `modified`. */
  readonly issued: string;
  readonly modified: string;
  /** The columns of the newest ready version, with the texts of the record. */
  readonly columns: readonly Column[];
  readonly missing_columns: readonly MissingColumn[];
  /** Present names of columns, keyed by former name; several if columns of one name were renamed differently. */
  readonly former_names: Readonly<Record<string, readonly string[]>>;
  /** Options for reading the next version. */
  readonly reading: ReadingOptions;
  /** Origin of an imported dataset: `from`, `id`, and `imported` with checksums of its fields and its file; {} if it wasn't imported. */
  readonly source: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
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
  /** SHA-256 in hexadecimal; '' if the record has none. */
  readonly checksum: string;
  readonly metadata: string;
  /** True if its data can be served: it is not `withdrawn` by its record, and the payload exists. */
  readonly ready: boolean;
  /** True if it was uploaded as a draft and has not been made ready yet: only its owners see it. */
  readonly draft: boolean;
  readonly withdrawn: boolean;
  /** New names of columns that a draft brings when it is made ready, by present name. */
  readonly renames: Readonly<Record<string, unknown>>;
  readonly notes: string;
  readonly format: string;
  readonly media_type: string;
  /** In bytes. */
  readonly size: number | null;
  readonly rows: number | null;
  readonly bbox: readonly number[] | null;
  /** The columns of its data; null if the record doesn't tell them. */
  readonly columns: readonly DataColumn[] | null;
  /** Options with which the rows are read. */
  readonly reading: ReadingOptions;
  /** Name of the payload in the dataset's data folder; '' if it has a URL, or there is none. */
  readonly file: string;
  /** URL of a payload that is not in the data folder; else ''. */
  readonly href: string;
}

export interface Group {
  readonly kind: 'group';
  readonly slug: string;
  readonly id: number;
  readonly label: string;
  /** Usernames, from the users' files. */
  readonly members: readonly string[];
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

/** The time that a client may use for long work, such as filtering and ordering rows. */
export interface WorkBudget {
  /** @throws an error that says when to ask again, if the time is used up */
  assertAvailable(): void;
  /** Takes the time of work from the budget. */
  spend(milliseconds: number): void;
}

/** A file of the catalogue: the resource that the API calls "intrinsecus", as recorded (test/conformance). */
export interface CatalogueFile {
  readonly kind: 'file';
  readonly id: number;
  /** Relative to the catalogue folder, with slashes. */
  readonly path: string;
  /** Kind of the record in the file; 'unknown' if the path has no place in the layout. */
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
  /** Reference of the record in the file; null if there is none. */
  readonly ref: import('./ref.ts').Ref | null;
  readonly status: 'ok' | 'invalid';
  readonly problems: readonly Diagnostic[];
}

/** Details of a file, which are read on demand. */
export interface FileDetails {
  /** SHA-256 of its bytes in hexadecimal, that of its record for a payload; '' if it can't be read. */
  readonly checksum: string;
  /** ISO 8601; '' if it can't be read. */
  readonly modified: string;
  readonly commit: Commit | null;
}

/** A commit that changed a file. */
export interface Commit {
  readonly id: string;
  /** '' if the viewer may not see people. */
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

export type Kind = keyof Entities;
export type Entity = Entities[Kind];
