/**
 * The catalogue as a library: the doorway for programs. One interface, `Catalogue`, to a folder and to a server
 * elsewhere; what a program doesn't use isn't loaded.
 */
import type { Catalogue } from './catalogue/catalogue.ts';

export type * from './catalogue/catalogue.ts';
export type * from './catalogue/difference.ts';
export {
  CatalogueError,
  ConflictError,
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
export {
  type DatasetRef,
  type FileRef,
  formatRef,
  type GroupRef,
  type NamespaceRef,
  parseDatasetRef,
  parseVersionRef,
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
export { listAll, readRows } from './catalogue/whole.ts';

/** A catalogue, and what it holds on to: watchers of a folder, connections to a server. `await using` closes it too. */
export interface OpenCatalogue extends Catalogue, AsyncDisposable {
  /** Lets go. Nothing may be asked any more. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Read everything at once and follow the files as they change. Without it, what others write may not be seen. */
  readonly watch?: boolean | undefined;
  /** Called after every change: the catalogue's own writes and, with `watch`, those of editors, git and other programs. */
  readonly onChange?: (() => void) | undefined;
  /** Receives a line for each problem in a file, and for each file that was fixed; default: no log. */
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Opens the catalogue in a folder, for one who has the folder in hand: everything can be seen and written.
 *
 * @example
 * ```ts
 * import { openCatalogue, parseDatasetRef } from 'catalogue';
 *
 * const catalogue = await openCatalogue('catalogue-data');
 * const { label, columns } = await catalogue.get(parseDatasetRef('usgs/earthquakes'));
 * console.log(label);
 * // → Earthquakes, 31 January to 7 February 2018
 * console.log(columns.find(({ name }) => name === 'mag')?.type);
 * // → float
 * await catalogue.close();
 * ```
 * @throws UnusableCatalogueError that says what is wrong with the folder and what to do
 */
export async function openCatalogue(folder: string, options: OpenOptions = {}): Promise<OpenCatalogue> {
  const { watch = false, onChange = () => {}, log = () => {} } = options;
  const { openFolder } = await import('./files/file-catalogue.ts');
  // A program waits as long as it likes for rows: nobody else does.
  const files = await openFolder(folder, { watch, onChange, log, patience: Number.POSITIVE_INFINITY });
  await files.ensureRead([{ kind: 'settings' }]);
  return disposable(Object.assign(files.for(), { close: () => files.close() }));
}

export interface ConnectOptions {
  /** Presented with every request: what it may see can be seen, and what it may write written. */
  readonly token?: string | undefined;
  /** Milliseconds that connecting may take, and the longest silence in an answer; default 60,000. */
  readonly timeout?: number | undefined;
}

/**
 * The catalogue that a server serves, as anybody sees it, or the one whose token is given. Nothing is asked yet.
 *
 * @example
 * ```ts
 * import { connect } from 'catalogue';
 *
 * const catalogue = await connect('http://localhost:8000');
 * const { count, items } = await catalogue.list('dataset', { search: 'rivers' });
 * console.log(count, items[0]?.slug, items[0]?.licence);
 * // → 1 rivers CC0-1.0
 * await catalogue.close();
 * ```
 * @param url `https://data.example.org`, with the path below which the API lies if there is one
 * @throws UnreachableError where that is no address
 */
export async function connect(url: string, { token, timeout }: ConnectOptions = {}): Promise<OpenCatalogue> {
  const { connect } = await import('./remote/remote-catalogue.ts');
  return disposable(await connect(url, { token, timeout }));
}

function disposable<T extends Catalogue & { close(): Promise<void> }>(catalogue: T): T & AsyncDisposable {
  return Object.assign(catalogue, { [Symbol.asyncDispose]: () => catalogue.close() });
}
