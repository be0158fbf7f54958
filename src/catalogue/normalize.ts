/** Unicode normalization, in time for its length. */

/** A mark that follows a letter, but for the joiner that ends a run of them; in compatibility forms, also the voicing marks of half width. */
const mark = '(?!\\u034f)[\\p{M}\\uff9e\\uff9f]';

/** As many marks as a letter has at most in any language, and then some (UAX 15, section 13), of a run of more. */
const longRun = new RegExp(`(?:${mark}){30}(?=${mark})`, 'gu');

/**
 * A text in a normal form. Marks are put in order, which takes the square of their number: for thousands of them behind one letter, many
 * seconds. So such a run is parted by joiners, as the Stream-Safe Text Format has it, which texts that people write never need.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(longRun, '$&\u034f').normalize(form);
