/** The snapshot of many changed units is made in steps, between which other rescans make snapshots of their own. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Unit } from '../../../src/catalogue/layout.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { freshlyRead, makeFollowedFolder } from '../../support/followed.ts';

const count = 150;
const dataset = (i: number): Unit => ({ kind: 'dataset', namespace: 'a', slug: `d${i}` });

/** A folder that was read, and in which then all datasets changed. */
function changedFolder(t: TestContext) {
  const folder = makeFollowedFolder(t);
  const label = (i: number, text: string) => folder.dataset(`namespaces/a/datasets/d${i}`, text, []);
  for (let i = 0; i < count; i++) label(i, `Before ${i}`);
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  const before = store.snapshot;
  for (let i = 0; i < count; i++) label(i, `Changed ${i}`);
  const labelOf = (i: number) => store.snapshot.folders.get('a')?.datasets.get(`d${i}`)?.label;
  return { folder, store, before, label, labelOf };
}

test('each step reads a unit or adds one to the next snapshot, which is there at the end and not before', async (t) => {
  const { folder, store, before } = changedFolder(t);
  let steps = 0;
  for (const _ of store.rescan([{ folder: '' }])) {
    steps++;
    assert.equal(store.snapshot, before);
  }
  assert.ok(steps >= 2 * count, `${steps} steps`);
  assert.deepEqual(store.snapshot, await freshlyRead(folder));
});

test('a write during any step of a long rescan is in the snapshot when its own rescan ends, and stays there', async (t) => {
  const { folder, store, label, labelOf } = changedFolder(t);
  const updated = new Set<string>();
  store.onUpdate = (units) => {
    for (const unit of units) if (unit.kind === 'dataset') updated.add(unit.slug);
  };
  const scopes = Array.from({ length: count }, (_, i) => dataset(i));
  let steps = 0;
  for (const _ of store.rescan(scopes)) {
    if (++steps % 7) continue;
    // Some were read by the long rescan already, others were not.
    const i = (steps * 31) % count;
    label(i, `Written in step ${steps}`);
    for (const __ of store.rescan([dataset(i)]));
    assert.equal(labelOf(i), `Written in step ${steps}`);
  }
  assert.equal(updated.size, count);
  assert.deepEqual(store.snapshot, await freshlyRead(folder));
});

test('two long rescans at once, in any order of their steps, end with the newest state of every unit', async (t) => {
  const { folder, store, label } = changedFolder(t);
  const scopes = Array.from({ length: count }, (_, i) => dataset(i));
  const rescans = [store.rescan(scopes), store.rescan([...scopes].reverse())];
  for (let steps = 0; rescans.length > 0; steps++) {
    const at = steps % 5 === 0 ? 0 : rescans.length - 1;
    if (rescans[at]?.next().done) rescans.splice(at, 1);
    if (steps === 2 * count) label(3, 'Written last');
  }
  for (const _ of store.rescan([dataset(3)]));
  assert.deepEqual(store.snapshot, await freshlyRead(folder));
});
