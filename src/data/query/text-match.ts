/** Text tests, with and without regard to case, and LIKE patterns. A client's text never becomes a regular expression. */
import type { TextOperator } from './predicate.ts';

/** Folds case in every script; accents stay. `STRASSE` and `straße` become the same, final sigma becomes sigma. */
export function foldCase(text: string): string {
  // Fast path for ASCII.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Compiles a text test. */
export function compileTextTest(test: TextOperator, wanted: string): (text: string) => boolean {
  const folded = foldCase(wanted);
  switch (test) {
    case 'iexact':
      return (text) => foldCase(text) === folded;
    case 'contains':
      return (text) => text.includes(wanted);
    case 'icontains':
      return (text) => foldCase(text).includes(folded);
    case 'startswith':
      return (text) => text.startsWith(wanted);
    case 'istartswith':
      return (text) => foldCase(text).startsWith(folded);
    case 'endswith':
      return (text) => text.endsWith(wanted);
    case 'iendswith':
      return (text) => foldCase(text).endsWith(folded);
    case 'like':
      return compileLikeTest(wanted);
    case 'ilike': {
      const matches = compileLikeTest(folded);
      return (text) => matches(foldCase(text));
    }
  }
}

const anyText = Symbol('%');
const anyCharacter = Symbol('_');

/**
 * Compiles a LIKE pattern of CQL2 (OGC 21-065r2, section 7.3.1): % matches any text, _ one character; a backslash escapes
 * either, or another backslash. Linear in memory, at worst pattern × text in time; a regular expression with many % would
 * be exponential.
 */
function compileLikeTest(pattern: string): (text: string) => boolean {
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
    // Backtracking after a mismatch: behind the last %, which then matches one character more.
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
