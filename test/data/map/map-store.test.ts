/** Values that are kept for maps: made once for all who ask at the same time, each of whom may leave. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LRUCache } from 'lru-cache';
import { Kept, type MapMemory } from '../../../src/data/map/map-store.ts';

describe('a kept value', () => {
  const makeKept = (memory: MapMemory = new LRUCache({ maxSize: 10_000 }), kind = 'text') =>
    new Kept<string>(memory, kind, (value) => value.length);

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

  it('may take most of the memory that it shares with those of other kinds', async () => {
    const memory: MapMemory = new LRUCache({ maxSize: 10_000 });
    const [texts, names] = [makeKept(memory), makeKept(memory, 'name')];
    let made = 0;
    const make = async () => String(++made).padEnd(9000);
    for (const key of ['a', 'b']) assert.equal(await names.get(key, async () => 'short'), 'short');
    assert.equal(await texts.get('a', make), await texts.get('a', make));
    assert.equal(made, 1);
    assert.equal(names.has('a'), false);
  });

  it('stays until another of its kind is made, also if it is larger than the memory or pushed out by another kind', async () => {
    const memory: MapMemory = new LRUCache({ maxSize: 10_000 });
    const [layers, shapes] = [makeKept(memory, 'layer'), makeKept(memory, 'shapes')];
    const made: string[] = [];
    const make = (name: string, size: number) => async () => {
      made.push(name);
      return name.padEnd(size);
    };
    for (const _ of [1, 2, 3]) {
      await layers.get('a', make('layer', 7000));
      await shapes.get('a', make('shapes', 15_000));
      await shapes.get('a', make('shapes again', 7000));
    }
    assert.deepEqual(made, ['layer', 'shapes']);
    assert.equal(shapes.has('a'), true);
    await shapes.get('b', make('shapes of b', 15_000));
    assert.equal(shapes.has('a'), false);
  });
});
