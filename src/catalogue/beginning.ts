/** Beginnings of texts that are too long, without half of a character at their end: two code units may be one. */

/** The beginning of a text. @param most code units */
export const beginningOf = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, '') : text;

/** The text, or its beginning and an ellipsis. @param most code units before the ellipsis */
export const shorten = (text: string, most: number): string =>
  text.length > most ? `${beginningOf(text, most)}…` : text;
