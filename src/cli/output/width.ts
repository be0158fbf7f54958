/** Text in the cells of a terminal: measured, padded, wrapped and cut. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** The number of terminal cells of a text; wide characters have two. */
export const textWidth = (text: string): number => stringWidth(text);

/** The text padded with blanks to a width. */
export const padToWidth = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - textWidth(text)));

/** The text padded on the left to a width. */
export const padLeftToWidth = (text: string, to: number): string =>
  ' '.repeat(Math.max(0, to - textWidth(text))) + text;

/**
 * The text in lines of at most a width, broken between words; a word that is too long is broken. The further lines are
 * indented as the first one is.
 */
export function wrapText(text: string, to: number): string {
  const lines = text.replaceAll('\t', '    ').split('\n');
  return lines.map((line) => (textWidth(line) <= to ? line : wrapLine(line, to))).join('\n');
}

function wrapLine(line: string, to: number): string {
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(to / 2)) ?? '';
  return wrapAnsi(line.trim(), to - indent.length, { hard: true }).replaceAll(/^/gm, indent);
}

const graphemes = new Intl.Segmenter();

/** The text, cut to a width with `…` at the end; no character is split. */
export function truncateText(text: string, to: number): string {
  if (textWidth(text) <= to) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += textWidth(segment);
    if (used > to - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
