/** Characters of random texts. */
import fc from 'fast-check';

const [firstSurrogate, surrogates] = [0xd800, 0x800];

/**
 * Any code point but surrogates. It generates what `unit: 'binary'` of fast-check does, which takes a second and a hundred megabytes
 * for a table of all of them.
 */
export const anyCharacter = fc.nat({ max: 0x10ffff - surrogates }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character || !character.isWellFormed())
      throw new Error('not a character');
    return code < firstSurrogate ? code : code - surrogates;
  },
);
