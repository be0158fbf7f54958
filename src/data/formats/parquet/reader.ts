/**
 * A reader of Parquet and GeoParquet. The geometry is the primary column of GeoParquet's metadata, or else the first
 * geometry column (`geometry-columns.ts`); further ones are columns of objects. `values.ts` has the other values.
 */
import { open } from 'node:fs/promises';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import { excerpt } from '../../../catalogue/errors.ts';
import { PayloadError } from '../../errors.ts';
import { type Geometry, isGeometry } from '../../geometry/geometry.ts';
import { sridOfEwkb } from '../../geometry/wkb.ts';
import type { PayloadInfo, RowBatch } from '../types.ts';
import { assertFooterFits, ClaimChecker } from './claims.ts';
import { findGeometryColumns } from './geometry-columns.ts';
import { NativeReader } from './native-geometries.ts';
import { compressors } from './pages.ts';
import { parquetParsers, parquetToPlainValue, type SchemaTree, withRawValues } from './values.ts';

/**
 * Most decoded bytes in memory: a larger row group is read in several parts, and the rows of a part are converted in several
 * batches if they have more, since the same value of a dictionary may be in many rows.
 */
const maxPartBytes = 8 * 1024 * 1024;

/** Most cells of a part; numbers of geometries in native encodings count as such. */
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
    const schema = parquetSchema(metadata);
    const columns = schema.children;
    const { primary, native } = findGeometryColumns(metadata, columns, info);
    const source = { file, metadata: withRawValues(metadata), columns, primary, info };
    let groupStart = 0;
    for (const group of metadata.row_groups) {
      const bytes = await claims.checkGroup(group);
      const rows = Number(group.num_rows);
      const readers = new Map<number, NativeReader>();
      for (const [index, column] of native) readers.set(index, await NativeReader.open(file, schema, group, column));
      const entries = [...readers.values()].reduce((sum, reader) => sum + reader.entries, 0);
      const parts = Math.max(
        1,
        Math.ceil(bytes / maxPartBytes),
        Math.ceil((rows * group.columns.length + entries) / maxPartCells),
      );
      const size = Math.max(1, Math.ceil(rows / parts));
      for (let start = 0; start < rows; start += size) {
        const end = Math.min(rows, start + size);
        yield* readRowRange(source, readers, groupStart + start, groupStart + end);
      }
      groupStart += rows;
    }
    if (groupStart === 0) yield* readRowRange(source, new Map(), 0, 0);
  } catch (error) {
    if (error instanceof PayloadError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new PayloadError(`the Parquet can't be read: ${excerpt((error as Error).message)}`);
  } finally {
    await handle.close();
  }
}

interface ParquetSource {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  /** As in the file's own metadata. */
  readonly columns: readonly SchemaTree[];
  /** Index of the column that is the geometry of the rows, or -1. */
  readonly primary: number;
  /** Receives how geometries are encoded. */
  readonly info: PayloadInfo;
}

/**
 * @param native readers of the columns in native encodings, by index, which stand at the first row
 * @throws PayloadError that names row and column, if a value is broken
 */
async function* readRowRange(
  source: ParquetSource,
  native: ReadonlyMap<number, NativeReader>,
  rowStart: number,
  rowEnd: number,
): AsyncGenerator<RowBatch, void, undefined> {
  const { file, metadata, columns: trees } = source;
  const rows = rowEnd - rowStart;
  const names = trees.map(({ element }) => element.name);
  const raw: unknown[][] = trees.map((_, index) => native.get(index)?.read(rows) ?? new Array(rows));
  const indexes = new Map(names.map((name, index) => [name, index]));
  const plain = names.filter((_, index) => !native.has(index));
  if (rows > 0 && plain.length > 0) {
    await parquetRead({
      file,
      metadata,
      ...(native.size > 0 && { columns: plain }),
      rowStart,
      rowEnd,
      compressors,
      parsers: parquetParsers,
      utf8: false,
      useOffsetIndex: true,
      // The library doesn't wait for this function: an error that leaves it would end the process.
      onChunk({ columnName, columnData, rowStart: first }) {
        const column = raw[indexes.get(columnName) as number] as unknown[];
        const to = Math.min(columnData.length, rowEnd - first);
        for (let i = Math.max(0, rowStart - first); i < to; i++) column[first - rowStart + i] = columnData[i];
      },
    });
  }
  const counted = raw.filter((_, index) => !native.has(index));
  let start = 0;
  let bytes = 0;
  for (let row = 0; row < rows; row++) {
    let size = 0;
    for (const column of counted) size += bytesOf(column[row]);
    if (row > start && bytes + size > maxPartBytes) {
      yield toBatch(source, native, raw, rowStart, start, row);
      start = row;
      bytes = 0;
    }
    bytes += size;
  }
  yield toBatch(source, native, raw, rowStart, start, rows);
}

/** Bytes of a value as the library returns it: of texts, byte arrays, and what refers to members. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) bytes += 8 + bytesOf(member);
  return bytes;
}

/**
 * Converts the values of some rows.
 * @param raw columns of a part, of which those in native encodings are converted already
 * @param rowStart the first row of the part
 * @param from the first row of the batch, counted from the part's
 */
function toBatch(
  { columns: trees, primary, info }: ParquetSource,
  native: ReadonlyMap<number, NativeReader>,
  raw: readonly (readonly unknown[])[],
  rowStart: number,
  from: number,
  to: number,
): RowBatch {
  const rows = to - from;
  const crs: (string | undefined)[] = new Array(rows);
  const columns = trees.map((tree, index): unknown[] => {
    const values = raw[index] as readonly unknown[];
    if (native.has(index)) return values.slice(from, to);
    const column: unknown[] = new Array(rows);
    let row = 0;
    try {
      for (; row < rows; row++) {
        const value = values[from + row];
        column[row] = parquetToPlainValue(value, tree) ?? undefined;
        if (index === primary && value instanceof Uint8Array) crs[row] = crsOfEwkb(value, info);
      }
    } catch (error) {
      const place = `row ${rowStart + from + row + 1}: column "${excerpt(tree.element.name)}"`;
      throw new PayloadError(`${place}: ${(error as Error).message}`);
    }
    return column;
  });
  const others = trees.map((_, index) => index).filter((index) => index !== primary);
  return {
    rows,
    names: others.map((index) => trees[index]?.element.name as string),
    values: others.map((index) => columns[index] as unknown[]),
    geometries: primary === -1 ? null : Array.from(columns[primary] as unknown[], toGeometry),
    crs: crs.some((name) => name !== undefined) ? crs : undefined,
    ids: null,
    rowOffsets: null,
    errorAt: (row, reason) => new PayloadError(`row ${rowStart + from + row + 1}: ${reason}`),
  };
}

/** The reference system that EWKB names; undefined if it names none. Notes in `info` that there is EWKB. */
function crsOfEwkb(bytes: Uint8Array, info: PayloadInfo): string | undefined {
  const srid = sridOfEwkb(bytes);
  if (srid !== null) info.geometryEncoding = 'EWKB';
  return srid ? `SRID=${srid}` : undefined;
}

/** Null for an empty point, which is NaN NaN in WKB and in the native encoding. */
function toGeometry(value: unknown): Geometry | null {
  if (!isGeometry(value)) return null;
  return value.type === 'Point' && Number.isNaN(value.coordinates[0]) ? null : value;
}
