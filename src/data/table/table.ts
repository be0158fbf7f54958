/** A table: the rows of one payload, read from its columnar copy (`columnar-copy.ts`). `TableStore` opens it. */
import { existsSync } from 'node:fs';
import { Turns } from '../event-loop.ts';
import type { GeometryEncoding } from '../formats/types.ts';
import type { Bbox, GeometryKind } from '../geometry/geometry.ts';
import type { OrderingColumn } from '../query/ordering.ts';
import type { TableSchema } from '../row.ts';
import { type ChunkCache, ChunkReader } from './chunk-reader.ts';
import type { ColumnChunk, RowOffsets } from './column-chunk.ts';
import {
  type ChunkKey,
  markCopyUsed,
  type RowGroup,
  readTableMetadata,
  rowsFilePath,
  type TableMetadata,
} from './columnar-copy.ts';
import type { PointCoordinates } from './geometry-chunk.ts';
import { RowCursor, type TableRow } from './row-cursor.ts';
import type { RowSet } from './row-set.ts';

export interface ScanOptions {
  /** Only rows whose bounding box intersects one of these, each with west <= east; all rows if null or absent. */
  readonly boxes?: readonly Bbox[] | null | undefined;
  /** Indexes of the columns to read ahead; all by default. */
  readonly columns?: readonly number[] | undefined;
  /** True (the default) to read geometries and bounding boxes ahead. */
  readonly needsGeometry?: boolean | undefined;
  /** First row, counted from 0 in the file. */
  readonly startRow?: number | undefined;
  /** Only these rows; not together with `boxes`. Row groups without any of them aren't read. */
  readonly rows?: RowSet | undefined;
}

/** The rows of a row group that a scan finds: one by one, as a cursor, or the chunks that hold them. */
export interface ScannedRows extends Iterable<TableRow> {
  /** Number of all rows of the row group. */
  readonly groupRows: number;
  /** Number of the row group's first row in the file. */
  readonly start: number;
  /** True if the scan finds all rows of the row group. */
  readonly isWholeGroup: boolean;
  /** The chunk of a column, by its index; undefined if all values are null. */
  chunk(column: number): ColumnChunk | undefined;
  /** Longitudes and latitudes of all rows of the row group, if all are points; NaN for a row without a geometry. */
  points(): PointCoordinates | undefined;
}

/** What queries need of a table: `Table` is one on disk, `tableOfRows` (`memory-table.ts`) makes one in memory. */
export type RowTable = Pick<Table, 'schema' | 'rowCount' | 'scanRowGroups' | 'row'> &
  Partial<Pick<Table, 'sortInThread'>>;

/** Finds the numbers of all rows of a table in an order, in a thread; undefined if no thread sorts this table. */
export type RowSorter = (
  table: Table,
  ordering: readonly OrderingColumn[],
  turns: Turns,
) => Promise<Uint32Array | undefined>;

/** Number of columns that are read between checks of the time: if all chunks are in memory, the check takes a part of the time itself. */
const columnsPerCheck = 64;

export class Table {
  /** Folder of the columnar copy. */
  readonly folder: string;
  readonly #sorter: RowSorter | undefined;
  readonly #metadata: TableMetadata;
  readonly #cache: ChunkCache;
  /** First row of each row group. */
  readonly #starts: readonly number[];
  readonly schema: TableSchema;
  /** Indexes of all columns. */
  readonly #allColumns: readonly number[];
  /** True once the copy was found to be damaged or missing. */
  #isLost = false;
  /** Time of the last record of `markUsed`, in milliseconds of `performance.now`. */
  #marked = performance.now();

  private constructor(folder: string, metadata: TableMetadata, cache: ChunkCache, sorter: RowSorter | undefined) {
    this.folder = folder;
    this.#sorter = sorter;
    this.#metadata = metadata;
    this.#cache = cache;
    this.schema = {
      hasGeometry: metadata.hasGeometry,
      columns: metadata.columns.map(({ name, type }) => ({ name, type })),
    };
    this.#allColumns = [...metadata.columns.keys()];
    let next = 0;
    this.#starts = metadata.rowGroups.map(({ rows }) => {
      next += rows;
      return next - rows;
    });
  }

  /**
   * @param folder folder of the columnar copy
   * @param checksum SHA-256 of the payload
   * @param sorter sorts the rows of a large table in a thread
   * @returns null if there is no usable copy
   */
  static async open(folder: string, checksum: string, cache: ChunkCache, sorter?: RowSorter): Promise<Table | null> {
    const metadata = await readTableMetadata(folder, checksum);
    if (metadata) await markCopyUsed(folder);
    return metadata && new Table(folder, metadata, cache, sorter);
  }

  /**
   * Records that the table is used, so that other copies are deleted first; at most once a minute.
   * @returns false if its copy was deleted, by any process: the table has to be opened again
   */
  markUsed(): boolean {
    if (this.#isLost || !existsSync(rowsFilePath(this.folder))) return false;
    if (performance.now() - this.#marked > 60_000) {
      this.#marked = performance.now();
      void markCopyUsed(this.folder);
    }
    return true;
  }

  /** SHA-256 of the payload. */
  get checksum(): string {
    return this.#metadata.checksum;
  }

  /** The numbers of all rows in an order, found in a thread; undefined if no thread sorts this table. */
  async sortInThread(ordering: readonly OrderingColumn[], turns: Turns): Promise<Uint32Array | undefined> {
    return this.#sorter?.(this, ordering, turns);
  }

  get rowCount(): number {
    return this.#metadata.rows;
  }

  /** Size of the rows on disk, in bytes. */
  get sizeOnDisk(): number {
    return this.#metadata.rowsBytes;
  }

  /** Kinds of geometry that occur. */
  get geometryKinds(): readonly GeometryKind[] {
    return this.#metadata.geometryKinds;
  }

  /** Kinds of the geometries that aren't empty. */
  get locatedKinds(): readonly GeometryKind[] {
    return this.#metadata.locatedKinds ?? this.#metadata.geometryKinds;
  }

  /** Names of the columns of longitude and latitude from which the geometry is made. */
  get pointColumns(): readonly string[] | null {
    return this.#metadata.pointColumns;
  }

  /** Reference systems from which geometries were converted; null if the payload has longitude and latitude. */
  get crs(): string | null {
    return this.#metadata.crs;
  }

  /** How the payload encodes geometries, if it is Parquet and they are not WKB of ISO; else undefined. */
  get geometryEncoding(): GeometryEncoding | undefined {
    return this.#metadata.geometryEncoding;
  }

  /** True if rings of polygons may have another direction than RFC 7946 has it. */
  get mayHaveMisdirectedRings(): boolean {
    return this.#metadata.misdirectedRings !== 0;
  }

  /** Minimum longitude and latitude, maximum longitude and latitude of all geometries; null if there are none. */
  get extent(): readonly number[] | null {
    return this.#metadata.extent;
  }

  /** Form of the payload's own bytes if rows can be copied from it (`passthrough.ts`), else null. */
  get passthrough(): 'features' | 'lines' | null {
    return this.#metadata.passthrough;
  }

  /** The rows in file order, as a cursor: the same object for every row. */
  async *scan(options: ScanOptions = {}): AsyncGenerator<TableRow, void, undefined> {
    for await (const group of this.scanRowGroups(options)) yield* group;
  }

  /**
   * The rows in file order, by row group: the fast way through many of them, with a turn of the event loop between
   * groups. Each group is a cursor, which is valid until the next group is read.
   * @throws DamagedCopyError
   */
  async *scanRowGroups(options: ScanOptions = {}): AsyncGenerator<ScannedRows, void, undefined> {
    const { boxes = null, columns, needsGeometry = true, startRow = 0, rows: only } = options;
    if (boxes?.length === 0 || (boxes && this.#metadata.extent === null)) return;
    const keys: ChunkKey[] = (columns ?? this.#allColumns).map((index) => this.#keyOf(index));
    if (needsGeometry || boxes) keys.push('geometry');
    const reader = this.#reader();
    // Of a table with thousands of columns, chunks that are in memory would be one long turn.
    const turns = new Turns();
    try {
      const index = boxes && !this.#coverExtent(boxes) ? await reader.spatialIndex() : null;
      const selected = index && boxes ? await index.search(boxes, turns) : (only ?? null);
      for (let group = this.#groupOf(startRow); group < this.#starts.length; group++) {
        const start = this.#starts[group] as number;
        const end = start + (this.#metadata.rowGroups[group] as RowGroup).rows;
        const first = Math.max(start, startRow);
        const found = selected?.between(first, end);
        if (found?.length === 0) continue;
        const rows = () => found ?? rowRange(first, end);
        for (const key of keys) {
          await reader.read(group, key);
          if (turns.isOver) await turns.next();
        }
        const cursor = new RowCursor(this.#metadata, reader, group, start);
        yield {
          groupRows: end - start,
          start,
          isWholeGroup: !boxes && !selected && first === start,
          chunk: (column) => cursor.chunk(column),
          points: () => cursor.points,
          [Symbol.iterator]: () => (boxes ? cursor.intersecting(rows(), boxes) : cursor.each(rows())),
        };
      }
    } finally {
      reader.close();
    }
  }

  /**
   * A row by its number in the file; an object of its own.
   * @param needed its values that are read: all by default
   * @throws RangeError if there is none
   */
  async row(index: number, needed: Pick<ScanOptions, 'columns' | 'needsGeometry'> = {}): Promise<TableRow> {
    if (!(index >= 0 && index < this.rowCount)) throw new RangeError(`There is no row ${index}.`);
    const { columns = this.#allColumns, needsGeometry = true } = needed;
    const reader = this.#reader();
    const turns = columns.length > columnsPerCheck ? new Turns() : null;
    try {
      const group = this.#groupOf(index);
      const cursor = new RowCursor(this.#metadata, reader, group, this.#starts[group] as number).moveTo(index);
      for (let at = 0; at < columns.length; at++) {
        cursor.chunk(columns[at] as number);
        if (turns && at % columnsPerCheck === 0 && turns.isOver) await turns.next();
      }
      cursor.loadIds();
      if (needsGeometry) cursor.loadGeometries();
      return cursor;
    } finally {
      reader.close();
    }
  }

  /** Byte ranges of the rows in the payload, by row group, with the number of the group's first row. */
  async *rowOffsets(): AsyncGenerator<{ start: number; rowOffsets: RowOffsets }, void, undefined> {
    const reader = this.#reader();
    try {
      for (let group = 0; group < this.#starts.length; group++) {
        const rowOffsets = (await reader.read(group, 'offsets')) as RowOffsets | undefined;
        if (rowOffsets) yield { start: this.#starts[group] as number, rowOffsets };
      }
    } finally {
      reader.close();
    }
  }

  #reader(): ChunkReader {
    return new ChunkReader(this.folder, this.#metadata, this.#cache, () => {
      this.#isLost = true;
    });
  }

  #keyOf(index: number): number {
    const column = this.#metadata.columns[index];
    if (!column) throw new RangeError(`There is no column ${index}.`);
    return column.key;
  }

  /** Index of the row group of a row, or of the last one. */
  #groupOf(row: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) <= row) low = middle;
      else high = middle;
    }
    return low;
  }

  /** True if one box contains all rows: then the index needn't be searched. */
  #coverExtent(boxes: readonly Bbox[]): boolean {
    const [west = 0, south = 0, east = 0, north = 0] = this.#metadata.extent ?? [];
    return boxes.some((box) => box[0] <= west && box[1] <= south && box[2] >= east && box[3] >= north);
  }
}

function* rowRange(start: number, end: number): Generator<number, void, undefined> {
  for (let row = start; row < end; row++) yield row;
}
