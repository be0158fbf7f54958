/** Text without case and accents. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText } from '../../src/catalogue/filters.ts';

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
  for (const [a, b] of alike) it(`${a} is ${b}`, () => assert.equal(foldText(a), foldText(b)));

  it('keeps different letters apart', () => {
    assert.notEqual(foldText('o'), foldText('u'));
    assert.notEqual(foldText('д'), foldText('т'));
  });

  it('folds the start of a word as the start: a search finds it', () => {
    assert.ok(foldText('ΟΔΟΣΗΜΑ').includes(foldText('ΟΔΟΣ')));
  });

  it('folds texts piece by piece alike, and what is folded stays', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(foldText(a + b), foldText(a) + foldText(b));
        assert.equal(foldText(foldText(a)), foldText(a));
      }),
    );
  });
});
