/** The list of all files is made in steps, once for all who wait for it. */
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { timeOfLastChange } from '../../../src/files/changes-feed.ts';
import { listVisibleFiles } from '../../../src/files/files-list.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { UnreadableFileError } from '../../../src/files/tree/file-tree.ts';
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
});

/** All files in the list, by path. */
function pathsOf(store: UnitStore): readonly string[] {
  const list = listVisibleFiles(store, store.snapshot);
  for (;;) {
    const { done, value } = list.next();
    if (done) return value.map(({ path }) => path);
  }
}

test('the list of files is kept until a file changes, also if only its name does', (t) => {
  const folder = makeFollowedFolder(t);
  folder.write('users/ann.yaml', 'name: Ann\n');
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  assert.ok(pathsOf(store).includes('users/ann.yaml'));
  const list = listVisibleFiles(store, store.snapshot);
  assert.equal(listVisibleFiles(store, store.snapshot).next().value, list.next().value);
  renameSync(join(folder.root, 'users/ann.yaml'), join(folder.root, 'users/ann.yml'));
  for (const _ of store.rescan([{ folder: '' }]));
  assert.ok(pathsOf(store).includes('users/ann.yml'));
  assert.ok(!pathsOf(store).includes('users/ann.yaml'));
});

test('a folder that is read again because it was replaced keeps its files and their times in the meantime', (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset('namespaces/a/datasets/d', 'Label', ['v1']);
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: '' }]));
  const ref = { kind: 'dataset', namespace: 'a', slug: 'd' } as const;
  const [paths, time] = [pathsOf(store), timeOfLastChange(store, ref)];
  assert.ok(paths.includes('namespaces/a/datasets/d/dataset.yaml') && time > 0);
  store.invalidate('');
  const reading = store.rescan([{ folder: '' }]);
  reading.next();
  assert.deepEqual(pathsOf(store), paths);
  assert.equal(timeOfLastChange(store, ref), time);
  for (const _ of reading);
  assert.deepEqual(pathsOf(store), paths);
});

test('a folder that was replaced is read again with its versions, even if their stamps are unchanged', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset('namespaces/a/datasets/d', 'Label', ['v1']);
  const store = new UnitStore(folder.root);
  // Files as new as the clock is coarse count as changed.
  await setTimeout(200);
  for (const _ of store.rescan([{ folder: '' }]));
  const read = t.mock.method(store.tree, 'read');
  const versionsRead = () => read.mock.calls.filter(({ arguments: [path] }) => path.includes('/version')).length;
  for (const _ of store.rescan([{ folder: '' }]));
  assert.equal(versionsRead(), 0);
  store.invalidate('');
  store.invalidate('namespaces/');
  for (const _ of store.rescan([{ folder: '' }]));
  assert.equal(versionsRead(), 1);
});

test('a folder that was replaced, and can’t be read for the moment, keeps its files until it is read again', (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset('namespaces/a/datasets/d', 'Label', ['v1']);
  const store = new UnitStore(folder.root);
  const rescan = () => {
    for (const _ of store.rescan([{ folder: '' }]));
  };
  rescan();
  const paths = pathsOf(store);
  const versions = 'namespaces/a/datasets/d/versions';
  store.invalidate('');
  const { stamp } = store.tree;
  const failing = t.mock.method(store.tree, 'stamp', function failing(this: typeof store.tree, path: string) {
    if (path === versions) throw new UnreadableFileError(path);
    return stamp.call(this, path);
  });
  rescan();
  assert.deepEqual(
    pathsOf(store).filter((path) => path !== versions),
    paths,
  );
  failing.mock.restore();
  const read = t.mock.method(store.tree, 'read');
  rescan();
  assert.deepEqual(pathsOf(store), paths);
  assert.ok(read.mock.calls.some(({ arguments: [path] }) => path.startsWith(versions)));
});
