/** Texts without case and accents. */
import { normalizeText } from './normalize.ts';

/**
 * Marks that are accents or points: those of no script of their own, as over Latin, Greek and Cyrillic letters, without the joiners
 * and the voicing marks of kana among them; of Cyrillic; of Hebrew; of Arabic; of Syriac. Marks of other scripts, such as vowel signs
 * of Devanagari and Thai, are letters.
 */
const accents = new RegExp(
  [
    '(?:[\\p{Script=Inherited}',
    '\\u0483-\\u0489\\u2DE0-\\u2DFF\\uA66F-\\uA672\\uA674-\\uA67D\\uA69E\\uA69F',
    '\\u0591-\\u05BD\\u05BF\\u05C1\\u05C2\\u05C4\\u05C5\\u05C7\\uFB1E',
    '\\u0610-\\u061A\\u0656-\\u065F\\u06D6-\\u06DC\\u06DF-\\u06E4\\u06E7\\u06E8\\u06EA-\\u06ED\\u08CA-\\u08E1\\u08E3-\\u08FF',
    '\\u0711\\u0730-\\u074A](?<![\\u200C\\u200D\\u3099\\u309A]))+',
  ].join(''),
  'gu',
);

/** Latin letters that no decomposition divides, as people write them whose keyboards lack them. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
};
const lettersToReplace = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/**
 * A text without case and accents, for searching and comparing: compatibility decomposition, accents dropped, case folded, ß as
 * ss, ς as σ, œ as oe, ø as o.
 *
 *     foldCaseAndAccents('Été') === foldCaseAndAccents('ete')
 */
export function foldCaseAndAccents(text: string): string {
  // Plain ASCII, the common case, needs only lower case.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  // Lower case comes first, too: ẞ becomes ß, which then becomes SS.
  return normalizeText(text, 'NFKD')
    .replace(accents, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(lettersToReplace, (letter) => plainLetters[letter] as string)
    .replaceAll('ς', 'σ');
}
