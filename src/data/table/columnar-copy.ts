/**
 * The derived copy of a payload's rows: made while it is taken in, or again whenever it is missing; never the only
 * place of anything, so it can be deleted at any time. A folder for each payload, named by the payload's SHA-256:
 *
 *     <checksum>/table.json   what the columns are, and where each piece lies
 *     <checksum>/rows.bin     the pieces: a block of rows after another, a column after another (`piece.ts`)
 *     <checksum>/index.bin    the spatial index, as flatbush lays it out
 *
 * Why not Arrow or Parquet: the types are known only after the last row, and blocks are written long before; a question
 * reads few columns of few blocks, each with one read and no parsing. With a million rows, apache-arrow 21 took 10 s to
 * write three columns, read the whole file to open it, and gave one column of texts in 0.66 s (0.3 s here, from the
 * disk); hyparquet decodes three columns in 0.3 s, in which most questions have long been answered here. Whoever wants
 * a standard format asks for `data.parquet`.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { GeometryKind } from '../geometry/geometry.ts';
import type { TableColumn } from '../row.ts';
import type { PieceKind } from './column-chunk.ts';
import { buildIndex } from './spatial-index.ts';

/** Counts up whenever the copy's layout changes: older copies are made again. */
const layoutVersion = 1;

/** Where a piece lies in `rows.bin`: kind, offset, length in bytes, CRC-32. */
export type PiecePlace = readonly [kind: PieceKind, offset: number, length: number, crc: number];

/** What a piece holds: a column by its place in the payload, or one of the things that are no columns. */
export type PieceKey = number | 'geometry' | 'id' | 'idJson' | 'places';

export interface Block {
  readonly rows: number;
  readonly pieces: Readonly<Partial<Record<PieceKey, PiecePlace>>>;
}

/** What of a table is known without reading rows. */
export interface TableFacts {
  /** SHA-256 of the payload. */
  readonly checksum: string;
  readonly rows: number;
  readonly hasGeometry: boolean;
  /** With the key of its pieces. */
  readonly columns: readonly (TableColumn & { readonly key: number })[];
  readonly geometryKinds: readonly GeometryKind[];
  /** Names of the columns of longitude and latitude that the geometry is made of; older copies don't say. */
  readonly pointColumns?: readonly string[] | null;
  /** What the payload's own bytes are, where they can be handed out as they are. */
  readonly ownBytes: 'features' | 'lines' | null;
  /** Minimum x, y, maximum x, y of all geometries, in the payload's reference system. */
  readonly extent: readonly number[] | null;
}

export interface TableFile extends TableFacts {
  readonly layoutVersion: number;
  readonly blocks: readonly Block[];
  /** Lengths of the files, by which a copy that was cut off is known. */
  readonly rowsBytes: number;
  readonly indexBytes: number;
  readonly indexCrc: number;
}

export const rowsFile = (folder: string) => join(folder, 'rows.bin');
export const indexFile = (folder: string) => join(folder, 'index.bin');
const tableFile = (folder: string) => join(folder, 'table.json');

/** Writes a copy beside its place, and moves it there when it is whole. */
export class DerivedWriter {
  readonly #parent: string;
  readonly #folder: string;
  readonly #rows: FileHandle;
  readonly #blocks: Block[] = [];
  #length = 0;

  private constructor(parent: string, folder: string, rows: FileHandle) {
    this.#parent = parent;
    this.#folder = folder;
    this.#rows = rows;
  }

  /**
   * @param parent folder of all copies; made if need be
   * @param aside hidden name in it for the copy until it is whole
   */
  static async create(
    parent: string,
    aside: string = `.new-${randomBytes(6).toString('hex')}`,
  ): Promise<DerivedWriter> {
    const folder = join(parent, aside);
    await mkdir(folder, { recursive: true });
    return new DerivedWriter(parent, folder, await open(rowsFile(folder), 'wx+'));
  }

  async add(
    rows: number,
    pieces: readonly { key: PieceKey; kind: PieceKind; bytes: readonly Buffer[] }[],
  ): Promise<void> {
    const places: Partial<Record<PieceKey, PiecePlace>> = {};
    const start = this.#length;
    for (const { key, kind, bytes } of pieces) {
      const length = bytes.reduce((sum, part) => sum + part.length, 0);
      places[key] = [kind, this.#length, length, bytes.reduce((crc, part) => crc32(part, crc), 0)];
      this.#length += length;
    }
    this.#blocks.push({ rows, pieces: places });
    if (this.#length > start) await this.#rows.appendFile(Buffer.concat(pieces.flatMap(({ bytes }) => bytes)));
  }

  /** @returns the finished copy's folder */
  async finish(facts: TableFacts): Promise<string> {
    const index = facts.extent === null ? null : await buildIndex(facts.rows, this.#boxes());
    await this.#rows.close();
    if (index) await writeFile(indexFile(this.#folder), index);
    const table: TableFile = {
      ...facts,
      layoutVersion,
      blocks: this.#blocks,
      rowsBytes: this.#length,
      indexBytes: index?.length ?? 0,
      indexCrc: index ? crc32(index) : 0,
    };
    await writeFile(tableFile(this.#folder), JSON.stringify(table));
    const place = join(this.#parent, facts.checksum);
    // Others may take in the same bytes at the same moment. One copy is as good as the other, so one is kept; each has a
    // name of its own for what it puts aside.
    const before = `${this.#folder}.before`;
    await rename(place, before).catch(unless('ENOENT'));
    await rename(this.#folder, place).catch(unless('EEXIST', 'ENOTEMPTY'));
    for (const left of [this.#folder, before]) await rm(left, { recursive: true, force: true });
    return place;
  }

  /** Leaves nothing behind. */
  async abandon(): Promise<void> {
    await this.#rows.close().catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The rows' bounding boxes, read back: memory holds those of one block at a time. */
  async *#boxes(): AsyncGenerator<Float64Array, void, undefined> {
    for (const { rows, pieces } of this.#blocks) {
      const boxes = new Float64Array(4 * rows).fill(Number.NaN);
      const place = pieces.geometry;
      if (place) {
        const [kind, offset] = place;
        const needed = new Float64Array(kind === 'points' ? 2 * rows : 4 * rows);
        await this.#rows.read(new Uint8Array(needed.buffer), 0, needed.byteLength, offset);
        if (kind === 'shapes') boxes.set(needed);
        else {
          for (let row = 0; row < rows; row++) {
            const [x, y] = [needed[row] as number, needed[rows + row] as number];
            boxes.set([x, y, x, y], 4 * row);
          }
        }
      }
      yield boxes;
    }
  }
}

/** Passes over errors of these codes. */
function unless(...codes: readonly string[]): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
}

/**
 * What a copy says about itself.
 * @returns null where there is none, or one that is damaged, of another layout, or of another payload
 */
export async function readTableFile(folder: string, checksum: string): Promise<TableFile | null> {
  try {
    const table = JSON.parse(await readFile(tableFile(folder), 'utf8')) as TableFile;
    if (table.layoutVersion !== layoutVersion || table.checksum !== checksum) return null;
    if ((await stat(rowsFile(folder))).size !== table.rowsBytes) return null;
    if (table.indexBytes > 0 && (await stat(indexFile(folder))).size !== table.indexBytes) return null;
    return table;
  } catch {
    return null;
  }
}

/** Notes that a copy was used, so that `pruneDerived` takes others first. */
export async function touchDerived(folder: string): Promise<void> {
  const now = new Date();
  await utimes(tableFile(folder), now, now).catch(() => undefined);
}

/**
 * Deletes copies, those that were used longest ago first, until the rest takes no more than `maxBytes`; and what
 * unfinished writers left behind more than a day ago.
 * @param keep checksum of a copy that stays whatever it takes
 * @returns the number of bytes that remain
 */
export async function pruneDerived(parent: string, maxBytes: number, keep = ''): Promise<number> {
  const names = await readdir(parent).catch(() => []);
  const copies = await Promise.all(names.map((name) => measureCopy(join(parent, name))));
  let total = 0;
  for (const { folder, bytes, used } of copies.sort((a, b) => b.used - a.used)) {
    const unfinished = basename(folder).startsWith('.');
    const stays = basename(folder) === keep;
    if (stays) total += bytes;
    else if (unfinished ? used > Date.now() - 86_400_000 : total + bytes <= maxBytes) total += bytes;
    else await rm(folder, { recursive: true, force: true });
  }
  return total;
}

async function measureCopy(folder: string): Promise<{ folder: string; bytes: number; used: number }> {
  const files = await Promise.all([tableFile, rowsFile, indexFile].map((file) => stat(file(folder)).catch(() => null)));
  const bytes = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  return { folder, bytes, used: (files[0] ?? files[1])?.mtimeMs ?? 0 };
}
