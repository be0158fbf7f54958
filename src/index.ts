/**
 * The catalogue as a library: the doorway for programs. One interface, `Catalogue`, to a folder and to a server
 * elsewhere; what a program doesn't use isn't loaded.
 */
import type { Catalogue } from './catalogue/catalogue.ts';

export type {
  Basis,
  Catalogue,
  ColumnChanges,
  CreatableKind,
  HistoryRef,
  Input,
  Media,
  Page,
  Payload,
  Published,
  Question,
  Rows,
  RowsPart,
  RowsQuestion,
  Upload,
  WritableKind,
} from './catalogue/catalogue.ts';
export type {
  ColumnDifference,
  Difference,
  DifferenceCounts,
  DifferenceKey,
  DifferenceOptions,
  NamedType,
  PlainRow,
  RowChange,
} from './catalogue/difference.ts';
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
  type Refs,
  refOf,
  type UserRef,
  type VersionRef,
} from './catalogue/ref.ts';
export type {
  CatalogueFile,
  Column,
  ColumnType,
  Commit,
  Dataset,
  Entities,
  Entity,
  FileDetails,
  Group,
  Kind,
  Namespace,
  Problem,
  Query,
  Settings,
  User,
  Version,
  Visibility,
} from './catalogue/types.ts';
export { listAll, readRows } from './catalogue/whole.ts';

/** A catalogue, and what it holds on to: watchers of a folder, connections to a server. `await using` closes it too. */
export interface OpenCatalogue extends Catalogue {
  /** Lets go. Nothing may be asked any more. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface OpenOptions {
  /** Read everything at once and follow the files as they change. Without it, what others write may not be seen. */
  readonly watch?: boolean;
  /** Called after every change: the catalogue's own writes and, with `watch`, those of editors, git and other programs. */
  readonly onChange?: () => void;
  /** Takes a line for each file that is broken, and when it is mended; by default nobody is told. */
  readonly log?: (line: string) => void;
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
  const { openFolder } = await import('./files/file-catalogue.ts');
  // A program waits as long as it likes for rows: nobody else does.
  const files = await openFolder(folder, { ...options, patience: Number.POSITIVE_INFINITY });
  await files.need([{ kind: 'settings' }]);
  const close = () => files.close();
  return Object.assign(files.for(), { close, [Symbol.asyncDispose]: close });
}
