/**
 * Comparison of the rows of datasets between two states of a catalogue, by their newest versions. A payload is read from
 * the catalogue folder if it is there; else it is extracted from git into a temporary folder.
 */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EntityChange, RowsChange } from '../../catalogue/changes.ts';
import { renamesBetween } from '../../catalogue/column-names.ts';
import { ObjectStoreError, UnavailableError } from '../../catalogue/errors.ts';
import { payloadPath } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { parseDatasetRef } from '../../catalogue/parse-ref.ts';
import { latestReadyVersion } from '../../catalogue/ready-versions.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Version } from '../../catalogue/types.ts';
import { compareTables } from '../../data/difference/difference.ts';
import { ChecksumMismatchError, PayloadError } from '../../data/errors.ts';
import { columnNames } from '../../data/row.ts';
import type { Table } from '../../data/table/table.ts';
import { type PayloadFile, TableStore } from '../../data/table/table-store.ts';
import type { FileCatalogue } from '../file-catalogue.ts';
import { formatAndReadingFromRecord } from '../payload-files.ts';
import { openTableStore } from '../table-folder.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import type { GitTree } from '../tree/git-tree.ts';
import type { PayloadPointer } from '../tree/payload-pointer.ts';
import { runGit } from './git.ts';

/** The rows of a version can't be compared; the message is the reason. */
class RowsUnavailableError extends Error {}

/** A file has other bytes than those that the record of a version says. */
class OtherBytesError extends RowsUnavailableError {}

export interface ComparisonOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ComparedTrees {
  readonly before: GitTree;
  /** Null for the working tree. */
  readonly after: GitTree | null;
}

export class RowComparison {
  readonly #root: string;
  readonly #folder: DiskTree;
  readonly #sides: ComparedTrees;
  readonly #options: ComparisonOptions;
  /** The catalogue in the folder, for payloads in the object store: one for all of them, with one client. */
  #catalogue: FileCatalogue | undefined;

  constructor(root: string, sides: ComparedTrees, options: ComparisonOptions) {
    this.#root = root;
    this.#folder = new DiskTree(root);
    this.#sides = sides;
    this.#options = options;
  }

  /** Adds the counts of changed rows to the changes of each dataset whose newest version differs. */
  async addRowChanges(
    things: readonly EntityChange[],
    before: Snapshot,
    after: Snapshot,
  ): Promise<readonly EntityChange[]> {
    const temporary = await mkdtemp(join(tmpdir(), 'catalogue-diff-'));
    try {
      const done: EntityChange[] = [];
      for (const thing of things) {
        this.#options.onProgress?.(done.length, things.length);
        done.push({ ...thing, rows: await this.#rowsChange(thing, before, after, temporary) });
      }
      return done;
    } finally {
      await this.#catalogue?.close();
      this.#catalogue = undefined;
      await rm(temporary, { recursive: true, force: true });
    }
  }

  async #rowsChange(
    { kind, change, name, was, versions }: EntityChange,
    before: Snapshot,
    after: Snapshot,
    temporary: string,
  ): Promise<RowsChange | null> {
    if (kind !== 'dataset' || change !== 'changed' || versions.length === 0) return null;
    const datasets = {
      old: getEntity<'dataset'>(before, parseDatasetRef(was ?? name)),
      now: getEntity<'dataset'>(after, parseDatasetRef(name)),
    };
    const [from, to] = [latestReadyVersion(datasets.old), latestReadyVersion(datasets.now)];
    if (!from || !to || (from.checksum !== '' && from.checksum === to.checksum)) return null;
    const unknown = { from: from.slug, to: to.slug, counts: null, key: null, reason: '' };
    try {
      const old = await this.#openTable(from, this.#sides.before, join(temporary, 'from'));
      const now = await this.#openTable(to, this.#sides.after, join(temporary, 'to'));
      const former = { ...datasets.old.former_names, ...datasets.now.former_names };
      const renamed = renamesBetween(former, columnNames(old.schema), columnNames(now.schema));
      const { counts, key } = await compareTables(old, now, { renamed, signal: this.#options.signal });
      return { ...unknown, counts, key };
    } catch (error) {
      if (error instanceof RowsUnavailableError) return { ...unknown, reason: error.message };
      throw error;
    }
  }

  async #openTable(version: Version, tree: GitTree | null, temporary: string): Promise<Table> {
    const { namespace, dataset, slug, checksum, file, href } = version;
    if (href) throw new RowsUnavailableError(`the payload of ${slug} is not in the catalogue, but at ${href}`);
    if (!checksum || !file) throw new RowsUnavailableError(`${slug} has no ${file ? 'checksum' : 'payload'}`);
    const pointer = this.#pointer(version, tree);
    if (pointer) return this.#openStored(version, pointer);
    const facts = { checksum, ...formatAndReadingFromRecord(version) };
    const local = this.#localPath(version);
    if (local !== null)
      try {
        const tables = await openTableStore({ root: this.#root, options: {} });
        return await this.#openFrom(tables, version, { ...facts, path: local });
      } catch (error) {
        // A file of the same size may have replaced the one that the commit has.
        if (!(error instanceof OtherBytesError) || !tree?.blob(payloadPath(namespace, dataset, file))) throw error;
      }
    const path = await this.#extract(version, tree, join(temporary, 'payloads'));
    return this.#openFrom(new TableStore({ folder: join(temporary, 'tables') }), version, { ...facts, path });
  }

  async #openFrom(tables: TableStore, { format, slug }: Version, payload: PayloadFile): Promise<Table> {
    try {
      const table = await tables.open(payload);
      if (table) return table;
      throw new RowsUnavailableError(`${format || 'these'} files have no rows that can be compared`);
    } catch (error) {
      if (error instanceof PayloadError)
        throw new RowsUnavailableError(`the rows of ${slug} can't be read: ${error.message}`);
      if (error instanceof ChecksumMismatchError)
        throw new OtherBytesError(`the payload of ${slug} does not have the recorded checksum`);
      if (error instanceof ObjectStoreError || error instanceof UnavailableError)
        throw new RowsUnavailableError(`the payload of ${slug} can't be read: ${error.message}`);
      throw error;
    }
  }

  /** The pointer to a payload in the object store, in a commit or in the folder; null if it lies in the folder or in git. */
  #pointer({ namespace, dataset, file }: Version, tree: GitTree | null): PayloadPointer | null {
    const path = payloadPath(namespace, dataset, file);
    return tree?.storePointer(path) ?? this.#folder.pointer(path);
  }

  async #openStored(version: Version, pointer: PayloadPointer): Promise<Table> {
    if (pointer.checksum !== version.checksum)
      throw new RowsUnavailableError(`the payload of ${version.slug} does not have the recorded checksum`);
    const [{ openFileCatalogue }, { storedPayloadsOf }] = await Promise.all([
      import('../file-catalogue.ts'),
      import('../payloads/stored-payloads.ts'),
    ]);
    this.#catalogue ??= await openFileCatalogue(this.#root);
    const payloads = storedPayloadsOf(this.#catalogue);
    const tables = await openTableStore({ root: this.#root, options: {} });
    return this.#openFrom(tables, version, {
      checksum: pointer.checksum,
      path: version.file,
      useCopy: (work) => payloads.use(pointer, work),
      ...formatAndReadingFromRecord(version),
    });
  }

  /** Absolute path of the payload in the catalogue folder; null if a file of its size is not there. */
  #localPath({ namespace, dataset, file, size }: Version): string | null {
    const path = payloadPath(namespace, dataset, file);
    try {
      const stamp = this.#folder.stamp(path);
      const fits = stamp && (size === null || stamp.size === size) && !this.#folder.isLfsPointer(path);
      return fits ? this.#folder.absolute(path) : null;
    } catch (error) {
      if (error instanceof UnreadableFileError) return null;
      throw error;
    }
  }

  /** Copies the payload from git. @returns the path of the copy */
  async #extract(
    { namespace, dataset, slug, file }: Version,
    tree: GitTree | null,
    temporary: string,
  ): Promise<string> {
    const path = payloadPath(namespace, dataset, file);
    if (this.#folder.isLfsPointer(path))
      throw new RowsUnavailableError(`the payload of ${slug} is a Git LFS pointer: run "git lfs pull"`);
    if (tree?.isPointer(path))
      throw new RowsUnavailableError(`the payload of ${slug} is in Git LFS and was not fetched`);
    const blob = tree?.blob(path);
    if (!blob) throw new RowsUnavailableError(`the payload of ${slug} is missing`);
    const target = join(temporary, path);
    await mkdir(dirname(target), { recursive: true });
    const copy = await open(target, 'w');
    try {
      await runGit(this.#root, ['cat-file', 'blob', blob], { stdout: copy.fd, timeout: 600_000 });
    } finally {
      await copy.close();
    }
    return target;
  }
}
