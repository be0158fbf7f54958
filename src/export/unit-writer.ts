/** Writes units: the responses to their addresses become files. */
import type { Catalogue } from '../catalogue/catalogue.ts';
import { DamagedObjectError, NotFoundError } from '../catalogue/errors.ts';
import { latestReadyVersion } from '../catalogue/ready-versions.ts';
import { formatRef, refOf } from '../catalogue/ref.ts';
import type { Dataset, Query, Version } from '../catalogue/types.ts';
import type { Unit } from './export-list.ts';
import { type FolderWriter, mostHeld } from './folder-writer.ts';
import type { Responses } from './responses.ts';
import type { RowFilterings } from './row-filtering.ts';
import { datasetAddresses, type ExportedAddress } from './site-addresses.ts';

/** Bytes above which a file is named: hosts of pages refuse some from 25 MB on, and git hosts from 100 MB. */
const large = 25 * 1024 * 1024;

export interface LargeFile {
  readonly file: string;
  readonly size: number;
}

/** Addresses of a unit, or what finds them. */
export type Addresses = () => Iterable<ExportedAddress> | Promise<Iterable<ExportedAddress>>;

export class UnitWriter {
  readonly #catalogue: Catalogue;
  readonly #responses: Responses;
  readonly #filterings: RowFilterings;
  readonly #folder: FolderWriter;
  /** Files above a size at which hosts begin to refuse them. */
  readonly largeFiles: LargeFile[] = [];

  constructor(catalogue: Catalogue, responses: Responses, filterings: RowFilterings, folder: FolderWriter) {
    this.#catalogue = catalogue;
    this.#responses = responses;
    this.#filterings = filterings;
    this.#folder = folder;
  }

  /** Writes the files of a unit. @param filesBefore those of the last export, if the folder doesn't know them */
  async write(name: string, fingerprint: string, addresses: Addresses, filesBefore?: readonly string[]): Promise<Unit> {
    this.#filterings.clear();
    const wanted = [...(await addresses())];
    const names = wanted.map(({ file }) => file);
    this.#folder.beginUnit(name, names, filesBefore);
    const files = new Set<string>();
    for (const address of wanted) {
      const { sameAs, file } = address;
      if (sameAs !== undefined && files.has(sameAs)) this.#noteSize(file, await this.#folder.writeCopy(file, sameAs));
      else if (!(await this.#writeResponse(address))) continue;
      files.add(file);
    }
    return this.#folder.endUnit(name, fingerprint, [...files]);
  }

  /** Writes the unit of a dataset. */
  writeDataset(dataset: Dataset, fingerprint: string, filesBefore?: readonly string[]): Promise<Unit> {
    const { page_size } = this.#catalogue.settings;
    const addresses = async () => datasetAddresses(dataset, page_size, await this.#versionsWithRows(dataset));
    return this.write(datasetUnit(dataset), fingerprint, addresses, filesBefore);
  }

  /** Slugs of the versions of a dataset whose rows can be read. */
  async #versionsWithRows(dataset: Dataset): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const newest = latestReadyVersion(dataset);
    for (const version of dataset.versions)
      if (await this.hasRows(version, version === newest ? [dataset] : [])) found.add(version.slug);
    return found;
  }

  /**
   * True if the rows of a version can be read. Notes how they are filtered.
   * @param others records that show the same rows
   */
  async hasRows(version: Version, others: readonly (Dataset | Query)[]): Promise<boolean> {
    if (!version.ready || version.href) return false;
    try {
      const profile = await this.#catalogue.profile(refOf(version));
      await this.#filterings.note(this.#responses, version, profile, others);
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      if (!(error instanceof DamagedObjectError)) throw error;
      throw new DamagedObjectError(`${formatRef(refOf(version))}: ${error.message}`, { cause: error });
    }
  }

  /** Writes the response of an address. @returns false if there is none that everybody may see */
  async #writeResponse({ path, accept, file, withReason }: ExportedAddress): Promise<boolean> {
    const { status, whole, parts, drop } = await this.#responses.get(path, accept);
    if (status !== 200 && !(withReason && status === 404)) {
      drop();
      return false;
    }
    if (whole && whole.length <= mostHeld) {
      this.#folder.write(file, whole);
      return true;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      chunks.push(part.value);
      size += part.value.length;
      if (size > mostHeld) {
        this.#noteSize(file, await this.#folder.writeStream(file, chunks, parts));
        return true;
      }
    }
    this.#folder.write(file, Buffer.concat(chunks));
    return true;
  }

  #noteSize(file: string, size: number): void {
    if (size > large) this.largeFiles.push({ file, size });
  }
}

/** Name of the unit of a dataset. */
export const datasetUnit = (dataset: Dataset): string => `dataset ${formatRef(refOf(dataset))}`;
