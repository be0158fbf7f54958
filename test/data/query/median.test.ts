import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Turns } from '../../../src/data/event-loop.ts';
import { GroupedNumbers } from '../../../src/data/query/median.ts';

const medianBySorting = (numbers: readonly number[]) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low = NaN, high = NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const mean = (low + high) / 2;
  return (Number.isFinite(mean) || !Number.isFinite(low - high) ? mean : low / 2 + high / 2) + 0;
};

/** The medians of groups, of numbers that are added in parts. */
async function mediansOf(numbers: readonly number[], groups: readonly number[], groupCount: number) {
  const grouped = new GroupedNumbers();
  for (let start = 0; start < numbers.length; start += 1000)
    grouped.add(
      Float64Array.from(numbers.slice(start, start + 1000)),
      Uint32Array.from(groups.slice(start, start + 1000)),
      groupCount,
    );
  return [...(await grouped.medians(groupCount, new Turns()))];
}

const medianOf = async (numbers: readonly number[]) =>
  (
    await mediansOf(
      numbers,
      numbers.map(() => 0),
      1,
    )
  )[0];

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
      const found = await mediansOf(
        pairs.map(([, number]) => number),
        pairs.map(([group]) => group),
        5,
      );
      const expected = [0, 1, 2, 3, 4].map((group) =>
        medianBySorting(pairs.flatMap(([of, number]) => (of === group ? [number] : []))),
      );
      assert.deepEqual(found, expected);
    }),
  );
});

test('groups of all sizes have the median that sorting finds, in any order', async () => {
  const orders: readonly ((i: number, size: number) => number)[] = [
    (i) => i,
    (i) => -i,
    (i) => (i * 7919) % 10_007,
    (i) => i % 2,
    // The middle of the first, the middle and the last of these is almost the least, again and again.
    (i, size) => Math.min(i, size - i),
  ];
  const groups = [1, 2, 3, 127, 128, 129, 4095, 4096, 5000, 20_000].flatMap((size) =>
    orders.map((order) => Array.from({ length: size }, (_, i) => order(i, size))),
  );
  groups.push([]);
  const inTurn: [number: number, group: number][] = [];
  for (let i = 0; i < 20_000; i++)
    for (const [group, numbers] of groups.entries()) if (i < numbers.length) inTurn.push([numbers[i] as number, group]);
  const found = await mediansOf(
    inTurn.map(([number]) => number),
    inTurn.map(([, group]) => group),
    groups.length,
  );
  assert.deepEqual(found, groups.map(medianBySorting));
});

test('numbers that their sample says nothing about have the median that sorting finds', async () => {
  for (const [n, spread] of [(i: number) => i, (i: number) => -i, () => 3, (i: number) => i % 3].entries()) {
    const [numbers, groups] = [new Float64Array(50_001), Uint32Array.from({ length: 50_001 }, (_, i) => i % 2)];
    const grouped = new GroupedNumbers();
    for (let i = 0; i < numbers.length; i++) numbers[i] = ((i * 7919) % 50_021) + 1e6 * (n % 2);
    grouped.add(numbers, groups, 2);
    // The sample was taken already.
    for (let i = 0; i < numbers.length; i++) numbers[i] = spread(i);
    const expected = [0, 1].map((group) => medianBySorting([...numbers].filter((_, i) => groups[i] === group)));
    assert.deepEqual([...(await grouped.medians(2, new Turns()))], expected);
  }
});
