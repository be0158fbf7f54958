/** Lines of a text: those before a table, which may be of any form, and those of its rows. */

/**
 * Leaves out lines at the beginning of a text. They end as its other lines do: in CR alone if the text has no LF.
 * @returns what is behind them, '' if the text has fewer lines; and the number of lines that were left out
 */
export function skipLines(text: string, count: number): { readonly rest: string; readonly skipped: number } {
  const newline = text.includes('\n') ? '\n' : '\r';
  let start = 0;
  let skipped = 0;
  for (; skipped < count; skipped++) {
    const end = text.indexOf(newline, start);
    if (end === -1) return { rest: '', skipped };
    start = end + 1;
  }
  return { rest: text.slice(start), skipped };
}

/** The texts of the rows of an input, one after the other. */
export class RowTexts {
  readonly #input: string;
  readonly #newline: string;
  #at = 0;

  constructor(input: string, newline: string) {
    this.#input = input;
    this.#newline = newline;
  }

  /** @param cells those of the row: quoted ones may have line breaks */
  next(cells: readonly string[]): string {
    const start = this.#at;
    let end = this.#input.indexOf(this.#newline, start);
    for (const cell of cells)
      for (let at = cell.indexOf(this.#newline); at !== -1; at = cell.indexOf(this.#newline, at + 1))
        end = this.#input.indexOf(this.#newline, end + 1);
    if (end === -1) end = this.#input.length;
    this.#at = end + 1;
    return this.#input.slice(start, end);
  }
}

/** Number of line breaks before an index. */
export function countLines(text: string, end: number, newline = '\n'): number {
  let lines = 0;
  for (let at = text.indexOf(newline); at !== -1 && at < end; at = text.indexOf(newline, at + 1)) lines++;
  return lines;
}

/** A text without its quoted cells, which may contain delimiters and line breaks. */
export const withoutQuoted = (text: string): string => text.replace(/"(?:[^"]|"")*"/g, '');
