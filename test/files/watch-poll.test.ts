/** Where the folder can't be watched, it says so and is polled; notes of writers and the state of git are quicker. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { leaveNote, Notes } from '../../src/files/touched.ts';
import { watchBudget, whyPolled } from '../../src/files/watch-budget.ts';
import { CatalogueFolder, follow, freshlyRead, recordOf, served, until } from '../support/catalogue-folder.ts';

const d = { kind: 'dataset', namespace: 'a', slug: 'd' } as const;
const home = 'namespaces/a/datasets/d';

test('with too small a budget the folder is polled, and the log says what to raise', async (t) => {
  const folder = new CatalogueFolder(t);
  folder.dataset(home, 'First');
  const { catalogue, log } = await follow(t, folder, { watchBudget: 4 });
  assert.equal(catalogue.following, 'polling');
  assert.equal(log.length, 1);
  assert.match(log[0] ?? '', /9 needed, 4 free for use.*sysctl fs\.inotify\.max_user_watches=524288/);
  folder.write(`${home}/dataset.yaml`, recordOf('Second'));
  folder.dataset('namespaces/b/datasets/e', 'New');
  folder.namespace('b');
  await until(
    'the edits are served',
    () => served(catalogue, 'a', 'd')?.label === 'Second' && !!served(catalogue, 'b', 'e'),
  );
  rmSync(folder.path(home), { recursive: true });
  await until('the end is served', () => !served(catalogue, 'a', 'd'));
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('a catalogue that grows beyond the budget is polled from then on', async (t) => {
  const folder = new CatalogueFolder(t);
  const { catalogue, log } = await follow(t, folder, { watchBudget: 20, sweepEvery: 200 });
  assert.equal(catalogue.following, 'watching');
  for (let i = 0; i < 30; i++) folder.dataset(`namespaces/a/datasets/d${i}`, 'New');
  await until('it is polled', () => catalogue.following === 'polling');
  folder.write('namespaces/a/datasets/d29/dataset.yaml', recordOf('Edited'));
  await until('the edit is served', () => served(catalogue, 'a', 'd29')?.label === 'Edited');
  assert.equal(log.length, 1);
});

test('while polling, what another process notes is looked at at once', async (t) => {
  const folder = new CatalogueFolder(t);
  folder.dataset(home, 'First');
  const { catalogue } = await follow(t, folder, { watchBudget: 4, sweepEvery: 1e9 });
  for (let i = 0; i < 3; i++) {
    folder.write(`${home}/dataset.yaml`, recordOf(`Edit ${i}`));
    await leaveNote(folder.root, [d]);
    await until('the edit is served', () => served(catalogue, 'a', 'd')?.label === `Edit ${i}`);
  }
  folder.namespace('b');
  folder.dataset('namespaces/b/datasets/e', 'New');
  await leaveNote(folder.root, [{ folder: 'namespaces/b/' }]);
  await until('the namespace is served', () => served(catalogue, 'b', 'e')?.label === 'New');
});

test('notes: lines since the last look, none of before, and a word where some may have been missed', async (t) => {
  const folder = new CatalogueFolder(t);
  await leaveNote(folder.root, [d]);
  const notes = new Notes(folder.root);
  assert.deepEqual(notes.news(), []);
  await leaveNote(folder.root, [d, { folder: 'namespaces/b/' }, { folder: '' }]);
  assert.deepEqual(notes.news(), [`${home}/dataset.yaml`, 'namespaces/b', '']);
  assert.deepEqual(notes.news(), []);
  for (let i = 0; i < 2000; i++) await leaveNote(folder.root, [d]);
  assert.equal(notes.news(), null, 'the note was begun anew');
  assert.deepEqual(notes.news(), []);
  rmSync(folder.path('.catalogue'), { recursive: true });
  assert.equal(notes.news(), null);
  assert.deepEqual(notes.news(), []);
  await leaveNote(folder.root, [{ kind: 'namespace', slug: 'a' }]);
  assert.deepEqual(notes.news(), ['namespaces/a/namespace.yaml']);
  await leaveNote('/dev/null/nowhere', [d]);
});

test('the budget, and why a folder is polled', () => {
  assert.ok(watchBudget() > 0 && watchBudget() <= 60_000);
  const error = (code: string) => Object.assign(new Error('it says no'), { code });
  assert.match(whyPolled(900_000, 60_000, error('ENOSPC')), /max_user_watches=2097152/);
  assert.match(whyPolled(900_000, 60_000), /more folders \(900000\) than are watched \(60000\)/);
  assert.match(whyPolled(10, 1000, error('EMFILE')), /max_user_instances/);
  assert.match(whyPolled(10, 1000, error('EIO')), /it says no/);
});
