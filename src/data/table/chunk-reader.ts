/**
 * Reads the chunks of a columnar copy through a cache that all tables share. The file is opened on the first cache miss,
 * and closed with the reader: a query that finds all chunks in memory opens no file.
 */
import { closeSync, openSync, read, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { DamagedCopyError } from '../errors.ts';
import { type ColumnChunk, decodeColumn, decodeRowOffsets, type RowOffsets } from './column-chunk.ts';
import {
  type ChunkKey,
  type ChunkLocation,
  indexFilePath,
  isOtherCopy,
  type RowGroup,
  rowsFilePath,
  type TableMetadata,
} from './columnar-copy.ts';
import { decodeGeometryChunk, type GeometryChunk } from './geometry-chunk.ts';
import { SpatialIndex } from './spatial-index.ts';

type Chunk = ColumnChunk | GeometryChunk | RowOffsets;

/** Chunks and spatial indexes in memory, by the copy's folder, row group, chunk key and CRC-32. */
export type ChunkCache = LRUCache<string, Chunk | SpatialIndex>;

/** @param maxBytes of all entries together, approximately */
export const createChunkCache = (maxBytes: number): ChunkCache =>
  new LRUCache({ maxSize: maxBytes, sizeCalculation: (entry) => entry.bytes + 100 });

const readAt = promisify(read);

/** Keys in the cache, by the chunks' locations in the metadata of their tables. */
const cacheKeys = new WeakMap<ChunkLocation, string>();

export class ChunkReader {
  readonly #folder: string;
  readonly #metadata: TableMetadata;
  readonly #cache: ChunkCache;
  readonly #onDamage: () => void;
  #fd: number | undefined;
  #closed = false;

  constructor(folder: string, metadata: TableMetadata, cache: ChunkCache, onDamage: () => void) {
    this.#folder = folder;
    this.#metadata = metadata;
    this.#cache = cache;
    this.#onDamage = onDamage;
  }

  close(): void {
    this.#closed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** A chunk of a row group; undefined if the row group has none for the key. @throws DamagedCopyError */
  async read(group: number, key: ChunkKey): Promise<Chunk | undefined> {
    const location = this.#locate(group, key);
    const cached = location && this.#cached(group, key, location);
    if (!location || cached) return cached;
    const bytes = new Uint8Array(location[2]);
    await readAt(this.#openFile(), bytes, 0, bytes.length, location[1]);
    return this.#decode(group, key, location, bytes);
  }

  /** Like `read`, synchronously: for chunks that were not read ahead. */
  readSync(group: number, key: ChunkKey): Chunk | undefined {
    const location = this.#locate(group, key);
    const cached = location && this.#cached(group, key, location);
    if (!location || cached) return cached;
    const bytes = new Uint8Array(location[2]);
    readSync(this.#openFile(), bytes, 0, bytes.length, location[1]);
    return this.#decode(group, key, location, bytes);
  }

  /** The spatial index; null if no row has a bounding box. @throws DamagedCopyError */
  async spatialIndex(): Promise<SpatialIndex | null> {
    const { indexBytes, indexCrc } = this.#metadata;
    if (indexBytes === 0) return null;
    const cacheKey = `${this.#folder}/index/${indexCrc}`;
    const cached = this.#cache.get(cacheKey) as SpatialIndex | undefined;
    if (cached) return cached;
    const bytes = await readFile(indexFilePath(this.#folder)).catch((error) => {
      throw this.#errorOfMissing(error);
    });
    if (crc32(bytes) !== indexCrc) throw this.#deleteDamaged();
    const index = new SpatialIndex(bytes);
    this.#cache.set(cacheKey, index);
    return index;
  }

  #locate(group: number, key: ChunkKey): ChunkLocation | undefined {
    return (this.#metadata.rowGroups[group] as RowGroup).chunks[key];
  }

  /**
   * Key of a chunk in the cache. The CRC-32 is a part of it, since a copy that was made again can have other row groups: they
   * end where the chunks of the bytes do that were read. To make the text, and its hash, for each row of an ordered table took
   * half of the time.
   */
  #cacheKey(group: number, key: ChunkKey, location: ChunkLocation): string {
    const known = cacheKeys.get(location);
    if (known !== undefined) return known;
    const made = `${this.#folder}/${group}/${key}/${location[3]}`;
    cacheKeys.set(location, made);
    return made;
  }

  #cached(group: number, key: ChunkKey, location: ChunkLocation): Chunk | undefined {
    return this.#cache.get(this.#cacheKey(group, key, location)) as Chunk | undefined;
  }

  #openFile(): number {
    if (this.#closed) throw new Error('A row was read after the scan had left its row group.');
    try {
      this.#fd ??= openSync(rowsFilePath(this.#folder), 'r');
    } catch (error) {
      throw this.#errorOfMissing(error as NodeJS.ErrnoException);
    }
    return this.#fd;
  }

  /** The error for a file that can't be opened: a copy that was deleted meanwhile has to be made again. */
  #errorOfMissing(error: NodeJS.ErrnoException): Error {
    if (error.code !== 'ENOENT') return error;
    this.#onDamage();
    return new DamagedCopyError(`The columnar copy ${this.#folder} was deleted.`);
  }

  #decode(group: number, key: ChunkKey, location: ChunkLocation, bytes: Uint8Array<ArrayBuffer>): Chunk {
    const [kind, , , crc] = location;
    if (crc32(bytes) !== crc) throw this.#deleteDamaged();
    const { rows } = this.#metadata.rowGroups[group] as RowGroup;
    const chunk =
      key === 'geometry'
        ? decodeGeometryChunk(kind, bytes.buffer, rows)
        : key === 'offsets'
          ? decodeRowOffsets(bytes.buffer)
          : decodeColumn(kind, bytes.buffer);
    this.#cache.set(this.#cacheKey(group, key, location), chunk);
    return chunk;
  }

  #deleteDamaged(): DamagedCopyError {
    this.#onDamage();
    if (isOtherCopy(this.#folder, this.#metadata))
      return new DamagedCopyError(`The columnar copy ${this.#folder} was made again meanwhile.`);
    rmSync(this.#folder, { recursive: true, force: true });
    return new DamagedCopyError(`The columnar copy ${this.#folder} was damaged and has been deleted.`);
  }
}
