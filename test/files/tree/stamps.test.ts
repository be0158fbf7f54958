/** Packed stamps say what was packed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Stamp } from '../../../src/files/tree/file-tree.ts';
import { latestChange, packStamps, unpackStamps } from '../../../src/files/tree/stamps.ts';

/** As Node makes them of seconds and nanoseconds. */
const timeOfFile = fc
  .tuple(fc.integer({ min: -1e6, max: 2 ** 34 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([seconds, nanoseconds]) => seconds * 1000 + nanoseconds / 1e6);
const time = fc.oneof(fc.constant(-1), fc.constant(7), fc.double({ min: 0.5, max: 4e12, noNaN: true }), timeOfFile);
const stamp = fc.oneof(
  fc.constant<Stamp | null>(null),
  fc.record({ ino: fc.maxSafeNat(), size: fc.maxSafeNat(), mtime: time, ctime: time }, { noNullPrototype: true }),
);
const name = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replaceAll('/', '\n %25%'));
const paths = fc.array(
  fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
  { maxLength: 5 },
);

test('any stamps, with and without a common folder, are the same after packing', () => {
  const stamps = fc.tuple(fc.constantFrom('', 'home', 'home\n/a b'), paths).chain(([home, below]) => {
    const all = [home, ...below.map((path) => (home === '' ? path : `${home}/${path}`)), 'catalogue.yaml'];
    return fc.tuple(...[...new Set(all)].map((path) => fc.tuple(fc.constant(path), stamp)));
  });
  fc.assert(
    fc.property(stamps, (list) => {
      assert.deepEqual([...unpackStamps(packStamps(list))], list);
      assert.equal(latestChange(packStamps(list)), Math.max(0, ...list.map(([, one]) => one?.ctime ?? 0)));
    }),
  );
  assert.deepEqual([...unpackStamps(packStamps([]))], []);
});
