/** Larger tables are compared in a thread: with the same result, and the same refusals. */
import assert from 'node:assert/strict';
import { after, describe, it, mock } from 'node:test';
import type { RowChange } from '../../../src/catalogue/difference.ts';
import { type CompareOptions, compareTables } from '../../../src/data/difference/difference.ts';
import { WorkerPool } from '../../../src/data/worker-pool.ts';
import { ThrottledError } from '../../../src/server/errors.ts';
import { ingestPayload } from '../support/payloads.ts';

const count = 11_000;
const csv = (change: (n: number) => string | null, head = 'id,kind,height') =>
  `${head}\n${Array.from({ length: count }, (_, n) => change(n) ?? '').join('')}`;
const row = (n: number, height = n % 50) => `${n},kind ${n % 7},${height}\n`;

const before = (await ingestPayload(csv(row), 'before.csv')).table;
const later = (
  await ingestPayload(
    csv((n) => (n % 100 === 3 ? null : n % 10 === 1 ? row(n + count) : row(n, n % 50 || 60)), 'id,kind,size'),
    'after.csv',
  )
).table;

const compare = async (options: CompareOptions) => {
  const { rows, comparison: _, ...found } = await compareTables(before, later, options);
  const all: RowChange[] = [];
  for await (const one of rows()) all.push(one);
  return { ...found, rows: all };
};

describe('a thread that compares rows', () => {
  const workers = new WorkerPool({ size: 1 });
  after(() => workers.close());

  it('finds what is found in turns, for a detected key and for given ones', async () => {
    const run = mock.method(workers, 'run');
    const keys = [undefined, ['id'], ['kind', 'id']];
    for (const key of keys) {
      const found = await compare({ key, workers });
      assert.ok(found.counts.added > 500 && found.counts.removed > 500 && found.rows.length > 1000);
      assert.deepEqual(found, await compare({ key }));
    }
    const renamed = [{ from: 'height', to: 'size' }];
    const found = await compare({ renamed, workers });
    assert.ok(found.counts.changed > 200);
    assert.deepEqual(found, await compare({ renamed }));
    assert.equal(run.mock.callCount(), keys.length + 1);
    run.mock.restore();
  });

  it('refuses an invalid key with the same message', async () => {
    const run = mock.method(workers, 'run');
    for (const key of [['kind'], ['kid'], ['height'], []]) {
      const fields = await compare({ key }).catch(({ fields }) => fields);
      assert.equal(fields._key.length, 1);
      await assert.rejects(compare({ key, workers }), { name: 'ValidationError', fields });
    }
    // Not compared once more in turns.
    assert.equal(run.mock.callCount(), 4);
    run.mock.restore();
  });

  it('ends with its client, whose budget pays', async () => {
    await assert.rejects(compare({ workers, signal: AbortSignal.abort(new Error('left')) }), /left/);
    let spent = 0;
    const spend = (milliseconds: number) => {
      spent += milliseconds;
    };
    const assertAvailable = () => {
      if (spent > 0) throw new ThrottledError(1000, 'Ask for less.');
    };
    await assert.rejects(compare({ workers, budget: { spend, assertAvailable } }), /Ask for less/);
    assert.deepEqual(workers.load, { running: 0, waiting: 0 });
  });

  it('is not needed: if it dies, the rows are compared here', async () => {
    const poor = new WorkerPool({ size: 1, memory: 4 });
    assert.deepEqual(await compare({ workers: poor }), await compare({}));
    await poor.close();
  });
});
