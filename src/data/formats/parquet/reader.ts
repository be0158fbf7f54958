/**
 * A reader of Parquet and GeoParquet. The geometry is the primary column of GeoParquet's metadata, or else the first
 * column of Parquet's own type GEOMETRY or GEOGRAPHY; further ones are columns of objects. `values.ts` has the other values.
 */
import { open } from 'node:fs/promises';
import {
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { type Geometry, isGeometry } from '../../geometry/geometry.ts';
import { sridOfEwkb } from '../../geometry/wkb.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { assertFooterFits, ClaimChecker } from './claims.ts';
import { compressors } from './pages.ts';
import { isWkb, parquetParsers, parquetToPlainValue, type SchemaTree, withRawValues } from './values.ts';

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
    const columns = parquetSchema(metadata).children;
    const elements = columns.map(({ element }) => element);
    const geometryIndex = findGeometryColumn(metadata, elements, info);
    const source = { file, metadata: withRawValues(metadata) };
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
        yield await readRowRange(source, columns, geometryIndex, groupStart + start, groupStart + end, info);
      }
      groupStart += rows;
    }
    if (groupStart === 0) yield await readRowRange(source, columns, geometryIndex, 0, 0, info);
  } catch (error) {
    if (error instanceof PayloadError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new PayloadError(`the Parquet can't be read: ${excerpt((error as Error).message)}`);
  } finally {
    await handle.close();
  }
}

type ParquetSource = { file: Awaited<ReturnType<typeof asyncBufferFromFile>>; metadata: FileMetaData };

/**
 * @param trees the columns, as in the file's own metadata
 * @param info is told how geometries are encoded
 * @throws PayloadError that names row and column, if a value is broken
 */
async function readRowRange(
  source: ParquetSource,
  trees: readonly SchemaTree[],
  geometryIndex: number,
  rowStart: number,
  rowEnd: number,
  info: PayloadInfo,
): Promise<RowBatch> {
  const rows = rowEnd - rowStart;
  const names = trees.map(({ element }) => element.name);
  const columns: unknown[][] = trees.map(() => new Array(rows));
  const indexes = new Map(names.map((name, index) => [name, index]));
  const crs: (string | undefined)[] = new Array(rows);
  let failure: unknown;
  if (rows > 0) {
    await parquetRead({
      ...source,
      rowStart,
      rowEnd,
      compressors,
      parsers: parquetParsers,
      utf8: false,
      useOffsetIndex: true,
      onChunk({ columnName, columnData, rowStart: first }) {
        const index = indexes.get(columnName) as number;
        const column = columns[index] as unknown[];
        const tree = trees[index] as SchemaTree;
        const from = Math.max(0, rowStart - first);
        const to = Math.min(columnData.length, rowEnd - first);
        let i = from;
        // The library doesn't wait for this function: an error that leaves it would end the process.
        try {
          for (; i < to; i++) {
            const value: unknown = columnData[i];
            const row = first - rowStart + i;
            column[row] = parquetToPlainValue(value, tree) ?? undefined;
            if (index === geometryIndex && value instanceof Uint8Array) crs[row] = crsOfEwkb(value, info);
          }
        } catch (error) {
          const place = `row ${first + i + 1}: column "${excerpt(columnName)}"`;
          failure ??= new PayloadError(`${place}: ${(error as Error).message}`);
        }
      },
    });
    if (failure) throw failure;
  }
  const others = trees.map((_, index) => index).filter((index) => index !== geometryIndex);
  return {
    rows,
    names: others.map((index) => names[index] as string),
    values: others.map((index) => columns[index] as unknown[]),
    geometries: geometryIndex === -1 ? null : Array.from(columns[geometryIndex] as unknown[], toGeometry),
    crs: crs.some((name) => name !== undefined) ? crs : undefined,
    ids: null,
    rowOffsets: null,
    errorAt: (row, reason) => new PayloadError(`row ${rowStart + row + 1}: ${reason}`),
  };
}

/** The reference system that EWKB names; undefined if it names none. Notes in `info` that there is EWKB. */
function crsOfEwkb(bytes: Uint8Array, info: PayloadInfo): string | undefined {
  const srid = sridOfEwkb(bytes);
  if (srid !== null) info.geometryEncoding = 'EWKB';
  return srid ? `SRID=${srid}` : undefined;
}

/** Null for an empty point, which is NaN NaN in WKB. */
function toGeometry(value: unknown): Geometry | null {
  if (!isGeometry(value)) return null;
  return value.type === 'Point' && Number.isNaN(value.coordinates[0]) ? null : value;
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
  const primary = elements.findIndex((element) => element.name === geo?.primary_column && isWkb(element));
  const index = primary === -1 ? elements.findIndex(isWkb) : primary;
  const element = elements[index];
  if (element) info.geometryName = element.name;
  const crs = geo?.columns?.[element?.name ?? '']?.crs;
  const own = (element?.logical_type as { crs?: string } | undefined)?.crs;
  if (crs) info.crs = crsOfProjJson(crs);
  else if (own && geo === undefined) info.crs = crsOfLogicalType(own, metadata);
  return index;
}
