/** Slugs: URL-friendly names derived from labels. */
import anyAscii from 'any-ascii';
import { maxSlugLength } from './ref.ts';

/**
 * The slug of a label: as with Django's `slugify`, except that letters which it would drop are transliterated, and that
 * the slug has at most 100 characters.
 *
 * @returns '' if the label has no letter or digit
 *
 *     slugify("Forêt de l'Étoile")  → 'foret-de-letoile'
 *     slugify('Straße Ørsted')      → 'strasse-orsted'
 */
export function slugify(label: string): string {
  const ascii = Array.from(label.normalize('NFKC'), transliterate).join('');
  return trim(
    ascii
      .toLowerCase()
      .replace(/[^a-z0-9_\s-]/g, '')
      .replace(/[-\s]+/g, '-'),
    maxSlugLength,
  );
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
  const strip = (text: string) => text.replace(/^[-_]+|[-_]+$/g, '');
  return strip(strip(slug).slice(0, length));
}
