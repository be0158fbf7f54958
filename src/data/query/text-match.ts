/** Text tests: with and without regard to case, and the patterns of LIKE. Never a regular expression of the asker's. */
import type { TextTest } from './predicate.ts';

/** A text without case, of every script; accents count. `STRASSE` and `straße` are the same, final sigma is a sigma. */
export function withoutCase(text: string): string {
  // Plain ASCII, the common case, needs no more.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** What a text test says of a text. */
export function textMatcher(test: TextTest, wanted: string): (text: string) => boolean {
  const folded = withoutCase(wanted);
  switch (test) {
    case 'iexact':
      return (text) => withoutCase(text) === folded;
    case 'contains':
      return (text) => text.includes(wanted);
    case 'icontains':
      return (text) => withoutCase(text).includes(folded);
    case 'startswith':
      return (text) => text.startsWith(wanted);
    case 'istartswith':
      return (text) => withoutCase(text).startsWith(folded);
    case 'endswith':
      return (text) => text.endsWith(wanted);
    case 'iendswith':
      return (text) => withoutCase(text).endsWith(folded);
    case 'like':
      return likeMatcher(wanted);
    case 'ilike': {
      const matches = likeMatcher(folded);
      return (text) => matches(withoutCase(text));
    }
  }
}

const anyText = Symbol('%');
const anyCharacter = Symbol('_');

/**
 * LIKE of CQL2 (OGC 21-065r2, section 7.3.1): % stands for any text, _ for one character, a backslash before either
 * or before another backslash takes it literally. Linear in memory and at worst pattern times text in time, which no
 * regular expression made of many % would be.
 */
function likeMatcher(pattern: string): (text: string) => boolean {
  const parts: (string | symbol)[] = [];
  let literal = false;
  for (const character of pattern) {
    if (literal || !['\\', '%', '_'].includes(character)) parts.push(character);
    else if (character === '%') parts.push(anyText);
    else if (character === '_') parts.push(anyCharacter);
    literal = !literal && character === '\\';
  }
  if (literal) parts.push('\\');
  return (text) => {
    const characters = Array.from(text);
    let at = 0;
    let part = 0;
    // Where to go on after a mismatch: behind the last %, with one character more taken by it.
    let retryPart = -1;
    let retryAt = 0;
    while (at < characters.length) {
      if (parts[part] === anyText) {
        retryPart = ++part;
        retryAt = at;
      } else if (parts[part] === anyCharacter || parts[part] === characters[at]) {
        part++;
        at++;
      } else if (retryPart >= 0) {
        part = retryPart;
        at = ++retryAt;
      } else return false;
    }
    while (parts[part] === anyText) part++;
    return part === parts.length;
  };
}
