/** Work in a queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeQueue } from '../../src/catalogue/concurrency.ts';

test('a queue runs work one after another, also after one that failed', async () => {
  const inQueue = makeQueue();
  const events: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      events.push(`${name} begins`);
      await nextTurn();
      events.push(`${name} ends`);
      if (fails) throw new Error(`${name} failed`);
      return name;
    };
  const [a, b, c] = await Promise.allSettled([inQueue(work('a')), inQueue(work('b', true)), inQueue(work('c'))]);
  assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual([a.status, b.status, c.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal(c.status === 'fulfilled' && c.value, 'c');
});
