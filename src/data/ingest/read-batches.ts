/** The rows of a payload of any format: text is read as it arrives, other formats from their file, once it is complete. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readCsv } from '../formats/csv/reader.ts';
import type { DetectedFormat, PayloadFormat } from '../formats/detect-format.ts';
import { readGeojson } from '../formats/json/geojson.ts';
import { readJsonArray } from '../formats/json/json-array.ts';
import { readNdjson } from '../formats/json/ndjson.ts';
import type { PayloadInfo, RowBatch } from '../formats/types.ts';
import { withColumnGeometries } from './column-geometries.ts';
import { type DetectedEncoding, decodeFromEncoding, decodeToUtf8, gunzip } from './decode.ts';
import { peekStream } from './payload-stream.ts';

type FileReader = (path: string, info: PayloadInfo) => AsyncGenerator<RowBatch, void, undefined>;

/** Readers of files. Loaded on demand: their libraries are large, and most commands don't need them. */
const fileReaders: Partial<Record<PayloadFormat, () => Promise<FileReader>>> = {
  parquet: async () => (await import('../formats/parquet/reader.ts')).readParquet,
  xlsx: async () => (await import('../formats/xlsx/reader.ts')).readXlsx,
  shp: async () => (await import('../formats/shapefile/reader.ts')).readShapefile,
  gpkg: async () => (await import('../formats/geopackage/reader.ts')).readGeoPackage,
  fgb: async () => (await import('../formats/flatgeobuf.ts')).readFlatGeobuf,
  kml: async () => (await import('../formats/xml/reader.ts')).readKml,
  gpx: async () => (await import('../formats/xml/reader.ts')).readGpx,
};

/** True if a format is read from its file, not from text as it arrives. */
export const isReadFromFile = (format: PayloadFormat | null): boolean =>
  format !== null && fileReaders[format] !== undefined;

/**
 * The rows of a payload, with their geometries.
 * @param bytes read to their end
 * @param path the payload's file, complete once all bytes were read
 * @param info, encoding filled in while reading
 */
export function readBatches(
  detected: DetectedFormat,
  bytes: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  info: PayloadInfo,
  encoding: DetectedEncoding,
): AsyncGenerator<RowBatch, void, undefined> {
  return withColumnGeometries(readFormat(detected, bytes, path, info, encoding), info);
}

async function* readFormat(
  { format, compression }: DetectedFormat,
  bytes: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  info: PayloadInfo,
  encoding: DetectedEncoding,
): AsyncGenerator<RowBatch, void, undefined> {
  const loadReader = format === null ? undefined : fileReaders[format];
  if (loadReader) return yield* readFileBatches(await loadReader(), bytes, path, compression === 'gzip', info);
  const plain = compression === 'gzip' ? gunzip(bytes) : bytes;
  const { encoding: label } = info.reading;
  const text = label === undefined ? decodeToUtf8(plain, encoding) : decodeFromEncoding(label, plain, encoding);
  if (format === 'csv') return yield* readCsv(text, info);
  if (format === 'tsv') {
    info.delimiter = '\t';
    return yield* readCsv(text, info);
  }
  // The length of the byte order mark is known once the first chunk was decoded.
  const { chunks } = await peekStream(text, 1);
  const read = format === 'geojson' ? readGeojson : format === 'json' ? readJsonArray : readNdjson;
  yield* read(chunks, encoding.bomLength, info);
}

/** Reads a file after all bytes have arrived. */
async function* readFileBatches(
  read: FileReader,
  bytes: AsyncGenerator<Buffer, void, undefined>,
  path: string,
  isZipped: boolean,
  info: PayloadInfo,
): AsyncGenerator<RowBatch, void, undefined> {
  if (!isZipped) {
    for await (const _ of bytes);
    return yield* read(path, info);
  }
  const inflated = temporaryPath();
  try {
    await pipeline(
      Readable.from(gunzip(bytes), { objectMode: true }),
      createWriteStream(inflated, { flags: 'wx', mode: 0o600 }),
    );
    yield* read(inflated, info);
  } finally {
    await rm(inflated, { force: true });
  }
}

export const temporaryPath = () => join(tmpdir(), `catalogue-${randomBytes(8).toString('hex')}`);
