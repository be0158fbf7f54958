/** Thousands of datasets that were moved into another namespace: the time for them grows with their number. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareAudiences } from '../../src/sync/compare-audiences.ts';
import { delayWideningMoves } from '../../src/sync/delayed-moves.ts';
import type { Move } from '../../src/sync/moves.ts';
import type { SyncStep } from '../../src/sync/steps.ts';

const recordOf = (namespace: string, i: number) => `namespaces/${namespace}/datasets/d${i}/dataset.yaml`;
const file = (checksum: string) => ({ checksum, size: 1 });

/** Checks that a time grows with a number, or little faster. */
async function assertLinear(timeOf: (count: number) => Promise<number>): Promise<void> {
  await timeOf(250);
  // The best of three: others may have the processor meanwhile.
  const best = async (count: number) => Math.min(await timeOf(count), await timeOf(count), await timeOf(count));
  const [few, many] = [await best(250), await best(4000)];
  // A look at all others for each of them takes 256 times as long.
  assert.ok(many < 100 * Math.max(few, 5), `${few} ms for 250 datasets, ${many} ms for 4,000`);
}

describe('thousands of datasets that were moved into another namespace', () => {
  const movesOf = (count: number) =>
    Array.from({ length: count }, (_, i): Move => ({ path: recordOf('a', i), to: recordOf('b', i), by: 'ours' }));

  it('are compared for who may see them, with their queries', () =>
    assertLinear(async (count) => {
      const theirs = new Map([
        ['namespaces/a/namespace.yaml', file('private')],
        ['namespaces/b/namespace.yaml', file('public')],
        ...Array.from({ length: count }, (_, i) => [recordOf('b', i), file(`${i}`)] as const),
      ]);
      const ours = new Map([
        ...theirs,
        ...Array.from({ length: count }, (_, i) => [`queries/q${i}.yaml`, file(`b/d${i}`)] as const),
      ]);
      const reader = {
        isSpooled: false,
        get: async (_: string, checksum: string) =>
          checksum.includes('/') ? `dataset: ${checksum}\n` : `label: X\nvisibility: ${checksum}\n`,
      };
      const started = performance.now();
      const { moves, queries } = await compareAudiences({
        ...{ ours, theirs, moves: movesOf(count) },
        texts: { ours: reader, theirs: reader },
      });
      assert.equal(moves.filter(({ isWidening }) => isWidening).length, count);
      assert.deepEqual(queries.get('queries/q7.yaml'), [recordOf('b', 7)]);
      return performance.now() - started;
    }));

  it('get their other changes at their former places, before they move', () =>
    assertLinear(async (count) => {
      const moves = movesOf(count);
      const steps = moves.flatMap(({ path, to }, i): SyncStep[] => [
        { do: 'move', path, to, from: path, fromTo: to, ifMatch: `${i}` },
        { do: 'write', path: to, from: to, now: file('new'), ifMatch: `${i}` },
      ]);
      const folders = { left: 'namespaces/a/', entered: 'namespaces/b/' };
      const between = moves.map((move) => ({
        ...{ move, record: move.to, ...folders },
        ...{ isWidening: true, isMixed: false, isClosing: false },
      }));
      const started = performance.now();
      const delayed = delayWideningMoves(steps, between);
      assert.deepEqual([delayed[1]?.path, delayed.at(-1)?.path], [recordOf('a', 0), recordOf('a', count - 1)]);
      return performance.now() - started;
    }));
});
