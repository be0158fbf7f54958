/** Changes by hand are seen without being asked for: here the sweeps are too far off to help. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../../../src/catalogue/layout.ts';
import { localAdmin } from '../../../src/catalogue/permissions.ts';
import type { RecordChange } from '../../../src/catalogue/replica.ts';
import { AddedUnits } from '../../../src/files/reading/added-units.ts';
import { type CatalogueFolder, datasetText, until, versionText } from '../../support/folder.ts';
import { countSnapshots, follow, freshlyRead, makeFollowedFolder, served } from '../../support/followed.ts';

const never = { scanEvery: 1e9 };
const home = 'namespaces/a/datasets/d';

async function followed(t: TestContext, prepare: (folder: CatalogueFolder) => void = () => {}) {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'First');
  folder.dataset('namespaces/a/datasets/other', 'Other');
  prepare(folder);
  const { catalogue, log } = await follow(t, folder, never);
  // The sweep that follows the setting up is no part of what is tested.
  await catalogue.refresh([{ folder: '' }]);
  const label = () => served(catalogue, 'a', 'd')?.label;
  return { folder, catalogue, log, label };
}

test('an edit in place', async (t) => {
  const { folder, catalogue, label } = await followed(t);
  const other = served(catalogue, 'a', 'other');
  folder.write(`${home}/dataset.yaml`, datasetText('Second'));
  await until(() => label() === 'Second');
  folder.write(`${home}/versions/v1.yaml`, versionText('Second'));
  await until(() => served(catalogue, 'a', 'd')?.versions[0]?.label === 'Second');
  folder.namespace('a', 'Changed');
  await until(() => catalogue.snapshot.folders.get('a')?.namespace?.label === 'Changed');
  folder.write('catalogue.yaml', 'title: Changed\n');
  await until(() => catalogue.snapshot.settings.title === 'Changed');
  assert.equal(served(catalogue, 'a', 'other'), other, 'what did not change is the same object');
});

test('a save by rename, with a temporary file in the same folder', async (t) => {
  const { folder, label } = await followed(t);
  for (const temporary of [`${home}/.dataset.yaml.tmp`, `${home}/dataset.yaml.new`]) {
    folder.write(temporary, datasetText(temporary));
    renameSync(folder.path(temporary), folder.path(`${home}/dataset.yaml`));
    await until(() => label() === temporary);
  }
});

test('a save as vim does it: the old file becomes a backup, a new one is written, the backup goes', async (t) => {
  const { folder, label } = await followed(t);
  const record = folder.path(`${home}/dataset.yaml`);
  let seen = new Set<string | undefined>();
  const watching = setInterval(() => seen.add(label()), 1);
  t.after(() => clearInterval(watching));
  // On a busy machine a save can take longer than `writeTime`, and the record then counts as removed. Without `writeTime`
  // it would be away in each round.
  for (let i = 0, good = 0; good < 5; i++) {
    assert.ok(i < 20, 'it was away during most of 20 saves');
    seen = new Set();
    writeFileSync(folder.path(`${home}/4913`), '');
    unlinkSync(folder.path(`${home}/4913`));
    renameSync(record, `${record}~`);
    // Longer than quiet lasts: a slow disk.
    await new Promise((done) => setTimeout(done, 70));
    writeFileSync(record, datasetText(`Save ${i}`));
    unlinkSync(`${record}~`);
    await until(() => label() === `Save ${i}`);
    if (!seen.has(undefined)) good++;
  }
});

test('60 quick atomic saves in a row: the last one wins', async (t) => {
  const { folder, label } = await followed(t);
  for (let i = 1; i <= 60; i++) {
    writeFileSync(folder.beside('new'), datasetText(`Save ${i}`));
    renameSync(folder.beside('new'), folder.path(`${home}/dataset.yaml`));
    await new Promise((done) => setTimeout(done, i % 7));
  }
  await until(() => label() === 'Save 60');
});

test('a file that is half written takes nothing down', async (t) => {
  const { folder, catalogue, log, label } = await followed(t);
  writeFileSync(folder.path(`${home}/dataset.yaml`), '');
  await until(() => log.some((line) => line.startsWith(`${home}/dataset.yaml:1:`)));
  assert.equal(label(), 'First');
  appendFileSync(folder.path(`${home}/dataset.yaml`), 'label: "Sec');
  await until(() => log.filter((line) => line.startsWith(`${home}/dataset`)).length > 1);
  assert.equal(label(), 'First');
  appendFileSync(folder.path(`${home}/dataset.yaml`), 'ond"\n');
  await until(() => label() === 'Second');
  assert.equal(catalogue.snapshot.diagnostics.size, 0);
  assert.equal(log.at(-1), `${home}/dataset.yaml: fixed.`);
});

test('a link that leaves the folder, beside a record, stops neither the start nor changes of other records', async (t) => {
  const { folder, catalogue, label } = await followed(t, (before) =>
    symlinkSync('/etc/hostname', before.path(`${home}/dataset.json`)),
  );
  assert.equal(label(), 'First');
  assert.match([...catalogue.snapshot.diagnostics.keys()].join(), /dataset\.json/);
  folder.write(`${home}/dataset.yaml`, datasetText('Second'));
  folder.write('namespaces/a/datasets/other/dataset.yaml', datasetText('Changed'));
  await until(() => label() === 'Second' && served(catalogue, 'a', 'other')?.label === 'Changed');
  await catalogue.refresh([{ folder: '' }]);
  symlinkSync('/etc/hostname', folder.path('namespaces/a/namespace.json'));
  folder.write(`${home}/dataset.yaml`, datasetText('Third'));
  await until(() => label() === 'Third');
});

test('what says nothing new makes no new snapshot', async (t) => {
  const { folder, catalogue, label } = await followed(t);
  const before = catalogue.snapshot;
  folder.write(`${home}/dataset.yaml`, datasetText('First'));
  folder.write(`${home}/.dataset.yaml.swp`, 'x');
  folder.write(`${home}/versions/notes.txt`, 'x');
  folder.write(`.catalogue/anything`, 'x');
  folder.write(`namespaces/a/datasets/other/dataset.yaml`, datasetText('Last'));
  await until(() => served(catalogue, 'a', 'other')?.label === 'Last');
  assert.equal(catalogue.snapshot.folders.get('a')?.datasets.get('d'), before.folders.get('a')?.datasets.get('d'));
  assert.equal(label(), 'First');
});

test('new datasets, versions, namespaces and lone records, and their end', async (t) => {
  const { folder, catalogue } = await followed(t);
  folder.write(`${home}/versions/v2.yaml`, versionText('Two'));
  await until(() => served(catalogue, 'a', 'd')?.versions.length === 2);
  folder.write('namespaces/a/datasets/bare/dataset.yaml', datasetText('Bare'));
  await until(() => served(catalogue, 'a', 'bare')?.label === 'Bare');
  folder.write('namespaces/a/datasets/bare/versions/v1.yaml', versionText('One'));
  await until(() => served(catalogue, 'a', 'bare')?.versions.length === 1);
  folder.namespace('b');
  for (let i = 0; i < 20; i++) folder.dataset(`namespaces/b/datasets/d${i}`, `D ${i}`);
  await until(() => catalogue.snapshot.folders.get('b')?.datasets.size === 20);
  folder.write('queries/q.yaml', 'label: Q\ndataset: a/d\n');
  await until(() => catalogue.snapshot.queries.has('q'));
  folder.write('queries/q.yaml', 'label: R\ndataset: a/d\n');
  await until(() => catalogue.snapshot.queries.get('q')?.label === 'R');
  rmSync(folder.path('queries'), { recursive: true });
  rmSync(folder.path('namespaces/b'), { recursive: true });
  rmSync(folder.path(`${home}/versions/v2.yaml`));
  rmSync(folder.path('namespaces/a/datasets/bare/dataset.yaml'));
  await until(() => {
    const { folders, queries } = catalogue.snapshot;
    const gone = !folders.has('b') && !queries.size;
    return gone && served(catalogue, 'a', 'd')?.versions.length === 1;
  });
  // A record that is missing while its versions are there is broken.
  await until(() => catalogue.snapshot.diagnostics.has('namespaces/a/datasets/bare'));
  assert.equal(served(catalogue, 'a', 'bare')?.versions.length, 1);
  rmSync(folder.path('namespaces/a/datasets/bare'), { recursive: true });
  await until(() => catalogue.snapshot.diagnostics.size === 0);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('a folder that is deleted and made again at once, and is followed after that', async (t) => {
  const { folder, catalogue, label } = await followed(t);
  for (const [i, path] of [home, home, 'namespaces/a/datasets', 'namespaces/a', 'namespaces'].entries()) {
    rmSync(folder.path(path), { recursive: true });
    folder.namespace('a');
    folder.dataset(home, `Again ${i}`);
    await until(() => label() === `Again ${i}`);
    folder.write(`${home}/dataset.yaml`, datasetText(`Edited ${i}`));
    await until(() => label() === `Edited ${i}`);
    folder.write(`${home}/versions/v${i}.yaml`, versionText(`Edited ${i}`));
    const has = () => served(catalogue, 'a', 'd')?.versions.some(({ slug }) => slug === `v${i}`) ?? false;
    await until(has);
  }
  await until(() => catalogue.snapshot.diagnostics.size === 0);
});

test('folders that change places', async (t) => {
  const { folder, catalogue } = await followed(t);
  const datasets = folder.path('namespaces/a/datasets');
  renameSync(`${datasets}/d`, `${datasets}/x`);
  renameSync(`${datasets}/other`, `${datasets}/d`);
  renameSync(`${datasets}/x`, `${datasets}/other`);
  const swapped = () =>
    served(catalogue, 'a', 'd')?.label === 'Other' && served(catalogue, 'a', 'other')?.label === 'First';
  await until(swapped);
  folder.write(`${home}/dataset.yaml`, datasetText('Third'));
  await until(() => served(catalogue, 'a', 'd')?.label === 'Third');
  folder.write('namespaces/a/datasets/other/dataset.yaml', datasetText('Fourth'));
  await until(() => served(catalogue, 'a', 'other')?.label === 'Fourth');
});

test('a payload that is missing is waited for, and payloads are not watched otherwise', async (t) => {
  const { folder, catalogue } = await followed(t, (prepared) => {
    mkdirSync(prepared.path(`${home}/data`), { recursive: true });
    prepared.write(`${home}/versions/v1.yaml`, 'label: One\nfile:\n  name: v1.csv\n  size: 8\n');
  });
  const version = () => served(catalogue, 'a', 'd')?.versions[0];
  assert.equal(version()?.ready, false);
  folder.write(`${home}/data/v1.csv`, 'a\n');
  await until(() =>
    [...catalogue.snapshot.diagnostics.values()].some(([problem]) => problem?.message.includes('has 2 bytes')),
  );
  appendFileSync(folder.path(`${home}/data/v1.csv`), '1\n2\n3\n');
  await until(() => version()?.ready === true);
  assert.equal(catalogue.snapshot.diagnostics.size, 0);
});

test('a root that is moved away stays served, and is read again when it is back', async (t) => {
  const { folder, catalogue, log, label } = await followed(t);
  renameSync(folder.root, folder.beside('away'));
  await until(() => catalogue.following === 'lost');
  assert.equal(label(), 'First');
  mkdirSync(folder.root);
  await catalogue.refresh([{ folder: '' }]);
  assert.equal(label(), 'First', 'an empty folder is no catalogue from which all was deleted');
  rmSync(folder.root, { recursive: true, maxRetries: 10 });
  writeFileSync(folder.beside('away/namespaces/a/datasets/d/dataset.yaml'), datasetText('Back'));
  rmSync(folder.beside('away/namespaces/a/datasets/other'), { recursive: true });
  renameSync(folder.beside('away'), folder.root);
  await until(() => label() === 'Back' && !served(catalogue, 'a', 'other'));
  await until(() => catalogue.following === 'watching');
  folder.write(`${home}/dataset.yaml`, datasetText('Followed'));
  await until(() => label() === 'Followed');
  assert.equal(log.filter((line) => line.includes('is gone')).length, 1);
  assert.equal(log.filter((line) => line.includes('is back:')).length, 1);
});

test('a root that is deleted and made again', async (t) => {
  const { folder, catalogue, label } = await followed(t);
  for (const i of [1, 2]) {
    // The catalogue may write into its own folder while this is removed.
    await until(() => {
      rmSync(folder.root, { recursive: true, force: true });
      return true;
    });
    folder.write('catalogue.yaml', `title: Again ${i}\n`);
    folder.namespace('a');
    folder.dataset(home, `Again ${i}`);
    await until(() => label() === `Again ${i}` && catalogue.snapshot.folders.get('a')?.datasets.size === 1);
    await until(() => catalogue.following === 'watching');
    folder.write(`${home}/dataset.yaml`, datasetText(`Followed ${i}`));
    await until(() => label() === `Followed ${i}`);
  }
});

test('links that leave the folder are refused, and said to be wrong', async (t) => {
  const { folder, catalogue } = await followed(t);
  mkdirSync(folder.beside('elsewhere/datasets/d'), { recursive: true });
  writeFileSync(folder.beside('elsewhere/namespace.yaml'), 'label: Elsewhere\nvisibility: public\n');
  writeFileSync(folder.beside('elsewhere/datasets/d/dataset.yaml'), datasetText('Elsewhere'));
  symlinkSync(folder.beside('elsewhere/datasets/d'), folder.path('namespaces/a/datasets/link'));
  symlinkSync(folder.beside('elsewhere'), folder.path('namespaces/link'));
  const wrong = (path: string) =>
    catalogue.snapshot.diagnostics.get(path)?.[0]?.message.includes('leaves the catalogue folder');
  await until(() => Boolean(wrong('namespaces/a/datasets/link') && wrong('namespaces/link')));
  rmSync(folder.path('namespaces/a'), { recursive: true });
  symlinkSync(folder.beside('elsewhere'), folder.path('namespaces/a'));
  await until(() => Boolean(wrong('namespaces/a')));
  await catalogue.refresh([{ kind: 'dataset', namespace: 'a', slug: 'd' }]);
  // What they lead to isn't read.
  assert.equal(JSON.stringify([...catalogue.snapshot.folders.values()]).includes('Elsewhere'), false);
  rmSync(folder.path('namespaces/a'));
  await until(() => !catalogue.snapshot.folders.has('a'));
  folder.namespace('a');
  folder.dataset(home, 'Own');
  await until(() => served(catalogue, 'a', 'd')?.label === 'Own');
  symlinkSync('d', folder.path('namespaces/a/datasets/alias'));
  await until(() => served(catalogue, 'a', 'alias')?.label === 'Own');
});

test('200 broken files among many: everything else is served, and snapshots stay few', async (t) => {
  const { folder, catalogue } = await followed(t);
  const snapshots = countSnapshots(catalogue);
  for (let i = 0; i < 1000; i++) folder.dataset(`namespaces/a/datasets/m${i}`, i % 5 ? `M ${i}` : '[');
  await until(() => {
    const { folders, diagnostics: problems } = catalogue.snapshot;
    return folders.get('a')?.datasets.size === 802 && problems.size === 400;
  });
  assert.ok(snapshots() < 20);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('datasets that are added together are watched once no more come; what is changed by hand before is found then', async (t) => {
  const { folder, catalogue, log } = await followed(t);
  const homeOf = (i: number) => `namespaces/a/datasets/n${i}`;
  const addition = (i: number): RecordChange => {
    const text = `id: ${1000 + i}\n${datasetText('Added')}`;
    return { do: 'write', path: `${homeOf(i)}/dataset.yaml`, text, ifMatch: null };
  };
  const { replica } = catalogue.for(localAdmin);
  // None is taken before the test has made its changes: on a slow machine, a second may pass without another addition.
  const taking = t.mock.method(catalogue.store.added, 'take', () => []);
  const outcomes = await replica.apply(Array.from({ length: 300 }, (_, i) => addition(i)));
  assert.ok(outcomes.every(({ done }) => done));
  assert.equal(served(catalogue, 'a', 'n299')?.label, 'Added');
  assert.equal(catalogue.store.added.size, 300);
  folder.write(`${homeOf(7)}/dataset.yaml`, `id: 1007\n${datasetText('Changed at once')}`);
  rmSync(folder.path(homeOf(8)), { recursive: true });
  taking.mock.restore();
  await until(() => served(catalogue, 'a', 'n7')?.label === 'Changed at once' && !served(catalogue, 'a', 'n8'));
  assert.equal(catalogue.store.added.size, 0);
  folder.write(`${homeOf(9)}/dataset.yaml`, `id: 1009\n${datasetText('Changed later')}`);
  await until(() => served(catalogue, 'a', 'n9')?.label === 'Changed later');
  assert.deepEqual(await freshlyRead(folder), catalogue.snapshot);
  assert.deepEqual(log, []);
});

test('datasets that are added without end are compared with their files after some seconds', async () => {
  const added = new AddedUnits();
  const unitOf = (slug: string) => ({ kind: 'dataset', namespace: 'a', slug }) as const;
  added.add(unitOf('before'));
  assert.equal(added.size, 0, 'nobody would take it');
  added.isFollowed = true;
  added.add(unitOf('first'));
  const start = performance.now();
  let taken: readonly Scope[] = [];
  for (let i = 0; taken.length === 0; i++) {
    await sleep(5);
    added.add(unitOf(`later${i}`));
    taken = added.take({ quiet: 1000, longest: 100 });
  }
  assert.ok(performance.now() - start >= 100);
  assert.deepEqual(taken[0], unitOf('first'));
  assert.equal(added.size, 0);
  assert.deepEqual(added.take({ quiet: 0, longest: 0 }), []);
});

test('the folder of a namespace that gets datasets with many others is rescanned with them', async () => {
  const added = new AddedUnits();
  added.isFollowed = true;
  const unit = { kind: 'dataset', namespace: 'a', slug: 'b' } as const;
  added.add(unit);
  const folder = 'namespaces/a/datasets/';
  const later = [unit, { folder }, { folder: 'namespaces/a/' }, { folder: 'namespaces/b/' }, { folder: '' }];
  assert.deepEqual(
    later.map((scope) => added.leaveForLater(scope)),
    [true, true, true, false, false],
  );
  assert.deepEqual(added.take({ quiet: 0, longest: 0 }), [unit, { folder: 'namespaces/a/' }, { folder }]);
  assert.equal(added.leaveForLater({ folder }), false);
  added.add(unit);
  assert.deepEqual(added.take({ quiet: 0, longest: 0 }), [unit], 'no change of the folder was left');
});

test('a dataset that is written by hand while its namespace gets many others is found', async (t) => {
  const { folder, catalogue } = await followed(t);
  const addition = (i: number): RecordChange => {
    const path = i < 0 ? 'namespaces/new/namespace.yaml' : `namespaces/new/datasets/n${i}/dataset.yaml`;
    return {
      do: 'write',
      path,
      text: `id: ${1000 + i}\n${i < 0 ? 'label: New\n' : datasetText('Added')}`,
      ifMatch: null,
    };
  };
  const { replica } = catalogue.for(localAdmin);
  for (const changes of [[-1], Array.from({ length: 300 }, (_, i) => i)])
    assert.ok((await replica.apply(changes.map(addition))).every(({ done }) => done));
  folder.dataset('namespaces/new/datasets/by-hand', 'By hand');
  assert.equal(served(catalogue, 'new', 'n299')?.label, 'Added');
  await until(() => served(catalogue, 'new', 'by-hand')?.label === 'By hand');
  assert.deepEqual(await freshlyRead(folder), catalogue.snapshot);
});
