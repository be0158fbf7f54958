/**
 * A table: the rows of one payload, read from its derived copy (`derived.ts`). `tables.ts` opens them.
 */
import type { Bbox, GeometryKind } from '../geometry/geometry.ts';
import type { TableShape } from '../row.ts';
import { type PieceCache, PieceReader } from './chunk-reader.ts';
import type { Places } from './column-chunk.ts';
import { type Block, type PieceKey, readTableFile, type TableFile, touchDerived } from './columnar-copy.ts';
import { BlockRow, type TableRow } from './row-cursor.ts';
import type { RowSet } from './spatial-index.ts';

export interface ScanOptions {
  /** Only rows whose bounding box touches one of these, each with west <= east; null or absent: all rows. */
  readonly candidates?: readonly Bbox[] | null | undefined;
  /** Columns whose values will be asked for, by their place in the shape: they are read ahead. All where absent. */
  readonly columns?: readonly number[] | undefined;
  /** Whether geometries or bounding boxes will be asked for; true where absent. */
  readonly needsGeometry?: boolean | undefined;
  /** Leaves out rows before this one, counted from 0 in the file. */
  readonly from?: number | undefined;
  /** Only these rows, and no `candidates`. Blocks without any of them aren't read. */
  readonly rows?: RowSet | undefined;
}

export class Table {
  readonly #folder: string;
  readonly #file: TableFile;
  readonly #cache: PieceCache;
  /** First row of each block. */
  readonly #starts: readonly number[];
  readonly shape: TableShape;
  /** Whether the copy was found to be damaged, and deleted: the table has to be opened anew. */
  isDamaged = false;

  private constructor(folder: string, file: TableFile, cache: PieceCache) {
    this.#folder = folder;
    this.#file = file;
    this.#cache = cache;
    this.shape = {
      hasGeometry: file.hasGeometry,
      columns: file.columns.map(({ name, type }) => ({ name, type })),
    };
    let next = 0;
    this.#starts = file.blocks.map(({ rows }) => {
      next += rows;
      return next - rows;
    });
  }

  /**
   * @param folder of the derived copy of the payload with this checksum
   * @returns null where there is no copy that can be used
   */
  static async open(folder: string, checksum: string, cache: PieceCache): Promise<Table | null> {
    const file = await readTableFile(folder, checksum);
    if (file) await touchDerived(folder);
    return file && new Table(folder, file, cache);
  }

  get rowCount(): number {
    return this.#file.rows;
  }

  /** What the rows take on the disk, in bytes. */
  get bytes(): number {
    return this.#file.rowsBytes;
  }

  /** All kinds of geometry that occur. */
  get geometryKinds(): readonly GeometryKind[] {
    return this.#file.geometryKinds;
  }

  /** Names of the columns of longitude and latitude that the geometry is made of. */
  get pointColumns(): readonly string[] | null {
    return this.#file.pointColumns ?? null;
  }

  /** What the payload's own bytes are, where its rows' bytes can be handed out as they are (`own-bytes.ts`). */
  get ownBytes(): 'features' | 'lines' | null {
    return this.#file.ownBytes;
  }

  /** The rows in file order. The same object is handed out for every row. */
  async *scan(options: ScanOptions = {}): AsyncGenerator<TableRow, void, undefined> {
    for await (const rows of this.runs(options)) yield* rows;
  }

  /**
   * The rows in file order, some thousands at a time: the quick way through many of them, and between one run and the
   * next others get their turn. The same object is handed out for every row of a run, and a run is over when the next
   * is asked for.
   * @throws DamagedCopyError
   */
  async *runs(options: ScanOptions = {}): AsyncGenerator<Iterable<TableRow>, void, undefined> {
    const { candidates = null, columns, needsGeometry = true, from = 0, rows: chosen } = options;
    if (candidates?.length === 0 || (candidates && this.#file.extent === null)) return;
    const keys: PieceKey[] = (columns ?? this.shape.columns.map((_, place) => place)).map((place) =>
      this.#keyOf(place),
    );
    if (needsGeometry || candidates) keys.push('geometry');
    const reader = this.#reader();
    try {
      const index = candidates && !this.#isWithin(candidates) ? await reader.index() : null;
      const found = index && candidates ? index.search(candidates) : (chosen ?? null);
      for (let block = this.#blockOf(from); block < this.#starts.length; block++) {
        const start = this.#starts[block] as number;
        const end = start + (this.#file.blocks[block] as Block).rows;
        const rows = found ? found.within(Math.max(start, from), end) : null;
        if (rows?.length === 0) continue;
        for (const key of keys) await reader.piece(block, key);
        const row = new BlockRow(this.#file, reader, block, start);
        const all = rows ?? upTo(Math.max(start, from), end);
        yield candidates ? row.touching(all, candidates) : row.each(all);
      }
    } finally {
      reader.close();
    }
  }

  /** The row with this place in the file; an object of its own. @throws RangeError where there is none */
  async row(index: number): Promise<TableRow> {
    if (!(index >= 0 && index < this.rowCount)) throw new RangeError(`There is no row ${index}.`);
    const reader = this.#reader();
    try {
      const block = this.#blockOf(index);
      const row = new BlockRow(this.#file, reader, block, this.#starts[block] as number);
      return row.held().at(index);
    } finally {
      reader.close();
    }
  }

  /** Where rows lie in the payload, block by block, with the first row's place in the file. */
  async *places(): AsyncGenerator<{ start: number; places: Places }, void, undefined> {
    const reader = this.#reader();
    try {
      for (let block = 0; block < this.#starts.length; block++) {
        const places = (await reader.piece(block, 'places')) as Places | undefined;
        if (places) yield { start: this.#starts[block] as number, places };
      }
    } finally {
      reader.close();
    }
  }

  #reader(): PieceReader {
    return new PieceReader(this.#folder, this.#file, this.#cache, () => {
      this.isDamaged = true;
    });
  }

  #keyOf(place: number): number {
    const column = this.#file.columns[place];
    if (!column) throw new RangeError(`There is no column ${place}.`);
    return column.key;
  }

  /** The block that holds a row, or the last one. */
  #blockOf(row: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= row) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Whether one box holds everything: the index would only name all rows. */
  #isWithin(boxes: readonly Bbox[]): boolean {
    const [west = 0, south = 0, east = 0, north = 0] = this.#file.extent ?? [];
    return boxes.some((box) => box[0] <= west && box[1] <= south && box[2] >= east && box[3] >= north);
  }
}

function* upTo(start: number, end: number): Generator<number, void, undefined> {
  for (let row = start; row < end; row++) yield row;
}
