/** A namespace or dataset whose record is missing, while records below it are there: it counts as broken. */
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { anonymous, type Viewer } from '../../../src/catalogue/permissions.ts';
import type { OpenOptions } from '../../../src/files/catalogue-files.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type CatalogueFolder, homeOf, makeFolder, until } from '../../support/folder.ts';

const home = homeOf('parks/trees');
const record = 'namespaces/parks/namespace.yaml';

const makeParks = (t: TestContext) => {
  const folder = makeFolder(
    {
      namespaces: { parks: { id: 1, label: 'Parks' }, hidden: { id: 5, label: 'Hidden', visibility: 'private' } },
      datasets: { 'hidden/x': { id: 6, label: 'X' } },
      queries: { tall: { id: 7, label: 'Tall', dataset: 'parks/trees' } },
    },
    t,
  );
  folder.dataset(home, 'Trees', ['1', '2']);
  return folder;
};

async function open(t: TestContext, { root }: CatalogueFolder, options: OpenOptions = {}) {
  const catalogue = await openFileCatalogue(root, options);
  t.after(() => catalogue.close());
  await catalogue.load();
  const versions = () =>
    catalogue.snapshot.folders
      .get('parks')
      ?.datasets.get('trees')
      ?.versions.map(({ slug }) => slug);
  const files = async (viewer: Viewer = anonymous) => {
    const found: Record<string, string> = {};
    const { entries } = (await catalogue.for(viewer).replica.manifest()) ?? { entries: [] };
    for await (const { path, checksum } of entries) found[path] = checksum;
    return found;
  };
  const messages = () =>
    [...catalogue.snapshot.diagnostics.values()].flat().map(({ path, message }) => `${path}: ${message}`);
  const isShown = () =>
    catalogue
      .for(anonymous)
      .get({ kind: 'dataset', namespace: 'parks', slug: 'trees' })
      .then(Boolean, () => false);
  const removed = async (viewer: Viewer = anonymous) =>
    (await catalogue.for(viewer).changes({ since: '2000-01-01T00:00:00Z' })).items
      .filter((change) => change.removed)
      .map(({ ref }) => ref);
  return { catalogue, versions, files, messages, isShown, removed };
}

const missing = (path: string, kind: string) => `${path}: ${kind}.yaml is missing. Add one with a line "label: …".`;

describe('a missing record with records below it', () => {
  it('of a namespace or a dataset leaves the last valid state in place, until no record is left', async (t) => {
    const folder = makeParks(t);
    const { catalogue, versions, files, messages, isShown } = await open(t, folder);
    const rescan = () => catalogue.refresh([{ folder: '' }]);
    const before = await files();
    for (const [path, kind] of [
      [record, 'namespace'],
      [`${home}/dataset.yaml`, 'dataset'],
    ] as const) {
      renameSync(folder.path(path), folder.path(`${path}.orig`));
      for (let i = 0; i < 2; i++) {
        await rescan();
        assert.deepEqual([await isShown(), versions()], [true, ['2', '1']], path);
        assert.deepEqual(messages(), [missing(path.slice(0, path.lastIndexOf('/')), kind)]);
        assert.deepEqual(await files(), { ...before, [path]: '' });
      }
      renameSync(folder.path(`${path}.orig`), folder.path(path));
      await rescan();
      assert.deepEqual([messages(), await files()], [[], before]);
    }
    folder.clear(`${home}/dataset.yaml`);
    folder.clear(`${home}/versions/1.yaml`);
    await rescan();
    assert.deepEqual([await isShown(), versions()], [true, ['2']]);
    folder.clear(`${home}/versions/2.yaml`);
    folder.write(`${home}/data/2.csv`, 'a\n1\n');
    await rescan();
    assert.deepEqual([await isShown(), versions()], [false, undefined]);
  });

  it('is called by the name of a file that is there, if that is nearly right', async (t) => {
    const folder = makeParks(t);
    const names = ['Dataset.yaml', 'dataset.yaml.txt', 'DATASET.YML', 'dataset.JSON', 'dataset.json.txt'];
    for (const [i, name] of names.entries()) folder.write(`${homeOf(`parks/d${i}`)}/${name}`, 'label: D\n');
    renameSync(folder.path(record), folder.path('namespaces/parks/NAMESPACE.YAML'));
    // Another word, and a copy of an editor, are not meant.
    folder.write(`${homeOf('parks/other')}/datasets.yaml`, 'label: D\n');
    folder.write(`${homeOf('parks/other')}/dataset.yaml.orig`, 'label: D\n');
    const { messages } = await open(t, folder);
    const targets = ['yaml', 'yaml', 'yml', 'json', 'json'];
    assert.deepEqual(
      messages().sort(),
      [
        'namespaces/parks: namespace.yaml is missing. Rename NAMESPACE.YAML to namespace.yaml.',
        ...names.map(
          (name, i) => `${homeOf(`parks/d${i}`)}: dataset.yaml is missing. Rename ${name} to dataset.${targets[i]}.`,
        ),
        missing(homeOf('parks/other'), 'dataset'),
      ].sort(),
    );
  });

  it('is noticed by a server, as is its removal in any order', async (t) => {
    for (const leaveFolders of [false, true]) {
      const folder = makeParks(t);
      const { catalogue, messages, isShown, removed, files } = await open(t, folder, {
        watch: true,
        scanEvery: 3_600_000,
      });
      await catalogue.feed();
      rmSync(folder.path(record));
      await until(() => messages().length > 0);
      assert.deepEqual([await isShown(), await removed()], [true, []]);
      if (leaveFolders) {
        for (const path of ['dataset.yaml', 'versions/1.yaml', 'versions/2.yaml'])
          rmSync(folder.path(`${home}/${path}`));
      } else rmSync(folder.path('namespaces/parks'), { recursive: true });
      await until(async () => !(await isShown()) && catalogue.snapshot.folders.get('parks') === undefined);
      assert.deepEqual(
        Object.keys(await files()).filter((path) => path.startsWith('namespaces/parks')),
        [],
      );
      await until(async () => (await removed()).length === 3);
      await catalogue.close();
    }
  });

  it('keeps the last state over a restart, by the cache', async (t) => {
    const folder = makeParks(t);
    const first = await open(t, folder, { watch: true, scanEvery: 3_600_000 });
    const before = await first.files();
    await first.catalogue.close();
    rmSync(folder.path(record));
    for (let i = 0; i < 2; i++) {
      const { catalogue, isShown, files } = await open(t, folder, { watch: true, scanEvery: 3_600_000 });
      assert.ok(await isShown());
      assert.deepEqual(await files(), { ...before, [record]: '' });
      await catalogue.close();
    }
  });

  it('is that of no namespace or dataset if a file has taken the place of its folder', async (t) => {
    for (const path of [home, 'namespaces/parks']) {
      const folder = makeParks(t);
      const { catalogue, isShown, messages } = await open(t, folder);
      for (const put of [() => folder.write(path, ''), () => folder.clear(path)]) {
        folder.clear(path);
        put();
        await catalogue.refresh([{ folder: '' }]);
        assert.deepEqual([await isShown(), messages()], [false, []], path);
      }
    }
  });

  for (const path of [record, `${home}/dataset.yaml`])
    it(`is not removed if it was never read: ${path}`, async (t) => {
      const folder = makeParks(t);
      const first = await open(t, folder, { watch: true });
      await first.catalogue.feed();
      const before = await first.files();
      await first.catalogue.close();
      const [text, secret] = [`label: Again\n`, 'namespaces/hidden/namespace.yaml'];
      rmSync(folder.path(path));
      rmSync(folder.path(secret));
      folder.clear('.catalogue/cache');
      const { catalogue, isShown, removed, files } = await open(t, folder, { watch: true, scanEvery: 3_600_000 });
      assert.deepEqual([await isShown(), await removed()], [false, []]);
      const now = await files();
      assert.deepEqual([now[path], now['queries/tall.yaml'], now[secret]], ['', '', undefined]);
      const staff = await files({ username: 'ann', staff: true, groups: [] });
      assert.deepEqual([staff[path], staff['queries/tall.yaml'], staff[secret]], ['', before['queries/tall.yaml'], '']);
      assert.equal(staff[`${home}/versions/1.yaml`], before[`${home}/versions/1.yaml`]);
      folder.write(path, text);
      await until(isShown);
      assert.deepEqual(await removed(), []);
      assert.equal((await files())['queries/tall.yaml'], before['queries/tall.yaml']);
      rmSync(folder.path('namespaces/parks'), { recursive: true });
      await until(async () => (await removed()).length === 2);
      // Until then, the dataset of the query might have been there under another name.
      folder.write(secret, 'label: Hidden\nvisibility: private\n');
      await until(async () => (await removed()).length === 3);
      await catalogue.close();
    });
});
