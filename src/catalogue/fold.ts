/** Texts without case and accents. */

/**
 * A text without case and accents, for searching and comparing: compatibility decomposition, combining marks dropped,
 * case folded, ß as ss, ς as σ.
 *
 *     foldCaseAndAccents('Été') === foldCaseAndAccents('ete')
 */
export function foldCaseAndAccents(text: string): string {
  // Plain ASCII, the common case, needs only lower case.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  // Lower case comes first, too: ẞ becomes ß, which then becomes SS.
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ');
}
