/**
 * Parquet and GeoParquet. The geometry is the primary column that GeoParquet's metadata name, or else the first one of
 * Parquet's own type GEOMETRY or GEOGRAPHY; further ones are columns of objects.
 *
 * | In the file                    | Becomes                                                                       |
 * |--------------------------------|-------------------------------------------------------------------------------|
 * | 64-bit integer                 | number; a string with its digits beyond ±(2⁵³−1)                              |
 * | decimal                        | number (of more than 15 digits, the nearest)                                  |
 * | date, time, timestamp          | text as in RFC 3339, to the microsecond; `Z` where it is adjusted to UTC      |
 * | bytes of a fixed length        | base64                                                                        |
 * | struct, list, map              | object or array                                                               |
 */
import {
  asyncBufferFromFile,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { PayloadError } from '../payload-error.ts';
import type { Geometry } from '../row.ts';
import type { Batch, Findings } from './batch.ts';
import { isGeometry } from './json-rows.ts';
import { type ParquetElement, plainParquet } from './parquet-values.ts';

/** Decoded bytes to hold at a time: a row group that has more is read in several parts. */
const partBytes = 8 * 1024 * 1024;

/**
 * @param path of the file: Parquet is read from its end
 * @param findings filled in along the way
 * @throws PayloadError where it is no Parquet, or broken
 */
export async function* readParquet(path: string, findings: Findings): AsyncGenerator<Batch, void, undefined> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    const elements = topLevel(metadata);
    const geometry = geometryColumn(metadata, elements, findings);
    let groupStart = 0;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      const parts = Math.max(1, Math.ceil(Number(group.total_byte_size) / partBytes));
      const size = Math.max(1, Math.ceil(rows / parts));
      for (let start = 0; start < rows; start += size) {
        const end = Math.min(rows, start + size);
        yield await readPart({ file, metadata }, elements, geometry, groupStart + start, groupStart + end);
      }
      groupStart += rows;
    }
    if (groupStart === 0) yield await readPart({ file, metadata }, elements, geometry, 0, 0);
  } catch (error) {
    if (error instanceof PayloadError || (error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new PayloadError(`the Parquet can't be read: ${(error as Error).message}`);
  }
}

type Source = { file: Awaited<ReturnType<typeof asyncBufferFromFile>>; metadata: FileMetaData };

async function readPart(
  source: Source,
  elements: readonly ParquetElement[],
  geometry: number,
  rowStart: number,
  rowEnd: number,
): Promise<Batch> {
  const rows = rowEnd - rowStart;
  const columns: unknown[][] = elements.map(() => new Array(rows));
  const places = new Map(elements.map((element, place) => [element.name, place]));
  if (rows > 0) {
    await parquetRead({
      ...source,
      rowStart,
      rowEnd,
      compressors,
      parsers,
      useOffsetIndex: true,
      onChunk({ columnName, columnData, rowStart: first }) {
        const place = places.get(columnName) as number;
        const column = columns[place] as unknown[];
        const element = elements[place] as ParquetElement;
        const from = Math.max(0, rowStart - first);
        const to = Math.min(columnData.length, rowEnd - first);
        for (let i = from; i < to; i++) column[first - rowStart + i] = plainParquet(columnData[i], element);
      },
    });
  }
  const others = elements.map((_, place) => place).filter((place) => place !== geometry);
  return {
    rows,
    names: others.map((place) => (elements[place] as ParquetElement).name),
    values: others.map((place) => columns[place] as unknown[]),
    geometries: geometry === -1 ? null : Array.from(columns[geometry] as unknown[], geometryOf),
    ids: null,
    places: null,
    errorAt: (row, reason) => new PayloadError(`row ${rowStart + row + 1}: ${reason}`),
  };
}

/** An empty point is NaN NaN in WKB. */
function geometryOf(value: unknown): Geometry | null {
  if (!isGeometry(value)) return null;
  return value.type === 'Point' && Number.isNaN(value.coordinates[0]) ? null : value;
}

/** Dates stay numbers here, for `plainParquet`, which knows their columns, to write them out. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => BigInt(value) * 1000n,
  timestampFromMicroseconds: (value) => value,
  timestampFromNanoseconds: (value) => BigInt(value) / 1000n,
  dateFromDays: (days) => days,
};

function topLevel({ schema }: FileMetaData): ParquetElement[] {
  const elements: ParquetElement[] = [];
  const skip = (at: number): number => {
    let next = at + 1;
    for (let child = 0; child < (schema[at]?.num_children ?? 0); child++) next = skip(next);
    return next;
  };
  for (let at = 1; at < schema.length; at = skip(at)) elements.push(schema[at] as ParquetElement);
  return elements;
}

interface GeoMetadata {
  primary_column?: string;
  columns?: Record<string, { crs?: { id?: { authority: string; code: string | number }; name?: string } | null }>;
}

/** Place of the geometry column, or -1; its reference system goes to the findings. */
function geometryColumn(metadata: FileMetaData, elements: readonly ParquetElement[], findings: Findings): number {
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value;
  const geo = text === undefined ? undefined : (JSON.parse(text) as GeoMetadata);
  const isSpatial = ({ logical_type }: ParquetElement) =>
    logical_type?.type === 'GEOMETRY' || logical_type?.type === 'GEOGRAPHY';
  const primary = elements.findIndex((element) => element.name === geo?.primary_column && isSpatial(element));
  const place = primary === -1 ? elements.findIndex(isSpatial) : primary;
  const crs = geo?.columns?.[elements[place]?.name ?? '']?.crs;
  if (crs) {
    const name = crs.id ? `${crs.id.authority}:${crs.id.code}` : (crs.name ?? 'unknown');
    if (!/^(OGC:CRS84|EPSG:4326)$/.test(name)) findings.crs = name;
  }
  return place;
}
