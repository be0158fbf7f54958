/** Which rows of a picture are drawn: all if they are few; else those that are larger than a cell, and one for each cell. */
import { CellGrid } from './cells.ts';

/** Pixels around the picture whose rows have cells of their own. */
const margin = 8;

export class Thinning {
  readonly #width: number;
  readonly #height: number;
  readonly #most: number;
  /** Rows that are drawn whatever is beside them: position, x, y and size in turns. */
  #alone: number[] = [];
  #grid: CellGrid | null = null;
  /** Side of the cells in pixels; 0 while all rows are drawn. */
  cell = 0;
  /** Number of all rows. */
  count = 0;

  /**
   * @param width of the picture in pixels
   * @param most number of rows up to which all are drawn
   */
  constructor(width: number, height: number, most: number) {
    this.#width = width;
    this.#height = height;
    this.#most = most;
  }

  /** Number of rows that are drawn. */
  get drawn(): number {
    return this.#alone.length / 4 + (this.#grid?.occupied ?? 0);
  }

  /**
   * Adds a row.
   * @param x of its centre, in pixels
   * @param size the longer side of its box, in pixels
   */
  add(position: number, x: number, y: number, size: number): void {
    this.count++;
    if (this.#grid && size < this.cell) this.#grid.add(position, (x + margin) / this.cell, (y + margin) / this.cell);
    else {
      this.#alone.push(position, x, y, size);
      if (!this.#grid && this.#alone.length > 4 * this.#most) this.coarsen();
    }
  }

  /** Makes the cells larger, from none to one pixel, and then to twice their side. */
  coarsen(): void {
    this.cell = this.cell === 0 ? 1 : 2 * this.cell;
    const columns = Math.ceil((this.#width + 2 * margin) / this.cell);
    const grid = this.#grid?.coarser() ?? new CellGrid(columns, Math.ceil((this.#height + 2 * margin) / this.cell));
    const rows = this.#alone;
    this.#alone = [];
    for (let at = 0; at < rows.length; at += 4) {
      const position = rows[at] as number;
      const x = rows[at + 1] as number;
      const y = rows[at + 2] as number;
      const size = rows[at + 3] as number;
      if (size < this.cell) grid.add(position, (x + margin) / this.cell, (y + margin) / this.cell);
      else this.#alone.push(position, x, y, size);
    }
    this.#grid = grid;
  }

  /** Makes the cells as large as it needs for so few rows. */
  coarsenTo(most: number): void {
    while (this.drawn > most && this.cell < 2 * Math.max(this.#width, this.#height)) this.coarsen();
  }

  /**
   * The rows that are drawn, in file order, as positions, and the numbers of rows that they stand for.
   * @param isWanted leaves out some of them
   */
  chosen(isWanted: (position: number) => boolean = () => true): {
    readonly positions: Float64Array;
    readonly counts: Float64Array;
  } {
    const countOf = new Map<number, number>();
    for (let at = 0; at < this.#alone.length; at += 4) {
      const position = this.#alone[at] as number;
      if (isWanted(position)) countOf.set(position, 1);
    }
    this.#grid?.visit((position, count) => {
      if (isWanted(position)) countOf.set(position, count);
    });
    const positions = new Float64Array(countOf.size);
    let next = 0;
    for (const position of countOf.keys()) positions[next++] = position;
    positions.sort();
    return { positions, counts: positions.map((position) => countOf.get(position) as number) };
  }
}
