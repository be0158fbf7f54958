/**
 * A reader of Parquet and GeoParquet. The geometry is the primary column of GeoParquet's metadata, or else the first
 * column of Parquet's own type GEOMETRY or GEOGRAPHY; further ones are columns of objects.
 *
 * | In the file                    | Becomes                                                                       |
 * |--------------------------------|-------------------------------------------------------------------------------|
 * | 64-bit integer                 | number; a string with its digits beyond ±(2⁵³−1)                              |
 * | decimal                        | number (of more than 15 digits, the nearest)                                  |
 * | date, time, timestamp          | text as in RFC 3339, to the microsecond; `Z` if it is adjusted to UTC         |
 * | bytes of a fixed length        | base64                                                                        |
 * | struct, list, map              | object or array                                                               |
 */
import { open } from 'node:fs/promises';
import {
  asyncBufferFromFile,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
  type SchemaElement,
} from 'hyparquet';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { type Geometry, isGeometry } from '../../geometry/geometry.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { assertFooterFits, ClaimChecker } from './claims.ts';
import { compressors } from './pages.ts';

/** Most decoded bytes in memory: a larger row group is read in several parts. */
const maxPartBytes = 8 * 1024 * 1024;

/** Most cells of a part. */
const maxPartCells = 1 << 22;

/**
 * @param path the file: Parquet is read from its end
 * @param info filled in while reading
 * @throws PayloadError if it is no Parquet, or malformed
 */
export async function* readParquet(path: string, info: PayloadInfo): AsyncGenerator<RowBatch, void, undefined> {
  const handle = await open(path);
  try {
    const file = await asyncBufferFromFile(path);
    await assertFooterFits(handle, file.byteLength);
    const metadata = await parquetMetadataAsync(file);
    const claims = new ClaimChecker(handle, file.byteLength, metadata);
    const elements = topLevelColumns(metadata);
    const geometryIndex = findGeometryColumn(metadata, elements, info);
    let groupStart = 0;
    for (const group of metadata.row_groups) {
      const bytes = await claims.checkGroup(group);
      const rows = Number(group.num_rows);
      const parts = Math.max(
        1,
        Math.ceil(bytes / maxPartBytes),
        Math.ceil((rows * group.columns.length) / maxPartCells),
      );
      const size = Math.max(1, Math.ceil(rows / parts));
      for (let start = 0; start < rows; start += size) {
        const end = Math.min(rows, start + size);
        yield await readRowRange({ file, metadata }, elements, geometryIndex, groupStart + start, groupStart + end);
      }
      groupStart += rows;
    }
    if (groupStart === 0) yield await readRowRange({ file, metadata }, elements, geometryIndex, 0, 0);
  } catch (error) {
    if (error instanceof PayloadError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new PayloadError(`the Parquet can't be read: ${excerpt((error as Error).message)}`);
  } finally {
    await handle.close();
  }
}

type ParquetSource = { file: Awaited<ReturnType<typeof asyncBufferFromFile>>; metadata: FileMetaData };

async function readRowRange(
  source: ParquetSource,
  elements: readonly SchemaElement[],
  geometryIndex: number,
  rowStart: number,
  rowEnd: number,
): Promise<RowBatch> {
  const rows = rowEnd - rowStart;
  const columns: unknown[][] = elements.map(() => new Array(rows));
  const indexes = new Map(elements.map((element, index) => [element.name, index]));
  if (rows > 0) {
    await parquetRead({
      ...source,
      rowStart,
      rowEnd,
      compressors,
      parsers,
      useOffsetIndex: true,
      onChunk({ columnName, columnData, rowStart: first }) {
        const index = indexes.get(columnName) as number;
        const column = columns[index] as unknown[];
        const element = elements[index] as SchemaElement;
        const from = Math.max(0, rowStart - first);
        const to = Math.min(columnData.length, rowEnd - first);
        for (let i = from; i < to; i++) column[first - rowStart + i] = parquetToPlainValue(columnData[i], element);
      },
    });
  }
  const others = elements.map((_, index) => index).filter((index) => index !== geometryIndex);
  return {
    rows,
    names: others.map((index) => (elements[index] as SchemaElement).name),
    values: others.map((index) => columns[index] as unknown[]),
    geometries: geometryIndex === -1 ? null : Array.from(columns[geometryIndex] as unknown[], toGeometry),
    ids: null,
    rowOffsets: null,
    errorAt: (row, reason) => new PayloadError(`row ${rowStart + row + 1}: ${reason}`),
  };
}

/** Null for an empty point, which is NaN NaN in WKB. */
function toGeometry(value: unknown): Geometry | null {
  if (!isGeometry(value)) return null;
  return value.type === 'Point' && Number.isNaN(value.coordinates[0]) ? null : value;
}

/** Dates stay numbers here: `parquetToPlainValue`, which knows their columns, formats them. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => BigInt(value) * 1000n,
  timestampFromMicroseconds: (value) => value,
  timestampFromNanoseconds: (value) => BigInt(value) / 1000n,
  dateFromDays: (days) => days,
};

function topLevelColumns({ schema }: FileMetaData): SchemaElement[] {
  const elements: SchemaElement[] = [];
  const skip = (at: number): number => {
    let next = at + 1;
    for (let child = 0; child < (schema[at]?.num_children ?? 0); child++) next = skip(next);
    return next;
  };
  for (let at = 1; at < schema.length; at = skip(at)) elements.push(schema[at] as SchemaElement);
  return elements;
}

interface GeoParquetMetadata {
  primary_column?: string;
  columns?: Record<string, { crs?: ProjJson | null }>;
}

/** PROJJSON, as far as it names the system. */
interface ProjJson {
  readonly id?: { readonly authority: string; readonly code: string | number };
  readonly name?: string;
  /** The horizontal and the vertical part of a compound system. */
  readonly components?: readonly ProjJson[];
  /** The system itself, of one that is bound to another by a transformation. */
  readonly source_crs?: ProjJson;
}

/** The code of a system, or of its horizontal part; else its name. */
function crsOfProjJson({ id, name, components, source_crs }: ProjJson): string {
  if (id) return `${id.authority}:${id.code}`;
  const part = source_crs ?? components?.[0];
  return part ? crsOfProjJson(part) : (name ?? 'unknown');
}

/** The reference system of Parquet's own type: `EPSG:25833`, `srid:25833`, PROJJSON or the key of metadata that have it. */
function crsOfLogicalType(text: string, metadata: FileMetaData): string {
  const key = /^projjson:(.*)$/.exec(text)?.[1];
  const found = key === undefined ? text : metadata.key_value_metadata?.find((entry) => entry.key === key)?.value;
  return found?.startsWith('{') ? crsOfProjJson(JSON.parse(found) as ProjJson) : (found ?? text);
}

/** Index of the geometry column, or -1; sets `info.crs` to its reference system. */
function findGeometryColumn(metadata: FileMetaData, elements: readonly SchemaElement[], info: PayloadInfo): number {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  const geo = text === undefined ? undefined : (JSON.parse(text) as GeoParquetMetadata);
  const isSpatial = ({ logical_type }: SchemaElement) =>
    logical_type?.type === 'GEOMETRY' || logical_type?.type === 'GEOGRAPHY';
  const primary = elements.findIndex((element) => element.name === geo?.primary_column && isSpatial(element));
  const index = primary === -1 ? elements.findIndex(isSpatial) : primary;
  const element = elements[index];
  const crs = geo?.columns?.[element?.name ?? '']?.crs;
  const own = (element?.logical_type as { crs?: string } | undefined)?.crs;
  if (crs) info.crs = crsOfProjJson(crs);
  else if (own && geo === undefined) info.crs = crsOfLogicalType(own, metadata);
  return index;
}

/**
 * Converts a value by its column's type: plain JSON, and text for values that JSON doesn't have.
 * @param value as hyparquet returns it, with timestamps in microseconds and dates in days since 1970
 */
export function parquetToPlainValue(value: unknown, element: SchemaElement): unknown {
  if (value === null || value === undefined) return undefined;
  const { converted_type: converted, logical_type: logical } = element;
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (converted === 'DATE' || logical?.type === 'DATE') return isoDate(Number(value) * 86_400_000);
    if (logical?.type === 'TIMESTAMP') return isoTimestamp(BigInt(value), logical.isAdjustedToUTC);
    if (converted === 'TIMESTAMP_MILLIS' || converted === 'TIMESTAMP_MICROS' || element.type === 'INT96') {
      return isoTimestamp(BigInt(value), element.type !== 'INT96');
    }
    if (logical?.type === 'TIME') return isoTime(toMicros(value, logical.unit));
    if (converted === 'TIME_MILLIS') return isoTime(toMicros(value, 'MILLIS'));
    if (converted === 'TIME_MICROS') return isoTime(toMicros(value, 'MICROS'));
    if (converted === 'DECIMAL') return rounded(Number(value), element.scale ?? 0);
  }
  return toJsonValue(value);
}

/** Converts big integers, dates and bytes, which JSON doesn't have, also in nested values. */
function toJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJsonValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, toJsonValue);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJsonValue(member)]));
  }
  return value;
}

/** Rounds a decimal: hyparquet multiplies by 0.01 and the like, so that 35 hundredths become 0.35000000000000003. */
function rounded(value: number, scale: number): number {
  return Math.abs(value) < 1e15 ? Number(value.toFixed(Math.min(scale, 100))) : value;
}

function toMicros(value: number | bigint, unit: 'MILLIS' | 'MICROS' | 'NANOS'): bigint {
  if (unit === 'MILLIS') return BigInt(value) * 1000n;
  return unit === 'MICROS' ? BigInt(value) : BigInt(value) / 1000n;
}

function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, -'T00:00:00.000Z'.length);
}

function isoTimestamp(micros: bigint, utc: boolean): string {
  const day = 86_400_000_000n;
  const inDay = ((micros % day) + day) % day;
  return `${isoDate(Number((micros - inDay) / 1000n))}T${isoTime(inDay)}${utc ? 'Z' : ''}`;
}

function isoTime(micros: bigint): string {
  const seconds = Number(micros / 1_000_000n);
  const two = (part: number) => String(part).padStart(2, '0');
  const fraction = String(micros % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return fraction === '' ? clock : `${clock}.${fraction}`;
}
