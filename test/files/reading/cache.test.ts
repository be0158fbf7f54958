/** The cache makes the next start faster and never says anything that the files don't. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type TestContext, test } from 'node:test';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { readUnitStateCache } from '../../../src/files/reading/cache.ts';
import { UnitStore } from '../../../src/files/reading/unit-store.ts';
import { isSameStamp } from '../../../src/files/tree/stamps.ts';
import { type CatalogueFolder, datasetText, until, versionText } from '../../support/folder.ts';
import { follow, freshlyRead, makeFollowedFolder, served } from '../../support/followed.ts';

const cache = '.catalogue/cache/snapshot.ndjson';
const home = 'namespaces/a/datasets/d';

/** A folder that was followed once, and left a cache. */
async function cached(t: TestContext): Promise<CatalogueFolder> {
  const folder = makeFollowedFolder(t);
  for (const slug of ['d', 'e', 'f']) folder.dataset(`namespaces/a/datasets/${slug}`, slug, ['v1', 'v2']);
  folder.write('namespaces/a/datasets/broken/dataset.yaml', '[');
  folder.write('users/u.yaml', 'name: U\ngroups: [g]\n');
  folder.write('groups/g.yaml', 'label: G\n');
  folder.write('queries/q.yaml', 'label: Q\ndataset: a/d\nparameters: { name: oak }\n');
  // Out of the clock's tick, so that stamps are believed.
  await new Promise((done) => setTimeout(done, 30));
  const catalogue = await openFileCatalogue(folder.root, { watch: true });
  await catalogue.close();
  assert.ok(existsSync(folder.path(cache)));
  return folder;
}

async function readWithCache(folder: CatalogueFolder) {
  const catalogue = await openFileCatalogue(folder.root, { cache: true, readOnly: true });
  await catalogue.load();
  return catalogue;
}

test('what is cached is not read again, and says the same', async (t) => {
  const folder = await cached(t);
  const catalogue = await readWithCache(folder);
  assert.equal(catalogue.store.changeCount, 0);
  const fresh = await freshlyRead(folder);
  assert.deepEqual(catalogue.snapshot, fresh);
  assert.equal(fresh.diagnostics.size, 1);
  assert.equal(catalogue.snapshot.groups.get('g')?.members.join(), 'u');
});

test('columns of many datasets, more than are kept from batch to batch', async (t) => {
  const folder = makeFollowedFolder(t);
  // Three batches of 100: the second has columns of the first; the third begins anew.
  const columns = Array.from({ length: 60 }, (_, n) => `  - name: c${n}\n    type: string\n    description: `);
  const textOf = (i: number) => columns.map((column, n) => `${column}${n % 20 ? `Of ${i}` : 'Of all'}\n`).join('');
  for (let i = 0; i < 230; i++)
    folder.write(`namespaces/a/datasets/d${i}/dataset.yaml`, `id: ${i + 1}\nlabel: D\ncolumns:\n${textOf(i)}`);
  await new Promise((done) => setTimeout(done, 30));
  await (await openFileCatalogue(folder.root, { watch: true })).close();
  const catalogue = await readWithCache(folder);
  assert.equal(catalogue.store.changeCount, 0);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('what changed, vanished or appeared meanwhile', async (t) => {
  const folder = await cached(t);
  folder.write(`${home}/dataset.yaml`, datasetText('Changed'));
  rmSync(folder.path('namespaces/a/datasets/e'), { recursive: true });
  rmSync(folder.path(`${home}/versions/v1.yaml`));
  folder.write('namespaces/a/datasets/f/versions/v3.yaml', versionText('New'));
  folder.dataset('namespaces/a/datasets/g', 'New');
  folder.write('namespaces/a/datasets/broken/dataset.yaml', datasetText('Mended'));
  rmSync(folder.path('users/u.yaml'));
  const { snapshot } = await readWithCache(folder);
  assert.deepEqual(snapshot, await freshlyRead(folder));
  assert.equal(snapshot.folders.get('a')?.datasets.get('d')?.label, 'Changed');
  assert.equal(snapshot.groups.get('g')?.members.length, 0);
});

test('what was missing and appeared: a folder of payloads, and the target of a link', async (t) => {
  const folder = makeFollowedFolder(t);
  const version = (name: string) => `label: V\nfile: {name: ${name}}\n`;
  for (const slug of ['d', 'e']) {
    folder.dataset(`namespaces/a/datasets/${slug}`, slug);
    folder.write(`namespaces/a/datasets/${slug}/versions/v1.yaml`, version('x.csv'));
  }
  mkdirSync(folder.path('namespaces/a/datasets/e/files'));
  symlinkSync('files/later', folder.path('namespaces/a/datasets/e/data'));
  await new Promise((done) => setTimeout(done, 30));
  await (await openFileCatalogue(folder.root, { watch: true })).close();
  const before = await readWithCache(folder);
  assert.equal(before.store.changeCount, 0);
  assert.equal(before.snapshot.diagnostics.size, 2);

  folder.write(`${home}/data/x.csv`, 'a\n1\n');
  const first = await readWithCache(folder);
  assert.deepEqual(first.snapshot, await freshlyRead(folder));
  assert.equal(served(first, 'a', 'd')?.versions[0]?.ready, true);

  await (await openFileCatalogue(folder.root, { watch: true })).close();
  const link = folder.path('namespaces/a/datasets/e');
  const { ctimeMs } = statSync(link);
  folder.write('namespaces/a/datasets/e/files/later/x.csv', 'a\n1\n');
  assert.equal(statSync(link).ctimeMs, ctimeMs, 'its folder does not change');
  const second = await readWithCache(folder);
  assert.deepEqual(second.snapshot, await freshlyRead(folder));
  assert.equal(served(second, 'a', 'e')?.versions[0]?.ready, true);
});

test('texts in any script, and records larger than what is read at once', async (t) => {
  const folder = makeFollowedFolder(t);
  const label = 'é ÿ Ā 樹木 \u2028 🌳 \\u00e9';
  folder.dataset(home, label);
  for (let i = 0; i < 12; i++)
    folder.write(
      `namespaces/a/datasets/large${i}/dataset.yaml`,
      `label: Ä ${i}\ndescription: ${'ö'.repeat(300_000)}\n`,
    );
  await new Promise((done) => setTimeout(done, 30));
  await (await openFileCatalogue(folder.root, { watch: true })).close();
  const catalogue = await readWithCache(folder);
  assert.equal(catalogue.store.changeCount, 0);
  assert.equal(served(catalogue, 'a', 'd')?.label, label);
  assert.deepEqual(catalogue.snapshot, await freshlyRead(folder));
});

test('a change that keeps size and times, and one that keeps all but the inode', async (t) => {
  const folder = await cached(t);
  const path = folder.path(`${home}/dataset.yaml`);
  const { atimeMs, mtimeMs, size } = statSync(path);
  const setBack = (file: string) => utimesSync(file, atimeMs / 1000, mtimeMs / 1000);
  writeFileSync(path, datasetText('x'));
  setBack(path);
  assert.equal(statSync(path).size, size);
  assert.equal(served(await readWithCache(folder), 'a', 'd')?.label, 'x');

  const other = folder.path('namespaces/a/datasets/e/dataset.yaml');
  writeFileSync(folder.beside('new'), datasetText('y'));
  setBack(folder.beside('new'));
  renameSync(folder.beside('new'), other);
  assert.equal(served(await readWithCache(folder), 'a', 'e')?.label, 'y');
});

test('stamps: any difference counts, and what is too fresh equals nothing, not even itself', (t) => {
  const stamp = { ino: 1, size: 2, mtime: 3, ctime: 4 };
  assert.ok(isSameStamp(stamp, { ...stamp }));
  for (const key of ['ino', 'size', 'mtime', 'ctime'] as const)
    assert.ok(!isSameStamp(stamp, { ...stamp, [key]: 9 }), key);
  assert.ok(!isSameStamp({ ...stamp, mtime: -1 }, { ...stamp, mtime: -1 }));
  assert.ok(isSameStamp(null, null) && !isSameStamp(null, stamp) && !isSameStamp(stamp, null));
  const folder = makeFollowedFolder(t);
  const { tree: look } = new UnitStore(folder.root);
  folder.write('x', '1');
  assert.ok(!isSameStamp(look.stamp('x'), look.stamp('x')), 'just written');
  const now = Math.floor(Date.now() / 1000);
  utimesSync(folder.path('x'), now + 1, now + 1);
  assert.equal(look.stamp('x')?.mtime, -1, 'whole seconds may be those of a slow clock');
});

test('two writes of the same size within the clock tick', async (t) => {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'a');
  const store = new UnitStore(folder.root);
  const unit = { kind: 'dataset', namespace: 'a', slug: 'd' } as const;
  for (let i = 0; i < 300; i++) {
    const label = String.fromCharCode(97 + (i % 26));
    writeFileSync(folder.path(`${home}/dataset.yaml`), datasetText(label));
    for (const _ of store.rescan([unit]));
    assert.equal(store.snapshot.folders.get('a')?.datasets.get('d')?.label, label);
  }
});

test('a cache that is damaged, cut off or of another version is ignored as a whole', async (t) => {
  const folder = await cached(t);
  const path = folder.path(cache);
  const whole = readFileSync(path);
  assert.ok((await readUnitStateCache(folder.root)).length > 5);
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  const damages = new Map<string, Buffer | string>([
    ['empty', ''],
    ['cut in the middle', whole.subarray(0, whole.length / 2)],
    ['cut by its last line', whole.subarray(0, whole.lastIndexOf(10, -2) + 1)],
    ['without its last byte', whole.subarray(0, -1)],
    ['another version', whole.toString().replace('"version":', '"version":9')],
    ['another file', 'not a cache\n'.repeat(100)],
    ['a line twice', whole.toString().replace(/(\n.*)/, '$1$1')],
    ['a line less', whole.toString().replace(/\n.*/, '')],
    ['labels changed', whole.toString().replaceAll('"label":"d"', '"label":"q"')],
  ]);
  for (let at = 0; at < whole.length; at += 97) damages.set(`byte ${at} flipped`, flipped(at));
  for (const [what, bytes] of damages) {
    writeFileSync(path, bytes);
    assert.equal((await readUnitStateCache(folder.root)).length, 0, what);
  }
  assert.deepEqual((await readWithCache(folder)).snapshot, await freshlyRead(folder));
  rmSync(path);
  assert.deepEqual(await readUnitStateCache(folder.root), []);
});

test('it is saved after the first reading and at the end, where something changed', async (t) => {
  const folder = await cached(t);
  const saved = () => statSync(folder.path(cache)).ino;
  const first = saved();
  const { catalogue } = await follow(t, folder);
  await catalogue.close();
  assert.equal(saved(), first, 'nothing changed');
  const again = await follow(t, folder);
  folder.write(`${home}/dataset.yaml`, datasetText('Changed'));
  await until(() => served(again.catalogue, 'a', 'd')?.label === 'Changed');
  await again.catalogue.close();
  assert.notEqual(saved(), first);
  const states = await readUnitStateCache(folder.root);
  assert.ok(states.some(({ reading: { entity } }) => entity && 'label' in entity && entity.label === 'Changed'));
  assert.deepEqual(readdirSync(folder.path('.catalogue/cache')), ['snapshot.ndjson'], 'nothing is left beside it');
});

test('read-only: the cache is used but not written', async (t) => {
  const folder = await cached(t);
  appendFileSync(folder.path(`${home}/dataset.yaml`), 'licence: CC0-1.0\n');
  const before = readFileSync(folder.path(cache));
  const { catalogue } = await follow(t, folder, { readOnly: true });
  await catalogue.close();
  assert.deepEqual(readFileSync(folder.path(cache)), before);
});

test("that it can't be written is said once", async (t) => {
  const folder = await cached(t);
  rmSync(folder.path('.catalogue/cache'), { recursive: true });
  writeFileSync(folder.path('.catalogue/cache'), 'in the way');
  const { catalogue, log } = await follow(t, folder);
  folder.write(`${home}/dataset.yaml`, datasetText('Changed'));
  await until(() => served(catalogue, 'a', 'd')?.label === 'Changed');
  await catalogue.close();
  assert.deepEqual(
    log.filter((line) => line.includes('cache')),
    ["The cache can't be written (ENOTDIR): the next start takes longer."],
  );
});

test('a command uses what is unchanged of a large catalogue, and never the last valid state of what is broken', async (t) => {
  const folder = makeFollowedFolder(t);
  const description = 'Long enough. '.repeat(200);
  for (let i = 0; i < 1200; i++)
    folder.write(`namespaces/a/datasets/d${i}/dataset.yaml`, `id: ${i + 1}\nlabel: D\ndescription: ${description}\n`);
  await new Promise((done) => setTimeout(done, 30));
  await (await openFileCatalogue(folder.root, { watch: true })).close();
  const read = async () => {
    const catalogue = await openFileCatalogue(folder.root, { cache: 'read' });
    await catalogue.load();
    t.after(() => catalogue.close());
    return catalogue;
  };
  const unchanged = await read();
  assert.equal(unchanged.store.changeCount, 0);
  assert.deepEqual(unchanged.snapshot, await freshlyRead(folder));
  folder.write('namespaces/a/datasets/d7/dataset.yaml', '[');
  folder.write('namespaces/a/datasets/d8/dataset.yaml', datasetText('Changed'));
  folder.write('namespaces/a/datasets/new/dataset.yaml', datasetText('New'));
  folder.clear('namespaces/a/datasets/d9');
  const changed = await read();
  assert.deepEqual(changed.snapshot, await freshlyRead(folder));
  assert.equal(changed.snapshot.diagnostics.size, 1);
  assert.ok(changed.store.changeCount < 10, String(changed.store.changeCount));
});
