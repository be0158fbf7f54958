/** Functions whose last result is kept. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepLast } from '../../src/pages/keep-last.ts';

describe('a function whose last result is kept', () => {
  it('computes again for another object, and for other arguments behind it', () => {
    let computed = 0;
    const sum = keepLast((first: { readonly n: number }, ...others: readonly number[]) => {
      computed++;
      return others.reduce((total, one) => total + one, first.n);
    });
    const [one, other] = [{ n: 1 }, { n: 1 }];
    assert.deepEqual([sum(one, 2), sum(one, 2), computed], [3, 3, 1]);
    assert.deepEqual([sum(other, 2), computed], [3, 2]);
    assert.deepEqual([sum(one, 5), sum(one, 5), computed], [6, 6, 3]);
    assert.deepEqual([sum(one), sum(one, 5), sum(other, 2), computed], [1, 6, 3, 5]);
  });
});
