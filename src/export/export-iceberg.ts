/**
 * Exports the datasets of a folder as tables of Apache Iceberg, in the layout of a warehouse in a file system:
 *
 *     <namespace>/<dataset>/metadata/v3.metadata.json, version-hint.text, snap-….avro, …-m0.avro
 *     <namespace>/<dataset>/data/….parquet
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { forEachConcurrent } from '../catalogue/concurrency.ts';
import { DamagedObjectError, NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { listAll } from '../catalogue/iterate.ts';
import { bucketPattern } from '../catalogue/payload-store.ts';
import { anonymous } from '../catalogue/permissions.ts';
import { formatRef, refOf, type VersionRef } from '../catalogue/ref.ts';
import { toJson } from '../catalogue/represent.ts';
import { runAtOnce } from '../catalogue/steps.ts';
import type { Dataset, Settings, Version } from '../catalogue/types.ts';
import type { FileCatalogue } from '../files/file-catalogue.ts';
import { dataFileFacts } from '../iceberg/data-file.ts';
import { manifest, manifestList } from '../iceberg/manifests.ts';
import { metadataFileName, metadataVersion, tableMetadata, versionHintName } from '../iceberg/metadata.ts';
import { readTable } from '../iceberg/read-table.ts';
import { type Table, type TableSnapshot, tableWithoutSnapshots } from '../iceberg/table.ts';
import { ExportBucket } from './export-bucket.ts';
import { ExportFolder } from './export-folder.ts';
import { filesHiddenFrom, type HiddenFiles } from './hidden-files.ts';
import { withCatalogueForExport } from './open-catalogue.ts';
import type { TablesPlace } from './tables-place.ts';

/** The list of files of an export of tables. */
const listName = '.catalogue-tables';

export interface TablesExportOptions {
  /** Path of the catalogue folder. */
  readonly folder: string;
  /** Path of the folder that the files are written to, or `s3://bucket/folder`. */
  readonly to: string;
  /** Path or URL at which engines read the files, such as `s3://bucket/tables`; default: that of `to`. */
  readonly location?: string | undefined;
  /** Address of the object store; default: that of the environment, else that of the settings under `payloads`, else Amazon's. */
  readonly endpoint?: string | undefined;
  /** Region of the bucket; default: that of the environment, else that of the settings. */
  readonly region?: string | undefined;
  /** True to write into a folder that has other files. */
  readonly force?: boolean | undefined;
  /** True to export although records can't be read: they are left out, or in the last valid state that the folder's cache has. */
  readonly skipInvalid?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each dataset, with the number of those that are done, and of all. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
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

/** True for the address of a bucket, right or wrong. */
export const isBucket = (to: string): boolean => to.startsWith('s3://');

/**
 * Exports the public datasets of a catalogue that have rows.
 * @throws ValidationError for a wrong address; ConflictError if the folder is of others; UnavailableError (the disk is full, the
 *   object store can't be reached); ObjectStoreError; the signal's reason
 */
export async function exportTables(options: TablesExportOptions): Promise<TablesExportResult> {
  const { folder, to } = options;
  if (isBucket(to) && !new RegExp(bucketPattern).test(to))
    throw new ValidationError({ to: ['Name a bucket, and a folder in it, as in s3://bucket/tables.'] });
  const place = isBucket(to) ? to.replace(/\/+$/, '') : resolve(to);
  const location = (options.location ?? place).replace(/\/+$/, '');
  if (!location) throw new ValidationError({ location: ['Name a path or an address, such as s3://bucket/tables.'] });
  const removeHidden = async (hiddenIn: HiddenFiles, files: FileCatalogue, signal: AbortSignal) => {
    const opened = await openPlace(place, { ...options, signal }, files.for(anonymous).settings);
    try {
      await opened.removeHidden(hiddenIn);
      return opened.removed;
    } finally {
      await opened.close();
    }
  };
  const work = async (files: FileCatalogue, signal: AbortSignal) => {
    const catalogue = files.for(anonymous);
    const opened = await openPlace(place, { ...options, signal }, catalogue.settings);
    return new TablesExporter(catalogue, opened, location, { ...options, signal }).run();
  };
  return withCatalogueForExport(folder, place, options, work, removeHidden);
}

/** @param place an absolute path, or the address of a bucket */
async function openPlace(
  place: string,
  { force: mayReplace = false, signal, ...options }: TablesExportOptions,
  { payloads }: Settings,
): Promise<TablesPlace> {
  if (!isBucket(place)) return new ExportFolder(place, { mayReplace, listName });
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION } = process.env;
  const endpoint = options.endpoint ?? (AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL || payloads.endpoint);
  const region = options.region ?? (AWS_REGION || payloads.region);
  return ExportBucket.open({ address: place, endpoint, region, listName, mayReplace, signal });
}

class TablesExporter {
  readonly #catalogue: Catalogue;
  readonly #place: TablesPlace;
  readonly #location: string;
  readonly #options: Pick<TablesExportOptions, 'signal' | 'onProgress'>;
  readonly #missing: { version: string; reason: string }[] = [];
  #tables = 0;
  #snapshots = 0;

  constructor(
    catalogue: Catalogue,
    place: TablesPlace,
    location: string,
    options: Pick<TablesExportOptions, 'signal' | 'onProgress'>,
  ) {
    this.#catalogue = catalogue;
    this.#place = place;
    this.#location = location;
    this.#options = options;
  }

  async run(): Promise<TablesExportResult> {
    try {
      const datasets: Dataset[] = [];
      for await (const dataset of listAll(this.#catalogue, 'dataset')) datasets.push(dataset);
      const records = { datasets, namespaces: [], queries: [], groups: [] };
      const { unitsBefore } = this.#place;
      await this.#place.removeHidden(await filesHiddenFrom(this.#catalogue, records, unitsBefore, []));
      let done = 0;
      await forEachConcurrent(datasets, this.#place.concurrency, async (dataset) => {
        await this.#exportTable(dataset);
        this.#options.onProgress?.(++done, datasets.length);
      });
      await this.#place.finish();
    } finally {
      await this.#place.close();
    }
    const { written, removed } = this.#place;
    const [location, tables, snapshots] = [this.#location, this.#tables, this.#snapshots];
    const missing = this.#missing.sort((a, b) => (a.version < b.version ? -1 : 1));
    return { location, tables, snapshots, written, removed, missing };
  }

  async #exportTable(dataset: Dataset): Promise<void> {
    const { table: whole, unreadable: left } = await readTable(this.#catalogue, dataset);
    for (const one of left) this.#noteMissing(one.version, one.reason);
    if (!whole) return;
    const path = `${dataset.namespace}/${dataset.slug}`;
    const unreadable = new Set<TableSnapshot>();
    for (const snapshot of whole.snapshots) {
      this.#options.signal?.throwIfAborted();
      try {
        await this.#exportSnapshot(path, snapshot);
      } catch (error) {
        if (error instanceof DamagedObjectError)
          throw new DamagedObjectError(`${formatRef(refOf(snapshot.version))}: ${error.message}`, { cause: error });
        if (!(error instanceof NotFoundError)) throw error;
        unreadable.add(snapshot);
        this.#noteMissing(snapshot.version, error.message);
      }
    }
    const table = tableWithoutSnapshots(whole, unreadable);
    if (!table) return;
    this.#tables++;
    this.#snapshots += table.snapshots.length;
    await this.#exportMetadata(path, table);
  }

  /** Writes the metadata of a table, after all files that they name; the hint comes last: until then, readers find the table as it was. */
  async #exportMetadata(path: string, table: Table): Promise<void> {
    const document = toJson(runAtOnce(tableMetadata(table, `${this.#location}/${path}`)));
    const metadata = [`${path}/metadata/${metadataFileName(table)}`, `${path}/metadata/${versionHintName}`];
    const name = `table ${path}`;
    const fingerprint = createHash('sha256').update(document).digest('hex');
    if (await this.#place.keepUnit(name, fingerprint, metadata)) return;
    await this.#place.beginUnit(name, metadata, fingerprint);
    for (const [i, text] of [document, String(metadataVersion(table))].entries())
      await this.#place.write(metadata[i] as string, Buffer.from(text));
    this.#place.endUnit(name, fingerprint, metadata);
  }

  #noteMissing(version: Version, reason: string): void {
    this.#missing.push({ version: formatRef(refOf(version)), reason });
  }

  /** Writes the files of a snapshot, unless they are there: their names tell what they are made of. @throws NotFoundError, DamagedObjectError */
  async #exportSnapshot(path: string, snapshot: TableSnapshot): Promise<void> {
    const { version, schema, files } = snapshot;
    const name = `snapshot ${path}/${version.slug}`;
    const fingerprint = JSON.stringify([this.#location, files]);
    const [data, ...metadata] = [
      `${path}/data/${files.data}`,
      `${path}/metadata/${files.manifest}`,
      `${path}/metadata/${files.manifestList}`,
    ] as const;
    const written = [data, ...metadata];
    if (await this.#place.keepUnit(name, fingerprint, written)) return;
    const request = { parameters: [], format: 'parquet', tableFields: schema.fields };
    const rows = await this.#catalogue.rows(refOf(version) as VersionRef, request);
    await this.#place.beginUnit(name, written, fingerprint);
    const size = await this.#place.writeStream(data, [], rows.stream()[Symbol.asyncIterator]());
    const facts = await dataFileFacts(size, schema, (range) => this.#place.readRange(data, size, range));
    const location = `${this.#location}/${path}`;
    const bytes = manifest(snapshot, facts, location);
    await this.#place.write(metadata[0], bytes);
    await this.#place.write(metadata[1], manifestList(snapshot, facts, bytes.length, location));
    this.#place.endUnit(name, fingerprint, written);
  }
}
