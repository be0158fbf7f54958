/** A fresh mount over the folder, or over a part of it. Needs the right to mount. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { datasetText, until } from '../../support/folder.ts';
import { follow, makeFollowedFolder, served } from '../../support/followed.ts';

const home = 'namespaces/a/datasets/d';

/** Mounts an empty file system at a path; false where that isn't permitted. */
function mount(t: TestContext, path: string): boolean {
  const done = spawnSync('mount', ['-t', 'tmpfs', 'none', path]).status === 0;
  if (done) t.after(() => spawnSync('umount', ['-l', path]));
  else t.skip('mounting is not permitted here');
  return done;
}

test('a fresh mount over the root, before anything lies in it and after', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'Below');
  const { catalogue, log } = await follow(t, folder, { scanEvery: 1e9, cache: false });
  const label = () => served(catalogue, 'a', 'd')?.label;
  if (!mount(t, folder.root)) return;
  await until(() => catalogue.following === 'lost');
  assert.equal(label(), 'Below');
  folder.namespace('a');
  folder.dataset(home, 'Mounted');
  await until(() => label() === 'Mounted');
  await until(() => catalogue.following === 'watching');
  folder.write(`${home}/dataset.yaml`, datasetText('Edited'));
  await until(() => label() === 'Edited');
  execFileSync('umount', ['-l', folder.root]);
  await until(() => label() === 'Below');
  assert.equal(log.filter((line) => line.includes('is gone')).length, 1);
});

test('a fresh mount over a namespace', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'Below');
  folder.namespace('b');
  const { catalogue } = await follow(t, folder, { scanEvery: 300, cache: false });
  mkdirSync(folder.beside('x'));
  if (!mount(t, folder.path('namespaces/a'))) return;
  folder.namespace('a', 'Mounted');
  folder.dataset(home, 'Mounted');
  await until(() => served(catalogue, 'a', 'd')?.label === 'Mounted');
  folder.write(`${home}/dataset.yaml`, datasetText('Edited'));
  await until(() => served(catalogue, 'a', 'd')?.label === 'Edited');
  execFileSync('umount', ['-l', folder.path('namespaces/a')]);
  await until(() => served(catalogue, 'a', 'd')?.label === 'Below');
});
