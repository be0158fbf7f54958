/** The next version of a dataset, made from an upload that was read: its name, its record, and the columns it changes. */

import type { ColumnChanges, Published, Upload } from '../../catalogue/catalogue.ts';
import { compareColumns } from '../../catalogue/columns.ts';
import type { Rename } from '../../catalogue/difference.ts';
import { datetimeFromSlug } from '../../catalogue/entities.ts';
import { hasId } from '../../catalogue/entities-by-id.ts';
import { NotFoundError } from '../../catalogue/errors.ts';
import { randomUnusedId } from '../../catalogue/ids.ts';
import { payloadPath, recordPathWithoutExtension } from '../../catalogue/layout.ts';
import { getEntity } from '../../catalogue/lookup.ts';
import { encodeMetadata } from '../../catalogue/metadata.ts';
import { assertNoAccidentalLossInNextVersion } from '../../catalogue/next-version.ts';
import { isSameReadingOptions, readingOptionsWithoutStrict } from '../../catalogue/reading.ts';
import { latestReadyVersion } from '../../catalogue/ready-versions.ts';
import type { DatasetRef } from '../../catalogue/ref.ts';
import type { Snapshot } from '../../catalogue/snapshot.ts';
import type { Dataset, ReadingOptions, Version } from '../../catalogue/types.ts';
import { hintedFormat } from '../../data/formats/detect-format.ts';
import type { IngestResult } from '../../data/ingest/ingest.ts';
import { type CatalogueFiles, requireRecordPath } from '../catalogue-files.ts';
import { additionCommitMessage, payloadCommitMessage } from '../git/commit-messages.ts';
import { makeRegularPause, runStepsInSlices } from '../reading/event-loop.ts';
import { composeRecordText } from '../reading/large-records.ts';
import { editorSchemaComment } from '../scaffold.ts';
import type { Change } from '../writing/change.ts';
import { metadataForRecord, summarizeIngestedData } from './metadata.ts';
import { recordKeyOrder } from './stored-fields.ts';
import { columnRenamesForUpload, planColumnWritesForNewVersion } from './version-columns.ts';

const noChanges: ColumnChanges = { added: [], dropped: [], retyped: [] };

const payloadWasMissing = 'Its payload was missing: these bytes take its place.';

/** An upload with all options for reading it, those that the dataset remembers included. */
export type ReadUpload = Upload & { readonly reading: ReadingOptions };

/** The version to publish. Its changes are computed under the lock of the dataset. */
export class NewVersion {
  readonly #files: CatalogueFiles;
  readonly #dataset: DatasetRef;
  readonly #upload: ReadUpload;
  readonly #ingested: IngestResult;
  readonly #aside: string | null;
  /** The newest version, if it is the same. */
  #same: Version | undefined;
  /** True if the payload of that version was missing. */
  #wasMissing = false;
  #slug = '';
  #columnChanges = noChanges;

  /** @param aside path of the copy of the bytes, which is renamed; null for a dry run */
  constructor(
    files: CatalogueFiles,
    dataset: DatasetRef,
    upload: ReadUpload,
    ingested: IngestResult,
    aside: string | null,
  ) {
    this.#files = files;
    this.#dataset = dataset;
    this.#upload = upload;
    this.#ingested = ingested;
    this.#aside = aside;
  }

  get ref() {
    const { namespace, slug } = this.#dataset;
    return { kind: 'version', namespace, dataset: slug, slug: this.#same?.slug ?? this.#slug } as const;
  }

  get commitMessage(): string {
    return this.#wasMissing ? payloadCommitMessage(this.#dataset) : additionCommitMessage(this.ref);
  }

  async changes(): Promise<readonly Change[]> {
    await runStepsInSlices(this.#files.store.rescan([this.#dataset]));
    const pause = makeRegularPause();
    this.#upload.signal?.throwIfAborted();
    const dataset = getEntity<'dataset'>(this.#files.snapshot, this.#dataset);
    const restoring = this.#restoreNewest(dataset);
    if (restoring) return restoring;
    const renames = await this.#compareWithDataset(dataset, pause);
    this.#slug = nextSlug(dataset, new Date());
    const { namespace, slug } = this.#dataset;
    const file = `${this.#slug}${extensionFor(this.#upload.fileName, this.#ingested)}`;
    const path = `${recordPathWithoutExtension(this.ref)}.yaml`;
    const text = await this.#composeRecord(dataset, path, file, pause);
    const changes: Change[] = [
      { do: 'add', path: payloadPath(namespace, slug, file), from: this.#aside, size: this.#ingested.size },
      { do: 'create', path, text },
    ];
    const { columns } = this.#ingested;
    if (!this.#isDraft && this.#hasColumns(dataset))
      changes.push(...planColumnWritesForNewVersion(this.#files, dataset, { renames, columns, slug: this.#slug }));
    return isSameReadingOptions(dataset.reading, this.#upload.reading) ? changes : this.#withReading(changes);
  }

  get #isDraft(): boolean {
    return this.#upload.ready === false;
  }

  #hasColumns(dataset: Dataset): boolean {
    return this.#ingested.columns.length > 0 || dataset.columns.length > 0;
  }

  /** The changes if the upload is the newest version again; null if it is another version. */
  #restoreNewest(dataset: Dataset): readonly Change[] | null {
    const newest = dataset.versions.find(({ draft }) => !draft || this.#isDraft);
    const restoring = newest && this.#isSame(newest) ? this.#restorePayload(newest) : null;
    this.#same = restoring === null ? undefined : newest;
    this.#wasMissing = Boolean(restoring?.length);
    return restoring;
  }

  /**
   * Compares the columns with those of the dataset. Of thousands of columns, each step takes some milliseconds.
   * @returns the columns that have new names
   * @throws ValidationError for an accidental loss
   */
  async #compareWithDataset(dataset: Dataset, pause: () => Promise<void> | undefined): Promise<readonly Rename[]> {
    const { columns } = this.#ingested;
    const renames = columnRenamesForUpload(dataset, columns, this.#upload.renames);
    await pause();
    const before = dataset.columns.map((column) => {
      const to = renames.find(({ from }) => from === column.name)?.to;
      return to === undefined ? column : { ...column, name: to };
    });
    const latest = latestReadyVersion(dataset);
    assertNoAccidentalLossInNextVersion(
      latest && { ...latest, columns: before },
      this.#ingested,
      renames,
      this.#upload,
    );
    await pause();
    if (this.#hasColumns(dataset)) this.#columnChanges = compareColumns(before, columns);
    await pause();
    return renames;
  }

  /** The text of the version's record. @param file name of the payload */
  async #composeRecord(
    dataset: Dataset,
    path: string,
    file: string,
    pause: () => Promise<void> | undefined,
  ): Promise<string> {
    const { snapshot, options } = this.#files;
    const header = editorSchemaComment('version', path, snapshot.settings.base_url);
    const id = randomUnusedId((candidate) => hasId(snapshot, 'version', candidate));
    await pause();
    const columns = this.#ingested.columns.map(({ name, type }) => ({ name, type }));
    const record = {
      id,
      ...versionRecord(this.#slug, file, this.#upload, this.#ingested),
      ...(this.#hasColumns(dataset) && { columns }),
    };
    await pause();
    const { signal } = this.#upload;
    return composeRecordText(options.workers, 'version', record, recordKeyOrder('version'), { header, signal });
  }

  /** True if a version has the same bytes, which are read in the same way: a TSV that was taken for CSV may come again by its name. */
  #isSame({ checksum, format, reading }: Version): boolean {
    const { checksum: ownChecksum, format: ownFormat } = this.#ingested;
    // Bytes without a name may be taken for another format than they were by their name.
    const mayDiffer = hintedFormat(this.#upload) !== null && ownFormat !== null && format !== '';
    return (
      checksum === ownChecksum &&
      (!mayDiffer || format === ownFormat) &&
      isSameReadingOptions(reading, readingOptionsWithoutStrict(this.#upload.reading))
    );
  }

  /**
   * The changes that put the bytes in the place of the missing payload of a version, or of the Git LFS pointer there; none if
   * the version has its payload; null if another file has that name.
   */
  #restorePayload({ ready, file, href }: Version): readonly Change[] | null {
    if (ready || file === '' || href !== '') return [];
    const { namespace, slug } = this.#dataset;
    const { size } = this.#ingested;
    const { tree } = this.#files.store;
    const path = payloadPath(namespace, slug, file);
    const place = tree.linkTarget(path);
    const found = tree.pointer(place)?.size ?? tree.size(place);
    if (found === null || tree.isLfsPointer(path)) return [{ do: 'add', path, from: this.#aside, size, replace: true }];
    return found === size ? [] : null;
  }

  /** The changes, and the options for reading the next version in the record of the dataset. */
  #withReading(changes: readonly Change[]): readonly Change[] {
    const path = requireRecordPath(this.#files, this.#dataset);
    const { reading } = this.#upload;
    const edit = changes.find((change) => change.do === 'edit' && change.path === path);
    const set: Extract<Change, { do: 'edit' }>['set'] = (record, next) => ({
      ...(edit?.do === 'edit' && edit.set(record, next)),
      reading: Object.keys(reading).length ? reading : undefined,
    });
    return [...changes.filter((change) => change !== edit), { do: 'edit', path, set }];
  }

  result(snapshot: Snapshot): Published {
    const { versions } = getEntity<'dataset'>(snapshot, this.#dataset);
    const published = this.ref.slug;
    const version = versions.find(({ slug }) => slug === published);
    if (!version) throw new NotFoundError(`The version ${published} was removed as soon as it was published.`);
    if (this.#same)
      return { version, created: false, changes: noChanges, remarks: this.#wasMissing ? [payloadWasMissing] : [] };
    return { version, created: true, changes: this.#columnChanges, remarks: this.#ingested.remarks };
  }
}

/** Timestamp of 20 digits, greater than those of all versions; versions of one millisecond differ in the last digits. */
function nextSlug(dataset: Dataset, now: Date): string {
  const moment = now.toISOString().replace(/\D/g, '').padEnd(20, '0');
  const slugs = dataset.versions.map(({ slug }) => slug).filter((slug) => /^\d{20}$/.test(slug));
  const newest = slugs.sort().at(-1) ?? '';
  return newest < moment ? moment : String(BigInt(newest) + 1n).padStart(20, '0');
}

/** Extension of the payload: that of the uploaded file, if it has one; else that of its format. */
function extensionFor(fileName: string | undefined, { format, compression }: IngestResult): string {
  const own = /(?:\.[A-Za-z0-9]{1,12}){1,2}$/.exec(fileName ?? '')?.[0] ?? '';
  const last = own.slice(own.lastIndexOf('.'));
  const kept = compression === 'gzip' ? own : last;
  if (kept) return kept.toLowerCase();
  return `${format ? `.${format}` : '.bin'}${compression === 'gzip' ? '.gz' : ''}`;
}

function versionRecord(slug: string, file: string, upload: ReadUpload, ingested: IngestResult) {
  const renames = Object.fromEntries((upload.renames ?? []).map(({ from, to }) => [from, to]));
  const reading = readingOptionsWithoutStrict(upload.reading);
  const { label, notes, metadata, fileName, ready } = upload;
  const { rows, bbox, format, mediaType, size, checksum } = ingested;
  return {
    label: label || slug,
    datetime: datetimeFromSlug(slug),
    checksum,
    metadata: metadataForRecord(metadata || encodeMetadata(summarizeIngestedData(ingested, fileName))),
    ready: ready !== false,
    ...(ready === false && { draft: true, ...(Object.keys(renames).length && { renames }) }),
    ...(notes && { notes }),
    ...(rows !== null && { rows }),
    ...(bbox && { bbox: [...bbox] }),
    ...(Object.keys(reading).length && { reading }),
    file: { name: file, ...(format && { format }), media_type: mediaType, size },
  };
}
