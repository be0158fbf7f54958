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
  ['й', 'и'],
  ['Ѷ', 'ѵ'],
  ['ᾷ', 'α'],
  ['שָׁלוֹם', 'שלום'],
  ['مُحَمَّد', 'محمد'],
  ['آب', 'اب'],
  ['Tiếng Việt', 'tieng viet'],
  ['ﾊﾞｽ', 'バス'],
  ['Œuvre', 'oeuvre'],
  ['ÆBLESKIVER', 'aebleskiver'],
  ['Øresund', 'oresund'],
  ['Łódź', 'lodz'],
  ['Đà Nẵng', 'da nang'],
  ['Þórshöfn', 'thorshofn'],
];

describe('fold', () => {
  for (const [a, b] of alike) it(`${a} is ${b}`, () => assert.equal(foldCaseAndAccents(a), foldCaseAndAccents(b)));

  it('keeps different letters apart', () => {
    assert.notEqual(foldCaseAndAccents('o'), foldCaseAndAccents('u'));
    assert.notEqual(foldCaseAndAccents('д'), foldCaseAndAccents('т'));
  });

  it('keeps marks that are letters: of kana, Indic scripts and Thai', () => {
    for (const [a, b] of [
      ['バス', 'ハス'],
      ['パン', 'バン'],
      ['काला', 'कला'],
      ['কাল', 'কল'],
      ['பாடு', 'படு'],
      ['ครู', 'คร'],
    ] as const)
      assert.notEqual(foldCaseAndAccents(a), foldCaseAndAccents(b), `${a}, ${b}`);
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
