/**
 * Ingesting a payload: its bytes are read once, and on the way hashed, counted, copied if requested, parsed, and their
 * rows written to a columnar copy, from which queries are answered. Memory holds a chunk, an item and a row group at a
 * time; the spatial index, built last, takes 25 bytes a row.
 *
 * The file is read a second time only if a column's first values are numbers (or booleans), enough to fill a row group,
 * and a later one is not: the texts of the first ones are needed then.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ColumnStatistics } from '../../catalogue/column-statistics.ts';
import type { ColumnType, ReadingOptions } from '../../catalogue/types.ts';
import { PayloadError } from '../errors.ts';
import {
  type DetectedFormat,
  detectFormat,
  type FormatHints,
  hintedFormat,
  isLfsPointer,
  isZipArchive,
  withFormat,
} from '../formats/detect-format.ts';
import { formatOfArchive, reasonToRefuseFile } from '../formats/foreign-file.ts';
import type { PayloadInfo, Repair } from '../formats/types.ts';
import { isWgs84 } from '../geometry/crs.ts';
import type { Bbox, GeometryKind } from '../geometry/geometry.ts';
import { ColumnarWriter } from '../table/columnar-copy.ts';
import { OptionalCopy } from '../table/optional-copy.ts';
import type { ColumnSettings } from './column-settings.ts';
import { type DetectedEncoding, type Encoding, encodingsToName } from './decode.ts';
import { PayloadStream, peekStream } from './payload-stream.ts';
import { isReadFromFile, readBatches, temporaryPath } from './read-batches.ts';
import { lostGeometryRemarks, sortedRepairs } from './remarks.ts';
import { TableBuilder, type TableSummary } from './table-builder.ts';
import { adviceAboutUnread } from './unread.ts';

export interface IngestOptions extends FormatHints {
  /** Options for reading the rows. */
  readonly reading?: ReadingOptions | undefined;
  /** Folder of columnar copies; this payload's becomes the subfolder `columnarCopyName`. None is made if absent. */
  readonly cacheFolder?: string | undefined;
  /** True to leave out a copy that can't be written, and go on. By default, that is an error. */
  readonly isCopyOptional?: boolean | undefined;
  /** Hidden name in that folder for the unfinished copy; a random one by default. */
  readonly stagingName?: string | undefined;
  /** File to copy the bytes to; must not exist; deleted again if the payload is refused. */
  readonly copyTo?: string | undefined;
  /** Called with the number of bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Facts about an ingested payload. */
export interface IngestResult {
  /** SHA-256 of the raw bytes in lower-case hexadecimal, and their number. */
  readonly checksum: string;
  readonly size: number;
  /** `geojson`, `csv` … or, if the payload has no rows that can be read, the file name's extension. */
  readonly format: string;
  readonly mediaType: string;
  readonly compression: 'gzip' | null;
  /** Null unless the payload is text with rows. */
  readonly encoding: Encoding | null;
  /** CSV only. */
  readonly delimiter: string | null;
  /** CSV only: the cells of the row with the names of the columns, as they stand there. */
  readonly header: readonly string[] | null;
  /** CSV and Parquet only: the name in the file of the column that became the geometry; null if it was made of others. */
  readonly geometryName: string | null;
  /** The payload's own title. */
  readonly title: string | null;
  /** The reference systems from which its geometries were converted; null if they are longitude and latitude in WGS 84. */
  readonly crs: string | null;
  /** Null if the payload has no rows that can be read. */
  readonly rows: number | null;
  /**
   * Bounding box of all geometries, in degrees; west > east if they lie on both sides of the antimeridian (RFC 7946,
   * section 5.2). Null if there are none.
   */
  readonly bbox: Bbox | null;
  /** The geometry is first. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly statistics: readonly ColumnStatistics[];
  /** Of geometries that aren't empty. */
  readonly geometryKinds: readonly GeometryKind[];
  /** Sentences about what was recognized, and about values that don't fit. */
  readonly remarks: readonly string[];
  /** The one of them that says how rows are read that seem to be read wrongly, or not at all. */
  readonly advice: string | null;
  /** Those of them about geometries that rows should have, and lack. */
  readonly lostGeometries: readonly string[];
  /** Number of irregularities that were repaired or kept, by kind. */
  readonly repairs: Readonly<Partial<Record<Repair, number>>>;
  /** Number of rings of a GeoJSON file that have another direction than RFC 7946 demands. */
  readonly misdirectedRings: number;
  /** True if the payload is a pointer of Git LFS instead of the file itself. */
  readonly isLfsPointer: boolean;
  /** Folder of the columnar copy, if one was made. */
  readonly columnarCopy: string | null;
  /** Code of the error for which one was left out. */
  readonly copyFailure: string | null;
}

/** Ingests a payload: `ingest`, or the same in another process. */
export type Ingest = (source: Readable | string, options?: IngestOptions) => Promise<IngestResult>;

/**
 * Name of the columnar copy of a payload's rows: its checksum, and with options also a hash of them. TSV counts as CSV with an
 * option, since nothing but the hints says which of them the same bytes are.
 */
export function columnarCopyName(
  checksum: string,
  { strict: _, ...options }: ReadingOptions = {},
  hints: FormatHints = {},
): string {
  const reading = hintedFormat(hints) === 'tsv' ? { ...options, delimiter: '\t' } : options;
  if (Object.keys(reading).length === 0) return checksum;
  const entries = Object.entries(reading).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${checksum}-${createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16)}`;
}

/** Number of bytes from which the format is detected. */
export const headBytes = 64 * 1024;

/** Permissions of copies in the folder for temporary files, which everybody may list. */
export const ownerOnly = 0o600;

/**
 * @param source the payload's bytes, or the path of its file
 * @throws PayloadError, with line or byte, if the payload is malformed or exceeds a limit; AbortError; errors of the
 *   source and the file system. Copies are deleted then.
 */
export async function ingest(source: Readable | string, options: IngestOptions = {}): Promise<IngestResult> {
  // A few formats and files need a second pass, which needs a file.
  const spool = typeof source !== 'string' && options.copyTo === undefined ? temporaryPath() : undefined;
  const copyTo = options.copyTo ?? spool;
  const payload = new PayloadStream(source, { ...options, copyTo, mode: spool === undefined ? undefined : ownerOnly });
  const bytes = payload.chunks();
  try {
    const { head, chunks } = await peekStream(bytes, headBytes);
    const foreign = reasonToRefuseFile(head, options);
    if (foreign !== null) throw new PayloadError(foreign);
    let detected = detectFormat(head, options);
    const path = copyTo ?? (source as string);
    if (detected.format === null) {
      for await (const _ of chunks);
      // A ZIP archive has the list of its files at its end.
      const format = isZipArchive(head) ? await formatOfArchive(path) : null;
      if (format !== null) detected = withFormat(detected, format);
    }
    if (detected.format === null) {
      for await (const _ of chunks);
      const advice = await adviceAboutUnread(head, path, options.fileName);
      const remarks = advice === null ? [] : [advice];
      return { ...toResult(payload, detected), advice, remarks, isLfsPointer: isLfsPointer(head) };
    }
    return await ingestRows(payload, chunks, path, detected, options);
  } catch (error) {
    if (options.copyTo !== undefined && (error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await rm(options.copyTo, { force: true });
    }
    throw error;
  } finally {
    await bytes.return();
    if (spool !== undefined) await rm(spool, { force: true });
  }
}

async function ingestRows(
  payload: PayloadStream,
  chunks: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  detected: DetectedFormat,
  { cacheFolder, stagingName, isCopyOptional, signal, reading = {}, ...hints }: IngestOptions,
): Promise<IngestResult> {
  let crs: string | undefined;
  let settings: ReadonlyMap<number, ColumnSettings> = new Map();
  let bytes = chunks;
  for (;;) {
    const isTextual = detected.format === 'csv' || detected.format === 'tsv';
    const info: PayloadInfo = { textual: isTextual, passthrough: null, reading, ...(crs && { crs }) };
    const encoding: DetectedEncoding = { encoding: 'utf-8', bomLength: 0 };
    const Copy = isCopyOptional ? OptionalCopy : ColumnarWriter;
    const copy = cacheFolder === undefined ? null : await Copy.create(cacheFolder, stagingName);
    try {
      const builder = new TableBuilder(info, copy, settings);
      for await (const batch of readBatches(detected, bytes, path, info, encoding)) {
        await builder.addBatch(batch);
        signal?.throwIfAborted();
      }
      if (!payload.isComplete) throw new PayloadError('bytes follow the end of the gzip stream');
      if (crs === undefined && info.crs !== undefined && !isWgs84(info.crs) && !isReadFromFile(detected.format)) {
        // GeoJSON names its reference system behind the features, or before them.
        crs = info.crs;
        bytes = new PayloadStream(path, { signal }).chunks();
        await copy?.abort();
        continue;
      }
      const summary = builder.summary();
      if (settings.size === 0 && summary.nextSettings.size > 0) {
        settings = summary.nextSettings;
        bytes = new PayloadStream(path, { signal }).chunks();
        await copy?.abort();
        continue;
      }
      if (reading.strict) summary.assertFits();
      const result = toResult(payload, detected, { info, encoding: labelOf(encoding), summary });
      const isUnchanged =
        info.repairs === undefined &&
        encoding.encoding === 'utf-8' &&
        detected.compression === null &&
        !summary.isChanged;
      const { checksum } = result;
      const table = {
        ...summary.table,
        checksum,
        passthrough: isUnchanged && summary.table.crs === null ? info.passthrough : null,
      };
      const columnarCopy = (await copy?.finish(table, columnarCopyName(checksum, reading, hints))) ?? null;
      return { ...result, columnarCopy, copyFailure: copy instanceof OptionalCopy ? copy.failure : null };
    } catch (error) {
      await copy?.abort();
      throw error;
    }
  }
}

interface IngestedRows {
  readonly info: PayloadInfo;
  readonly encoding: Encoding;
  readonly summary: TableSummary;
}

/**
 * The label by which others read the text. By RFC 2781 (3.3), text in UTF-16LE or UTF-16BE has no byte order mark: programs would take
 * it for a part of the first name.
 */
const labelOf = ({ encoding, bomLength }: DetectedEncoding): Encoding =>
  encoding.startsWith('utf-16') && bomLength > 0 ? 'utf-16' : encoding;

/** A remark about an encoding that was guessed: text in others, such as Windows-1250, has wrong letters then. */
const remarksAboutEncoding = ({ info, encoding }: IngestedRows): string[] =>
  encoding === 'windows-1252' && info.reading.encoding === undefined
    ? [`Read as Windows-1252, since it is not UTF-8. If letters are wrong, name the encoding: ${encodingsToName}`]
    : [];

function toResult(
  payload: PayloadStream,
  { name, mediaType, compression, format }: DetectedFormat,
  rows?: IngestedRows,
): IngestResult {
  const { info, summary } = rows ?? {};
  return {
    checksum: payload.checksum(),
    size: payload.size,
    format: name,
    mediaType,
    compression,
    encoding: rows && !isReadFromFile(format) ? rows.encoding : null,
    delimiter: info?.delimiter ?? null,
    header: info?.header ?? null,
    geometryName: info?.geometryName ?? null,
    title: info?.title ?? null,
    crs: summary?.table.crs ?? null,
    rows: summary?.table.rows ?? null,
    bbox: summary?.bbox ?? null,
    columns: summary?.statistics.map(({ name, type }) => ({ name, type })) ?? [],
    statistics: summary?.statistics ?? [],
    geometryKinds: summary?.table.locatedKinds ?? [],
    remarks: rows ? [...remarksAboutEncoding(rows), ...rows.summary.remarks] : [],
    advice: info?.namesBelow ?? null,
    lostGeometries: info ? lostGeometryRemarks(info) : [],
    repairs: Object.fromEntries(sortedRepairs(info?.repairs).map(([kind, { count }]) => [kind, count])),
    misdirectedRings: info?.passthrough ? (info.misdirectedRings?.count ?? 0) : 0,
    isLfsPointer: false,
    columnarCopy: null,
    copyFailure: null,
  };
}
