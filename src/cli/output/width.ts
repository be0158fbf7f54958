/** Text in the cells of a terminal: measured, padded, wrapped and cut. */

let requirePackage: NodeJS.Require | undefined;

/** Loads a package. Node's loader of CommonJS is asked for when there is something to load. */
function require(name: string): unknown {
  requirePackage ??= process.getBuiltinModule('node:module').createRequire(import.meta.url);
  return requirePackage(name);
}

/** The number of terminal cells of a text; wide characters have two. For plain text, the package isn't loaded. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
}

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
  const { default: wrapAnsi } = require('wrap-ansi') as typeof import('wrap-ansi');
  return wrapAnsi(line.trim(), to - indent.length, { hard: true }).replaceAll(/^/gm, indent);
}

/** The text, cut to a width with `…` at the end; no character is split. */
export function truncateText(text: string, to: number): string {
  if (textWidth(text) <= to) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += textWidth(segment);
    if (used > to - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
