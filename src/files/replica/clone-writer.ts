/**
 * Records of a clone. Nobody else writes in its folder, and nobody reads it yet. So new records with free names and ids are
 * checked and written without locks, and without reading them back for a new snapshot. All other changes are committed as usual.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type RecordRef,
  recordFormat,
  recordPathWithoutExtension,
  siblingsFolder,
  type Unit,
  unitKey,
  unitOfRecord,
} from '../../catalogue/layout.ts';
import { allEntities } from '../../catalogue/listing.ts';
import type { RecordValue } from '../../catalogue/record-set.ts';
import { type DatasetRef, refOf } from '../../catalogue/ref.ts';
import type { ChangeOutcome, RecordChange } from '../../catalogue/replica.ts';
import { containingRecordRef } from '../../catalogue/rules.ts';
import { parseUntrustedCataloguePath } from '../../catalogue/untrusted-path.ts';
import { RecordText } from '../../text/parse.ts';
import type { CatalogueFiles } from '../catalogue-files.ts';
import { appendToJournal } from '../following/journal.ts';
import { makeRegularPause } from '../reading/event-loop.ts';
import type { NewRecord } from '../writing/asides.ts';
import { assertRecordTextValid } from '../writing/conditions.ts';
import { writeNewRecordsTogether } from '../writing/create-together.ts';
import { assertPathStaysInFolder } from '../writing/record-file.ts';
import { datasetsOfRecordPaths } from './items.ts';

type AddedRecord = NewRecord & { readonly ref: RecordRef; readonly record: RecordValue };

const kinds = ['namespace', 'dataset', 'version', 'group', 'query', 'user'] as const;

export class CloneWriter {
  readonly #files: CatalogueFiles;
  /** Paths of the records that exist, without their extensions. */
  readonly #existing = new Set<string>();
  /** Paths in lower case, and ids, of the records that exist or were to be added. */
  readonly #names = new Set<string>();
  readonly #ids = new Map<string, Set<number>>(kinds.map((kind) => [kind, new Set()]));
  /** Units that were written since the snapshot was made. */
  #unread = new Map<string, Unit>();
  /** Folders that are no links, or links that may be followed. */
  readonly #checkedFolders = new Set<string>();
  /** Names and types of the columns in the records of datasets, by the key of the unit. */
  readonly #columns = new Map<string, string>();
  /** Datasets of which a version has other columns than the record. */
  readonly #misfits = new Map<string, DatasetRef>();
  #reading: Promise<void> = Promise.resolve();

  constructor(files: CatalogueFiles) {
    this.#files = files;
    this.#addSnapshot();
  }

  /** @param commit commits changes as usual */
  async apply(
    changes: readonly RecordChange[],
    commit: (changes: readonly RecordChange[]) => Promise<readonly ChangeOutcome[]>,
  ): Promise<readonly ChangeOutcome[]> {
    const added = new Map<RecordChange, AddedRecord>();
    const names = new Set<string>();
    const pause = makeRegularPause();
    for (const change of changes) {
      const record = this.#asAddition(change, names);
      if (record) {
        added.set(change, record);
        names.add(nameOf(record.ref));
      }
      await pause();
    }
    const written = await this.#write([...added.values()]);
    const others = changes.filter((change) => !written.has(added.get(change) as AddedRecord));
    const outcomes = new Map<RecordChange, ChangeOutcome>();
    if (others.length) {
      await this.#read();
      for (const [i, outcome] of (await commit(others)).entries()) outcomes.set(others[i] as RecordChange, outcome);
      for (const ref of datasetsOfRecordPaths(
        others.map(({ path }) => path),
        ['version'],
      ))
        this.#misfits.set(unitKey(ref), ref);
      this.#addSnapshot();
    }
    return changes.map((change) => outcomes.get(change) ?? { path: change.path, done: true });
  }

  /** Reads the datasets of which a version may have other columns than the record. @returns their references */
  async readDatasetsWithOtherColumns(): Promise<readonly DatasetRef[]> {
    await this.#files.refresh([...this.#misfits.values()]);
    for (const key of this.#misfits.keys()) this.#unread.delete(key);
    return [...this.#misfits.values()];
  }

  /**
   * The record that a change adds; null if the change needs more checks than the writer makes.
   * @param added names of the records that are added with it
   */
  #asAddition(change: RecordChange, added: ReadonlySet<string>): AddedRecord | null {
    if (change.do !== 'write' || change.ifMatch !== null) return null;
    const { path, text } = change;
    const info = parseUntrustedCataloguePath(path);
    // The credentials of an earlier user of the same name are removed as usual.
    if (info?.kind !== 'record' || info.ref.kind === 'user') return null;
    const { ref } = info;
    const container = containingRecordRef(ref);
    try {
      const isInAdded = container !== null && added.has(nameOf(container));
      if (!isInAdded || ref.kind !== 'version') this.#assertFolderUsable(ref, path);
      const record = assertRecordTextValid(ref.kind, path, new RecordText(text, recordFormat(path)));
      const isFree = !this.#names.has(nameOf(ref).toLowerCase()) && !this.#ids.get(ref.kind)?.has(Number(record.id));
      // A refused record is added, too: later records with its name or id are then committed as usual, in their order.
      this.#add(ref, record.id);
      return isFree && (container === null || isInAdded || this.#existing.has(nameOf(container)))
        ? { path, text, ref, record }
        : null;
    } catch {
      // The usual commit finds the reason again.
      return null;
    }
  }

  #assertFolderUsable(ref: RecordRef, path: string): void {
    const { tree } = this.#files.store;
    const folder = ref.kind === 'namespace' || ref.kind === 'dataset' ? siblingsFolder(ref) : dirname(path);
    if (folder !== dirname(path) && existsSync(tree.absolute(dirname(path)))) throw new Error('The folder exists.');
    if (this.#checkedFolders.has(folder)) return;
    assertPathStaysInFolder(tree, `${folder}/x`);
    this.#checkedFolders.add(folder);
  }

  /** Writes records. @returns those that were written */
  async #write(added: readonly AddedRecord[]): Promise<ReadonlySet<AddedRecord>> {
    const { root, store } = this.#files;
    if (added.length === 0 || this.#files.options.readOnly || !store.tree.isCatalogue()) return new Set();
    const errors = await writeNewRecordsTogether(root, added, new AbortController().signal);
    const written = added.filter((record) => !errors.has(record));
    const units = new Map(written.map(({ ref }) => [unitKey(unitOfRecord(ref)), unitOfRecord(ref)]));
    for (const [key, unit] of units) this.#unread.set(key, unit);
    for (const record of written) {
      this.#existing.add(nameOf(record.ref));
      this.#compareColumns(record);
    }
    await appendToJournal(root, [...units.values()]);
    return new Set(written);
  }

  #compareColumns({ ref, record }: AddedRecord): void {
    if (ref.kind === 'dataset') this.#columns.set(unitKey(ref), columnsText(record.columns));
    if (ref.kind !== 'version' || record.columns === undefined) return;
    const dataset = unitOfRecord(ref) as DatasetRef;
    const key = unitKey(dataset);
    if (this.#columns.get(key) !== columnsText(record.columns)) this.#misfits.set(key, dataset);
  }

  /** Reads the written units, for the checks of the usual commit. */
  async #read(): Promise<void> {
    const units = [...this.#unread.values()];
    this.#unread = new Map();
    // Batches run side by side: each waits for what another has begun to read.
    this.#reading = this.#reading.then(() => this.#files.refresh(units));
    await this.#reading;
  }

  /** Adds the names and ids of the records in the snapshot. */
  #addSnapshot(): void {
    for (const kind of kinds)
      for (const entity of allEntities(this.#files.snapshot, kind)) {
        const ref = refOf(entity) as RecordRef;
        this.#existing.add(nameOf(ref));
        this.#add(ref, entity.id);
      }
  }

  #add(ref: RecordRef, id: unknown): void {
    this.#names.add(nameOf(ref).toLowerCase());
    if (typeof id === 'number') this.#ids.get(ref.kind)?.add(id);
  }
}

const nameOf = (ref: RecordRef) => recordPathWithoutExtension(ref);

/** Names and types of columns, in an order of their own; columns that the data lacks are left out. */
function columnsText(columns: unknown): string {
  const list = (Array.isArray(columns) ? columns : []) as readonly Readonly<Record<string, unknown>>[];
  return JSON.stringify(
    list
      .filter(({ missing_since }) => !missing_since)
      .map(({ name, type }) => [name, type])
      .sort(),
  );
}
