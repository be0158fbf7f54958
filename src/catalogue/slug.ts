/** Slugs: URL-friendly names derived from labels. */
import anyAscii from 'any-ascii';
import { normalizeText } from './normalize.ts';
import { maxSlugLength } from './ref.ts';

/** Letters that a language spells out where others drop the mark, by letter in lower case. */
type Spelling = Readonly<Record<string, string>>;

/** As in DIN 5007-2. */
const german: Spelling = { ä: 'ae', ö: 'oe', ü: 'ue' };
/** As in passports (ICAO Doc 9303, part 3, section 6.A). */
const scandinavian: Spelling = { å: 'aa', ä: 'ae', æ: 'ae', ö: 'oe', ø: 'oe' };

/**
 * Spellings by language (ISO 639). The others, such as Finnish and Icelandic, drop marks in addresses, as Django does:
 * `paijanne`.
 */
const spellings: Readonly<Record<string, Spelling>> = {
  ...{ de: german, gsw: german, bar: german, nds: german },
  ...{ da: scandinavian, nb: scandinavian, nn: scandinavian, no: scandinavian, sv: scandinavian },
};

/**
 * The slug of a label: as with Django's `slugify`, except that letters which it would drop are transliterated, that some
 * languages spell out letters with marks, and that the slug has at most 100 characters.
 *
 * @param language of the label, as a BCP 47 tag; '' if it isn't known
 * @returns '' if the label has no letter or digit
 *
 *     slugify("Forêt de l'Étoile")           → 'foret-de-letoile'
 *     slugify('Straße Ørsted')               → 'strasse-orsted'
 *     slugify('Öffentliche Bäume', 'de-AT')  → 'oeffentliche-baeume'
 */
export function slugify(label: string, language = ''): string {
  const spelling = spellings[languageCode(language)] ?? {};
  const ascii = Array.from(
    normalizeText(label, 'NFKC'),
    (character) => spelling[character.toLowerCase()] ?? transliterate(character),
  ).join('');
  return trim(
    ascii
      .toLowerCase()
      .replace(/[^a-z0-9_\s-]/g, '')
      .replace(/[-\s]+/g, '-'),
    maxSlugLength,
  );
}

/** The code of the language in a BCP 47 tag, in its shortest form: `de` of `deu-CH`; '' if it is no tag. */
function languageCode(tag: string): string {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return '';
  }
}

/**
 * A character as Django keeps it; a transliteration of a letter that Django would drop. Dashes, quotation marks and accents
 * are dropped; vowel signs of other scripts count as letters.
 */
function transliterate(character: string): string {
  const kept = character.normalize('NFKD').replace(/\P{ASCII}/gu, '');
  if (kept) return kept;
  if (!/[\p{L}\p{M}\p{Nl}\p{Nd}]/u.test(character) || /\p{Script=Inherited}/u.test(character)) return '';
  const spelling = anyAscii(character);
  // Ideographs are syllables: "東京" reads "dong-jing", not "dongjing".
  return /\p{Ideographic}/u.test(character) ? ` ${spelling} ` : spelling;
}

function trim(slug: string, length: number): string {
  return slug
    .replace(/^[-_]+/, '')
    .slice(0, length)
    .replace(/[-_]+$/, '');
}
