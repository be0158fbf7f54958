/**
 * Taking in a payload: its bytes are read once, while they are hashed, counted, perhaps copied, parsed, and their rows
 * kept in the form that questions are answered from. Memory holds a chunk, an item and a block of rows at a time; the
 * spatial index, at the end, takes 25 bytes a row.
 *
 * Only a file in which a column's first 16,000 values are numbers (or booleans) and a later one is not is read a second
 * time: the texts of the first ones are needed after all.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ColumnType } from '../../catalogue/types.ts';
import { PayloadError } from '../errors.ts';
import { readCsv } from '../formats/csv/reader.ts';
import { type Detected, detectFormat, type Hints, isLfsPointer } from '../formats/detect-format.ts';
import { readGeojson } from '../formats/json/geojson.ts';
import { readJson } from '../formats/json/json-array.ts';
import { readNdjson } from '../formats/json/ndjson.ts';
import type { Batch, Findings } from '../formats/types.ts';
import type { Bbox, GeometryKind } from '../geometry/geometry.ts';
import { DerivedWriter } from '../table/columnar-copy.ts';
import type { ColumnStatistics } from './column-profile.ts';
import { type Decoded, type Encoding, gunzip, toUtf8 } from './decode.ts';
import { Incoming, peek } from './payload-stream.ts';
import { RowsIntake, type RowsSummary } from './table-builder.ts';

export interface IntakeOptions extends Hints {
  /** Folder of derived copies; this payload's becomes the folder in it that is named by its checksum. */
  readonly derivedFolder?: string | undefined;
  /** Hidden name in that folder under which the copy is made; one of its own by default. */
  readonly derivedAside?: string | undefined;
  /** File to copy the bytes to; must not exist; removed again where the payload is refused. */
  readonly copyTo?: string | undefined;
  /** Called with the number of bytes read so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was found out about a payload. */
export interface Intake {
  /** SHA-256 in lower-case hexadecimal, and size in bytes, of exactly the bytes as they came. */
  readonly checksum: string;
  readonly size: number;
  /** `geojson`, `csv` … or, where the payload has no rows that we can read, the file name's extension. */
  readonly format: string;
  readonly mediaType: string;
  readonly compression: 'gzip' | null;
  /** Null where it isn't text that we read. */
  readonly encoding: Encoding | null;
  /** Of CSV. */
  readonly delimiter: string | null;
  /** The payload's own title. */
  readonly title: string | null;
  /** Its reference system, as it says, where that is not longitude and latitude in WGS 84. */
  readonly crs: string | null;
  /** Null where the payload has no rows that we can read. */
  readonly rows: number | null;
  /**
   * Around all geometries, in degrees, west <= east: what was cut at the antimeridian, as RFC 7946 (section 3.1.9) has
   * it, reaches around the world. Null where there are none, or where they are not in degrees.
   */
  readonly bbox: Bbox | null;
  /** Geometry first, where there is one. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[];
  readonly statistics: readonly ColumnStatistics[];
  readonly geometryKinds: readonly GeometryKind[];
  /** The payload is a pointer of Git LFS: what it points to is missing. */
  readonly isLfsPointer: boolean;
  /** Folder of the derived copy, where one was made. */
  readonly derived: string | null;
}

/** Bytes that decide about the format. */
const headBytes = 64 * 1024;

/**
 * @param source the payload's bytes, or the path of its file
 * @throws PayloadError, with line or byte, where the payload is broken or asks for too much; an AbortError; or what the
 *   source or the disk throws. Nothing is left behind then.
 */
export async function takeIn(source: Readable | string, options: IntakeOptions = {}): Promise<Intake> {
  // A second look at the bytes, which few formats and few files need, is taken at a file.
  const spool = typeof source !== 'string' && options.copyTo === undefined ? temporary() : undefined;
  const copyTo = options.copyTo ?? spool;
  const incoming = new Incoming(source, { ...options, copyTo });
  try {
    const { head, chunks } = await peek(incoming.chunks(), headBytes);
    const detected = detectFormat(head, options);
    const path = copyTo ?? (source as string);
    if (detected.format === null) {
      for await (const _ of chunks);
      return { ...describe(incoming, detected), isLfsPointer: isLfsPointer(head) };
    }
    return await takeInRows(incoming, chunks, path, detected, options);
  } catch (error) {
    if (options.copyTo !== undefined && (error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await rm(options.copyTo, { force: true });
    }
    throw error;
  } finally {
    if (spool !== undefined) await rm(spool, { force: true });
  }
}

async function takeInRows(
  incoming: Incoming,
  chunks: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  detected: Detected,
  { derivedFolder, derivedAside, signal }: IntakeOptions,
): Promise<Intake> {
  let asText = new Set<number>();
  let bytes = chunks;
  for (;;) {
    const findings: Findings = { textual: detected.format === 'csv' || detected.format === 'tsv', ownBytes: null };
    const decoded: Decoded = { encoding: 'utf-8', mark: 0 };
    const derived = derivedFolder === undefined ? null : await DerivedWriter.create(derivedFolder, derivedAside);
    try {
      const rows = new RowsIntake(findings, derived, asText);
      for await (const batch of readBatches(detected, bytes, path, findings, decoded)) {
        await rows.add(batch);
        signal?.throwIfAborted();
      }
      if (!incoming.complete) throw new PayloadError('bytes follow the end of the gzip stream');
      const summary = rows.summary();
      if (asText.size === 0 && summary.misjudged.length > 0) {
        asText = new Set(summary.misjudged);
        bytes = new Incoming(path, { signal }).chunks();
        await derived?.abandon();
        continue;
      }
      const intake = describe(incoming, detected, { findings, encoding: decoded.encoding, summary });
      const untouched = decoded.encoding === 'utf-8' && detected.compression === null && !summary.renamed;
      const { checksum } = intake;
      const facts = { ...summary, checksum, ownBytes: untouched ? findings.ownBytes : null };
      return { ...intake, derived: (await derived?.finish(tableFacts(facts))) ?? null };
    } catch (error) {
      await derived?.abandon();
      throw error;
    }
  }
}

/** The rows, of whatever format; `bytes` are read to their end. */
async function* readBatches(
  { format, compression }: Detected,
  bytes: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  findings: Findings,
  decoded: Decoded,
): AsyncGenerator<Batch, void, undefined> {
  if (format === 'parquet') return yield* readParquetBatches(bytes, path, compression === 'gzip', findings);
  const text = toUtf8(compression === 'gzip' ? gunzip(bytes) : bytes, decoded);
  switch (format) {
    case 'csv':
      return yield* readCsv(text, findings);
    case 'tsv':
      findings.delimiter = '\t';
      return yield* readCsv(text, findings);
  }
  // The first chunk shows how long the byte order mark was.
  const { chunks } = await peek(text, 1);
  const read = { geojson: readGeojson, geojsonl: readNdjson, ndjson: readNdjson, json: readJson }[format ?? 'json'];
  yield* read(chunks, decoded.mark, findings);
}

/** Parquet is read from its end: all the bytes have to be there first. */
async function* readParquetBatches(
  bytes: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  zipped: boolean,
  findings: Findings,
): AsyncGenerator<Batch, void, undefined> {
  // Loaded when it is needed: the library is large, and commands that read no Parquet start without it.
  const { readParquet } = await import('../formats/parquet/reader.ts');
  if (!zipped) {
    for await (const _ of bytes);
    return yield* readParquet(path, findings);
  }
  const inflated = temporary();
  try {
    await pipeline(Readable.from(gunzip(bytes), { objectMode: true }), createWriteStream(inflated, { flags: 'wx' }));
    yield* readParquet(inflated, findings);
  } finally {
    await rm(inflated, { force: true });
  }
}

const temporary = () => join(tmpdir(), `catalogue-${randomBytes(8).toString('hex')}`);

interface Found {
  findings: Findings;
  encoding: Encoding;
  summary: RowsSummary;
}

function describe(incoming: Incoming, { name, mediaType, compression, format }: Detected, found?: Found): Intake {
  const { findings, summary } = found ?? {};
  const crs = findings?.crs ?? null;
  return {
    checksum: incoming.checksum(),
    size: incoming.size,
    format: name,
    mediaType,
    compression,
    encoding: found && format !== 'parquet' ? found.encoding : null,
    delimiter: findings?.delimiter ?? null,
    title: findings?.title ?? null,
    crs,
    rows: summary?.rows ?? null,
    bbox: crs === null ? degrees(summary?.extent ?? null) : null,
    columns: summary?.statistics.map(({ name, type }) => ({ name, type })) ?? [],
    statistics: summary?.statistics ?? [],
    geometryKinds: summary?.geometryKinds ?? [],
    isLfsPointer: false,
    derived: null,
  };
}

/** The extent where it can be degrees: some data go beyond 180 by up to a turn, none beyond the poles. */
function degrees(extent: readonly number[] | null): Bbox | null {
  if (extent === null) return null;
  const [west, south, east, north] = extent as [number, number, number, number];
  return west >= -360 && east <= 360 && south >= -90 && north <= 90 ? [west, south, east, north] : null;
}

const tableFacts = ({
  checksum,
  rows,
  hasGeometry,
  columns,
  geometryKinds,
  pointColumns,
  extent,
  ownBytes,
}: RowsSummary & {
  checksum: string;
  ownBytes: Findings['ownBytes'];
}) => ({ checksum, rows, hasGeometry, columns, geometryKinds, pointColumns, extent, ownBytes });
