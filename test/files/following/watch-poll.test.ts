/** Where the folder can't be watched, it says so and is polled; notes of writers and the state of git are quicker. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs, { cpSync, renameSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { appendToJournal, JournalReader } from '../../../src/files/following/journal.ts';
import { folderLimitOfMemory, pollingReason, watchBudget } from '../../../src/files/following/watch-budget.ts';
import { Watchers } from '../../../src/files/following/watchers.ts';
import { readUnit } from '../../../src/files/reading/read-unit.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { replaceBuiltin } from '../../support/builtin.ts';
import { datasetText, until } from '../../support/folder.ts';
import { follow, freshlyRead, makeFollowedFolder, served } from '../../support/followed.ts';
import { compilerFor } from '../../support/program.ts';

const d = { kind: 'dataset', namespace: 'a', slug: 'd' } as const;
const home = 'namespaces/a/datasets/d';

test('with too small a budget the folder is polled, and the log says what to raise', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'First');
  const { catalogue, log } = await follow(t, folder, { watchBudget: 4 });
  assert.equal(catalogue.following, 'polling');
  assert.equal(log.length, 1);
  assert.match(log[0] ?? '', /9 needed, 4 available.*sysctl fs\.inotify\.max_user_watches=524288/);
  folder.write(`${home}/dataset.yaml`, datasetText('Second'));
  folder.dataset('namespaces/b/datasets/e', 'New');
  folder.namespace('b');
  await until(() => served(catalogue, 'a', 'd')?.label === 'Second' && !!served(catalogue, 'b', 'e'));
  rmSync(folder.path(home), { recursive: true });
  await until(() => !served(catalogue, 'a', 'd'));
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('a catalogue that grows beyond the budget is polled from then on', async (t) => {
  const folder = makeFollowedFolder(t);
  const { catalogue, log } = await follow(t, folder, { watchBudget: 20, scanEvery: 200 });
  assert.equal(catalogue.following, 'watching');
  for (let i = 0; i < 30; i++) folder.dataset(`namespaces/a/datasets/d${i}`, 'New');
  await until(() => catalogue.following === 'polling');
  folder.write('namespaces/a/datasets/d29/dataset.yaml', datasetText('Edited'));
  await until(() => served(catalogue, 'a', 'd29')?.label === 'Edited');
  assert.equal(log.length, 1);
});

test('while polling, what another process notes is looked at at once', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'First');
  const { catalogue } = await follow(t, folder, { watchBudget: 4, scanEvery: 1e9 });
  for (let i = 0; i < 3; i++) {
    folder.write(`${home}/dataset.yaml`, datasetText(`Edit ${i}`));
    await appendToJournal(folder.root, [d]);
    await until(() => served(catalogue, 'a', 'd')?.label === `Edit ${i}`);
  }
  folder.namespace('b');
  folder.dataset('namespaces/b/datasets/e', 'New');
  await appendToJournal(folder.root, [{ folder: 'namespaces/b/' }]);
  await until(() => served(catalogue, 'b', 'e')?.label === 'New');
});

test('notes: lines since the last look, none of before, and a word where some may have been missed', async (t) => {
  const folder = makeFollowedFolder(t);
  await appendToJournal(folder.root, [d]);
  const notes = new JournalReader(folder.root);
  assert.deepEqual(notes.read(), []);
  await appendToJournal(folder.root, [d, { folder: 'namespaces/b/' }, { folder: '' }]);
  assert.deepEqual(notes.read(), [`${home}/dataset.yaml`, 'namespaces/b', '']);
  assert.deepEqual(notes.read(), []);
  for (let i = 0; i < 2000; i++) await appendToJournal(folder.root, [d]);
  assert.equal(notes.read(), null, 'the note was begun anew');
  assert.deepEqual(notes.read(), []);
  rmSync(folder.path('.catalogue'), { recursive: true });
  assert.equal(notes.read(), null);
  assert.deepEqual(notes.read(), []);
  await appendToJournal(folder.root, [{ kind: 'namespace', slug: 'a' }]);
  assert.deepEqual(notes.read(), ['namespaces/a/namespace.yaml']);
  await appendToJournal('/dev/null/nowhere', [d]);

  // As a file of NFS that another client has replaced.
  const restore = replaceBuiltin(t, fs, 'readSync', () => {
    throw Object.assign(new Error('ESTALE: stale file handle, read'), { code: 'ESTALE' });
  });
  assert.equal(notes.read(), null);
  restore();
  notes.read();
  assert.deepEqual(notes.read(), []);

  // Those that write in one turn append together, each path once.
  await Promise.all(
    [d, { kind: 'namespace', slug: 'a' } as const, d].map((one) => appendToJournal(folder.root, [one])),
  );
  assert.deepEqual(notes.read(), [`${home}/dataset.yaml`, 'namespaces/a/namespace.yaml']);
});

test('with a budget for some datasets, the rest is polled, and those that are used are watched', async (t) => {
  const folder = makeFollowedFolder(t);
  for (let i = 0; i < 6; i++) folder.dataset(`namespaces/a/datasets/d${i}`, 'First');
  const { catalogue, log } = await follow(t, folder, { watchBudget: 8, scanEvery: 1e9 });
  assert.equal(catalogue.following, 'polling');
  assert.match(log.join('\n'), /^The system lets too few folders be watched .* used least lately/);
  for (const round of ['Second', 'Third']) {
    for (let i = 0; i < 6; i++) folder.write(`namespaces/a/datasets/d${i}/dataset.yaml`, datasetText(round));
    await until(() => [0, 1, 2, 3, 4, 5].every((i) => served(catalogue, 'a', `d${i}`)?.label === round));
  }
  for (let i = 0; i < 6; i++) {
    await catalogue.for().get({ kind: 'dataset', namespace: 'a', slug: `d${i}` });
    folder.write(`namespaces/a/datasets/d${i}/dataset.yaml`, datasetText('Viewed'));
    await until(() => served(catalogue, 'a', `d${i}`)?.label === 'Viewed');
  }
  folder.dataset('namespaces/a/datasets/d6', 'New');
  rmSync(folder.path('namespaces/a/datasets/d0'), { recursive: true });
  await until(() => !!served(catalogue, 'a', 'd6') && !served(catalogue, 'a', 'd0'));
  assert.equal(log.length, 1);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('watchers make room for the dataset that is used, and give up the one that was used least lately', async (t) => {
  const folder = makeFollowedFolder(t);
  for (const slug of ['d', 'e', 'f', 'g']) folder.dataset(`namespaces/a/datasets/${slug}`, 'First');
  let fullCount = 0;
  const changes: string[] = [];
  const watchers = new Watchers(new DiskTree(folder.root), {
    budget: 4,
    onChange: (path) => changes.push(path),
    onReady() {},
    onReplaced() {},
    onFull: () => fullCount++,
    onError: (error) => assert.fail(error),
  });
  t.after(() => watchers.close());
  const watch = (slug: string, isRecent: boolean) =>
    watchers.watch({ kind: 'dataset', namespace: 'a', slug }, undefined, isRecent);
  const watched = () => Array.from(watchers.units.keys(), (key) => key.split('/')[3]).join('');
  for (const slug of ['d', 'e', 'f']) watch(slug, false);
  assert.deepEqual([watched(), fullCount], ['de', 1]);
  watch('d', true);
  watch('f', true);
  assert.equal(watched(), 'df');
  watch('e', false);
  assert.equal(watched(), 'df');
  watch('g', true);
  assert.deepEqual([watched(), fullCount], ['fg', 1]);
  folder.write('namespaces/a/datasets/d/dataset.yaml', datasetText('Second'));
  folder.write('namespaces/a/datasets/g/dataset.yaml', datasetText('Second'));
  await until(() => changes.length > 0);
  assert.deepEqual([...new Set(changes)], ['namespaces/a/datasets/g/dataset.yaml']);
});

test('a scan looks at the folders of a dataset only if its state is another one, and at none that there is no room for', async (t) => {
  const folder = makeFollowedFolder(t);
  for (const slug of ['d', 'e']) folder.dataset(`namespaces/a/datasets/${slug}`, 'First', ['v1']);
  const looked: string[] = [];
  class CountingTree extends DiskTree {
    override identity(path: string): string | null {
      looked.push(path);
      return super.identity(path);
    }
  }
  const ignore = () => {};
  const tree = new CountingTree(folder.root);
  const events = { onChange: ignore, onReady: ignore, onReplaced: ignore, onFull: ignore, onError: ignore };
  const watchers = new Watchers(tree, { budget: 2, ...events });
  t.after(() => watchers.close());
  const unit = (slug: string) => ({ kind: 'dataset', namespace: 'a', slug }) as const;
  const states = new Map(['d', 'e'].map((slug) => [slug, readUnit(tree, unit(slug))]));
  const scan = () => {
    looked.length = 0;
    for (const [slug, state] of states) watchers.watch(unit(slug), state, false);
    return looked;
  };
  const folders = ['namespaces/a/datasets/d', 'namespaces/a/datasets/d/versions'];
  assert.deepEqual(scan().slice(0, 2), folders);
  assert.deepEqual([...watchers.units.keys()], ['namespaces/a/datasets/d/dataset']);
  assert.deepEqual(scan(), []);
  const home = folder.path('namespaces/a/datasets/d');
  cpSync(home, `${home}~`, { recursive: true });
  rmSync(home, { recursive: true });
  renameSync(`${home}~`, home);
  states.set('d', readUnit(tree, unit('d'), states.get('d')));
  assert.deepEqual(scan(), folders);
  assert.deepEqual(scan(), []);
});

test('the budget, and why a folder is polled', () => {
  const inMemory = folderLimitOfMemory();
  assert.ok(watchBudget() > 0 && watchBudget() <= inMemory);
  const error = (code: string) => Object.assign(new Error('it says no'), { code });
  assert.match(pollingReason(900_000, 60_000, error('ENOSPC')), /max_user_watches=2097152/);
  assert.match(pollingReason(1e9, inMemory), /more folders \(1000000000\) than can be watched in this memory \(\d+\)/);
  assert.match(pollingReason(10, 1000, error('EMFILE')), /max_user_instances/);
  assert.match(pollingReason(10, 1000, error('EIO')), /it says no/);
});

for (const [limit, value, says] of [
  [
    'max_inotify_watches',
    8,
    /other programs use the rest.*raise the limit with "sysctl fs\.inotify\.max_user_watches=/,
  ],
  ['max_inotify_instances', 0, /EMFILE/],
] as const)
  test(`a system that stops at too low a ${limit}`, async (t) => {
    const run = promisify(execFile);
    // A user namespace has limits of its own.
    const lowered = [
      '--user',
      '--map-root-user',
      'sh',
      '-c',
      `echo ${value} > /proc/sys/user/${limit} && exec "$@"`,
      'sh',
    ];
    if (!(await run('unshare', [...lowered, 'true']).then(Boolean, () => false))) {
      t.skip('limits can not be lowered here');
      return;
    }
    const folder = makeFollowedFolder(t);
    for (let i = 0; i < 20; i++) folder.dataset(`namespaces/a/datasets/d${i}`, 'First');
    const module = new URL('../../../src/files/file-catalogue.ts', import.meta.url).href;
    const program = `
      import { writeFileSync } from 'node:fs';
      const [, root] = process.argv;
      const { openFileCatalogue } = await import(${JSON.stringify(module)});
      const catalogue = await openFileCatalogue(root, { watch: true, log: console.log });
      while (catalogue.following === 'starting') await new Promise((done) => setTimeout(done, 5));
      writeFileSync(root + '/namespaces/a/datasets/d7/dataset.yaml', 'label: Second\\n');
      const label = () => catalogue.snapshot.folders.get('a').datasets.get('d7').label;
      while (label() !== 'Second') await new Promise((done) => setTimeout(done, 5));
      console.log(catalogue.following);
      await catalogue.close();
    `;
    const node = [process.execPath, ...compilerFor(module), '--input-type=module', '-e', program, folder.root];
    const { stdout } = await run('unshare', [...lowered, ...node], { timeout: 30_000 });
    const lines = stdout.trim().split('\n');
    assert.equal(lines.length, 2, stdout);
    assert.match(lines[0] ?? '', says);
    assert.equal(lines[1], 'polling');
  });
