/** Excerpts of a text: the line that a problem is in, and the place in it. */
import type { Excerpt } from '../catalogue/diagnostic.ts';

/** Longest excerpt, in UTF-16 units, and how much of it stands before the place of a longer line. */
const longest = 72;
const before = 40;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const controlCharacters = /[\x00-\x1f\x7f-\x9f]/g;

/**
 * The line of a place, or the part around it. Tabs and control characters are one blank each.
 * @param line from 1
 * @param column from 1, in UTF-16 units
 * @returns undefined if the text has no such line, or an empty one
 */
export function excerptAt(text: string, line: number, column: number): Excerpt | undefined {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  const end = text.indexOf('\n', start);
  const at = Math.max(0, column - 1);
  const first = at < longest ? 0 : at - before;
  // A line of JSON may be as long as the file: no more of it is copied than is shown.
  const part = text.slice(start + first, Math.min(end < 0 ? text.length : end, start + first + longest));
  const shown = part.toWellFormed().replace(controlCharacters, ' ').trimEnd();
  if (shown === '') return undefined;
  return { text: shown, at: Math.min(at - first, shown.length) };
}
