/**
 * Exports the datasets of a folder as tables of Apache Iceberg, in the layout of a warehouse in a file system:
 *
 *     <namespace>/<dataset>/metadata/v3.metadata.json, version-hint.text, snap-….avro, …-m0.avro
 *     <namespace>/<dataset>/data/….parquet
 */
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import type { ByteRange } from '../catalogue/open-file.ts';
import { anonymous } from '../catalogue/permissions.ts';
import { formatRef, refOf, type VersionRef } from '../catalogue/ref.ts';
import { toJson } from '../catalogue/represent.ts';
import type { Dataset, Version } from '../catalogue/types.ts';
import { dataFileFacts } from '../iceberg/data-file.ts';
import { manifest, manifestList } from '../iceberg/manifests.ts';
import { metadataFileName, metadataVersion, tableMetadata, versionHintName } from '../iceberg/metadata.ts';
import { readTable } from '../iceberg/read-table.ts';
import { type TableSnapshot, tableWithoutSnapshots } from '../iceberg/table.ts';
import { ExportFolder } from './export-folder.ts';
import { withCatalogueForExport } from './open-catalogue.ts';

/** The list of files of an export of tables. */
const listName = '.catalogue-tables';

export interface TablesExportOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  /** Path of the folder that the files are written to. */
  readonly to: string;
  /** Path or URL at which engines read the files, such as `s3://bucket/tables`; default: the absolute path of `to`. */
  readonly location?: string | undefined;
  /** True to write into a folder that has other files. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TablesExportResult {
  readonly location: string;
  readonly tables: number;
  readonly snapshots: number;
  /** Number of files that were written or removed. */
  readonly written: number;
  readonly removed: number;
  /** Versions whose rows can't be read, with the reason. */
  readonly missing: readonly { readonly version: string; readonly reason: string }[];
}

/**
 * Exports the public datasets of a catalogue that have rows.
 * @throws ValidationError for a bucket as the folder; ConflictError if the folder is of others; UnavailableError (the disk is full);
 *   the signal's reason
 */
export async function exportTables(options: TablesExportOptions): Promise<TablesExportResult> {
  const { folder, to, force = false } = options;
  const location = (options.location ?? resolve(to)).replace(/\/+$/, '');
  if (!location) throw new ValidationError({ location: ['Name a path or an address, such as s3://bucket/tables.'] });
  return withCatalogueForExport(folder, to, (files) => {
    const written = new ExportFolder(to, { mayReplace: force, listName });
    return new TablesExporter(files.for(anonymous), written, location, options.signal).run();
  });
}

class TablesExporter {
  readonly #catalogue: Catalogue;
  readonly #folder: ExportFolder;
  readonly #location: string;
  readonly #signal: AbortSignal | undefined;
  readonly #missing: { version: string; reason: string }[] = [];
  #tables = 0;
  #snapshots = 0;

  constructor(catalogue: Catalogue, folder: ExportFolder, location: string, signal: AbortSignal | undefined) {
    this.#catalogue = catalogue;
    this.#folder = folder;
    this.#location = location;
    this.#signal = signal;
  }

  async run(): Promise<TablesExportResult> {
    try {
      for await (const dataset of listAll(this.#catalogue, 'dataset')) await this.#exportTable(dataset);
      this.#folder.finish();
    } finally {
      this.#folder.close();
    }
    const { written, removed } = this.#folder;
    const [location, tables, snapshots, missing] = [this.#location, this.#tables, this.#snapshots, this.#missing];
    return { location, tables, snapshots, written, removed, missing };
  }

  async #exportTable(dataset: Dataset): Promise<void> {
    const { table: whole, unreadable: left } = await readTable(this.#catalogue, dataset);
    for (const one of left) this.#noteMissing(one.version, one.reason);
    if (!whole) return;
    const path = `${dataset.namespace}/${dataset.slug}`;
    const unreadable = new Set<TableSnapshot>();
    for (const snapshot of whole.snapshots) {
      this.#signal?.throwIfAborted();
      try {
        await this.#exportSnapshot(path, snapshot);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        unreadable.add(snapshot);
        this.#noteMissing(snapshot.version, error.message);
      }
    }
    const table = tableWithoutSnapshots(whole, unreadable);
    if (!table) return;
    this.#tables++;
    this.#snapshots += table.snapshots.length;
    const document = toJson(tableMetadata(table, `${this.#location}/${path}`));
    const metadata = [`${path}/metadata/${metadataFileName(table)}`, `${path}/metadata/${versionHintName}`];
    this.#folder.beginUnit(`table ${path}`, metadata);
    // The hint comes last: until then, readers find the table as it was.
    for (const [i, text] of [document, String(metadataVersion(table))].entries())
      this.#folder.write(metadata[i] as string, Buffer.from(text));
    this.#folder.endUnit(`table ${path}`, '', metadata);
  }

  #noteMissing(version: Version, reason: string): void {
    this.#missing.push({ version: formatRef(refOf(version)), reason });
  }

  /** Writes the files of a snapshot, unless they are there: their names tell what they are made of. @throws NotFoundError */
  async #exportSnapshot(path: string, snapshot: TableSnapshot): Promise<void> {
    const { version, schema, files } = snapshot;
    const name = `snapshot ${path}/${version.slug}`;
    const fingerprint = JSON.stringify([this.#location, files]);
    if (this.#folder.keepUnit(name, fingerprint)) return;
    const request = { parameters: [], format: 'parquet', tableFields: schema.fields };
    const rows = await this.#catalogue.rows(refOf(version) as VersionRef, request);
    const data = `${path}/data/${files.data}`;
    const written = [data, `${path}/metadata/${files.manifest}`, `${path}/metadata/${files.manifestList}`];
    this.#folder.beginUnit(name, written);
    const size = await this.#folder.writeStream(data, [], rows.stream()[Symbol.asyncIterator]());
    const file = await open(join(this.#folder.root, data));
    try {
      const facts = await dataFileFacts(size, schema, async ({ start, end }: ByteRange) => {
        const bytes = Buffer.alloc(end - start + 1);
        await file.read(bytes, 0, bytes.length, start);
        return bytes;
      });
      const location = `${this.#location}/${path}`;
      const bytes = manifest(snapshot, facts, location);
      this.#folder.write(written[1] as string, bytes);
      this.#folder.write(written[2] as string, manifestList(snapshot, facts, bytes.length, location));
    } finally {
      await file.close();
    }
    this.#folder.endUnit(name, fingerprint, written);
  }
}
