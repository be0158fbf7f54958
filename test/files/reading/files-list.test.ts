/** The list of all files is made in steps, once for all who wait for it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listVisibleFiles } from '../../../src/files/files-list.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { makeFollowedFolder } from '../../support/followed.ts';

test('the list of files is made in steps; two who ask at once share them, and it is as it was at the start', (t) => {
  const folder = makeFollowedFolder(t);
  for (let i = 0; i < 300; i++) folder.dataset(`namespaces/a/datasets/d${i}`, `Label ${i}`, ['v1']);
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  const { snapshot } = store;
  const both = [listVisibleFiles(store, snapshot), listVisibleFiles(store, snapshot)];
  let steps = 0;
  while (steps < 6) for (const one of both) if (!one.next().done) steps++;
  rmSync(join(folder.root, 'namespaces/a/datasets'), { recursive: true });
  for (const _ of store.rescan([{ folder: 'namespaces/a' }]));
  const lists = both.map((one) => {
    for (;;) {
      const { done, value } = one.next();
      if (done) return value;
      steps++;
    }
  });
  assert.equal(lists[0], lists[1]);
  const paths = lists[0]?.map(({ path }) => path) ?? [];
  assert.equal(paths.filter((path) => path.startsWith('namespaces/a/datasets/')).length, 600);
  assert.deepEqual(paths, [...paths].sort());
  assert.ok(steps >= 12 && steps < 25, `${steps} steps`);
  assert.equal(listVisibleFiles(store, snapshot).next().value, lists[0]);
});
