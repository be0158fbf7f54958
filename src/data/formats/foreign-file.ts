/**
 * Files that are not what their name says, or are useless by themselves: recognized by their first bytes, so that they are
 * refused with what they are instead of being read as one odd column, or kept without rows.
 */
import { beginsLikeHtml } from '../../catalogue/media-types.ts';
import { PayloadError } from '../errors.ts';
import { isGzip } from '../ingest/decode.ts';
import {
  type FormatHints,
  fileExtension,
  formatByExtensionOrMediaType,
  hintedMediaType,
  inflateHead,
  type PayloadFormat,
} from './detect-format.ts';

/** Kinds of binary files, by their first bytes. */
const binaries: readonly (readonly [signature: string, kind: string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive, as .xlsx, .ods and .zip are'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Office file, as .xls is, or one with a password'],
  ['%PDF', 'a PDF'],
  ['SQLite format 3', 'an SQLite database, as .gpkg is'],
  ['\u0089PNG', 'a PNG image'],
  ['\u00ff\u00d8\u00ff', 'a JPEG image'],
  ['7z\u00bc\u00af', 'a 7-Zip archive'],
];

/** First bytes of binary formats that are read, and what such a file is. XML begins with `<`. */
const signatures: Partial<Record<PayloadFormat, readonly [signatures: readonly string[], kind: string]>> = {
  xlsx: [['PK'], 'an Excel workbook (.xlsx)'],
  shp: [['PK'], 'a shapefile in a ZIP archive'],
  gpkg: [['SQLite format 3'], 'a GeoPackage'],
  fgb: [['fgb'], 'a FlatGeobuf file'],
  kml: [['<', 'PK'], 'a KML file'],
  gpx: [['<'], 'a GPX file'],
};

/** The format of a ZIP archive, by the files in it; null if they are others. */
export async function formatOfArchive(path: string): Promise<PayloadFormat | null> {
  try {
    const { ZipArchive } = await import('./zip-archive.ts');
    const archive = await ZipArchive.open(path);
    archive.close();
    const has = (pattern: RegExp) => archive.names.some((name) => pattern.test(name));
    if (has(/\.shp$/i)) return 'shp';
    if (archive.has('xl/workbook.xml')) return 'xlsx';
    return has(/^doc\.kml$/i) ? 'kml' : null;
  } catch (error) {
    // It is kept as it is, for download.
    if (error instanceof PayloadError) return null;
    throw error;
  }
}

/** The parts that make a shapefile: each alone has no rows with positions. */
const shapefileParts = ['shp', 'shx', 'dbf', 'prj'];
/** Further files that go with a shapefile: the encoding of its texts, and its indexes. */
const shapefileSidecars = ['cpg', 'sbn', 'sbx', 'qix'];

/**
 * The reason to refuse a payload for what it is.
 * @param head its first 64 kB, or all of it
 * @returns null if there is none
 */
export function reasonToRefuseFile(head: Buffer, hints: FormatHints): string | null {
  const { fileName } = hints;
  const isZipped = head.length >= 18 && isGzip(head);
  const bytes = isZipped ? inflateHead(head) : head;
  // A gzip stream ends in the size of its content (RFC 1952).
  const size = isZipped && head.length < 64 ? head.readUInt32LE(head.length - 4) : head.length;
  if (bytes.length === 0 && size === 0) return 'the file is empty: it has 0 bytes';
  const extension = fileExtension(fileName, isZipped);
  const named = hints.format ?? formatByExtensionOrMediaType(extension, hintedMediaType(hints));
  const start = bytes.subarray(0, 16).toString('latin1');
  const text = bytes.toString('utf8', 0, 8192).replace(/^\ufeff/, '');
  const instead = named ? `, not ${named}` : extension ? `, not .${extension}` : '';
  if (beginsLikeHtml(text) && !['html', 'htm', 'xhtml', 'mhtml'].includes(extension)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.replace(/\s+/g, ' ').trim().slice(0, 80);
    return `it is an HTML page${instead}${title ? `: "${title}"` : ''}`;
  }
  if ((named === 'csv' || named === 'tsv') && isJsonText(text, hints))
    return `it is JSON${instead}: ${text.replace(/\s+/g, ' ').trim().slice(0, 80)}`;
  const isXml = named === 'kml' || named === 'gpx';
  if (named && !isXml && /^\s*<\?xml\b/i.test(text)) return `it is an XML document${instead}`;
  const binary = binaries.find(([signature]) => start.startsWith(signature));
  const [expected, kind] = (named && signatures[named]) ?? [];
  if (
    expected?.some((signature) =>
      start
        .replace(/^\u00ef\u00bb\u00bf/, '')
        .trimStart()
        .startsWith(signature),
    )
  )
    return null;
  if (expected) return `it is ${binary ? binary[1] : 'something else'}, not ${kind}`;
  if (named && binary) return `it is ${binary[1]}${instead}`;
  return shapefilePart(bytes, extension, fileName ?? '');
}

/**
 * True for the beginning of JSON that is sent as JSON, for that of GeoJSON, and for a short text that is one object, such as
 * an error of a server, or a list of objects.
 */
function isJsonText(text: string, hints: FormatHints): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  if (/^application\/(?:[\w.-]+\+)?json$/.test(hintedMediaType(hints))) return true;
  if (/^\s*\{\s*"type"\s*:\s*"Feature(?:Collection)?"/.test(text)) return true;
  try {
    const value: unknown = JSON.parse(text);
    return !Array.isArray(value) || (typeof value[0] === 'object' && value[0] !== null);
  } catch {
    return false;
  }
}

function shapefilePart(bytes: Buffer, extension: string, fileName: string): string | null {
  const isShape = bytes.length >= 100 && bytes.readUInt32BE(0) === 9994;
  const isNamed = shapefileParts.includes(extension) || shapefileSidecars.includes(extension);
  if (!isShape && !isNamed) return null;
  const part = isNamed ? extension : 'shp';
  const base = fileName.replace(/\.gz(?:ip)?$/i, '').replace(/\.[^.]*$/, '') || 'FILE';
  const missing = shapefileParts.filter((other) => other !== part).map((other) => `${base}.${other}`);
  return (
    `it is only one part of a shapefile: ${missing.slice(0, -1).join(', ')} and ${missing.at(-1)} are missing. ` +
    `Put all of them into a ZIP archive, and take that: zip ${base}.zip ${base}.*` +
    (part === 'dbf' ? `. If it is a table by itself, convert that: ogr2ogr ${base}.csv ${base}.dbf` : '')
  );
}
