/** Formats of files at sources: by the words that sources use for them, and which of a dataset's files is the best to read. */
import { basename, isAbsolute } from 'node:path';
import type { OpenDocument } from './documents.ts';
import type { ImportedLink } from './imported.ts';
import { featurePages } from './ogc.ts';
import { stacItems } from './stac-items.ts';

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
  // "GZ" and "CSV.GZ" name the compression, which is recognized by the bytes.
  const isNamed = format !== '' && !/^(?:application\/)?(?:x-)?gz(?:ip)?$/.test(format);
  return known(format.replace(/\.gz$/, '')) ?? known(mediaType) ?? (isNamed ? undefined : known(extension));
}

/** The link to the file that becomes a version; undefined if no file has rows that can be read. */
export function bestFile(links: readonly ImportedLink[]): ImportedLink | undefined {
  const rank = (link: ImportedLink) => formats.indexOf(readableFormat(link) ?? '');
  const files = links.filter((link) => link.isFile && rank(link) >= 0);
  return files.sort((a, b) => rank(a) - rank(b))[0];
}

/**
 * A file name with the extension of the format. An address such as `…/download/` has no known extension: then the name is
 * that which the server gives the file.
 */
export function nameOfFile({ address, fileName }: OpenDocument, link: ImportedLink): string {
  const known = readableFormat(link) ?? 'csv';
  const format = known === stacItems ? 'geojson' : known;
  // A shapefile comes in an archive.
  const isArchive = format === 'shp' || format === 'zip';
  const hasExtension = (name: string) =>
    isArchive
      ? /\.zip$/i.test(name)
      : /\.[a-z0-9]+(?:\.gz)?$/i.test(name) &&
        readableFormat({ ...link, address: name, format: '', mediaType: '' }) !== undefined;
  const inAddress = isAbsolute(address) ? basename(address) : nameInUrl(address);
  const name = hasExtension(inAddress) ? inAddress : fileName || inAddress || 'data';
  return hasExtension(name) ? name : `${name}.${isArchive ? 'zip' : format}`;
}

/** The last part of the path of a URL, decoded; as it is written if it can't be decoded, or is no name of a file then. */
function nameInUrl(address: string): string {
  const written = basename(new URL(address).pathname);
  try {
    const name = decodeURIComponent(written);
    return /[/\\\p{Cc}]/u.test(name) ? written : name;
  } catch {
    return written;
  }
}
