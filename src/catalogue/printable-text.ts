/** Text from outside, made harmless for terminals and logs. */

// Controls (C0, DEL, C1, among them ESC and the 8-bit CSI), and the marks that change the direction of what follows:
// data must not be able to move the cursor, retitle the window or make a text read as another one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unsafe = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** True if a text has no control characters and no marks of text direction. */
export const isPrintable = (text: string): boolean => text.search(unsafe) < 0;

/** The text without line breaks, and with unsafe characters written as `\u001b`. */
export function escapeToOneLine(text: string): string {
  return text.replace(/[\t\n\r\u2028\u2029]+/g, ' ').replace(unsafe, escaped);
}

/**
 * The text with its line breaks and tabs, and unsafe characters written as `\u001b`.
 * @param indent blanks in front of the lines after the first, so that no text can pretend to be a line of the program
 */
export function escapeKeepingLines(text: string, indent = ''): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(unsafe, (c) => (c === '\n' || c === '\t' ? c : escaped(c)));
  return indent === '' ? lines : lines.replace(/\n(?![ \t\n]|$)/g, `\n${indent}`);
}

/** JSON with an indent of two spaces, and unsafe characters written as `\u001b`. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(unsafe, (c) => (c === '\n' ? c : escaped(c)));
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
