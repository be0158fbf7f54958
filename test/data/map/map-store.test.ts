/** Values that are kept for maps: made once for all who ask at the same time, each of whom may leave. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kept } from '../../../src/data/map/map-store.ts';

describe('a kept value', () => {
  const makeKept = () => new Kept<string>(10_000, (value) => value.length);

  it('is made once for all who ask at the same time', async () => {
    const kept = makeKept();
    let made = 0;
    const make = async () => `made ${++made}`;
    assert.deepEqual(await Promise.all([kept.get('a', make), kept.get('a', make)]), ['made 1', 'made 1']);
    assert.equal(await kept.get('a', make), 'made 1');
  });

  it('is made anew for those who waited for somebody that left', async () => {
    const kept = makeKept();
    let leave = () => {};
    const left = new Promise<string>((_, reject) => {
      leave = () => reject(new Error('The connection was cut off.'));
    });
    const first = kept.get('a', () => left);
    let made = 0;
    const others = [1, 2].map(() => kept.get('a', async () => `made ${++made}`));
    leave();
    await assert.rejects(first, /cut off/);
    assert.deepEqual(await Promise.all(others), ['made 1', 'made 1']);
  });
});
