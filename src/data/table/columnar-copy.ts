/**
 * The columnar copy of a payload's rows: a cache on disk, written while the payload is ingested, and again whenever it is
 * missing; it can be deleted at any time. A folder for each payload, named by the
 * payload's SHA-256, and a hash of the options for reading it if there are any:
 *
 *     <checksum>/table.json   metadata: columns, row groups, and the location of each column chunk
 *     <checksum>/rows.bin     the chunks, one row group after another (`column-chunk.ts`, `geometry-chunk.ts`)
 *     <checksum>/index.bin    the spatial index, as flatbush stores it
 *     <checksum>/payloads.txt stamps of files that have these bytes (`files/payload-checksums.ts`)
 *
 * Row groups and column chunks are Parquet's terms. docs/decisions says why it is not Parquet or Arrow.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bytesToKeep } from '../cache-room.ts';
import type { GeometryEncoding } from '../formats/types.ts';
import type { GeometryKind } from '../geometry/geometry.ts';
import type { TableColumn } from '../row.ts';
import type { ChunkKind } from './column-chunk.ts';
import { buildSpatialIndex } from './spatial-index.ts';

/**
 * Incremented when the layout changes, or what readers make of a payload, such as its coordinates: older copies are made
 * again, and answers from them have other ETags.
 */
export const layoutVersion = 12;

/** Location of a chunk in `rows.bin`: kind, offset and length in bytes, CRC-32. */
export type ChunkLocation = readonly [kind: ChunkKind, offset: number, length: number, crc: number];

/** Name of a chunk in its row group: index of a column in the payload, geometries, ids (texts, or JSON), or row offsets. */
export type ChunkKey = number | 'geometry' | 'id' | 'idJson' | 'offsets';

export interface RowGroup {
  readonly rows: number;
  readonly chunks: Readonly<Partial<Record<ChunkKey, ChunkLocation>>>;
}

/** Facts of a table that are known without reading rows. */
export interface TableInfo {
  /** SHA-256 of the payload. */
  readonly checksum: string;
  readonly rows: number;
  readonly hasGeometry: boolean;
  /** With the key of their chunks. */
  readonly columns: readonly (TableColumn & { readonly key: number })[];
  readonly geometryKinds: readonly GeometryKind[];
  /** Those of geometries that aren't empty; absent from older copies. */
  readonly locatedKinds?: readonly GeometryKind[];
  /** Names of the columns of longitude and latitude from which the geometry is made. */
  readonly pointColumns: readonly string[] | null;
  /** Form of the rows in the payload, if they can be copied: Features separated by commas, or one on each line. */
  readonly passthrough: 'features' | 'lines' | null;
  /** Reference systems from which geometries were converted; null if they are longitude and latitude as in the payload. */
  readonly crs: string | null;
  /** Of Parquet: how the payload encodes geometries, if not as WKB of ISO. */
  readonly geometryEncoding?: GeometryEncoding | undefined;
  /** Number of rings with another direction than RFC 7946 has it; absent from older copies. */
  readonly misdirectedRings?: number;
  /** Minimum longitude and latitude, maximum longitude and latitude of all geometries. */
  readonly extent: readonly number[] | null;
}

export interface TableMetadata extends TableInfo {
  readonly layoutVersion: number;
  readonly rowGroups: readonly RowGroup[];
  /** Lengths of the files in bytes: a truncated copy is recognized by them. */
  readonly rowsBytes: number;
  readonly indexBytes: number;
  readonly indexCrc: number;
}

export const rowsFilePath = (folder: string) => join(folder, 'rows.bin');
export const indexFilePath = (folder: string) => join(folder, 'index.bin');
const metadataFile = (folder: string) => join(folder, 'table.json');

/** Writes a copy under a temporary name, and renames it when it is complete. */
export class ColumnarWriter {
  readonly #parent: string;
  readonly #folder: string;
  readonly #rows: FileHandle;
  readonly #rowGroups: RowGroup[] = [];
  #length = 0;
  /** The row group that is being written, while the next one is read. */
  #written: Promise<void> = Promise.resolve();

  private constructor(parent: string, folder: string, rows: FileHandle) {
    this.#parent = parent;
    this.#folder = folder;
    this.#rows = rows;
  }

  /**
   * @param parent folder of all copies; created if necessary
   * @param stagingName hidden name in it for the unfinished copy
   */
  static async create(
    parent: string,
    stagingName: string = `.new-${randomBytes(6).toString('hex')}`,
  ): Promise<ColumnarWriter> {
    const folder = join(parent, stagingName);
    await mkdir(folder, { recursive: true });
    return new ColumnarWriter(parent, folder, await open(rowsFilePath(folder), 'wx+'));
  }

  /** Appends a row group. @param rows number of its rows */
  async writeRowGroup(
    rows: number,
    chunks: readonly { key: ChunkKey; kind: ChunkKind; bytes: readonly Buffer[] }[],
  ): Promise<void> {
    const locations: Partial<Record<ChunkKey, ChunkLocation>> = {};
    const start = this.#length;
    for (const { key, kind, bytes } of chunks) {
      const length = bytes.reduce((sum, part) => sum + part.length, 0);
      locations[key] = [kind, this.#length, length, bytes.reduce((crc, part) => crc32(part, crc), 0)];
      this.#length += length;
    }
    this.#rowGroups.push({ rows, chunks: locations });
    if (this.#length === start) return;
    await this.#written;
    this.#written = this.#append(chunks.flatMap(({ bytes }) => bytes));
    // An error is thrown by the next call that awaits it.
    this.#written.catch(() => undefined);
  }

  /** Appends bytes without joining them first. */
  async #append(parts: readonly Buffer[]): Promise<void> {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const { bytesWritten } = await this.#rows.writev(parts);
    if (bytesWritten < length) await this.#rows.appendFile(Buffer.concat(parts).subarray(bytesWritten));
  }

  /**
   * @param name of the copy among all copies
   * @returns the finished copy's folder
   */
  async finish(info: TableInfo, name: string): Promise<string> {
    await this.#written;
    const index = info.extent === null ? null : await buildSpatialIndex(info.rows, this.#boxes());
    await this.#rows.close();
    if (index) await writeFile(indexFilePath(this.#folder), index);
    const metadata: TableMetadata = {
      ...info,
      layoutVersion,
      rowGroups: this.#rowGroups,
      rowsBytes: this.#length,
      indexBytes: index?.length ?? 0,
      indexCrc: index ? crc32(index) : 0,
    };
    await writeFile(metadataFile(this.#folder), JSON.stringify(metadata));
    const target = join(this.#parent, name);
    // Another process may ingest the same bytes at the same time. Either copy will do; the temporary names differ.
    const replaced = `${this.#folder}.before`;
    await rename(target, replaced).catch(ignoreErrors('ENOENT'));
    await rename(this.#folder, target).catch(ignoreErrors('EEXIST', 'ENOTEMPTY'));
    for (const folder of [this.#folder, replaced]) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    return target;
  }

  /** Deletes the unfinished copy. */
  async abort(): Promise<void> {
    await this.#written.catch(() => undefined);
    await this.#rows.close().catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** The rows' bounding boxes, read back: one row group at a time is in memory. */
  async *#boxes(): AsyncGenerator<Float64Array, void, undefined> {
    for (const { rows, chunks } of this.#rowGroups) {
      const boxes = new Float64Array(4 * rows).fill(Number.NaN);
      if (chunks.geometry) {
        const [kind, offset] = chunks.geometry;
        const stored = new Float64Array(kind === 'points' ? 2 * rows : 4 * rows);
        await this.#rows.read(new Uint8Array(stored.buffer), 0, stored.byteLength, offset);
        if (kind === 'shapes') boxes.set(stored);
        else {
          for (let row = 0; row < rows; row++) {
            const at = 4 * row;
            boxes[at] = boxes[at + 2] = stored[row] as number;
            boxes[at + 1] = boxes[at + 3] = stored[rows + row] as number;
          }
        }
      }
      yield boxes;
    }
  }
}

/** An error handler that ignores errors with these codes. */
function ignoreErrors(...codes: readonly string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/**
 * Reads a copy's metadata.
 * @returns null if there is no copy, or one that is damaged, of another layout version, or of another payload
 */
export async function readTableMetadata(folder: string, checksum: string): Promise<TableMetadata | null> {
  try {
    const metadata = JSON.parse(await readFile(metadataFile(folder), 'utf8')) as TableMetadata;
    if (metadata.layoutVersion !== layoutVersion || metadata.checksum !== checksum) return null;
    if ((await stat(rowsFilePath(folder))).size !== metadata.rowsBytes) return null;
    if (metadata.indexBytes > 0 && (await stat(indexFilePath(folder))).size !== metadata.indexBytes) return null;
    return metadata;
  } catch {
    return null;
  }
}

/** True if a folder has another copy than the one whose metadata was read: one that was made since. */
export function isOtherCopy(folder: string, metadata: TableMetadata): boolean {
  try {
    return readFileSync(metadataFile(folder), 'utf8') !== JSON.stringify(metadata);
  } catch {
    return false;
  }
}

/** Records that a copy was used, so that `deleteLeastRecentlyUsedCopies` deletes others first. */
export async function markCopyUsed(folder: string): Promise<void> {
  const now = new Date();
  await utimes(metadataFile(folder), now, now).catch(() => undefined);
}

/**
 * Deletes copies, the least recently used first, until the rest takes at most `maxBytes`, and unfinished copies that are
 * older than a day.
 * @param keep checksum of a copy that is kept in any case
 * @returns bytes that remain
 */
export async function deleteLeastRecentlyUsedCopies(parent: string, maxBytes: number, keep = ''): Promise<number> {
  const names = await readdir(parent).catch(() => []);
  const copies = await Promise.all(names.map((name) => measureCopy(join(parent, name))));
  const all = copies.reduce((sum, { bytes }) => sum + bytes, 0);
  const most = bytesToKeep(copies.length, all, maxBytes);
  let total = 0;
  for (const { folder, bytes, used } of copies.sort((a, b) => b.used - a.used)) {
    const isUnfinished = basename(folder).startsWith('.');
    if (basename(folder) === keep) total += bytes;
    else if (isUnfinished ? used > Date.now() - 86_400_000 : total + bytes <= most) total += bytes;
    else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return total;
}

/** Bytes of a copy, and when it was used last. */
export async function measureCopy(folder: string): Promise<{ folder: string; bytes: number; used: number }> {
  const files = await Promise.all(
    [metadataFile, rowsFilePath, indexFilePath].map((file) => stat(file(folder)).catch(() => null)),
  );
  const bytes = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  // A copy that another process has just begun has no files yet.
  const last = files[0] ?? files[1] ?? (await stat(folder).catch(() => null));
  return { folder, bytes, used: last?.mtimeMs ?? 0 };
}
