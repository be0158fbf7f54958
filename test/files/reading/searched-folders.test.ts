/** Folders are not searched for units again while their stamps say that they are as they were searched. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { readUnitStateCache } from '../../../src/files/reading/cache.ts';
import { FirstReading } from '../../../src/files/reading/first-reading.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import type { CatalogueFolder } from '../../support/folder.ts';
import { freshlyRead, makeFollowedFolder } from '../../support/followed.ts';

const home = 'namespaces/a/datasets/d';
/** Out of the clock's tick, so that stamps are believed. */
const afterTick = () => new Promise((done) => setTimeout(done, 30));

async function filledFolder(t: TestContext): Promise<CatalogueFolder> {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'D', ['v1']);
  folder.write('users/u.yaml', 'name: U\n');
  await afterTick();
  return folder;
}

/** Starts and ends as a server does, which leaves a cache. */
async function leaveCache(folder: CatalogueFolder): Promise<void> {
  await (await openFileCatalogue(folder.root, { watch: true })).close();
}

/** A start with the cache. @returns what was found in the folder, and the store */
async function start(folder: CatalogueFolder) {
  const store = new UnitStore(folder.root);
  let folders = '';
  store.restore(await readUnitStateCache(folder.root, undefined, (found) => (folders = found)), folders);
  const found = await new FirstReading(store.tree).finish(store);
  for (const _ of store.rescan([{ folder: '' }], found));
  assert.deepEqual(store.snapshot, await freshlyRead(folder));
  return { found, store };
}

test('a start searches no folder that is unchanged, and finds what appeared or vanished in others', async (t) => {
  const folder = await filledFolder(t);
  await leaveCache(folder);
  assert.equal((await start(folder)).found, 'known');
  const changes: Record<string, () => void> = {
    'a dataset': () => folder.dataset('namespaces/a/datasets/e', 'E'),
    'a namespace': () => folder.write('namespaces/b/namespace.yaml', 'label: B\n'),
    'a namespace with another name': () => renameSync(folder.path('namespaces/b'), folder.path('namespaces/c')),
    'a folder that was missing': () => folder.write('queries/q.yaml', 'label: Q\ndataset: a/d\n'),
    'a dataset less': () => renameSync(folder.path('namespaces/a/datasets/e'), folder.beside('e')),
  };
  for (const [what, change] of Object.entries(changes)) {
    change();
    await afterTick();
    assert.notEqual((await start(folder)).found, 'known', what);
    // The start, which searched the folders, leaves a cache that says so, even if nothing else changed.
    await leaveCache(folder);
    assert.equal((await start(folder)).found, 'known', what);
  }
});

test('a change of a known unit is found without a search', async (t) => {
  const folder = await filledFolder(t);
  await leaveCache(folder);
  folder.dataset(home, 'Changed', ['v1', 'v2']);
  const { found, store } = await start(folder);
  assert.equal(found, 'known');
  assert.equal(store.snapshot.folders.get('a')?.datasets.get('d')?.label, 'Changed');
});

test('folders with other files, or with links, are searched again', async (t) => {
  const folder = await filledFolder(t);
  folder.write('namespaces/a/datasets/stray.yaml', 'label: No folder\n');
  await afterTick();
  await leaveCache(folder);
  const { found, store } = await start(folder);
  assert.notEqual(found, 'known');
  assert.equal(store.snapshot.diagnostics.size, 1, 'its diagnostic is found again');

  const linked = await filledFolder(t);
  symlinkSync('d', linked.path('namespaces/a/datasets/e'));
  await afterTick();
  await leaveCache(linked);
  assert.notEqual((await start(linked)).found, 'known');
});

test('a search of a part says nothing about the folders above it', async (t) => {
  const folder = await filledFolder(t);
  const store = new UnitStore(folder.root);
  for (const _ of store.rescan([{ folder: 'namespaces/a/' }]));
  assert.ok(!store.folders.areUnchanged(store.tree), 'the rest was never searched');
  for (const _ of store.rescan([{ folder: '' }]));
  assert.ok(store.folders.areUnchanged(store.tree));
  folder.write('namespaces/b/namespace.yaml', 'label: B\n');
  mkdirSync(folder.path('namespaces/a/datasets/e'));
  await afterTick();
  for (const _ of store.rescan([{ folder: 'namespaces/a/' }]));
  assert.ok(!store.folders.areUnchanged(store.tree));
  for (const _ of store.rescan([{ folder: '' }]));
  assert.ok(store.folders.areUnchanged(store.tree));
});
