/**
 * The formats of payloads, and their detection: by the first bytes if they are unmistakable, else by the sender's file
 * name, then by its media type, else by the look of the text.
 */
import { gunzipSync, constants as zlib } from 'node:zlib';
import { isGzip } from '../ingest/decode.ts';

export type PayloadFormat =
  | 'geojson'
  | 'geojsonl'
  | 'ndjson'
  | 'json'
  | 'csv'
  | 'tsv'
  | 'parquet'
  | 'xlsx'
  | 'shp'
  | 'gpkg'
  | 'fgb'
  | 'kml'
  | 'gpx';

interface FormatInfo {
  /** File name extensions without the dot, the usual one first. */
  readonly extensions: readonly string[];
  /** Media types; the first one is served. */
  readonly mediaTypes: readonly string[];
}

export const payloadFormats: Readonly<Record<PayloadFormat, FormatInfo>> = {
  geojson: { extensions: ['geojson'], mediaTypes: ['application/geo+json', 'application/vnd.geo+json'] },
  geojsonl: {
    extensions: ['geojsonl', 'geojsons', 'geojsonseq', 'ndgeojson', 'geojson-seq'],
    mediaTypes: ['application/geo+json-seq'],
  },
  ndjson: {
    extensions: ['ndjson', 'jsonl', 'jsonlines', 'json-seq'],
    mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/json-seq'],
  },
  json: { extensions: ['json'], mediaTypes: ['application/json'] },
  csv: { extensions: ['csv'], mediaTypes: ['text/csv', 'application/csv'] },
  tsv: { extensions: ['tsv', 'tab'], mediaTypes: ['text/tab-separated-values'] },
  parquet: {
    extensions: ['parquet', 'geoparquet', 'pq'],
    mediaTypes: ['application/vnd.apache.parquet', 'application/x-parquet'],
  },
  xlsx: {
    extensions: ['xlsx', 'xlsm'],
    mediaTypes: [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.ms-excel.sheet.macroenabled.12',
    ],
  },
  // A shapefile is read from a ZIP archive, which is recognized by its files.
  shp: { extensions: ['zip', 'shz'], mediaTypes: ['application/zip', 'application/x-shapefile'] },
  gpkg: { extensions: ['gpkg'], mediaTypes: ['application/geopackage+sqlite3', 'application/x-sqlite3'] },
  fgb: { extensions: ['fgb'], mediaTypes: ['application/vnd.flatgeobuf', 'application/flatgeobuf'] },
  kml: {
    extensions: ['kml', 'kmz'],
    mediaTypes: ['application/vnd.google-earth.kml+xml', 'application/vnd.google-earth.kmz'],
  },
  gpx: { extensions: ['gpx'], mediaTypes: ['application/gpx+xml'] },
};

export interface DetectedFormat {
  /** Null if the format isn't supported: the payload can be stored and downloaded, but has no rows. */
  readonly format: PayloadFormat | null;
  readonly compression: 'gzip' | null;
  /** The format's name, or the file name's extension, or ''. */
  readonly name: string;
  /** Media type of the raw bytes. */
  readonly mediaType: string;
}

export interface FormatHints {
  readonly fileName?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Overrides detection. */
  readonly format?: PayloadFormat | undefined;
}

/** The media type without its parameters, in lower case. */
export const hintedMediaType = ({ mediaType }: FormatHints): string =>
  mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';

/** The format that the hints name; null if they name none. The first bytes may be those of another one. */
export const hintedFormat = (hints: FormatHints): PayloadFormat | null =>
  hints.format ?? formatByExtensionOrMediaType(fileExtension(hints.fileName, true), hintedMediaType(hints));

/** @param head the first 64 kB of the payload, or all of it */
export function detectFormat(head: Buffer, hints: FormatHints = {}): DetectedFormat {
  const isZipped = isGzip(head);
  const text = isZipped ? inflateHead(head) : head;
  const extension = fileExtension(hints.fileName, isZipped);
  const type = hintedMediaType(hints);
  const format = hints.format ?? formatOfContent(text, extension, type);
  const unknown = {
    format: null,
    compression: null,
    name: fileExtension(hints.fileName, false),
    mediaType: isZipped ? 'application/gzip' : type || 'application/octet-stream',
  };
  if (format === null) return unknown;
  const isKmz = format === 'kml' && text.toString('latin1', 0, 2) === 'PK';
  const found = withFormat(unknown, format, isKmz);
  return isZipped ? { ...found, compression: 'gzip', mediaType: 'application/gzip' } : found;
}

/** The detected format, once the content says what it is. @param isSecond true for the second media type */
export const withFormat = (detected: DetectedFormat, format: PayloadFormat, isSecond = false): DetectedFormat => ({
  ...detected,
  format,
  name: format,
  mediaType: payloadFormats[format].mediaTypes[isSecond ? 1 : 0] as string,
});

function formatOfContent(head: Buffer, extension: string, mediaType: string): PayloadFormat | null {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  if (isLfsPointer(head)) return null;
  const named = formatByExtensionOrMediaType(extension, mediaType);
  if (isBinary(head)) return formatOfBinary(head, named);
  const text = decodeHead(head).trimStart();
  if (text.startsWith('<') && (named === null || named === 'kml' || named === 'gpx')) return formatOfXml(text);
  if (text.startsWith('\u001e')) return named === 'ndjson' ? 'ndjson' : 'geojsonl';
  // `json` is vague: GeoJSON and JSON a line often have that extension, too.
  if (named !== null && named !== 'json') return named;
  if (text.startsWith('[') && /^\[\s*[{\]]/.test(text)) return 'json';
  if (text.startsWith('{')) return formatOfObject(text);
  return named;
}

/** The format that an extension or a media type stands for; null if rows of that format can't be read. */
export function formatByExtensionOrMediaType(extension: string, mediaType: string): PayloadFormat | null {
  const entries = Object.entries(payloadFormats) as [PayloadFormat, FormatInfo][];
  const found =
    entries.find(([, info]) => info.extensions.includes(extension)) ??
    entries.find(([, info]) => info.mediaTypes.includes(mediaType));
  return found?.[0] ?? null;
}

const geojsonType =
  /"type"\s*:\s*"(?:FeatureCollection|Feature|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection)"|"features"\s*:\s*\[/;

/** The format of a text that begins with an object: JSON a line if the first line is one object, and the next begins another. */
function formatOfObject(text: string): PayloadFormat | null {
  const [first = '', second] = text.split(/\r?\n/, 2);
  if (isJson(first) && second?.startsWith('{')) return geojsonType.test(first) ? 'geojsonl' : 'ndjson';
  return geojsonType.test(text) ? 'geojson' : null;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** True if a file is a pointer of Git LFS (its specification, version 1) instead of the file itself. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  if (bytes.length > 1024) return false;
  return lfsPattern.test(Buffer.from(bytes).toString('latin1'));
}

const lfsPattern = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*oid sha256:[0-9a-f]{64}\n/;

export const isZipArchive = (head: Buffer): boolean => head.toString('latin1', 0, 4) === 'PK\u0003\u0004';

/** First bytes of formats that are not supported. */
const signatures = [
  'PK\u0003\u0004',
  '%PDF',
  'SQLite format 3',
  '\u0089PNG',
  'fgb\u0003',
  'ARROW1',
  'II*\0',
  'MM\0*',
  'BZh',
  '7z\u00bc',
];

/** The format of a binary file; null for others, and for ZIP archives whose name doesn't say what they are. */
function formatOfBinary(head: Buffer, named: PayloadFormat | null): PayloadFormat | null {
  const start = head.toString('latin1', 0, 16);
  if (start.startsWith('fgb\u0003')) return 'fgb';
  if (start.startsWith('SQLite format 3')) {
    // The application that made it (GeoPackage, section 1.1.1.1.1).
    const application = head.toString('latin1', 68, 72);
    return named === 'gpkg' || /^GP(?:KG|1\d)$/.test(application) ? 'gpkg' : null;
  }
  return start.startsWith('PK') && (named === 'xlsx' || named === 'kml') ? named : null;
}

/** The format of XML, by its first element. */
function formatOfXml(text: string): PayloadFormat | null {
  const root = /<(?:\w+:)?(\w+)[\s>/]/.exec(text.replace(/<!--[\s\S]*?-->/g, ''))?.[1];
  return root === 'kml' || root === 'gpx' ? root : null;
}

function isBinary(head: Buffer): boolean {
  const start = head.subarray(0, 16).toString('latin1');
  return signatures.some((signature) => start.startsWith(signature));
}

function decodeHead(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le').slice(1);
  if (head[0] === 0xfe && head[1] === 0xff)
    return Buffer.from(head.subarray(0, head.length & ~1))
      .swap16()
      .toString('utf16le')
      .slice(1);
  return head
    .toString()
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '');
}

/** Extension of a file name in lower case, without the dot. */
export function fileExtension(fileName: string | undefined, zipped: boolean): string {
  const name = (fileName ?? '').toLowerCase();
  return /\.([a-z0-9-]{1,20})$/.exec(zipped ? name.replace(/\.gz(?:ip)?$/, '') : name)?.[1] ?? '';
}

/** Inflates the first few kB; the result has at most a thousand times as much. */
export function inflateHead(head: Buffer): Buffer {
  try {
    return gunzipSync(head.subarray(0, 8192), { finishFlush: zlib.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}
