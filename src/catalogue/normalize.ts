/** Unicode normalization, in time for its length. */

/** A mark that follows a letter, but for the joiner that ends a run of them; in compatibility forms, also the voicing marks of half width. */
const mark = '(?!\\u034f)[\\p{M}\\uff9e\\uff9f]';

/** The first 30 marks of a longer run: more than a letter has in any language (UAX 15, section 13). */
const longRun = new RegExp(`(?:${mark}){30}(?=${mark})`, 'gu');

/**
 * A text in a normal form. `String.normalize` sorts the marks behind a letter in the square of their number: thousands take many
 * seconds. So a joiner (U+034F) is added after each 30 of them, as in the Stream-Safe Text Format. Texts that people write have no such
 * runs, and stay as they are.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(longRun, '$&\u034f').normalize(form);

/** True if a text has no letters that can be composed, or decomposed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** A text with composed letters (NFC), by which names are compared: `é` may be one character, or an e and a mark. */
export const composeLetters = (text: string): string => (isAscii(text) ? text : normalizeText(text, 'NFC'));
