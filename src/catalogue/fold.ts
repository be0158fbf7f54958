/** Text without case and accents, of every script: what search and ordering compare. */

/**
 * Folds a text: compatibility decomposition, combining marks dropped, case folded, ß as ss, ς as σ.
 *
 *     fold('Été') === fold('ete')
 */
export function fold(text: string): string {
  // Plain ASCII, the common case, needs none of it.
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
