/** Numbers as people type them into forms. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languages, localeFor } from '../../src/pages/locale.ts';
import { numbersInWords, otherReading, plainNumber, plainNumbers } from '../../src/pages/typed-numbers.ts';

const [english, german, french] = [localeFor('en'), localeFor('de'), localeFor('fr')];

describe('a number that was typed', () => {
  it('is read in the language of the page', () => {
    const read = [
      [german, '1.234,5', '1234.5'],
      [german, '1.234.567', '1234567'],
      [german, '50 000', '50000'],
      [german, ' 0,25 ', '0.25'],
      [german, '−3', '-3'],
      [french, '1\u202f234\u00a0567,5', '1234567.5'],
      [english, '50,000', '50000'],
      [english, '-1,234,567.25', '-1234567.25'],
    ] as const;
    for (const [locale, typed, plain] of read) assert.equal(plainNumber(locale, typed), plain, typed);
  });

  it('is read as the page writes it, in each language', () => {
    for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
      const locale = localeFor(language);
      for (const number of [0, 7, 999, 1000, 50_000, 99_760, 1_234_567.125, -0.5, -12_345.6]) {
        assert.equal(Number(plainNumber(locale, locale.number(number))), number, `${language} ${number}`);
        assert.equal(Number(plainNumber(locale, numbersInWords(locale, String(number)))), number);
        assert.equal(otherReading(locale, locale.number(number)), null, `${language} ${number}`);
      }
    }
  });

  it('stays if it is copied from a cell, or is not a number', () => {
    for (const locale of [english, german, french])
      for (const typed of ['4.5', '4.567', '-12', '1e5', '', 'ml', '1 2', '12,34,5', '1,2,3'])
        assert.equal(plainNumber(locale, typed), typed, typed);
  });

  it('may stand in a list, whose decimals have commas if there are semicolons', () => {
    assert.equal(plainNumbers(german, '1,5; 50 000'), '1.5,50000');
    assert.equal(plainNumbers(german, '1,5'), '1,5');
    assert.equal(plainNumbers(english, '50,000; 1.5'), '50000,1.5');
    assert.equal(plainNumbers(english, '3, 4'), '3,4');
  });

  it('is shown without groups and ending zeros', () => {
    assert.equal(numbersInWords(german, '50.000'), '50');
    assert.equal(numbersInWords(german, '-1.50,2024'), '−1,5; 2024');
    assert.equal(numbersInWords(english, '1e5'), '1e5');
  });

  it('may have another meaning if it has a point and ends with a zero', () => {
    assert.equal(otherReading(german, '50.000'), '50000');
    assert.equal(otherReading(french, '12.340,3'), '12340,3');
    for (const value of ['4.567', '0.500', '50.0000', '1.50', '2024']) assert.equal(otherReading(german, value), null);
    assert.equal(otherReading(english, '50.000'), null);
  });
});
