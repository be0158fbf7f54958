/** git changes thousands of files at once: the right snapshot comes of it, in few steps, watched and polled. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Snapshot } from '../../../src/catalogue/snapshot.ts';
import type { OpenOptions } from '../../../src/files/catalogue-files.ts';
import { type CatalogueFolder, datasetText, until } from '../../support/folder.ts';
import { countSnapshots, follow, freshlyRead, makeFollowedFolder, served } from '../../support/followed.ts';
import { repositoryAt } from '../../support/repository.ts';

const many = 2500;
const never = { scanEvery: 1e9 };
const at = (i: number) => `namespaces/a/datasets/d${i}`;

/** Two branches that differ in 5,000 files: a thousand datasets in one of them only, in either, and 500 that differ. */
function branches(t: TestContext): CatalogueFolder {
  const folder = makeFollowedFolder(t);
  const { git } = repositoryAt(folder.root, folder.root);
  folder.write('.gitignore', '.catalogue/\n');
  git('init', '-q', '-b', 'main');
  for (let i = 0; i < 1500; i++) folder.dataset(at(i), `Main ${i}`);
  git('add', '.');
  git('commit', '-q', '-m', 'main');
  git('checkout', '-q', '-b', 'other');
  for (let i = 0; i < 1000; i++) rmSync(folder.path(at(i)), { recursive: true });
  for (let i = 1000; i < many; i++) folder.dataset(at(i), `Other ${i}`);
  git('add', '.');
  git('commit', '-q', '-m', 'other');
  const changed = git('diff', '--name-only', '--no-renames', 'main', 'other').split('\n').length - 1;
  assert.equal(changed, 5000);
  return folder;
}

test('a checkout that changes 5,000 files', async (t) => {
  const folder = branches(t);
  const { git, gitAsync } = repositoryAt(folder.root, folder.root);
  // Each takes the folder from the branch on which the one before has left it.
  const ways: [string, OpenOptions, branch: string, label: string][] = [
    ['watched', never, 'main', 'Main'],
    ['polled', { watchBudget: 10 }, 'other', 'Other'],
  ];
  for (const [how, options, branch, label] of ways)
    await t.test(how, async (t) => {
      const { catalogue } = await follow(t, folder, options);
      await catalogue.refresh([{ folder: '' }]);
      const snapshots = countSnapshots(catalogue);
      await gitAsync('checkout', '-q', branch);
      let seen: Snapshot | undefined;
      await until(() => {
        const before = seen;
        seen = catalogue.snapshot;
        return seen !== before && isWhole(seen, label);
      });
      const steps = snapshots();
      assert.ok(steps < 20, `${steps} snapshots`);
      assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
      folder.write(`${at(1200)}/dataset.yaml`, datasetText('By hand'));
      await until(() => served(catalogue, 'a', 'd1200')?.label === 'By hand');
      git('checkout', '-q', '.');
    });
});

/** True if the snapshot has all datasets of one branch, and none of the other. */
function isWhole({ folders }: Snapshot, label: string): boolean {
  const datasets = [...(folders.get('a')?.datasets.values() ?? [])];
  const right = datasets.every(
    (dataset) =>
      dataset.versions.length === 1 && [dataset, ...dataset.versions].every((entity) => entity.label.startsWith(label)),
  );
  return right && datasets.length === 1500;
}

for (const [how, options] of [
  ['watched', never],
  ['polled, by git alone', { ...never, watchBudget: 10 }],
] as const)
  test(`commit, merge, pull and reset: ${how}`, async (t) => {
    const folder = makeFollowedFolder(t);
    const { git } = repositoryAt(folder.root, folder.root);
    git('init', '-q', '-b', 'main');
    for (let i = 0; i < 3; i++) folder.dataset(at(i), `Main ${i}`);
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    git('checkout', '-q', '-b', 'other');
    folder.dataset(at(3), 'Other 3');
    folder.write(`${at(1)}/dataset.yaml`, datasetText('Other 1'));
    git('add', '.');
    git('commit', '-q', '-m', 'second');
    git('checkout', '-q', 'main');
    git('clone', '-q', folder.root, folder.beside('clone'));
    const { catalogue, log } = await follow(t, folder, { ...options, cache: false });
    await catalogue.refresh([{ folder: '' }]);
    const labels = () => [...(catalogue.snapshot.folders.get('a')?.datasets.values() ?? [])].map(({ label }) => label);
    const become = (...expected: string[]) => until(() => labels().sort().join() === expected.join());

    await become('Main 0', 'Main 1', 'Main 2');
    git('merge', '-q', '--no-ff', '-m', 'merge', 'other');
    await become('Main 0', 'Main 2', 'Other 1', 'Other 3');
    git('reset', '-q', '--hard', 'HEAD~1');
    await become('Main 0', 'Main 1', 'Main 2');
    const clone = ['-C', folder.beside('clone')];
    git(...clone, 'checkout', '-q', 'main');
    git(...clone, 'rm', '-q', '-r', at(2));
    git(...clone, 'commit', '-q', '-m', 'less');
    git('pull', '-q', folder.beside('clone'), 'main');
    await become('Main 0', 'Main 1');
    assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
    if ('watchBudget' in options) assert.match(log[0] ?? '', /sysctl fs\.inotify\.max_user_watches=/);
  });

test('while git holds its lock, no state in between is served', async (t) => {
  for (const place of ['in the repository', 'in a worktree'])
    for (const [how, options] of [
      ['watched', never],
      ['polled', { watchBudget: 0 }],
    ] as const)
      await t.test(`${how}, ${place}`, async (t) => {
        const folder = makeFollowedFolder(t);
        const { git } = repositoryAt(folder.root, folder.root);
        const repository = place === 'in a worktree' ? folder.beside('repository') : join(folder.root, '.git');
        if (place === 'in a worktree') {
          mkdirSync(join(repository, 'worktrees/one'), { recursive: true });
          folder.write('.git', `gitdir: ${repository}/worktrees/one\n`);
        } else git('init', '-q', '-b', 'main');
        for (let i = 0; i < 30; i++) folder.dataset(at(i), `Before ${i}`);
        const { catalogue } = await follow(t, folder, options);
        await catalogue.refresh([{ folder: '' }]);
        const numberOfDatasets = () => catalogue.snapshot.folders.get('a')?.datasets.size ?? 0;
        assert.equal(numberOfDatasets(), 30);

        const lock = join(repository, place === 'in a worktree' ? 'worktrees/one' : '', 'index.lock');
        writeFileSync(lock, '');
        const counts = new Set<number>();
        const pause = async () => {
          await new Promise((resolve) => setTimeout(resolve, 100));
          counts.add(numberOfDatasets());
        };
        for (let i = 0; i < 30; i += 3) {
          for (const one of [i, i + 1, i + 2]) rmSync(folder.path(at(one)), { recursive: true });
          await pause();
        }
        for (let i = 100; i < 120; i += 2) {
          for (const one of [i, i + 1]) folder.dataset(at(one), `After ${one}`);
          await pause();
        }
        rmSync(lock);
        assert.deepEqual([...counts], [30]);
        await until(() => numberOfDatasets() === 20);
      });
});

test('during a rebase, what a commit has hidden stays hidden', async (t) => {
  const folder = makeFollowedFolder(t);
  const { git, gitAsync } = repositoryAt(folder.root, folder.root);
  const commit = () => {
    git('add', '.');
    git('commit', '-q', '-m', 'Change');
  };
  folder.write('.gitignore', '.catalogue/\n');
  git('init', '-q', '-b', 'main');
  folder.dataset(at(1), 'One');
  commit();
  git('checkout', '-q', '-b', 'other');
  folder.dataset(at(2), 'Of the other');
  commit();
  git('checkout', '-q', 'main');
  folder.dataset(at(3), 'Of this one');
  commit();
  folder.write(`${at(1)}/dataset.yaml`, `${datasetText('One')}visibility: private\n`);
  commit();
  const { catalogue } = await follow(t, folder, never);
  await catalogue.refresh([{ folder: '' }]);
  const seen = new Set<string | undefined>();
  const timer = setInterval(() => seen.add(served(catalogue, 'a', 'd1')?.visibility), 5);
  await gitAsync('rebase', '-q', '--exec', 'sleep 0.7', 'other');
  await until(() => served(catalogue, 'a', 'd2') !== undefined);
  clearInterval(timer);
  assert.deepEqual([...seen], ['private']);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('a lock that git left does not hold changes back', async (t) => {
  const folder = makeFollowedFolder(t);
  const { git } = repositoryAt(folder.root, folder.root);
  git('init', '-q', '-b', 'main');
  folder.dataset(at(1), 'Before');
  const { catalogue } = await follow(t, folder, never);
  await catalogue.refresh([{ folder: '' }]);
  const lock = join(folder.root, '.git/index.lock');
  writeFileSync(lock, '');
  for (const seconds of [-11, 3600]) {
    const time = new Date(Date.now() + seconds * 1000);
    utimesSync(lock, time, time);
    folder.write(`${at(1)}/dataset.yaml`, datasetText(`Beside a lock, ${seconds}`));
    await until(() => served(catalogue, 'a', 'd1')?.label === `Beside a lock, ${seconds}`);
  }
});
