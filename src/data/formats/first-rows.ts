/** The first rows of a table, which show whether lines such as a title stand above the names of its columns. */
const mostLines = 30;
const counts = ['no cell', 'one cell', 'two cells'];

export class FirstRows {
  readonly #rows: (readonly [place: number, cells: number])[] = [];

  /** Takes a row that follows. @param place its line, or its row of a sheet, from 1 */
  add(place: number, cells: readonly string[]): void {
    const [first = place] = this.#rows[0] ?? [];
    // By their places: of a large file, regular rows are read otherwise, and don't come here.
    if (place < first + mostLines) this.#rows.push([place, cells.filter(Boolean).length]);
  }

  /** The sentence about the row in which the names probably are; undefined if that seems to be the first. */
  namesBelow(noun: 'Line' | 'Row'): string | undefined {
    const [[first, cells] = [0, counts.length], ...others] = this.#rows;
    const count = counts[cells];
    const [head, more] = others.find((row) => row[1] >= cells + 2) ?? [];
    if (count === undefined || head === undefined) return undefined;
    const below = `${noun.toLowerCase()} ${head}`;
    return `${noun} ${first} has ${count}, ${below} has ${more}. If the names are in ${below}, write --skip ${head - 1}`;
  }
}
