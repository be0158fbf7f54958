import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Turns } from '../../../src/data/event-loop.ts';
import { medianOfNumbers } from '../../../src/data/query/median.ts';

const medianBySorting = (numbers: readonly number[]) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const mean = (low + high) / 2;
  return (Number.isFinite(mean) || !Number.isFinite(low - high) ? mean : low / 2 + high / 2) + 0;
};

const medianOf = async (numbers: readonly number[]) =>
  (await medianOfNumbers(Float64Array.from(numbers), new Uint32Array(numbers.length), 1, new Turns()))[0];

test('many numbers have the median that sorting finds, however they are spread', async () => {
  const spreads: readonly ((i: number) => number)[] = [
    (i) => (i * 7919) % 50_021,
    (i) => -((i * 7919) % 50_021) - 0.5,
    (i) => ((i * 7919) % 50_021) - 25_000,
    (i) => (i % 2 ? 1 : -1) / (1 + ((i * 31) % 997)),
    (i) => (i % 3 ? 5 : i),
    (i) => (i % 2 ? 0 : -0),
    () => 4.25,
    (i) => (i % 2 ? Infinity : -Infinity),
    (i) => (i % 4 ? Infinity : i),
    (i) => 1e308 * (i % 2 ? 1 : 1.5),
    (i) => 2 ** 52 + ((i * 7919) % 40_009),
    (i) => 5e-324 * ((i * 7919) % 40_009),
  ];
  for (const [n, spread] of spreads.entries())
    for (const count of [16_383, 16_384, 16_385, 50_000, 50_001]) {
      const numbers = Array.from({ length: count }, (_, i) => spread(i));
      assert.deepEqual(await medianOf(numbers), medianBySorting(numbers), `${n}: ${count}`);
    }
});

test('any numbers in any groups have the median that sorting finds', async () => {
  const grouped = fc.array(fc.tuple(fc.nat(4), fc.double({ noNaN: true })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(grouped, async (pairs) => {
      const groups = Uint32Array.from(pairs, ([group]) => group);
      const found = await medianOfNumbers(
        Float64Array.from(pairs, ([, number]) => number),
        groups,
        5,
        new Turns(),
      );
      const expected = [0, 1, 2, 3, 4].map((group) =>
        medianBySorting(pairs.flatMap(([of, number]) => (of === group ? [number] : []))),
      );
      assert.deepEqual([...found], expected);
    }),
  );
});
