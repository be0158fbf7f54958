/** The files of imported datasets, taken in as versions: of each dataset the one whose rows can be read best. */
import { mkdir, rm } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type DatasetRef, formatRef } from '../catalogue/ref.ts';
import { temporaryPathBeside } from '../disk/durable.ts';
import { sentencesAboutColumns } from './column-changes.ts';
import type { UnpackTable } from './data-files.ts';
import type { Documents, OpenDocument } from './documents.ts';
import { bringFeaturePages } from './feature-pages.ts';
import { type ImportedDataset, type ImportedLink, reasonOf, type Skipped } from './imported.ts';
import { featurePages } from './ogc.ts';
import { maxItems, stacItems } from './stac-items.ts';

export interface BroughtVersion {
  readonly ref: DatasetRef;
  readonly version: string;
  readonly file: string;
  /** Sentences about columns that vanished or changed their types. */
  readonly columns: readonly string[];
}

/** Formats with rows, the best first: with geometries and types before plain texts. */
const formats = [
  ...['geojson', 'gpkg', 'fgb', 'parquet', 'geojsonl', 'shp', 'csv', 'tsv'],
  ...['xlsx', 'kml', 'gpx', 'ndjson', 'json', 'zip', stacItems],
];

/** Formats by the words that sources use for them. */
const spellings: Readonly<Record<string, string>> = {
  [featurePages]: 'geojson',
  'geo+json': 'geojson',
  'application/geo+json': 'geojson',
  'application/vnd.geo+json': 'geojson',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  jsonl: 'ndjson',
  geoparquet: 'parquet',
  'application/vnd.apache.parquet': 'parquet',
  xlsm: 'xlsx',
  excel: 'xlsx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  geopackage: 'gpkg',
  'application/geopackage+sqlite3': 'gpkg',
  flatgeobuf: 'fgb',
  'application/flatgeobuf': 'fgb',
  shapefile: 'shp',
  'esri shapefile': 'shp',
  'application/x-shapefile': 'shp',
  kmz: 'kml',
  'application/vnd.google-earth.kml+xml': 'kml',
  'application/vnd.google-earth.kmz': 'kml',
  'application/gpx+xml': 'gpx',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
};

/** The format of a file whose rows can be read; undefined for others. */
export function readableFormat({ address, format, mediaType }: ImportedLink): string | undefined {
  const extension = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(address.split(/[?#]/)[0] ?? '')?.[1]?.toLowerCase() ?? '';
  const known = (word: string) => formats.find((one) => one === word) ?? spellings[word];
  return known(format) ?? known(mediaType) ?? (format ? undefined : known(extension));
}

/** The link to the file that becomes a version; undefined if there is none. */
export function bestFile(links: readonly ImportedLink[]): ImportedLink | undefined {
  const rank = (link: ImportedLink) => formats.indexOf(readableFormat(link) ?? '');
  const files = links.filter((link) => link.isFile && rank(link) >= 0);
  return files.sort((a, b) => rank(a) - rank(b))[0];
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

interface Planned {
  readonly ref: DatasetRef;
  readonly link: ImportedLink;
  readonly others: number;
}

/** Files to bring, once the records are written. */
export class BroughtFiles {
  readonly #catalogue: Catalogue;
  readonly #documents: Documents;
  readonly #dryRun: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #onFiles: OnFiles | undefined;
  readonly #unpack: Unpacking | undefined;
  /** Files that are done; null before the first one is fetched. */
  #done: number | null = null;
  readonly #planned: Planned[] = [];
  readonly #links: FileLink[] = [];

  constructor(
    catalogue: Catalogue,
    documents: Documents,
    dryRun: boolean,
    signal: AbortSignal | undefined,
    onFiles: OnFiles | undefined,
    unpack?: Unpacking,
  ) {
    this.#catalogue = catalogue;
    this.#documents = documents;
    this.#dryRun = dryRun;
    this.#signal = signal;
    this.#onFiles = onFiles;
    this.#unpack = unpack;
  }

  /** Reports the bytes received of a document, if it is one of the files. */
  onBytes(bytes: number): void {
    if (this.#done !== null) this.#onFiles?.(this.#done, this.#planned.length, bytes);
  }

  plan(ref: DatasetRef, { links }: ImportedDataset): void {
    const link = bestFile(links);
    const files = links.filter(({ isFile }) => isFile);
    if (link)
      this.#planned.push({ ref, link, others: files.filter((one) => one !== link && readableFormat(one)).length });
    else if (files.length) {
      const kinds = [...new Set(files.map(({ format, mediaType }) => format || mediaType || 'unknown'))];
      this.#links.push({ id: formatRef(ref), reason: `its rows can't be read from ${kinds.slice(0, 5).join(', ')}` });
    } else this.#links.push({ id: formatRef(ref), reason: 'the source names no file' });
  }

  /** Brings the files. @param isRefused true for a dataset without a record @throws the signal's reason */
  async bring(
    isRefused: (ref: DatasetRef) => boolean,
  ): Promise<{ readonly versions: readonly BroughtVersion[]; readonly links: readonly FileLink[] }> {
    const versions: BroughtVersion[] = [];
    for (const [i, { ref, link, others }] of this.#planned.entries()) {
      this.#signal?.throwIfAborted();
      if (this.#dryRun || isRefused(ref)) continue;
      this.#done = i;
      this.onBytes(0);
      try {
        const version = await this.#bringOne(ref, link);
        if (version) versions.push(version);
        if (others)
          this.#links.push({
            id: formatRef(ref),
            reason: `a version is one file: ${others} other${others === 1 ? '' : 's'} with rows ${others === 1 ? 'stays a link' : 'stay links'}`,
          });
      } catch (error) {
        this.#signal?.throwIfAborted();
        const reason = reasonOf(error);
        const named = reason.startsWith(link.address) ? reason : `${link.address}: ${reason}`;
        this.#links.push({ id: formatRef(ref), reason: named, failed: true });
      }
    }
    return { versions, links: this.#links };
  }

  async #bringOne(ref: DatasetRef, link: ImportedLink): Promise<BroughtVersion | null> {
    const document = await this.#openFile(link);
    const target = temporaryPathBeside(join(this.#unpack?.folder ?? '', 'unpacked'));
    try {
      if (this.#unpack) await mkdir(this.#unpack.folder, { recursive: true, mode: 0o700 });
      const unpacked = (await this.#unpack?.unpackTable(document.path, link.layer, target)) ?? null;
      const fileName = unpacked ?? nameOfFile(document, link);
      const { version, created, changes } = await this.#catalogue.publish(ref, {
        source: unpacked === null ? document.path : target,
        fileName,
        ...(document.mediaType && unpacked === null && { mediaType: document.mediaType }),
        ...(link.layer !== undefined && unpacked === null && { reading: { layer: link.layer } }),
        signal: this.#signal,
      });
      await this.#describeColumns(ref, link);
      return created ? { ref, version: version.slug, file: fileName, columns: sentencesAboutColumns(changes) } : null;
    } finally {
      await rm(target, { force: true });
    }
  }

  #openFile({ address, format, body }: ImportedLink): Promise<OpenDocument> {
    if (format === featurePages) return bringFeaturePages(this.#documents, { address });
    if (format === stacItems) return bringFeaturePages(this.#documents, { address, ...(body && { body }) }, maxItems);
    return this.#documents.open(address);
  }

  /** Gives columns the texts of the source, where they have none. */
  async #describeColumns(ref: DatasetRef, { columns }: ImportedLink): Promise<void> {
    if (columns.length === 0) return;
    const present = (await this.#catalogue.get<'dataset'>(ref)).columns;
    const changed = present.map((column) => {
      const given = columns.find(({ name }) => name === column.name);
      const { label, description, unit } = column;
      return {
        ...column,
        label: label || (given?.label ?? ''),
        description: description || (given?.description ?? ''),
        unit: unit || (given?.unit ?? ''),
      };
    });
    if (JSON.stringify(changed) !== JSON.stringify(present))
      await this.#catalogue.edit<'dataset'>(ref, { columns: changed });
  }
}

/** A file name with the extension of the format. */
function nameOfFile({ address }: OpenDocument, link: ImportedLink): string {
  const known = readableFormat(link) ?? 'csv';
  const format = known === stacItems ? 'geojson' : known;
  const path = isAbsolute(address) ? address : new URL(address).pathname;
  const name = basename(path) || 'data';
  // A shapefile comes in an archive.
  if (format === 'shp' || format === 'zip') return /\.zip$/i.test(name) ? name : `${name}.zip`;
  return /\.[a-z0-9]+(?:\.gz)?$/i.test(name) && readableFormat({ ...link, address: name, format: '', mediaType: '' })
    ? name
    : `${name}.${format}`;
}
