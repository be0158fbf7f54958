/** Worker threads read the same as the main thread, whatever they find and however they end. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { computeChecksum } from '../../../src/disk/checksum.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { readUnitStateCache } from '../../../src/files/reading/cache.ts';
import { FirstReading } from '../../../src/files/reading/first-reading.ts';
import { UnitReaders } from '../../../src/files/reading/unit-readers.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { type CatalogueFolder, datasetText, versionText } from '../../support/folder.ts';
import { freshlyRead, makeFollowedFolder } from '../../support/followed.ts';

const count = 1100;
const home = (i: number) => `namespaces/a/datasets/d${i}`;

/** A folder with enough datasets for threads, and some that are broken. */
async function largeFolder(t: TestContext): Promise<CatalogueFolder> {
  const folder = makeFollowedFolder(t);
  for (let i = 0; i < count; i++) folder.dataset(home(i), `Label ${i}`, i % 100 === 0 ? ['v1', 'v2'] : []);
  folder.write(`${home(1)}/dataset.yaml`, '[');
  folder.write(`${home(2)}/dataset.yaml`, 'label: 3\nvisibility: private\n');
  folder.write(`${home(3)}/versions/v9.yaml`, 'file: {name: gone.csv}\n');
  folder.write('users/u.yaml', 'name: U\ngroups: [g]\n');
  folder.write('groups/g.yaml', 'label: G\n');
  folder.write('namespaces/b/datasets/d/dataset.yaml', 'label: A namespace without a file\n');
  folder.write('stray.yaml', 'a: 1\n');
  // Out of the clock's tick, so that stamps are believed.
  await new Promise((done) => setTimeout(done, 30));
  return folder;
}

/** Reads a folder in threads, and then what they left. @returns the store, and the units that were left */
async function readInThreads(folder: CatalogueFolder, startReaders?: () => UnitReaders, useCache = false) {
  const store = new UnitStore(folder.root);
  const reading = new FirstReading(store.tree, undefined, startReaders);
  try {
    if (useCache) store.restore(await readUnitStateCache(folder.root, (states) => reading.compare(states)));
    await reading.finish(store);
  } finally {
    await reading.close();
  }
  const readCount = store.states.size;
  for (const _ of store.rescan([{ folder: '' }]));
  return { store, readCount };
}

test('threads read what the main thread reads, and a cache that they compare is as good as the files', async (t) => {
  const folder = await largeFolder(t);
  const fresh = await freshlyRead(folder);
  const { store, readCount } = await readInThreads(folder);
  assert.ok(readCount > count - 10, `${readCount} were read by threads`);
  assert.deepEqual(store.snapshot, fresh);

  const once = await openFileCatalogue(folder.root);
  await Promise.all([once.load(), once.load()]);
  assert.deepEqual(once.snapshot, fresh);
  await once.close();

  const catalogue = await openFileCatalogue(folder.root, { watch: true });
  assert.deepEqual(catalogue.snapshot, fresh);
  await catalogue.close();
  const cached = await readInThreads(folder, undefined, true);
  assert.equal(cached.store.changeCount, 0, 'nothing is read again');
  assert.deepEqual(cached.store.snapshot, fresh);

  folder.write(`${home(5)}/dataset.yaml`, datasetText('Changed'));
  folder.write(`${home(6)}/dataset.yaml`, '[');
  folder.write(`${home(1)}/dataset.yaml`, datasetText('Fixed'));
  folder.write(`${home(7)}/versions/v3.yaml`, versionText('New'));
  rmSync(folder.path(home(8)), { recursive: true });
  folder.dataset('namespaces/a/datasets/new', 'New');
  const changed = await readInThreads(folder, undefined, true);
  assert.equal(changed.store.snapshot.folders.get('a')?.datasets.get('d6')?.label, 'Label 6', 'the last valid state');
  folder.write(`${home(6)}/dataset.yaml`, datasetText('Label 6'));
  for (const _ of changed.store.rescan([{ folder: '' }]));
  assert.deepEqual(changed.store.snapshot, await freshlyRead(folder));
});

test('a manifest with texts has those that threads and the main thread have read', async (t) => {
  const folder = await largeFolder(t);
  const catalogue = await openFileCatalogue(folder.root);
  const read = t.mock.method(catalogue.store.tree, 'read');
  const manifest = await catalogue.for().replica.manifest({ texts: true });
  let records = 0;
  for await (const { path, checksum, text } of manifest?.entries ?? []) {
    if (checksum === '') {
      assert.deepEqual(
        [path, text],
        ['namespaces/b/namespace.yaml', undefined],
        'a missing record with others below it',
      );
      continue;
    }
    assert.equal(text, readFileSync(folder.path(path), 'utf8'), path);
    assert.equal(checksum, computeChecksum(text), path);
    records++;
  }
  assert.ok(records > count);
  const paths = read.mock.calls.map(({ arguments: [path] }) => path);
  assert.ok(paths.length < records, 'threads have read some');
  const twice = paths.filter((path, i) => paths.indexOf(path) < i);
  assert.ok(twice.length < 10, `only broken records are read again: ${twice.join()}`);
  await catalogue.close();
});

test('a file that changes after a thread read it is read by the next rescan', async (t) => {
  const folder = await largeFolder(t);
  const { store } = await readInThreads(folder);
  folder.write(`${home(5)}/dataset.yaml`, datasetText('Changed'));
  for (const _ of store.rescan([{ folder: '' }]));
  assert.deepEqual(store.snapshot, await freshlyRead(folder));
});

test('threads that die, or never start, leave the reading to the main thread', async (t) => {
  const folder = await largeFolder(t);
  const fresh = await freshlyRead(folder);
  const dying = () => {
    const readers = new UnitReaders(folder.root, 2);
    const { read } = readers;
    let messages = 0;
    readers.read = async (...args) => {
      const sent = await read.apply(readers, args);
      if (++messages === 2) void readers.close();
      return sent;
    };
    return readers;
  };
  assert.deepEqual((await readInThreads(folder, dying)).store.snapshot, fresh);
  const none = await readInThreads(folder, () => new UnitReaders(folder.root, 0));
  assert.equal(none.readCount, 0);
  assert.deepEqual(none.store.snapshot, fresh);
});

test('a small catalogue, and a command that reads once, start no threads', async (t) => {
  const never = () => assert.fail('a thread was started');
  const small = makeFollowedFolder(t);
  small.dataset(home(0), 'First');
  assert.deepEqual((await readInThreads(small, never)).store.snapshot, await freshlyRead(small));
});

test('a damaged cache is ignored, also when threads have compared a part of it', async (t) => {
  const folder = await largeFolder(t);
  const first = await openFileCatalogue(folder.root, { watch: true });
  await first.close();
  const cache = folder.path('.catalogue/cache/snapshot.ndjson');
  assert.ok((await readUnitStateCache(folder.root)).length > count);
  writeFileSync(cache, readFileSync(cache, 'utf8').replace('Label 900', 'Label 90x'));
  const catalogue = await openFileCatalogue(folder.root, { watch: true });
  t.after(() => catalogue.close());
  assert.equal(catalogue.snapshot.folders.get('a')?.datasets.get('d900')?.label, 'Label 900');
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});
