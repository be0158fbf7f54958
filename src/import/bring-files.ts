/** The files of imported datasets, taken in as versions: of each dataset the one whose rows can be read best. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { DataLossError } from '../catalogue/errors.ts';
import { labelFromName } from '../catalogue/field.ts';
import { isSameReadingOptions } from '../catalogue/reading.ts';
import { type DatasetRef, formatRef } from '../catalogue/ref.ts';
import type { Dataset, ReadingOptions } from '../catalogue/types.ts';
import { fileChecksum } from '../disk/checksum.ts';
import { temporaryPathBeside } from '../disk/durable.ts';
import { sentencesAboutColumns } from './column-changes.ts';
import type { UnpackTable } from './data-files.ts';
import type { Documents, OpenDocument } from './documents.ts';
import { findDownload } from './download-page.ts';
import { assertIsNoError, assertIsNoSentence } from './error-answers.ts';
import { bringFeaturePages } from './feature-pages.ts';
import { bestFile, nameOfFile, readableFormat } from './file-formats.ts';
import { type ImportedDataset, type ImportedLink, reasonOf, type Skipped } from './imported.ts';
import { compareFile, type ImportedFile, importedFile, sourceWithFile } from './imported-file.ts';
import { featurePages } from './ogc.ts';
import { isPartOfFeatures } from './partial-features.ts';
import { editRecords, type RecordEdit } from './record-edits.ts';
import { maxItems, stacItems } from './stac-items.ts';
import type { Added } from './write-datasets.ts';

export interface BroughtVersion {
  readonly ref: DatasetRef;
  /** Null in a dry run. */
  readonly version: string | null;
  readonly file: string;
  /** Sentences about columns that vanished or changed their types. */
  readonly columns: readonly string[];
  /** Sentences about what the source says of reading the file, and no option does. */
  readonly remarks: readonly string[];
  /** Versions that people have added since the last import, and that are not the newest any more. */
  readonly addedByHand: readonly string[];
}

/** A dataset whose file stays a link, with the reason. */
export interface FileLink extends Skipped {
  /** True if the file could not be fetched or read this time. */
  readonly failed?: boolean;
}

type OnFiles = (done: number, total: number, bytes: number) => void;

/** Unpacks tables of ZIP archives into a folder. */
export interface Unpacking {
  readonly unpackTable: UnpackTable;
  readonly folder: string;
}

/** A file that a dry run doesn't fetch. */
export interface Unfetched {
  readonly ref: DatasetRef;
  readonly address: string;
}

export interface BroughtSoFar {
  readonly versions: BroughtVersion[];
  readonly links: FileLink[];
  readonly unfetched: Unfetched[];
}

export interface BringOptions {
  readonly catalogue: Catalogue;
  readonly documents: Documents;
  /** True if the files are fetched from servers. */
  readonly isRemote: boolean;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onFiles?: OnFiles | undefined;
  readonly unpack?: Unpacking | undefined;
}

interface Planned extends Added {
  readonly link: ImportedLink;
  /** Options of the source for reading the file. */
  readonly reading: ReadingOptions | undefined;
  readonly remarks: readonly string[];
  readonly others: number;
}

/** Files to bring, once the records are written. */
export class BroughtFiles {
  readonly #options: BringOptions;
  /** Files that are done; null before the first one is fetched. */
  #done: number | null = null;
  readonly #planned: Planned[] = [];
  /** Datasets whose records have to say which file was taken, with their new `source`. */
  readonly #taken: RecordEdit[] = [];
  readonly #outcome: BroughtSoFar = { versions: [], links: [], unfetched: [] };

  constructor(options: BringOptions) {
    this.#options = options;
  }

  /** Reports the bytes received of a document, if it is one of the files. */
  onBytes(bytes: number): void {
    if (this.#done !== null) this.#options.onFiles?.(this.#done, this.#planned.length, bytes);
  }

  plan({ ref, readAs }: Added, { links, reading, remarks = [] }: ImportedDataset): void {
    const link = bestFile(links);
    const files = links.filter(({ isFile }) => isFile);
    if (link) {
      const others = files.filter((one) => one !== link && readableFormat(one)).length;
      this.#planned.push({ ref, readAs, link, reading, remarks, others });
    } else if (files.length) {
      const kinds = [...new Set(files.map(({ format, mediaType }) => format || mediaType || 'unknown'))];
      this.#stayLinks(ref, `its rows can't be read from ${kinds.slice(0, 5).join(', ')}`);
    } else this.#stayLinks(ref, 'the source names no file');
  }

  #stayLinks(ref: DatasetRef, reason: string): void {
    this.#outcome.links.push({ id: formatRef(ref), reason });
  }

  /**
   * Brings the files. A dry run compares those that are local, and lists those that it doesn't fetch.
   * @param isRefused true for a dataset without a record
   * @throws the signal's reason
   */
  async bring(isRefused: (ref: DatasetRef) => boolean): Promise<BroughtSoFar> {
    const { catalogue, signal, dryRun, isRemote } = this.#options;
    try {
      for (const [i, planned] of this.#planned.entries()) {
        signal?.throwIfAborted();
        const { ref, link, others } = planned;
        if (isRefused(ref)) continue;
        this.#done = i;
        this.onBytes(0);
        try {
          if (dryRun && isRemote) this.#outcome.unfetched.push({ ref, address: link.address });
          else await this.#bringOne(planned);
          if (others) this.#stayLinks(ref, sentenceAboutOthers(others));
        } catch (error) {
          signal?.throwIfAborted();
          const reason = reasonOf(error) + waysToTake(error, ref);
          const named = reason.startsWith(link.address) ? reason : `${link.address}: ${reason}`;
          this.#outcome.links.push({ id: formatRef(ref), reason: named, failed: true });
        }
      }
    } finally {
      // What was taken before Ctrl-C is known to the next run.
      const refused = dryRun ? [] : await editRecords(catalogue, this.#taken);
      this.#outcome.links.push(...refused.map((one) => ({ ...one, failed: true })));
    }
    return this.#outcome;
  }

  async #bringOne({ ref, readAs, link, reading: given, remarks }: Planned): Promise<void> {
    const { catalogue, dryRun, signal, unpack, isRemote } = this.#options;
    const { document, isTemporary } = await this.#openFile(link);
    const target = temporaryPathBeside(join(unpack?.folder ?? '', 'unpacked'));
    try {
      if (unpack) await mkdir(unpack.folder, { recursive: true, mode: 0o700 });
      const unpacked = (await unpack?.unpackTable(document.path, link.layer, target)) ?? null;
      const source = unpacked === null ? document.path : target;
      const file = unpacked ?? nameOfFile(document, link);
      if (readAs === null) {
        this.#outcome.versions.push({ ref, version: null, file, columns: [], remarks, addedByHand: [] });
        return;
      }
      const dataset = await catalogue.get<'dataset'>(readAs);
      const reading = link.layer !== undefined && unpacked === null ? { layer: link.layer } : undefined;
      const { known, isReadAnew, addedByHand } = compareFile(dataset, await fileChecksum(source), reading);
      if (known) this.#take(ref, dataset, known);
      else {
        // One that was added by hand is known.
        const isText = ['csv', 'tsv'].includes(readableFormat(link) ?? '');
        if (isRemote && isText) await assertIsNoSentence(document, formatRef(ref));
        const upload = {
          source,
          fileName: file,
          ...(document.mediaType && unpacked === null && { mediaType: document.mediaType }),
          ...(reading && { reading }),
          // The source has corrected how its file is read: the same bytes are no other data.
          force: isReadAnew && given !== undefined && isSameReadingOptions(dataset.reading, given),
          signal,
        };
        const { version, created, changes } = await catalogue.publish(readAs, upload, { dryRun });
        this.#take(ref, dataset, importedFile(version.checksum, version.slug));
        const columns = sentencesAboutColumns(changes);
        if (created)
          this.#outcome.versions.push({
            ...{ ref, version: dryRun ? null : version.slug, file },
            ...{ columns, remarks, addedByHand },
          });
      }
      if (!dryRun) await this.#describeColumns(ref, link);
    } finally {
      await rm(target, { force: true });
      // Its pages are kept.
      if (isTemporary) await rm(document.path, { force: true });
    }
  }

  #take(ref: DatasetRef, dataset: Dataset, file: ImportedFile): void {
    const source = sourceWithFile(dataset, file);
    if (source) this.#taken.push({ ref, values: { source } });
  }

  /** Opens the file; one that is put together of pages is temporary. */
  async #openFile(link: ImportedLink): Promise<{ readonly document: OpenDocument; readonly isTemporary: boolean }> {
    const { documents, isRemote } = this.#options;
    const { address, format, body, isOnPage } = link;
    const paged = async (...given: Parameters<typeof bringFeaturePages>) => ({
      document: await bringFeaturePages(...given),
      isTemporary: true,
    });
    if (format === featurePages) return await paged(documents, { address });
    if (format === stacItems) return await paged(documents, { address, ...(body && { body }) }, { most: maxItems });
    const opened = await documents.open(address);
    const file = isOnPage ? await findDownload(opened) : null;
    const document = file === null ? opened : await documents.open(file);
    const mayBePaged = isRemote && ['geojson', 'json'].includes(readableFormat(link) ?? '');
    if (mayBePaged) await assertIsNoError(document);
    if (!mayBePaged || !(await isPartOfFeatures(document))) return { document, isTemporary: false };
    // The lists of OGC API take longer pages; what other addresses take isn't known.
    const isOpened = !/\/items\/?$/.test(new URL(document.address).pathname);
    const whole = await paged(documents, { address: document.address }, { isOpened });
    return { ...whole, document: { ...whole.document, ...(document.fileName && { fileName: document.fileName }) } };
  }

  /** Gives columns the texts of the source that they lack. A label that is made of the name of the column counts as lacking. */
  async #describeColumns(ref: DatasetRef, { columns }: ImportedLink): Promise<void> {
    if (columns.length === 0) return;
    const { catalogue } = this.#options;
    const present = (await catalogue.get<'dataset'>(ref)).columns;
    const texts = present.flatMap(({ name, label, description, unit }) => {
      const given = columns.find((one) => one.name === name);
      if (!given) return [];
      const isOwnLabel = label !== '' && label !== labelFromName(name);
      const missing = {
        ...(given.label && !isOwnLabel && given.label !== label && { label: given.label }),
        ...(given.description && !description && { description: given.description }),
        ...(given.unit && !unit && { unit: given.unit }),
      };
      return Object.keys(missing).length ? [{ name, ...missing }] : [];
    });
    if (texts.length) await catalogue.edit<'dataset'>(ref, { columns: texts });
  }
}

/** How a file that would lose rows or columns is taken in all the same. */
const waysToTake = (error: unknown, ref: DatasetRef): string =>
  error instanceof DataLossError
    ? ` To take the file all the same, fetch it: catalogue version add ${formatRef(ref)} FILE --${error.override}`
    : '';

const sentenceAboutOthers = (count: number): string =>
  `a version is one file: ${count} other${count === 1 ? '' : 's'} with rows ${count === 1 ? 'stays a link' : 'stay links'}`;
