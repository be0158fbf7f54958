/**
 * The formats that payloads come in, and how one is told: by its first bytes where they are unmistakable, else by what
 * the sender says (file name, then media type), else by what the text looks like.
 */
import { gunzipSync, constants as zlib } from 'node:zlib';
import { isGzip } from '../ingest/decode.ts';

export type PayloadFormat = 'geojson' | 'geojsonl' | 'ndjson' | 'json' | 'csv' | 'tsv' | 'parquet';

interface FormatInfo {
  /** Of file names, without the dot; the first is the usual one. */
  readonly extensions: readonly string[];
  /** The first is the one to serve it with. */
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
};

export interface Detected {
  /** Null where the payload is none of ours: it can be kept and downloaded, and has no rows. */
  readonly format: PayloadFormat | null;
  readonly compression: 'gzip' | null;
  /** A short name for it: the format's, or the file name's extension, or ''. */
  readonly name: string;
  /** Of the bytes as they are. */
  readonly mediaType: string;
}

export interface Hints {
  readonly fileName?: string | undefined;
  readonly mediaType?: string | undefined;
  /** Wins over everything. */
  readonly format?: PayloadFormat | undefined;
}

/** @param head the payload's first bytes, 64 kB of them or all there are */
export function detectFormat(head: Buffer, hints: Hints = {}): Detected {
  const zipped = isGzip(head);
  const text = zipped ? inflatedHead(head) : head;
  const extension = extensionOf(hints.fileName, zipped);
  const type = hints.mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const format = hints.format ?? tell(text, extension, type);
  const unzippedType = format ? (payloadFormats[format].mediaTypes[0] as string) : 'application/octet-stream';
  return {
    format,
    compression: zipped && format ? 'gzip' : null,
    name: format ?? extensionOf(hints.fileName, false),
    mediaType: zipped ? 'application/gzip' : format ? unzippedType : type || unzippedType,
  };
}

function tell(head: Buffer, extension: string, mediaType: string): PayloadFormat | null {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'parquet';
  if (isLfsPointer(head) || isBinary(head)) return null;
  const text = plainText(head).trimStart();
  const said = named(extension, (info) => info.extensions, mediaType);
  if (text.startsWith('\u001e')) return said === 'ndjson' ? 'ndjson' : 'geojsonl';
  // `json` says little: GeoJSON, and JSON a line, often go by that name.
  if (said !== null && said !== 'json') return said;
  if (text.startsWith('[') && /^\[\s*[{\]]/.test(text)) return 'json';
  if (text.startsWith('{')) return tellObject(text);
  return said;
}

function named(
  extension: string,
  list: (info: FormatInfo) => readonly string[],
  mediaType: string,
): PayloadFormat | null {
  const entries = Object.entries(payloadFormats) as [PayloadFormat, FormatInfo][];
  const found =
    entries.find(([, info]) => list(info).includes(extension)) ??
    entries.find(([, info]) => info.mediaTypes.includes(mediaType));
  return found?.[0] ?? null;
}

const geojsonType =
  /"type"\s*:\s*"(?:FeatureCollection|Feature|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection)"|"features"\s*:\s*\[/;

/** A text that begins with an object: JSON a line where a line ends with one and the next begins with another. */
function tellObject(text: string): PayloadFormat | null {
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

/** Whether a file is a pointer of Git LFS (its specification, version 1) in the place of what it points to. */
export function isLfsPointer(bytes: Uint8Array): boolean {
  if (bytes.length > 1024) return false;
  return lfsPattern.test(Buffer.from(bytes).toString('latin1'));
}

const lfsPattern = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*oid sha256:[0-9a-f]{64}\n/;

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

function isBinary(head: Buffer): boolean {
  const start = head.subarray(0, 16).toString('latin1');
  return signatures.some((signature) => start.startsWith(signature));
}

function plainText(head: Buffer): string {
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

function extensionOf(fileName: string | undefined, zipped: boolean): string {
  const name = (fileName ?? '').toLowerCase();
  return /\.([a-z0-9-]{1,20})$/.exec(zipped ? name.replace(/\.gz(?:ip)?$/, '') : name)?.[1] ?? '';
}

/** What the first few kB inflate to; at most a thousand times as much. */
function inflatedHead(head: Buffer): Buffer {
  try {
    return gunzipSync(head.subarray(0, 8192), { finishFlush: zlib.Z_SYNC_FLUSH });
  } catch {
    return Buffer.alloc(0);
  }
}
