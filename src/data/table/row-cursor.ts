/** A cursor over the rows of one row group: one object that is moved from row to row and reads from the group's chunks. */
import type { Bbox, Geometry } from '../geometry/geometry.ts';
import type { AsciiSlice, Row, Value } from '../row.ts';
import type { ChunkReader } from './chunk-reader.ts';
import type { ColumnChunk } from './column-chunk.ts';
import type { TableMetadata } from './columnar-copy.ts';
import type { GeometryChunk, PointCoordinates } from './geometry-chunk.ts';

/** A row of a table. */
export interface TableRow extends Row {
  /** Number of the row in the file, from 0. */
  readonly index: number;
}

/** A chunk that is loaded on demand: null before, undefined if the row group doesn't have it. */
type LazyChunk<Chunk> = Chunk | undefined | null;

export class RowCursor implements TableRow {
  readonly #columns: TableMetadata['columns'];
  readonly #reader: Pick<ChunkReader, 'readSync'>;
  readonly #group: number;
  /** First row of the group. */
  readonly #start: number;
  /** Chunks that are loaded, by column; null for one that the row group doesn't have. */
  readonly #chunks: (ColumnChunk | null | undefined)[];
  #geometryChunk: LazyChunk<GeometryChunk> = null;
  #idChunk: LazyChunk<ColumnChunk> = null;
  #idsAreJson = false;
  /** Current row, from the start of the group. */
  #at = 0;

  /** @param start first row of the group */
  constructor(
    { columns }: Pick<TableMetadata, 'columns'>,
    reader: Pick<ChunkReader, 'readSync'>,
    group: number,
    start: number,
  ) {
    this.#columns = columns;
    this.#reader = reader;
    this.#group = group;
    this.#start = start;
    // Not filled: a scan of each of ten thousand columns has cursors of its own.
    this.#chunks = new Array(columns.length);
  }

  get index(): number {
    return this.#start + this.#at;
  }

  /** Moves to a row, by its number in the file. */
  moveTo(index: number): this {
    this.#at = index - this.#start;
    return this;
  }

  /** This cursor at each of the rows. */
  *each(rows: Iterable<number>): Generator<this, void, undefined> {
    for (const row of rows) yield this.moveTo(row);
  }

  /** This cursor at each of the rows whose bounding box intersects one of the boxes. */
  *intersecting(rows: Iterable<number>, boxes: readonly Bbox[]): Generator<this, void, undefined> {
    const geometries = this.loadGeometries();
    if (!geometries) return;
    for (const row of rows) {
      const at = row - this.#start;
      for (const box of boxes) {
        if (!geometries.intersects(at, box)) continue;
        this.#at = at;
        yield this;
        break;
      }
    }
  }

  /** The chunk of a column; undefined if all values are null. */
  chunk(column: number): ColumnChunk | undefined {
    return this.#chunks[column] ?? this.#loadColumn(column);
  }

  /** Longitudes and latitudes of all rows of the group, if all are points. */
  get points(): PointCoordinates | undefined {
    return this.loadGeometries()?.points;
  }

  value(column: number): Value {
    const chunk = this.#chunks[column] ?? this.#loadColumn(column);
    if (chunk === undefined) return null;
    const value = chunk.at(this.#at);
    if (typeof value !== 'string') return value;
    const type = this.#columns[column]?.type;
    return type === 'object' || type === 'array' ? (JSON.parse(value) as Value) : value;
  }

  asciiText(column: number): AsciiSlice | null {
    const chunk = this.#chunks[column] ?? this.#loadColumn(column);
    if (chunk?.kind !== 'texts') return null;
    const type = this.#columns[column]?.type;
    return type === 'object' || type === 'array' ? null : chunk.asciiAt(this.#at);
  }

  readPoint(position: Float64Array): boolean {
    return this.loadGeometries()?.readPoint?.(this.#at, position) ?? false;
  }

  wkb(): Uint8Array | null {
    return this.loadGeometries()?.wkb?.(this.#at) ?? null;
  }

  geometry(): Geometry | null {
    return this.loadGeometries()?.geometry(this.#at) ?? null;
  }

  bbox(): Bbox | null {
    return this.loadGeometries()?.bbox(this.#at) ?? null;
  }

  id(): string | number | undefined {
    this.loadIds();
    const id = (this.#idChunk?.at(this.#at) ?? undefined) as string | number | undefined;
    return this.#idsAreJson && typeof id === 'string' ? (JSON.parse(id) as string | number) : id;
  }

  /** Loads the chunk of the ids now. */
  loadIds(): void {
    if (this.#idChunk !== null) return;
    this.#idChunk = this.#load<ColumnChunk>('id');
    this.#idsAreJson = this.#idChunk === undefined;
    this.#idChunk ??= this.#load<ColumnChunk>('idJson');
  }

  #loadColumn(column: number): ColumnChunk | undefined {
    let chunk = this.#chunks[column];
    if (chunk === undefined) {
      chunk = this.#load<ColumnChunk>((this.#columns[column] as { key: number }).key) ?? null;
      this.#chunks[column] = chunk;
    }
    return chunk ?? undefined;
  }

  /** The chunk of the geometries, which is loaded now. */
  loadGeometries(): GeometryChunk | undefined {
    if (this.#geometryChunk === null) this.#geometryChunk = this.#load<GeometryChunk>('geometry');
    return this.#geometryChunk;
  }

  #load<Chunk>(key: number | 'geometry' | 'id' | 'idJson'): Chunk | undefined {
    return this.#reader.readSync(this.#group, key) as Chunk | undefined;
  }
}
