/** Text in the cells of a terminal: measured, filled up and cut. */
import stringWidth from 'string-width';

/** How many cells of a terminal the text takes: wide characters take two. */
export const width = (text: string): number => stringWidth(text);

/** The text followed by blanks, up to a width. */
export const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)));

const graphemes = new Intl.Segmenter();

/** The text if it fits, else as much of it as fits with `…` behind; no character is cut apart. */
export function truncate(text: string, to: number): string {
  if (width(text) <= to) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += width(segment);
    if (used > to - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
