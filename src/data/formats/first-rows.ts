/** The first rows of a table, which show whether the names of its columns stand below lines such as a title, or in several lines. */
import { numberTextKind } from '../ingest/infer-types.ts';
import type { PayloadInfo } from './types.ts';

const mostLines = 30;
const counts = ['no cell', 'one cell', 'two cells'];
/** Rows of a head, such as that of a table with a hierarchy of columns, and the one with the names of its first columns. */
const mostHeadRows = 6;

interface FirstRow {
  readonly place: number;
  readonly texts: readonly string[];
  /** Number of cells that aren't empty. */
  readonly cells: number;
  /** Number of empty cells before the first of them. */
  readonly indent: number;
  /** Number of cells up to the last of them. */
  readonly width: number;
  readonly hasRepeated: boolean;
  /** True if a cell is a number, as in a row of values. */
  readonly hasNumber: boolean;
}

export class FirstRows {
  readonly #rows: FirstRow[] = [];

  /** Takes a row that follows. @param place its line, or its row of a sheet, from 1 */
  add(place: number, cells: readonly string[]): void {
    const { place: first = place } = this.#rows[0] ?? {};
    // By their places: of a large file, regular rows are read otherwise, and don't come here.
    if (place >= first + mostLines) return;
    const filled = cells.filter(Boolean);
    this.#rows.push({
      place,
      texts: cells,
      cells: filled.length,
      indent: filled.length === 0 ? 0 : cells.findIndex(Boolean),
      width: cells.findLastIndex(Boolean) + 1,
      hasRepeated: new Set(filled).size < filled.length,
      hasNumber: filled.some((cell) => numberTextKind(cell) !== 0),
    });
  }

  /**
   * The place of the last row of a head of several, as programs write it for a hierarchy of columns; undefined if the first row
   * seems to be the whole head.
   */
  get #headEnd(): number | undefined {
    const [first, second] = this.#rows;
    if (first === undefined || second === undefined) return undefined;
    const isIndented = first.indent > 0 && second.indent > 0;
    const hasGaps = first.cells < first.width - first.indent;
    // The names of the first columns stand alone in the last row: `,sum,mean` `year,2020,2020` `region,,`.
    const last = this.#rows.findIndex(
      ({ width, cells }, at) =>
        at >= 2 &&
        cells > 0 &&
        [...this.#rows.slice(0, at), this.#rows[at + 1]].every((row) => Number(row?.width) > width),
    );
    const names = this.#rows[last];
    if (names !== undefined && last < mostHeadRows && !names.hasNumber) {
      const isAbove = first.indent >= names.width && (first.hasRepeated || isIndented || hasGaps);
      if (isAbove || (first.hasRepeated && second.hasRepeated && names.width === 1)) return names.place;
    }
    // No row has these names: `,sum,sum` `,2020,2021`, or with merged cells `,sum,` `,f,m`.
    const body = this.#rows.findIndex(({ indent, cells }) => indent === 0 && cells > 0);
    const isMerged = hasGaps && second.cells > first.cells && !second.hasNumber;
    if (isIndented && (first.hasRepeated || isMerged) && body !== -1 && body < mostHeadRows)
      return this.#rows[body - 1]?.place;
    if (this.#isSecondBelowGaps) return second.place;
    return first.hasRepeated ? this.#endOfDistinctNames : undefined;
  }

  /** True if the second row has the names that the first lacks, as below merged cells: `year,f,,m,` `,young,old,young,old`. Numbers follow. */
  get #isSecondBelowGaps(): boolean {
    const [first, second, third] = this.#rows;
    if (!first || !second || !third?.hasNumber || first.hasNumber || second.hasNumber) return false;
    const width = Math.max(first.width, second.width);
    const hasName = (column: number) => Boolean(first.texts[column] || second.texts[column]);
    const isWhole = Array.from({ length: width }, (_, column) => column).every(hasName);
    return first.indent === 0 && second.indent > 0 && first.cells < width && isWhole && third.width <= width;
  }

  /** The place of the row by which full rows without numbers give each column names of its own: `a,a` `sum,mean`. Numbers follow. */
  get #endOfDistinctNames(): number | undefined {
    const body = this.#rows.findIndex(({ hasNumber }) => hasNumber);
    const head = this.#rows.slice(0, body);
    const width = head[0]?.width ?? 0;
    const isFull = head.every((row) => row.cells === width && row.width === width);
    if (body < 2 || body > mostHeadRows || !isFull) return undefined;
    if (!this.#rows.slice(body).every(({ hasNumber, cells }) => hasNumber || cells === 0)) return undefined;
    const names = (rows: readonly FirstRow[]) =>
      new Set(Array.from({ length: width }, (_, column) => JSON.stringify(rows.map(({ texts }) => texts[column]))));
    const isNeeded = names(head.slice(0, -1)).size < width;
    return isNeeded && names(head).size === width ? head.at(-1)?.place : undefined;
  }

  /** A sentence about lines that begin with `#`, above one that doesn't; empty if the first may be the names. */
  #describeComments(noun: 'Line' | 'Row'): Pick<PayloadInfo, 'headEnd' | 'namesBelow'> {
    const isComment = ({ texts }: FirstRow) => /^\s*#/.test(texts[0] ?? '');
    const at = this.#rows.findIndex((row) => !isComment(row));
    const [first, names] = [this.#rows[0], this.#rows[at]];
    if (!first || !names || at < 1 || names.cells < 2) return {};
    // One row of several cells may be the names: not a sentence (`# made by X, Y`) above a row without numbers, if others have some.
    const isSentence = /^\s*#\s/.test(first.texts[0] ?? '');
    const isAboveNames = isSentence && !names.hasNumber && this.#rows.slice(at + 1).some(({ hasNumber }) => hasNumber);
    if (at === 1 && first.cells > 1 && !isAboveNames) return {};
    const begin = at === 1 ? `${noun} ${first.place} begins` : `${noun}s ${first.place} to ${names.place - 1} begin`;
    const advice = `If the names are in ${noun.toLowerCase()} ${names.place}, write --skip ${names.place - 1}`;
    return { headEnd: names.place, namesBelow: `${begin} with "#". ${advice}` };
  }

  /** What the names of the columns seem to be, if not the first row: a row below, or several, with a sentence about that. */
  describeHead(noun: 'Line' | 'Row'): Pick<PayloadInfo, 'headEnd' | 'namesBelow'> {
    const [{ place: first, cells } = { place: 0, cells: counts.length }, ...others] = this.#rows;
    const end = this.#headEnd;
    const one = noun.toLowerCase();
    if (end !== undefined) {
      const advice = `Write them into one ${one}, or read the rows without names: --skip ${end} --no-header`;
      return {
        headEnd: end,
        namesBelow: `${noun}s ${first} to ${end} seem to hold the names of the columns. ${advice}`,
      };
    }
    const comments = this.#describeComments(noun);
    if (comments.namesBelow !== undefined) return comments;
    const count = counts[cells];
    const { place: head, cells: more } = others.find((row) => row.cells >= cells + 2) ?? {};
    if (count === undefined || head === undefined) return {};
    const below = `${one} ${head}`;
    const sentence = `${noun} ${first} has ${count}, ${below} has ${more}. If the names are in ${below}, write --skip ${head - 1}`;
    return { namesBelow: sentence };
  }
}
