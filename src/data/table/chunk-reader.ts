/**
 * Reads pieces of a derived copy, and keeps them in a cache that all tables share. The file is opened when a piece is
 * missing from the cache, and closed with the reader: a question that finds everything in memory opens nothing.
 */
import { closeSync, openSync, read, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { DamagedCopyError } from '../errors.ts';
import { type ColumnPiece, decodeColumn, decodePlaces, type Places } from './column-chunk.ts';
import { type Block, indexFile, type PieceKey, type PiecePlace, rowsFile, type TableFile } from './columnar-copy.ts';
import { decodeGeometries, type GeometryPiece } from './geometry-chunk.ts';
import { SpatialIndex } from './spatial-index.ts';

type AnyPiece = ColumnPiece | GeometryPiece | Places;

/** Pieces and spatial indexes in memory, by the payload's checksum and their place. */
export type PieceCache = LRUCache<string, AnyPiece | SpatialIndex>;

/** @param maxBytes of everything in it together, as good as can be told */
export const newPieceCache = (maxBytes: number): PieceCache =>
  new LRUCache({ maxSize: maxBytes, sizeCalculation: (piece) => piece.bytes + 100 });

const readAt = promisify(read);

export class PieceReader {
  readonly #folder: string;
  readonly #table: TableFile;
  readonly #cache: PieceCache;
  readonly #onDamage: () => void;
  #fd: number | undefined;
  #closed = false;

  constructor(folder: string, table: TableFile, cache: PieceCache, onDamage: () => void) {
    this.#folder = folder;
    this.#table = table;
    this.#cache = cache;
    this.#onDamage = onDamage;
  }

  close(): void {
    this.#closed = true;
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** A piece of a block; undefined where the block has none of it. @throws DamagedCopyError */
  async piece(block: number, key: PieceKey): Promise<AnyPiece | undefined> {
    const place = this.#placeOf(block, key);
    if (!place) return undefined;
    const cached = this.#cached(block, key);
    if (cached) return cached;
    const bytes = new Uint8Array(place[2]);
    await readAt(this.#opened(), bytes, 0, place[2], place[1]);
    return this.#keep(block, key, place, bytes);
  }

  /** The same without waiting: for what nobody said would be needed. */
  pieceNow(block: number, key: PieceKey): AnyPiece | undefined {
    const place = this.#placeOf(block, key);
    if (!place) return undefined;
    const cached = this.#cached(block, key);
    if (cached) return cached;
    const bytes = new Uint8Array(place[2]);
    readSync(this.#opened(), bytes, 0, place[2], place[1]);
    return this.#keep(block, key, place, bytes);
  }

  /** The spatial index; null where no row has a place. @throws DamagedCopyError */
  async index(): Promise<SpatialIndex | null> {
    const { checksum, indexBytes, indexCrc } = this.#table;
    if (indexBytes === 0) return null;
    const name = `${checksum}/index`;
    const cached = this.#cache.get(name) as SpatialIndex | undefined;
    if (cached) return cached;
    const bytes = await readFile(indexFile(this.#folder));
    if (crc32(bytes) !== indexCrc) throw this.#damaged();
    const index = new SpatialIndex(bytes);
    this.#cache.set(name, index);
    return index;
  }

  #placeOf(block: number, key: PieceKey): PiecePlace | undefined {
    return (this.#table.blocks[block] as Block).pieces[key];
  }

  #name(block: number, key: PieceKey): string {
    return `${this.#table.checksum}/${block}/${key}`;
  }

  #cached(block: number, key: PieceKey): AnyPiece | undefined {
    return this.#cache.get(this.#name(block, key)) as AnyPiece | undefined;
  }

  #opened(): number {
    if (this.#closed) throw new Error('A row was asked for a value after its run was over.');
    this.#fd ??= openSync(rowsFile(this.#folder), 'r');
    return this.#fd;
  }

  #keep(block: number, key: PieceKey, [kind, , , crc]: PiecePlace, bytes: Uint8Array<ArrayBuffer>): AnyPiece {
    if (crc32(bytes) !== crc) throw this.#damaged();
    const { rows } = this.#table.blocks[block] as Block;
    const piece =
      key === 'geometry'
        ? decodeGeometries(kind, bytes.buffer, rows)
        : key === 'places'
          ? decodePlaces(bytes.buffer)
          : decodeColumn(kind, bytes.buffer);
    this.#cache.set(this.#name(block, key), piece);
    return piece;
  }

  #damaged(): DamagedCopyError {
    this.#onDamage();
    rmSync(this.#folder, { recursive: true, force: true });
    return new DamagedCopyError(`The derived copy ${this.#folder} was damaged and has been deleted.`);
  }
}
