/**
 * A row of one block of a table: an object that is moved along the block, and looks values up in the block's pieces.
 */
import type { Bbox, Geometry } from '../geometry/geometry.ts';
import type { Row, Value } from '../row.ts';
import type { PieceReader } from './chunk-reader.ts';
import type { ColumnPiece } from './column-chunk.ts';
import type { TableFile } from './columnar-copy.ts';
import type { GeometryPiece } from './geometry-chunk.ts';

/** A row that knows its place in the file, from 0. */
export interface TableRow extends Row {
  readonly index: number;
}

/** A piece that was not looked for yet is null, one that the block doesn't have is undefined. */
type Looked<Piece> = Piece | undefined | null;

export class BlockRow implements TableRow {
  readonly #columns: TableFile['columns'];
  readonly #reader: PieceReader;
  readonly #block: number;
  readonly #start: number;
  readonly #pieces: Looked<ColumnPiece>[];
  #geometries: Looked<GeometryPiece> = null;
  #ids: Looked<ColumnPiece> = null;
  #idsAreJson = false;
  /** Place in the block. */
  #at = 0;

  /** @param start first row of the block */
  constructor({ columns }: TableFile, reader: PieceReader, block: number, start: number) {
    this.#columns = columns;
    this.#reader = reader;
    this.#block = block;
    this.#start = start;
    this.#pieces = columns.map(() => null);
  }

  get index(): number {
    return this.#start + this.#at;
  }

  /** Moves to the row with this place in the file. */
  at(index: number): this {
    this.#at = index - this.#start;
    return this;
  }

  /** Looks all pieces up now: the reader won't be asked again. */
  held(): this {
    for (let column = 0; column < this.#columns.length; column++) this.#piece(column);
    this.#geometryPiece();
    this.id();
    return this;
  }

  /** This row, moved from one to the next. */
  *each(rows: Iterable<number>): Generator<this, void, undefined> {
    for (const row of rows) yield this.at(row);
  }

  /** The same, only where the bounding box touches one of the boxes. */
  *touching(rows: Iterable<number>, boxes: readonly Bbox[]): Generator<this, void, undefined> {
    const piece = this.#geometryPiece();
    if (!piece) return;
    for (const row of rows) {
      const at = row - this.#start;
      for (const box of boxes) {
        if (!piece.touches(at, box)) continue;
        this.#at = at;
        yield this;
        break;
      }
    }
  }

  value(column: number): Value {
    const piece = this.#pieces[column] ?? this.#piece(column);
    if (piece === undefined) return null;
    const value = piece.at(this.#at);
    if (typeof value !== 'string') return value;
    const type = this.#columns[column]?.type;
    return type === 'object' || type === 'array' ? (JSON.parse(value) as Value) : value;
  }

  geometry(): Geometry | null {
    return this.#geometryPiece()?.geometry(this.#at) ?? null;
  }

  bbox(): Bbox | null {
    return this.#geometryPiece()?.bbox(this.#at) ?? null;
  }

  id(): string | number | undefined {
    if (this.#ids === null) {
      this.#ids = this.#look<ColumnPiece>('id');
      this.#idsAreJson = this.#ids === undefined;
      this.#ids ??= this.#look<ColumnPiece>('idJson');
    }
    const id = (this.#ids?.at(this.#at) ?? undefined) as string | number | undefined;
    return this.#idsAreJson && typeof id === 'string' ? (JSON.parse(id) as string | number) : id;
  }

  #piece(column: number): ColumnPiece | undefined {
    let piece = this.#pieces[column];
    if (piece === null) {
      piece = this.#look<ColumnPiece>((this.#columns[column] as { key: number }).key);
      this.#pieces[column] = piece;
    }
    return piece;
  }

  #geometryPiece(): GeometryPiece | undefined {
    if (this.#geometries === null) this.#geometries = this.#look<GeometryPiece>('geometry');
    return this.#geometries;
  }

  #look<Piece>(key: number | 'geometry' | 'id' | 'idJson'): Piece | undefined {
    return this.#reader.pieceNow(this.#block, key) as Piece | undefined;
  }
}
