/**
 * A reader of FlatGeobuf 3, feature by feature. The library decodes headers and geometries; lengths are compared with the file
 * first, and values are read here, since the library rounds integers of 64 bits.
 */
import { createReadStream } from 'node:fs';
import { ByteBuffer } from 'flatbuffers';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Feature } from 'flatgeobuf/lib/mjs/flat-geobuf/feature.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { fromGeometry } from 'flatgeobuf/lib/mjs/geojson/geometry.js';
import { fromByteBuffer } from 'flatgeobuf/lib/mjs/header-meta.js';
import { calcTreeSize } from 'flatgeobuf/lib/mjs/packedrtree.js';
import { PayloadError } from '../errors.ts';
import { type Geometry, hasZ, isGeometry, mapPositions, toPosition } from '../geometry/geometry.ts';
import { ByteSource } from './byte-source.ts';
import { batchFeatures, type ReadFeature } from './feature-batches.ts';
import { shortNumberOfFloat32 } from './float32.ts';
import type { PayloadInfo, RowBatch } from './types.ts';

type Header = ReturnType<typeof fromByteBuffer>;

/** Features that are read together. */
const chunkSize = 256;
/** Most bytes of the head. */
const maxHeader = 16 * 1024 * 1024;

const broken = (reason: string) => new PayloadError(`the FlatGeobuf can't be read: ${reason}`);

/** @param info filled in while reading; @throws PayloadError if it is broken */
export async function* readFlatGeobuf(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  const source = new ByteSource(createReadStream(path, { highWaterMark: 512 * 1024 }) as AsyncIterable<Buffer>);
  try {
    await source.takeWhole(8, 'the FlatGeobuf');
    const length = Buffer.from(await source.takeWhole(4, 'the FlatGeobuf'));
    if (length.readUInt32LE(0) > maxHeader) throw broken('its head has more than 16 MB');
    const head = Buffer.concat([length, await source.takeWhole(length.readUInt32LE(0), 'the FlatGeobuf')]);
    const header = decode('its head is broken', () => fromByteBuffer(new ByteBuffer(head)));
    if (header.crs) info.crs = crsOf(header.crs);
    if (header.title) info.title = header.title;
    if (header.indexNodeSize > 0 && header.featuresCount > 0) {
      const index = calcTreeSize(header.featuresCount, header.indexNodeSize);
      if (!(await source.skip(index))) throw new PayloadError('the FlatGeobuf breaks off');
    }
    yield* batchFeatures(readFeatures(source, header), true);
  } finally {
    await source.close();
  }
}

function crsOf({ org, code, wkt }: NonNullable<Header['crs']>): string {
  if (code > 0 && (!org || /^EPSG$/i.test(org))) return `EPSG:${code}`;
  return wkt || (code > 0 ? `${org}:${code}` : 'OGC:CRS84');
}

/** @throws PayloadError for what the library throws at broken bytes */
function decode<T>(reason: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PayloadError) throw error;
    throw broken(reason);
  }
}

async function* readFeatures(
  source: ByteSource,
  header: Header,
): AsyncGenerator<readonly ReadFeature[], void, undefined> {
  let several: ReadFeature[] = [];
  for (let number = 1; ; number++) {
    if (source.available < 4 && !(await source.wait(4))) {
      if (source.available > 0) throw new PayloadError('the FlatGeobuf breaks off');
      if (header.featuresCount > 0 && number - 1 < header.featuresCount)
        throw new PayloadError(`the FlatGeobuf breaks off behind ${number - 1} of ${header.featuresCount} features`);
      break;
    }
    const length = Buffer.from(source.take(4));
    const size = length.readUInt32LE(0);
    if (source.available < size && !(await source.wait(size))) throw new PayloadError('the FlatGeobuf breaks off');
    // The library needs numbers at multiples of eight bytes in memory of their own.
    const bytes = new Uint8Array(size + 4);
    bytes.set(length);
    bytes.set(source.take(size), 4);
    several.push(decode(`feature ${number} is broken`, () => readFeature(bytes, header)));
    if (several.length < chunkSize) continue;
    yield several;
    several = [];
  }
  if (several.length) yield several;
}

function readFeature(bytes: Uint8Array, header: Header): ReadFeature {
  const feature = Feature.getSizePrefixedRootAsFeature(new ByteBuffer(bytes));
  const shape = feature.geometry();
  const type = header.geometryType === GeometryType.Unknown ? shape?.type() : header.geometryType;
  const isKnown = type !== undefined && type >= GeometryType.Point && type <= GeometryType.GeometryCollection;
  if (shape && !isKnown && type !== GeometryType.Unknown) throw broken('curves and surfaces are not read');
  const isEmpty = !shape || (shape.xyLength() === 0 && shape.partsLength() === 0);
  const geometry: unknown = isEmpty ? null : fromGeometry(shape as never, header.geometryType);
  return {
    geometry: isGeometry(geometry) ? withoutMissingHeights(geometry) : null,
    properties: readProperties(feature.propertiesArray(), header),
    bytes: bytes.length,
  };
}

const withoutMissingHeights = (geometry: Geometry): Geometry =>
  hasZ(geometry) ? mapPositions(geometry, (x, y, [z = Number.NaN]) => toPosition(x, y, z)) : geometry;

/** Readers of values of a fixed length, and the length, by the type of a column. */
const fixedValues: Readonly<Record<number, readonly [bytes: number, read: (view: DataView, at: number) => unknown]>> = {
  [ColumnType.Bool]: [1, (view, at) => view.getUint8(at) !== 0],
  [ColumnType.Byte]: [1, (view, at) => view.getInt8(at)],
  [ColumnType.UByte]: [1, (view, at) => view.getUint8(at)],
  [ColumnType.Short]: [2, (view, at) => view.getInt16(at, true)],
  [ColumnType.UShort]: [2, (view, at) => view.getUint16(at, true)],
  [ColumnType.Int]: [4, (view, at) => view.getInt32(at, true)],
  [ColumnType.UInt]: [4, (view, at) => view.getUint32(at, true)],
  [ColumnType.Long]: [8, (view, at) => integer(view.getBigInt64(at, true))],
  [ColumnType.ULong]: [8, (view, at) => integer(view.getBigUint64(at, true))],
  [ColumnType.Float]: [4, (view, at) => shortNumberOfFloat32(view.getFloat32(at, true))],
  [ColumnType.Double]: [8, (view, at) => view.getFloat64(at, true)],
};

const integer = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));

function readProperties(bytes: Uint8Array | null, { columns }: Header): Readonly<Record<string, unknown>> {
  const properties: Record<string, unknown> = Object.create(null);
  for (const { name } of columns ?? []) properties[name] = null;
  if (!bytes) return properties;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const column = columns?.[view.getUint16(at, true)];
    if (!column) throw broken('a value belongs to no column');
    at += 2;
    const fixed = fixedValues[column.type];
    if (fixed) {
      properties[column.name] = fixed[1](view, at);
      at += fixed[0];
      continue;
    }
    const length = view.getUint32(at, true);
    const value = Buffer.from(bytes.buffer, bytes.byteOffset + at + 4, length);
    properties[column.name] =
      column.type === ColumnType.Binary
        ? value.toString('base64')
        : column.type === ColumnType.Json
          ? JSON.parse(value.toString())
          : value.toString();
    at += 4 + length;
  }
  return properties;
}
