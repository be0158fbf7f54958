/** Thinning: of the rows in one square cell, the first stands for all. */

/** Cells over an area; those of a coarser grid are made of four of a finer one, so that nothing is looked at twice. */
export class CellGrid {
  readonly #columns: number;
  readonly #rows: number;
  /** Position of the first row of each cell, from 1; 0 for an empty cell. */
  readonly #first: Uint32Array;
  readonly #counts: Uint32Array;
  /** Number of cells that have rows. */
  occupied = 0;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
    this.#first = new Uint32Array(columns * rows);
    this.#counts = new Uint32Array(columns * rows);
  }

  /** Adds rows, of which the first has this position. Those outside of the grid go to its border. */
  add(position: number, column: number, row: number, count = 1): void {
    const x = Math.max(0, Math.min(this.#columns - 1, Math.floor(column)));
    const y = Math.max(0, Math.min(this.#rows - 1, Math.floor(row)));
    const cell = y * this.#columns + x;
    const first = this.#first[cell] as number;
    if (first === 0) this.occupied++;
    if (first === 0 || position < first - 1) this.#first[cell] = position + 1;
    this.#counts[cell] = (this.#counts[cell] as number) + count;
  }

  /** The same rows in cells of twice the side. */
  coarser(): CellGrid {
    const grid = new CellGrid(Math.ceil(this.#columns / 2), Math.ceil(this.#rows / 2));
    this.visit((position, count, column, row) => grid.add(position, column >> 1, row >> 1, count));
    return grid;
  }

  /** Visits the first row of each cell, with the number of rows that it stands for. */
  visit(visitor: (position: number, count: number, column: number, row: number) => void): void {
    for (let cell = 0; cell < this.#first.length; cell++) {
      const first = this.#first[cell] as number;
      if (first === 0) continue;
      visitor(first - 1, this.#counts[cell] as number, cell % this.#columns, Math.floor(cell / this.#columns));
    }
  }
}
