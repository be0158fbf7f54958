/**
 * The catalogue as a library. `Catalogue` is the interface to a folder and to a remote server alike. Modules are loaded
 * when they are first used.
 */
import type { Catalogue } from './catalogue/catalogue.ts';
import { ValidationError } from './catalogue/errors.ts';
import type { DatasetRef } from './catalogue/ref.ts';
import type { ExportOptions, ExportResult } from './export/export-options.ts';

export type * from './catalogue/catalogue.ts';
export type { ColumnChanges } from './catalogue/catalogue.ts';
export type * from './catalogue/column-statistics.ts';
export type * from './catalogue/difference.ts';
export {
  CatalogueError,
  ConflictError,
  DataLossError,
  type FieldErrors,
  MovedError,
  NotAuthenticatedError,
  NotFoundError,
  NotPermittedError,
  StaleError,
  UnavailableError,
  UnreachableError,
  UnusableCatalogueError,
  ValidationError,
} from './catalogue/errors.ts';
export type * from './catalogue/facets.ts';
export type * from './catalogue/feed.ts';
export { listAll, readRows } from './catalogue/iterate.ts';
export type * from './catalogue/open-file.ts';
export { parseDatasetRef, parseVersionRef } from './catalogue/parse-ref.ts';
export {
  type DatasetRef,
  type FileRef,
  formatRef,
  type GroupRef,
  type NamespaceRef,
  type QueryRef,
  type Ref,
  type RefOf,
  type Refs,
  refOf,
  type UserRef,
  type VersionRef,
} from './catalogue/ref.ts';
export type * from './catalogue/replica.ts';
export type * from './catalogue/trash.ts';
export type * from './catalogue/types.ts';
export type { ExportOptions, ExportResult } from './export/export-options.ts';

/** A catalogue with its watchers of a folder or connections to a server. It can be declared with `await using`. */
export interface OpenCatalogue extends Catalogue, AsyncDisposable {
  /** Closes watchers and connections. No other method may be called afterwards. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** True to read everything at once and follow changes of the files. If false, changes by others may be missed. */
  readonly watch?: boolean | undefined;
  /** Called after each change: by the catalogue itself and, with `watch`, by editors, git and other programs. */
  readonly onChange?: (() => void) | undefined;
  /** Called with a line for each file that is broken, and when it is fixed; by default, nothing is logged. */
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Opens the catalogue in a folder, as its local admin: everything can be read and written.
 *
 * @example
 * ```ts
 * import { openCatalogue, parseDatasetRef } from 'dataset-catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * const { label, columns } = await catalogue.get(parseDatasetRef('usgs/earthquakes'));
 * console.log(label);
 * // → Earthquakes, 31 January to 7 February 2018
 * console.log(columns.find(({ name }) => name === 'mag')?.type);
 * // → float
 * await catalogue.close();
 * ```
 * @throws UnusableCatalogueError with the problem of the folder and its solution
 */
export async function openCatalogue(folder: string, options: OpenOptions = {}): Promise<OpenCatalogue> {
  const { watch = false, onChange = () => {}, log = () => {} } = options;
  const { openFileCatalogue } = await import('./files/file-catalogue.ts');
  // Queries have no time limit: no other request waits for them.
  const files = await openFileCatalogue(folder, { watch, onChange, log, patience: Number.POSITIVE_INFINITY });
  await files.ensureRead([{ kind: 'settings' }]);
  return disposable(Object.assign(files.for(), { close: () => files.close() }));
}

export interface ConnectOptions {
  /** Sent with every request, which then has the rights of the token. Without it, requests are anonymous. */
  readonly token?: string | undefined;
  /** Maximum time in milliseconds to connect, and between two parts of a response; default 60,000. */
  readonly timeout?: number | undefined;
}

/**
 * Connects to the catalogue of a server, as an anonymous user or with a token. No request is sent yet.
 *
 * @example
 * ```ts
 * import { connect } from 'dataset-catalogue';
 *
 * const catalogue = await connect('http://localhost:8000');
 * const { count, items } = await catalogue.list('dataset', { search: 'rivers' });
 * console.log(count, items[0]?.slug, items[0]?.licence);
 * // → 1 rivers CC0-1.0
 * await catalogue.close();
 * ```
 * @param url `https://data.example.org`, with the path of the API before `/api/v1/` if there is one
 * @throws ValidationError if the URL is not valid
 */
export async function connect(url: string, { token, timeout }: ConnectOptions = {}): Promise<OpenCatalogue> {
  const { openRemoteCatalogue } = await import('./remote/remote-catalogue.ts');
  return disposable(await openRemoteCatalogue(url, { token, timeout }));
}

export interface ImportOptions {
  /** Slug of the namespace, made if there is none; by default the name of the source. */
  readonly to?: string | undefined;
  /** As `--format` of `catalogue import`; by default it is recognized. */
  readonly format?: string | undefined;
  /** True to bring a file of each dataset, and take it in as a version. Local files with rows are always taken in. */
  readonly withData?: boolean | undefined;
  /** True to change nothing. */
  readonly dryRun?: boolean | undefined;
  /** Seconds between two requests to one host; default 1. */
  readonly delay?: number | undefined;
  /** Folder for what servers answered, by which the next import asks for changes only, and an interrupted one goes on. */
  readonly cacheFolder: string;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of records so far, and the number of all if it is known. */
  readonly onRecords?: ((done: number, total: number | null) => void) | undefined;
}

/** Result of an import. */
export interface Imported {
  readonly namespace: string;
  readonly created: readonly { readonly ref: DatasetRef; readonly label: string }[];
  readonly updated: readonly { readonly ref: DatasetRef; readonly fields: readonly string[] }[];
  readonly unchanged: number;
  /** Fields that people wrote by hand, and that stay. */
  readonly kept: readonly { readonly ref: DatasetRef; readonly fields: readonly string[] }[];
  /** Records that were not taken, and files that stay links, with the reason. */
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
  readonly links: readonly { readonly id: string; readonly reason: string }[];
  /** Datasets that the source has no more; they stay. */
  readonly missing: readonly DatasetRef[];
  /** New versions, of which a dry run has no names; and those of people that are not the newest any more because of them. */
  readonly versions: readonly {
    readonly ref: DatasetRef;
    readonly version: string | null;
    readonly file: string;
    readonly addedByHand: readonly string[];
  }[];
  /** Files that a dry run doesn't fetch. */
  readonly unfetched: readonly { readonly ref: DatasetRef; readonly address: string }[];
}

/**
 * Imports the datasets of a portal, another catalogue, or a file or folder, as `catalogue import` does. Again, it updates them.
 *
 * @param source URL or path
 * @throws NotFoundError, UnreachableError, ValidationError if the source can't be read at all; the signal's reason
 */
export async function importCatalogue(
  catalogue: Catalogue,
  source: string,
  { to, format, withData, dryRun, delay, cacheFolder, signal, onRecords }: ImportOptions,
): Promise<Imported> {
  const [{ importSource }, { sourceFormats }, { listPayloadLayers }, { unpackTable }] = await Promise.all([
    import('./import/import-source.ts'),
    import('./import/detect.ts'),
    import('./data/ingest/payload-layers.ts'),
    import('./data/ingest/archive-tables.ts'),
  ]);
  if (format !== undefined && !Object.hasOwn(sourceFormats, format))
    throw new ValidationError({ format: [`Known formats are ${Object.keys(sourceFormats).join(', ')}.`] });
  return importSource(
    { source, namespace: to, format: format as keyof typeof sourceFormats | undefined, withData, dryRun, delay },
    { catalogue, cacheFolder, cwd: process.cwd(), listLayers: listPayloadLayers, unpackTable, signal, onRecords },
  );
}

/**
 * Exports the public part of the catalogue in a folder as static files. A second export writes only what has changed.
 * @throws ValidationError without an address; ConflictError if the folder has files of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export async function exportCatalogue(options: ExportOptions): Promise<ExportResult> {
  const { exportCatalogue } = await import('./export/export-catalogue.ts');
  return exportCatalogue(options);
}

function disposable<T extends Catalogue & { close(): Promise<void> }>(catalogue: T): T & AsyncDisposable {
  return Object.assign(catalogue, { [Symbol.asyncDispose]: () => catalogue.close() });
}
