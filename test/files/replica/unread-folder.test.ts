/** The manifest of a folder that hasn't been read: the same as of one that has, on random folders. */
import assert from 'node:assert/strict';
import { chmod, symlink } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { FileEntry } from '../../../src/catalogue/replica.ts';
import { openFileCatalogue } from '../../../src/files/file-catalogue.ts';
import { type CatalogueFolder, makeFolder } from '../../support/folder.ts';
import { sha256, usual } from './replica-support.ts';

const home = 'namespaces/parks/datasets/trees';
const csv = 'a,b\n1,2\n';
const withFile = (name: string, size = csv.length) =>
  `id: 5\nchecksum: ${sha256(csv)}\nfile:\n  name: ${name}\n  format: csv\n  size: ${size}\n`;

/** Strange things in a folder. */
const oddities: readonly ((folder: CatalogueFolder) => unknown)[] = [
  (folder) => folder.write(`${home}/versions/one.yaml`, 'id: 1\nlabel: One\n'),
  (folder) => folder.write(`${home}/versions/one.json`, '{"id": 1}'),
  (folder) => folder.write(`${home}/versions/two.yml`, 'label: [\n'),
  (folder) => folder.write(`${home}/versions/three.yaml`, withFile('a.csv')),
  (folder) => folder.write(`${home}/versions/four.yaml`, withFile('half.csv', 400)),
  (folder) => folder.write(`${home}/versions/dataset.yaml`, 'id: 6\n'),
  (folder) => folder.write(`${home}/versions/not a name.yaml`, 'id: 7\n'),
  (folder) => folder.write(`${home}/versions/.hidden.yaml`, 'id: 8\n'),
  (folder) => folder.write(`${home}/versions/notes.txt`, 'Notes\n'),
  (folder) => folder.write(`${home}/versions/${'long'.repeat(50)}.yaml`, 'id: 9\n'),
  (folder) => folder.write(`${home}/versions/folder.yaml/inside`, 'x'),
  (folder) => folder.write(`${home}/data/a.csv`, csv),
  (folder) => folder.write(`${home}/data/half.csv`, csv),
  (folder) => folder.write(`${home}/dataset.yml`, 'id: 11\nlabel: Two files\n'),
  (folder) => folder.write(`${home}/dataset.yaml`, 'label: [\n'),
  (folder) => folder.write(`${home}/dataset.yaml`, Buffer.from([0x6c, 0xff, 0xfe])),
  (folder) => folder.write(`${home}/dataset.yaml`, ''),
  (folder) => folder.write(`${home}/dataset.yaml`, '\ufeffid: 11\nlabel: Trees\n'),
  (folder) => folder.write(`${home}/dataset.yaml`, `description: ${'x'.repeat(1024 * 1024)}\n`),
  (folder) => folder.clear(`${home}/dataset.yaml`),
  (folder) => folder.write('namespaces/parks/datasets/Trees/dataset.yaml', 'id: 15\nlabel: Other case\n'),
  (folder) => folder.write('namespaces/parks/datasets/lone.yaml', 'id: 16\n'),
  (folder) => folder.write('namespaces/nobody/datasets/inner/dataset.yaml', 'id: 17\nlabel: Inner\n'),
  (folder) => folder.write('namespaces/water/namespace.yaml', 'label: [\n'),
  (folder) => folder.clear('namespaces/secret/namespace.yaml'),
  (folder) => folder.write('queries/lost.yaml', 'id: 3\nlabel: Lost\ndataset: nowhere/nothing\n'),
  (folder) => folder.write('queries/tall.json', '{"label": "Tall", "dataset": "parks/trees"}'),
  (folder) => folder.write('groups/not a name.yaml', 'id: 4\n'),
  (folder) => folder.write('users/bob.yaml', 'id: [\n'),
  (folder) => folder.write('site_media/b/c.png', 'x'),
  (folder) => symlink('../dataset.yaml', folder.path(`${home}/versions/linked.yaml`)).catch(() => {}),
  (folder) => symlink('trees', folder.path('namespaces/parks/datasets/linked')).catch(() => {}),
  (folder) => chmod(folder.path('queries/tall.yaml'), 0o000).catch(() => {}),
];

async function manifestOf(test: TestContext, root: string, isRead: boolean, texts: boolean) {
  const files = await openFileCatalogue(root);
  test.after(() => files.close());
  if (isRead) await files.load();
  const manifest = await files.for().replica.manifest({ texts });
  const entries: FileEntry[] = [];
  for await (const entry of manifest?.entries ?? []) entries.push(entry);
  return { tag: manifest?.tag, entries, isLoaded: files.isLoaded };
}

describe('the manifest of a folder that has not been read', { concurrency: 4 }, () => {
  it('is made without reading it all, if nothing in it is broken', async (test) => {
    const folder = makeFolder(usual, test);
    for (const i of [0, 3, 4, 11, 12]) await oddities[i]?.(folder);
    const { isLoaded, entries } = await manifestOf(test, folder.root, false, true);
    assert.equal(isLoaded, false);
    assert.ok(entries.some(({ path }) => path === `${home}/data/a.csv`));
  });

  it('is the same as of one that has, and so is each file', async (test) => {
    const lists = fc.uniqueArray(fc.nat(oddities.length - 1), { minLength: 1, maxLength: 4 });
    const examples = oddities.map((_, i): [number[], boolean] => [[i], true]);
    await fc.assert(
      fc.asyncProperty(lists, fc.boolean(), async (list, texts) => {
        const folder = makeFolder(usual, test);
        for (const i of list) await oddities[i]?.(folder);
        const { isLoaded: _, ...unread } = await manifestOf(test, folder.root, false, texts);
        const { isLoaded: __, ...read } = await manifestOf(test, folder.root, true, texts);
        assert.deepEqual(unread, read);
        const one = await openFileCatalogue(folder.root);
        const other = await openFileCatalogue(folder.root);
        await other.load();
        const entryIn = (files: typeof one, path: string) =>
          files
            .for()
            .replica.entry(path)
            .catch((error: Error) => error.name);
        for (const { path } of read.entries)
          assert.deepEqual(await entryIn(one, path), await entryIn(other, path), path);
        await Promise.all([one.close(), other.close()]);
      }),
      { numRuns: 60, examples },
    );
  });
});
