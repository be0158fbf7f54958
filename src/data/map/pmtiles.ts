/**
 * Writes an archive of vector tiles: PMTiles, specification version 3. Tiles come in the order of their ids (clustered), compressed
 * with gzip; equal tiles are stored once. The root directory is padded to its greatest length, so that nothing is moved at the end.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRawSync, gzip, gzipSync } from 'node:zlib';
import type { TileAddress } from '../../catalogue/maps.ts';

const headerBytes = 127;
/** Header and root directory are in the first 16 kB. */
const rootBytes = 16_384 - headerBytes;
const entriesOfLeaf = 4096;
/** Tiles that are compressed at the same time, by the threads of Node. */
const compressedAtOnce = 4;
const compressTile = promisify<Uint8Array, Buffer>(gzip);
/** Codes of the header: gzip, and Mapbox Vector Tiles. */
const gzipCode = 2;
const mvtCode = 1;

/** Facts about all tiles. */
export interface ArchiveFacts {
  /** West, south, east, north, in degrees. */
  readonly bounds: readonly number[];
  readonly minZoom: number;
  readonly maxZoom: number;
  /** `vector_layers`, `name` and more. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A run of tiles with the same bytes; a leaf directory if its run is 0. */
interface Entry {
  readonly id: number;
  readonly offset: number;
  readonly length: number;
  run: number;
}

interface CompressedTile {
  readonly id: number;
  /** Of the tile before compression. */
  readonly hash: string;
  /** Null if an equal tile is stored already. */
  readonly bytes: Buffer | null;
}

export class TileArchive {
  readonly #file: FileHandle;
  readonly #entries: Entry[] = [];
  /** Stored tiles by the hash of their bytes. */
  readonly #stored = new Map<string, { readonly offset: number; readonly length: number }>();
  #dataBytes = 0;
  /** Tiles that are being compressed, in order, beside the drawing of others. */
  readonly #compressing: Promise<CompressedTile>[] = [];

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param path of a new file */
  static async create(path: string): Promise<TileArchive> {
    return new TileArchive(await open(path, 'wx'));
  }

  /** Bytes so far. */
  get size(): number {
    return headerBytes + rootBytes + this.#dataBytes;
  }

  /** Adds a tile; its id must be greater than those before. It is written a few tiles later. */
  async add(address: TileAddress, tile: Uint8Array): Promise<void> {
    const hash = createHash('sha256').update(tile).digest('base64');
    const id = tileId(address);
    const compress = async () => ({ id, hash, bytes: this.#stored.has(hash) ? null : await compressTile(tile) });
    const compressing = compress();
    compressing.catch(() => {}); // The error is thrown where the tile is written.
    this.#compressing.push(compressing);
    if (this.#compressing.length >= compressedAtOnce) await this.#writeNext();
  }

  /** Writes the first of the tiles that are being compressed. */
  async #writeNext(): Promise<void> {
    const { id, hash, bytes } = (await this.#compressing.shift()) as CompressedTile;
    let place = this.#stored.get(hash);
    if (!place && bytes) {
      place = { offset: this.#dataBytes, length: bytes.length };
      await this.#write(bytes, this.size);
      this.#dataBytes += bytes.length;
      this.#stored.set(hash, place);
    }
    const { offset, length } = place as { offset: number; length: number };
    const last = this.#entries.at(-1);
    if (last && last.offset === offset && last.id + last.run === id) last.run++;
    else this.#entries.push({ id, offset, length, run: 1 });
  }

  async finish({ bounds, minZoom, maxZoom, metadata }: ArchiveFacts): Promise<void> {
    while (this.#compressing.length > 0) await this.#writeNext();
    const { root, leaves } = directories(this.#entries);
    const json = gzipSync(JSON.stringify(metadata));
    const leafOffset = this.size;
    await this.#write(leaves, leafOffset);
    await this.#write(json, leafOffset + leaves.length);
    const header = Buffer.alloc(headerBytes);
    header.write('PMTiles\u0003', 'latin1');
    const numbers = [
      ...[headerBytes, rootBytes, leafOffset + leaves.length, json.length, leafOffset, leaves.length],
      ...[headerBytes + rootBytes, this.#dataBytes],
      ...[this.#entries.reduce((sum, { run }) => sum + run, 0), this.#entries.length, this.#stored.size],
    ];
    for (const [i, number] of numbers.entries()) header.writeBigUInt64LE(BigInt(number), 8 + 8 * i);
    header.set([1, gzipCode, gzipCode, mvtCode, minZoom, maxZoom], 96);
    const [west = 0, south = 0, east = 0, north = 0] = bounds;
    const position = (degrees: number, at: number) => header.writeInt32LE(Math.round(degrees * 1e7), at);
    for (const [i, degrees] of [west, south, east, north].entries()) position(degrees, 102 + 4 * i);
    header[118] = minZoom;
    position((west + east) / 2, 119);
    position((south + north) / 2, 123);
    await this.#write(Buffer.concat([header, root]), 0);
    await this.close();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; )
      at += (await this.#file.write(bytes, at, bytes.length - at, position + at)).bytesWritten;
  }
}

/** The id of a tile: its number along the Hilbert curves of all zooms (specification, section 4.1). */
export function tileId({ z, x, y }: TileAddress): number {
  let id = (4 ** z - 1) / 3;
  let [column, row] = [x, y];
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const right = (column & side) > 0 ? 1 : 0;
    const lower = (row & side) > 0 ? 1 : 0;
    id += side * side * ((3 * right) ^ lower);
    if (lower === 0) {
      if (right === 1) [column, row] = [side - 1 - column, side - 1 - row];
      [column, row] = [row, column];
    }
  }
  return id;
}

/** The root directory, padded, and the leaf directories that it needs if not all entries fit into it. */
function directories(entries: readonly Entry[]): { root: Buffer; leaves: Buffer } {
  const direct = paddedGzip(serializeDirectory(entries), rootBytes);
  if (direct) return { root: direct, leaves: Buffer.alloc(0) };
  for (let size = entriesOfLeaf; ; size *= 2) {
    const leaves: Buffer[] = [];
    const pointers: Entry[] = [];
    let offset = 0;
    for (let at = 0; at < entries.length; at += size) {
      const leaf = gzipSync(serializeDirectory(entries.slice(at, at + size)));
      pointers.push({ id: (entries[at] as Entry).id, offset, length: leaf.length, run: 0 });
      leaves.push(leaf);
      offset += leaf.length;
    }
    const root = paddedGzip(serializeDirectory(pointers), rootBytes);
    if (root) return { root, leaves: Buffer.concat(leaves) };
  }
}

/** A directory before compression (specification, section 4.2): columns of varints. */
function serializeDirectory(entries: readonly Entry[]): Buffer {
  const bytes: number[] = [];
  const varint = (number: number) => {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  };
  varint(entries.length);
  for (const [i, { id }] of entries.entries()) varint(id - (entries[i - 1]?.id ?? 0));
  for (const { run } of entries) varint(run);
  for (const { length } of entries) varint(length);
  for (const [i, { offset }] of entries.entries()) {
    const before = entries[i - 1];
    varint(before && before.offset + before.length === offset ? 0 : offset + 1);
  }
  return Buffer.from(bytes);
}

/** A gzip member of a given length, padded by an extra field (RFC 1952, section 2.3.1.1); null if the bytes don't fit. */
function paddedGzip(bytes: Buffer, length: number): Buffer | null {
  const deflated = deflateRawSync(bytes, { level: 9 });
  const headAndExtra = length - deflated.length - 8;
  const padding = headAndExtra - 12 - 4;
  if (padding < 0) return null;
  const head = Buffer.alloc(headAndExtra);
  head.set([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 2, 255]);
  head.writeUInt16LE(padding + 4, 10);
  head.write('pd', 12);
  head.writeUInt16LE(padding, 14);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(bytes), 0);
  end.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, deflated, end]);
}
