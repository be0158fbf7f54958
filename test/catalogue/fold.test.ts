/** Text without case and accents. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/catalogue/fold.ts';

const alike: readonly (readonly [string, string])[] = [
  ['Été', 'ete'],
  ['STRASSE', 'straße'],
  ['ﬁsh', 'FISH'],
  ['ＡＢＣ', 'abc'],
  ['e\u0301', 'é'],
  ['İstanbul', 'istanbul'],
  ['КИЇВ', 'київ'],
  ['ΟΔΌΣ', 'οδος'],
  ['ςίσυφος', 'ΣΊΣΥΦΟΣ'],
  ['STRAẞE', 'strasse'],
];

describe('fold', () => {
  for (const [a, b] of alike) it(`${a} is ${b}`, () => assert.equal(fold(a), fold(b)));

  it('keeps different letters apart', () => {
    assert.notEqual(fold('o'), fold('u'));
    assert.notEqual(fold('д'), fold('т'));
  });

  it('folds the start of a word as the start: a search finds it', () => {
    assert.ok(fold('ΟΔΟΣΗΜΑ').includes(fold('ΟΔΟΣ')));
  });

  it('folds texts piece by piece alike, and what is folded stays', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(fold(a + b), fold(a) + fold(b));
        assert.equal(fold(fold(a)), fold(a));
      }),
    );
  });
});
