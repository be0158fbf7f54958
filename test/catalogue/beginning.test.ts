/** Beginnings of texts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { beginningOf, shorten } from '../../src/catalogue/beginning.ts';

it('a text that is too long ends with a whole character', () => {
  assert.equal(beginningOf('a😀b', 4), 'a😀b');
  assert.equal(beginningOf('a😀b', 3), 'a😀');
  assert.equal(beginningOf('a😀b', 2), 'a');
  assert.equal(shorten('a😀b', 4), 'a😀b');
  assert.equal(shorten('a😀b', 2), 'a…');
});
