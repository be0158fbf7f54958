/** Numbers as they are written in sentences. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { numberText } from '../../src/catalogue/number-text.ts';

it('sets thousands apart as English does', () => {
  for (let power = 0; power < 16; power++)
    for (const number of [10 ** power - 1, 10 ** power, 1 - 10 ** power, Math.floor(1.234567 * 10 ** power)])
      assert.equal(numberText(number), number.toLocaleString('en'));
});
