/**
 * How the rows of datasets' newest versions differ between two states of a catalogue. A payload is taken where it lies
 * in the folder, else out of git into a temporary folder.
 */
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RowsChange, ThingChange } from '../../catalogue/changes.ts';
import { payloadPath } from '../../catalogue/layout.ts';
import { find, latest } from '../../catalogue/lookup.ts';
import { parseDatasetRef } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Version } from '../../catalogue/types.ts';
import { compareTables } from '../../data/difference/difference.ts';
import { ChecksumMismatchError, PayloadError } from '../../data/errors.ts';
import type { Table } from '../../data/table/table.ts';
import { TableStore } from '../../data/table/table-store.ts';
import { columnarFolder, recordedFormat } from '../rows.ts';
import { DiskTree } from '../tree/disk-tree.ts';
import { UnreadableFileError } from '../tree/file-tree.ts';
import type { GitTree } from '../tree/git-tree.ts';
import type { ChangesOptions } from './changes-since.ts';
import { git } from './git.ts';

/** Why the rows of a version can't be had. */
class NoRows extends Error {}

export interface Sides {
  readonly before: GitTree;
  /** Null is the working tree. */
  readonly after: GitTree | null;
}

export class RowComparison {
  readonly #root: string;
  readonly #folder: DiskTree;
  readonly #sides: Sides;
  readonly #options: ChangesOptions;

  constructor(root: string, sides: Sides, options: ChangesOptions) {
    this.#root = root;
    this.#folder = new DiskTree(root);
    this.#sides = sides;
    this.#options = options;
  }

  /** The changes, and with those of a dataset whose newest version is another one the difference of its rows. */
  async addTo(things: readonly ThingChange[], before: Snapshot, after: Snapshot): Promise<readonly ThingChange[]> {
    const aside = await mkdtemp(join(tmpdir(), 'catalogue-diff-'));
    try {
      const done: ThingChange[] = [];
      for (const thing of things) {
        this.#options.onProgress?.(done.length, things.length);
        done.push({ ...thing, rows: await this.#rowsOf(thing, before, after, aside) });
      }
      return done;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }

  async #rowsOf(
    { kind, change, name, was, versions }: ThingChange,
    before: Snapshot,
    after: Snapshot,
    aside: string,
  ): Promise<RowsChange | null> {
    if (kind !== 'dataset' || change !== 'changed' || versions.length === 0) return null;
    const from = latest(find<'dataset'>(before, parseDatasetRef(was ?? name)));
    const to = latest(find<'dataset'>(after, parseDatasetRef(name)));
    if (!from || !to || (from.checksum !== '' && from.checksum === to.checksum)) return null;
    const told = { from: from.slug, to: to.slug, counts: null, key: null, reason: '' };
    try {
      const old = await this.#table(from, this.#sides.before, join(aside, 'from'));
      const now = await this.#table(to, this.#sides.after, join(aside, 'to'));
      const { counts, key } = await compareTables(old, now, { signal: this.#options.signal });
      return { ...told, counts, key };
    } catch (error) {
      if (error instanceof NoRows) return { ...told, reason: error.message };
      throw error;
    }
  }

  async #table(version: Version, tree: GitTree | null, aside: string): Promise<Table> {
    const { slug, checksum, href } = version;
    if (href) throw new NoRows(`the payload of ${slug} lies elsewhere: ${href}`);
    if (!checksum || !version.file) throw new NoRows(`${slug} has no ${version.file ? 'checksum' : 'payload'}`);
    const here = this.#here(version);
    const path = here ?? (await this.#takenOut(version, tree, join(aside, 'payloads')));
    const folder = here ? columnarFolder({ root: this.#root, options: {} }) : join(aside, 'tables');
    try {
      const table = await new TableStore({ folder }).open({ checksum, path, ...recordedFormat(version) });
      if (table) return table;
      throw new NoRows(`${version.format || 'these'} files have no rows that can be compared`);
    } catch (error) {
      if (error instanceof PayloadError) throw new NoRows(`the rows of ${slug} can't be read: ${error.message}`);
      if (error instanceof ChecksumMismatchError) throw new NoRows(`the payload of ${slug} has another checksum`);
      throw error;
    }
  }

  /** Where the payload lies in the folder, be it that of another version with the same bytes or not. */
  #here({ namespace, dataset, file, size }: Version): string | null {
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

  async #takenOut({ namespace, dataset, slug, file }: Version, tree: GitTree | null, aside: string): Promise<string> {
    const path = payloadPath(namespace, dataset, file);
    if (this.#folder.isLfsPointer(path))
      throw new NoRows(`the payload of ${slug} is a Git LFS pointer: run "git lfs pull"`);
    if (tree?.isPointer(path)) throw new NoRows(`the payload of ${slug} is in Git LFS, and not in the folder`);
    const blob = tree?.blob(path);
    if (!blob) throw new NoRows(`the payload of ${slug} is not there`);
    const target = join(aside, path);
    await mkdir(dirname(target), { recursive: true });
    const copy = await open(target, 'w');
    try {
      await git(this.#root, ['cat-file', 'blob', blob], { into: copy.fd, patience: 600_000 });
    } finally {
      await copy.close();
    }
    return target;
  }
}
