/** Reading a source: its format is detected, and its records become datasets or reasons. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { ckanCountOf, notInDump, partOfPackages, readCkanAnswer, readCkanDump } from './ckan.ts';
import { isDataFileName, type ListLayers, readDataFile, readDataFolder } from './data-files.ts';
import { dataPackageFiles, readDataPackage } from './data-package.ts';
import { readDcatPages } from './dcat-pages.ts';
import { dcatUsKeys, readDcatUsDataset } from './dcat-us.ts';
import { type Detected, detectSourceFormat, type SourceFormat } from './detect.ts';
import {
  type Documents,
  type OpenDocument,
  openLocalDocument,
  readDocumentItems,
  readDocumentText,
  readJsonDocument,
} from './documents.ts';
import { incompleteList, listOf, membersOf, reasonOf, type SourceItem, skip, skipUnread } from './imported.ts';
import { readOgcCollections, readWfsCapabilities } from './ogc.ts';
import { readRegistryDataset } from './open-data-registry.ts';
import { readOtherCatalogue, reasonNotToReadExport } from './other-catalogue.ts';
import { readStac } from './stac.ts';
import { readStacSearch } from './stac-items.ts';

/** State of one reading. */
export interface Reading {
  readonly documents: Documents;
  /** Folder of a local source, which its documents may not leave; null for a server. */
  readonly folder: string | null;
  readonly format: SourceFormat | undefined;
  /** Addresses of STAC documents that were read. */
  readonly seen: Set<string>;
  /** Names in lists of CKAN and next pages of DCAT that a local source should have, with the item for one that it lacks. */
  readonly listed: Map<string, SourceItem>;
  /** Names and pages whose records were found. */
  readonly found: Set<string>;
  /** Packages of saved answers of CKAN, and the most packages that one of these answers says to exist. */
  readonly packages: { readonly ids: Set<string>; count: number };
  readonly listLayers: ListLayers;
}

/** The deepest folder, and the most files of a source. */
const maxDepth = 30;
const documentName = /\.(?:json|jsonl|ndjson|ya?ml|ttl|nt|n3|jsonld|xml|rdf)(?:\.gz)?$/i;
/** Folders and files that are no records of a source. */
const isIgnored = (name: string) => name.startsWith('.') || name === 'node_modules';

/** The records of a local file or folder. @throws NotFoundError */
export async function* readLocalSource(
  path: string,
  reading: Omit<Reading, 'folder'>,
): AsyncGenerator<SourceItem, void, undefined> {
  const stats = await stat(path).catch(() => null);
  if (!stats) throw new NotFoundError(`There is no file or folder ${path}.`);
  const whole: Reading = { ...reading, folder: stats.isDirectory() ? path : dirname(path) };
  if (stats.isDirectory()) {
    let hasRecords = false;
    for await (const item of readFolder(path, whole, 0)) {
      hasRecords ||= 'dataset' in item;
      yield item;
    }
    // Beside records, files belong to them.
    if (!hasRecords) yield* readDataFolder(path, path, reading.listLayers);
  } else yield* readLocalFile(path, whole, true);
  for (const [name, item] of whole.listed) if (!whole.found.has(name)) yield item;
  yield* findMissingPackages(basename(path), whole);
}

/** A folder's records: those of its root document, else those of its files and folders. */
async function* readFolder(
  folder: string,
  reading: Reading,
  depth: number,
): AsyncGenerator<SourceItem, void, undefined> {
  if (depth > maxDepth) {
    yield skip(folder, `it is more than ${maxDepth} folders deep`);
    return;
  }
  const entries = (await readdir(folder, { withFileTypes: true }))
    .filter(({ name }) => !isIgnored(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const exported = files.includes('index.json') ? await findExportRoot(join(folder, 'index.json')) : null;
  if (exported !== null) throw new ValidationError({ source: [`${folder}: ${reasonNotToReadExport(exported)}`] });
  const root = [...dataPackageFiles, 'catalog.json', 'collection.json'].find((name) => files.includes(name));
  if (root) {
    yield* readLocalFile(join(folder, root), reading, true);
    if (!root.startsWith('datapackage')) yield* readOthers(folder, entries, root, reading, depth);
    return;
  }
  yield* readOthers(folder, entries, '', reading, depth);
}

/** The root document of a static export; null if the file is something else. */
async function findExportRoot(path: string): Promise<unknown> {
  const document = await openLocalDocument(path).catch(() => null);
  const detected = document && (await detectSourceFormat(document).catch(() => null));
  return detected?.format === 'catalogue' ? detected.value : null;
}

async function* readOthers(
  folder: string,
  entries: readonly { readonly name: string; isFile(): boolean; isDirectory(): boolean }[],
  root: string,
  reading: Reading,
  depth: number,
): AsyncGenerator<SourceItem, void, undefined> {
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* readFolder(path, reading, depth + 1);
    else if (entry.isFile() && entry.name !== root && documentName.test(entry.name) && !reading.seen.has(path))
      yield* readLocalFile(path, reading, false);
  }
}

async function* readLocalFile(
  path: string,
  reading: Reading,
  isRoot: boolean,
): AsyncGenerator<SourceItem, void, undefined> {
  const shown = isRoot ? basename(path) : path.slice((reading.folder ?? '').length + 1);
  let found: { document: OpenDocument; detected: Detected };
  try {
    const document = await openLocalDocument(path);
    found = { document, detected: await detectSourceFormat(document) };
  } catch (error) {
    yield skipUnread(shown, reasonOf(error).replaceAll(path, shown));
    return;
  }
  const { document, detected } = found;
  // A file of items is one with rows.
  if (isRoot && (detected.format === null || detected.format === 'stac-items') && isDataFileName(path)) {
    yield* readDataFile(path, dirname(path), reading.listLayers);
    return;
  }
  if (detected.format === null || detected.format === 'html' || detected.format === 'stac-items') {
    yield isRoot ? skipUnread(shown, unknownFormat) : skip(shown, 'it is no record in a known format');
    return;
  }
  try {
    yield* readDetected(document, detected, reading);
  } catch (error) {
    // Of a document among others, only that one isn't taken.
    if (isRoot || !(error instanceof NotFoundError)) throw error;
    yield skip(shown, reasonOf(error).replaceAll(path, shown));
  }
}

export const unknownFormat =
  'its format is not known. Known are CKAN, DCAT, DCAT-US, STAC, Data Package, OGC API - Features, WFS, the Registry of Open Data on AWS and other catalogues of this program';

/** Why capabilities in a file are not read. */
const reasonNotToReadCapabilities =
  'it is the capabilities of a WFS, whose features are on its server. Import its address: catalogue import https://…';

/** The records of a document. */
export async function* readDetected(
  document: OpenDocument,
  { format, value, keys = [] }: Detected,
  reading: Reading,
): AsyncGenerator<SourceItem, void, undefined> {
  const { address } = document;
  switch (format) {
    case 'ckan':
      reading.packages.count = Math.max(reading.packages.count, ckanCountOf(value));
      for (const item of readCkanAnswer(value))
        if ('name' in item) reading.listed.set(item.name, skip(item.name, notInDump));
        else yield* noteCkanNames(item, reading);
      return;
    case 'ckan-dump':
      for await (const item of readCkanDump(document, keys, '')) yield* noteCkanNames(item, reading);
      return;
    case 'dcat-us':
      if (value === undefined)
        for await (const item of readDocumentItems(document, dcatUsKeys)) yield readDcatUsDataset(item);
      else {
        const { dataset } = membersOf(value);
        if (dataset === undefined) throw new ValidationError({ source: [`${address} has no list "dataset".`] });
        const datasets = listOf(dataset);
        yield { total: datasets.length };
        for (const item of datasets) yield readDcatUsDataset(item);
      }
      return;
    case 'datapackage':
      yield* readDataPackage(value, folderOfAddress(address));
      return;
    case 'registry':
      yield readRegistryDataset(value, basename(address).replace(/\.ya?ml$/i, ''));
      return;
    case 'stac':
      yield* readStac(reading.documents, { address, value }, reading.folder, reading.seen);
      return;
    case 'stac-items':
      yield readStacSearch(value, address);
      return;
    case 'dcat':
      yield* readDcatPages(document, reading);
      return;
    case 'ogc':
      yield* readOgcCollections(
        reading.documents,
        value ?? (await readJsonDocument({ open: async () => document }, address)),
        address,
      );
      return;
    case 'wfs':
      if (!/^https?:/i.test(address)) yield skip(basename(address), reasonNotToReadCapabilities);
      else yield* readWfsCapabilities(await readDocumentText(document), address);
      return;
    case 'catalogue':
      if (!/^https?:/i.test(address)) yield skip(basename(address), reasonNotToReadExport(value));
      else yield* readOtherCatalogue(reading.documents, address, value);
      return;
    default:
      yield skip(address, unknownFormat);
  }
}

function* noteCkanNames(item: SourceItem, { found, packages }: Reading): Generator<SourceItem, void, undefined> {
  if (!('total' in item)) packages.ids.add('dataset' in item ? item.dataset.id : item.skipped.id);
  if ('dataset' in item) for (const name of [item.dataset.id, item.dataset.name]) found.add(name);
  yield item;
}

/** The item for saved answers of CKAN that lack packages of their search. @param source its name in the message */
export function* findMissingPackages(source: string, { packages }: Reading): Generator<SourceItem, void, undefined> {
  const { ids, count } = packages;
  if (ids.size < count) yield incompleteList(source, partOfPackages(ids.size, count));
}

/** Address of the folder of a document, with a slash at its end. */
export const folderOfAddress = (address: string): string =>
  /^https?:/i.test(address) ? new URL('.', address).href : dirname(address) + sep;
