/** Slugs: the URL-friendly names that labels give. */
import anyAscii from 'any-ascii';
import { maxSlugLength } from './ref.ts';

/**
 * The slug that a label gives: as Django's `slugify`, except that letters which it would drop are transliterated,
 * and cut to 100 characters.
 *
 * @returns '' where the label has no letter or digit
 *
 *     slugify("Forêt de l'Étoile")  → 'foret-de-letoile'
 *     slugify('Straße Ørsted')      → 'strasse-orsted'
 */
export function slugify(label: string): string {
  const ascii = Array.from(label.normalize('NFKC'), latin).join('');
  return trim(
    ascii
      .toLowerCase()
      .replace(/[^a-z0-9_\s-]/g, '')
      .replace(/[-\s]+/g, '-'),
    maxSlugLength,
  );
}

/**
 * What Django keeps of a character; of a letter that it would drop, a transliteration. A dash, a quotation mark or an
 * accent is dropped; a vowel sign of another script is a letter.
 */
function latin(character: string): string {
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
