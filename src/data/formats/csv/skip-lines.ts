/** Lines before a table: titles and notes, which may be of any form. */

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
