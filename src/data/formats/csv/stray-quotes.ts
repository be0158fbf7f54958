/** Cells of CSV with text behind their closing quote, as in `"x"y,`: quoted again, so that they are read as they are written. */

interface Requoted {
  readonly text: string;
  /** Index of each such cell in the text before. */
  readonly cells: readonly number[];
}

/**
 * Quotes such cells again, quotes included. Cells with further quotes behind the first closing one stay as they are.
 * @param isLast true if no text follows, so that its end is that of a cell
 */
export function requoteStrayCells(text: string, delimiter: string, isLast: boolean): Requoted {
  const parts: string[] = [];
  const cells: number[] = [];
  const isEnd = (char: string | undefined) => char === delimiter || char === '\n' || char === '\r';
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const start = at;
    if (text[at] === '"') {
      at = closingQuote(text, at) + 1;
      if (at === 0) break;
      const closed = at;
      while (at < text.length && !isEnd(text[at]) && text[at] !== '"') at++;
      if (at === text.length && !isLast) break;
      // The parser leaves white space behind a quote out, wherever the text is divided.
      if (text[at] !== '"' && text.slice(closed, at).trim() !== '') {
        parts.push(text.slice(copied, start), `"${text.slice(start, at).replaceAll('"', '""')}"`);
        cells.push(start);
        copied = at;
      }
    }
    while (at < text.length && !isEnd(text[at])) at++;
    at++;
  }
  return { text: parts.join('') + text.slice(copied), cells };
}

/** Index of the quote that closes the cell which begins at `start`; -1 if there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}
