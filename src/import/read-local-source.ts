/** Reading a local source: a file, or the files of a folder. Documents that refer to their server aren't read without it. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NotFoundError, ValidationError } from '../catalogue/errors.ts';
import { isDataFileName, isIgnored, maxDepth, readDataFile, readDataFolder } from './data-files.ts';
import { dataPackageFiles } from './data-package.ts';
import {
  type Detected,
  detectSourceFormat,
  detectSourceFormatAs,
  hiddenFormats,
  isInFormat,
  reasonForOtherFormat,
} from './detect.ts';
import { type OpenDocument, openLocalDocument } from './documents.ts';
import { reasonOf, type SourceItem, skip, skipUnread } from './imported.ts';
import { isOgcLandingPage } from './ogc.ts';
import { reasonNotToReadExport } from './other-catalogue.ts';
import { findMissingPackages, type Reading, readDetected, unknownFormat } from './read-source.ts';

const documentName = /\.(?:json|jsonl|ndjson|ya?ml|ttl|nt|n3|jsonld|xml|rdf)(?:\.gz)?$/i;

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
    if (!hasRecords && !reading.format) yield* readDataFolder(path, path, reading.listLayers);
  } else if (reading.format === undefined && isDataFileName(path)) {
    // Its first bytes don't say more: a CSV file may begin like JSON, and GeoJSON may be an answer of a STAC API.
    yield* readDataFile(path, dirname(path), reading.listLayers);
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

/** @param isRoot false for one of many files of a folder, which may be something else */
async function* readLocalFile(
  path: string,
  reading: Reading,
  isRoot: boolean,
): AsyncGenerator<SourceItem, void, undefined> {
  const { format } = reading;
  const shown = isRoot ? basename(path) : path.slice((reading.folder ?? '').length + 1);
  let document: OpenDocument;
  let detected: Detected;
  try {
    document = await openLocalDocument(path);
    detected = await detectSourceFormatAs(document, format, isRoot ? hiddenFormats : []);
  } catch (error) {
    yield skipUnread(shown, reasonOf(error).replaceAll(path, shown));
    return;
  }
  if (detected.format === null || detected.format === 'html' || (format && !isInFormat(detected, format))) {
    const other = format && reasonForOtherFormat(detected, format);
    yield isRoot
      ? skipUnread(shown, other ?? unknownFormat)
      : skip(shown, other ?? 'it is no record in a known format');
    return;
  }
  const reason = reasonNotToRead(detected);
  if (reason !== undefined) {
    yield skip(shown, reason);
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

/** Why a document is not read without its server, with what to type instead; undefined for others. */
function reasonNotToRead({ format, value }: Detected): string | undefined {
  const itsAddress = 'Import its address: catalogue import https://…';
  if (format === 'catalogue') return reasonNotToReadExport(value);
  if (format === 'wfs') return `it is the capabilities of a WFS, whose features are on its server. ${itsAddress}`;
  if (format === 'stac-items')
    return `it is an answer of a STAC API, whose items are read from its server. ${itsAddress}, or name the file .geojson to import its items as rows`;
  if (format === 'ogc' && isOgcLandingPage(value))
    return `it is the landing page of an OGC API, whose collections are on its server. ${itsAddress}`;
  return undefined;
}
