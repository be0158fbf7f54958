/** The texts of the features of a page, as the server wrote them: read and written again, long integers would lose digits. */
import { readArrayTexts } from './json-items.ts';

/**
 * @param text of a page, which is valid JSON
 * @param features the same, parsed
 * @returns each feature without white space between its values
 */
export function featureTexts(text: string, features: readonly unknown[]): readonly string[] {
  const found = readArrayTexts(text, 'features');
  // A page may have that key twice, or with escapes.
  return found.length === features.length ? found.map(withoutSpace) : features.map((one) => JSON.stringify(one));
}

/** A text in JSON without the white space outside of strings. A pattern for strings would need a stack as long as these. */
function withoutSpace(text: string): string {
  const parts: string[] = [];
  let rest = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', rest)) {
    const end = endOfString(text, start);
    parts.push(text.slice(rest, start).replace(/[ \t\r\n]+/g, ''), text.slice(start, end));
    rest = end;
  }
  return [...parts, text.slice(rest).replace(/[ \t\r\n]+/g, '')].join('');
}

/** The place behind the string that begins at a quote. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
