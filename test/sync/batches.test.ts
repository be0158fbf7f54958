/** The batches in which records are sent. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RecordChange, Replica } from '../../src/catalogue/replica.ts';
import { SyncState } from '../../src/sync/state.ts';
import type { SyncStep } from '../../src/sync/steps.ts';
import { performSyncSteps } from '../../src/sync/transfer.ts';
import { makeFolder } from '../support/folder.ts';

/** Sends new datasets. @param counts number of datasets by namespace @returns the number of changes in each batch, by namespace, as sorted JSON */
async function sentBatches(t: TestContext, counts: Readonly<Record<string, number>>, size = 100) {
  const { root } = makeFolder({ namespaces: {} }, t);
  const state = await SyncState.open(join(root, 'state.ndjson'));
  t.after(() => state.close());
  const steps = Object.entries(counts).flatMap(([namespace, count]) =>
    Array.from({ length: count }, (_, i): SyncStep => {
      const path = `namespaces/${namespace}/datasets/d${i}/dataset.yaml`;
      return { do: 'write', path, from: path, now: { checksum: `${namespace}${i}`, size }, ifMatch: null };
    }),
  );
  const sent: Record<string, number>[] = [];
  const target = {
    apply: async (changes: readonly RecordChange[]) => {
      const batch: Record<string, number> = {};
      for (const { path } of changes) {
        const [, namespace = ''] = path.split('/');
        batch[namespace] = (batch[namespace] ?? 0) + 1;
      }
      sent.push(batch);
      return changes.map(({ path }) => ({ path, done: true }));
    },
  } as Partial<Replica> as Replica;
  const texts = { isSpooled: true, get: async () => 'label: D\n' };
  const { done } = await performSyncSteps({ steps, source: target, target, texts, state, payloadCheck: () => null });
  assert.equal(done.length, steps.length);
  // They are sent side by side.
  return sent.map((batch) => JSON.stringify(batch)).sort();
}

test('a namespace is in one batch, if it fits', async (t) => {
  assert.deepEqual(await sentBatches(t, { a: 400, b: 400, c: 400, d: 100 }), [
    '{"a":400,"b":400}',
    '{"c":400,"d":100}',
  ]);
});

test('a namespace that doesn’t fit in a batch is in several, the first with what was before it', async (t) => {
  const sent = await sentBatches(t, { a: 300, b: 2100, c: 10 });
  assert.deepEqual(sent, ['{"a":300,"b":700}', '{"b":1000}', '{"b":400,"c":10}']);
});

test('a batch has no more bytes than a server takes', async (t) => {
  const sent = await sentBatches(t, { a: 3, b: 3, c: 9 }, 1_000_000);
  assert.deepEqual(sent, ['{"a":3}', '{"b":3,"c":1}', '{"c":4}', '{"c":4}']);
});
