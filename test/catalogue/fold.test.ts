/** Text without case and accents. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldCaseAndAccents } from '../../src/catalogue/fold.ts';

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
  for (const [a, b] of alike) it(`${a} is ${b}`, () => assert.equal(foldCaseAndAccents(a), foldCaseAndAccents(b)));

  it('keeps different letters apart', () => {
    assert.notEqual(foldCaseAndAccents('o'), foldCaseAndAccents('u'));
    assert.notEqual(foldCaseAndAccents('д'), foldCaseAndAccents('т'));
  });

  it('folds the start of a word as the start: a search finds it', () => {
    assert.ok(foldCaseAndAccents('ΟΔΟΣΗΜΑ').includes(foldCaseAndAccents('ΟΔΟΣ')));
  });

  it('folds texts piece by piece alike, and what is folded stays', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(foldCaseAndAccents(a + b), foldCaseAndAccents(a) + foldCaseAndAccents(b));
        assert.equal(foldCaseAndAccents(foldCaseAndAccents(a)), foldCaseAndAccents(a));
      }),
    );
  });
});
