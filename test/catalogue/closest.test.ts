/** "Did you mean …?" */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closestWord } from '../../src/catalogue/closest.ts';

const words = ['label', 'description', 'licence', 'keywords', 'id'];

describe('closest', () => {
  const table: readonly (readonly [string, string | undefined])[] = [
    ['lable', 'label'],
    ['LABEL', 'label'],
    ['license', 'licence'],
    ['keyword', 'keywords'],
    ['descriptoin', 'description'],
    ['di', undefined],
    ['lbael', 'label'],
    ['colour', undefined],
    ['', undefined],
    ['x', undefined],
  ];
  for (const [word, meant] of table)
    it(`${word || 'nothing'} means ${meant}`, () => {
      assert.equal(closestWord(word, words), meant);
    });

  it('of a text that is longer than names is nothing', () => {
    assert.equal(closestWord('x'.repeat(100), [`y${'x'.repeat(99)}`]), `y${'x'.repeat(99)}`);
    assert.equal(closestWord('x'.repeat(101), [`y${'x'.repeat(100)}`]), undefined);
  });

  it('takes the nearest, and of equals the first', () => {
    assert.equal(closestWord('cat', ['cut', 'cat']), 'cat');
    assert.equal(closestWord('cit', ['cut', 'cat']), 'cut');
  });
});
