/** Media types of the files that a catalogue holds, by format, extension or content. Source: IANA, and the formats' own pages. */

const types: Readonly<Record<string, string>> = {
  geojson: 'application/geo+json',
  geojsonl: 'application/geo+json-seq',
  geojsons: 'application/geo+json-seq',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  geoparquet: 'application/vnd.apache.parquet',
  gpkg: 'application/geopackage+sqlite3',
  fgb: 'application/vnd.flatgeobuf',
  pmtiles: 'application/vnd.pmtiles',
  kml: 'application/vnd.google-earth.kml+xml',
  kmz: 'application/vnd.google-earth.kmz',
  gpx: 'application/gpx+xml',
  shp: 'application/zip',
  gml: 'application/gml+xml',
  xml: 'application/xml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  txt: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  tif: 'image/tiff',
  tiff: 'image/tiff',
};

/** The media type of a format's short name or of a file's name; application/octet-stream where none is known. */
export function mediaTypeOf(nameOrFormat: string): string {
  const extension = nameOrFormat.slice(nameOrFormat.lastIndexOf('.') + 1).toLowerCase();
  return (Object.hasOwn(types, extension) && types[extension]) || 'application/octet-stream';
}

/** A comment ends at its first `-->`: text that could be divided in several ways would take exponential time. */
const htmlStart = /^\s*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;

/** True for the beginning of an HTML page, also behind comments. */
export const beginsLikeHtml = (text: string): boolean => htmlStart.test(text);
