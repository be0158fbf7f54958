/** The order of values in lists: numbers by size, texts by code point. */

export function compareValues(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : a < b ? -1 : 1;
}

/** Compares texts by code point, unlike JavaScript, which compares UTF-16 code units. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y);
  }
  return a.length - b.length;
}

/** Makes surrogates (code points from U+10000) sort after U+E000…U+FFFF; in UTF-16 they come before. */
const surrogatesLast = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
