/** Syncing in rounds: all is synced, each caller gets its own error, and nobody waits for later callers. */
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { betweenSyncRounds, syncInRound } from '../../src/disk/sync-rounds.ts';

test('rounds', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-rounds-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const descriptors = Array.from({ length: 12 }, (_, i) => openSync(join(root, String(i)), 'w'));
  t.after(() => descriptors.forEach(closeSync));
  for (const descriptor of descriptors) writeSync(descriptor, 'text');
  const [first = 0, ...others] = descriptors;
  const order: string[] = [];

  const early = [first, ...others.slice(0, 5)].map((one) => syncInRound(one).then(() => order.push('early')));
  const wrong = syncInRound(999_999);
  await assert.rejects(wrong, { code: 'EBADF' });
  await Promise.all(early);

  const round = syncInRound(first).then(() => order.push('round'));
  await new Promise(setImmediate);
  const late = others.slice(5).map((one) => syncInRound(one).then(() => order.push('late')));
  const between = betweenSyncRounds().then(() => order.push('between'));
  await Promise.all([round, ...late, between]);
  assert.deepEqual(order.slice(0, 6), Array(6).fill('early'));
  assert.deepEqual(order.slice(6, 8).sort(), ['between', 'round']);
  assert.deepEqual(order.slice(8), Array(6).fill('late'));

  // Without a round, nobody waits.
  await betweenSyncRounds();
});
