/** Text in the cells of a terminal: measured, filled up, wrapped and cut. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** How many cells of a terminal the text takes: wide characters take two. */
export const width = (text: string): number => stringWidth(text);

/** The text followed by blanks, up to a width. */
export const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)));

/** The text preceded by blanks, up to a width. */
export const padLeft = (text: string, to: number): string => ' '.repeat(Math.max(0, to - width(text))) + text;

/**
 * The text in lines that fit: broken between words, and within a word that is too long for a line of its own. What goes
 * on in another line is indented as its first one is.
 */
export function wrap(text: string, to: number): string {
  const lines = text.replaceAll('\t', '    ').split('\n');
  return lines.map((line) => (width(line) <= to ? line : wrapLine(line, to))).join('\n');
}

function wrapLine(line: string, to: number): string {
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(to / 2)) ?? '';
  return wrapAnsi(line.trim(), to - indent.length, { hard: true }).replaceAll(/^/gm, indent);
}

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
