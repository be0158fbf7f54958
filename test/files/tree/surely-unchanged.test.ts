/** What is surely unchanged is so for `DiskTree`, too; and of plain files, nothing else is. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { haveUnchangedFiles } from '../../../src/files/reading/unchanged-files.ts';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { pointerText } from '../../../src/files/tree/payload-pointer.ts';
import { packStamps } from '../../../src/files/tree/stamps.ts';
import { areSurelyUnchanged } from '../../../src/files/tree/surely-unchanged.ts';
import { makeFollowedFolder } from '../../support/followed.ts';

const home = 'namespaces/a/datasets/d';
/** Longer than the clock's tick, so that stamps are believed. */
const pause = () => new Promise((done) => setTimeout(done, 30));

async function look(t: TestContext) {
  const folder = makeFollowedFolder(t);
  folder.dataset(home, 'D', ['v1']);
  mkdirSync(folder.path(`${home}/data`));
  writeFileSync(folder.path(`${home}/data/plain.csv`), 'a\n1\n');
  writeFileSync(folder.path(`${home}/data/pointer.csv`), pointerText({ checksum: '0'.repeat(64), size: 5 }));
  symlinkSync('plain.csv', folder.path(`${home}/data/link.csv`));
  await pause();
  const tree = new DiskTree(folder.root);
  const stampsOf = (...paths: string[]) => packStamps(paths.map((path) => [path, tree.stamp(path)]));
  const answers = (stamps: string) => [
    areSurelyUnchanged(folder.root, stamps),
    haveUnchangedFiles(tree, { stamps, payloads: '' }),
  ];
  return { folder, stampsOf, answers };
}

test('files and folders that are as they were, and what is still missing, are surely unchanged', async (t) => {
  const { stampsOf, answers } = await look(t);
  const dataset = stampsOf(home, `${home}/dataset.yaml`, `${home}/versions`, `${home}/versions/v1.yaml`);
  for (const stamps of ['', stampsOf('', 'catalogue.yaml'), dataset, stampsOf(`${home}/data/plain.csv`, 'missing/x')])
    assert.deepEqual(answers(stamps), [true, true], stamps);
});

test('links and pointers are left to the tree', async (t) => {
  const { stampsOf, answers } = await look(t);
  for (const name of ['link.csv', 'pointer.csv'])
    assert.deepEqual(answers(stampsOf(`${home}/data/${name}`)), [false, true], name);
});

test('whatever changes, is removed, added or replaced by a link is not unchanged', async (t) => {
  const { folder, stampsOf, answers } = await look(t);
  const path = `${home}/dataset.yaml`;
  const file = folder.path(path);
  const changes = {
    text: () => writeFileSync(file, 'label: E\n'),
    time: () => utimesSync(file, 1e9, 1e9),
    mode: () => chmodSync(file, 0o600),
    moved: () => renameSync(file, folder.path(`${home}/gone`)),
    replaced: () => renameSync(folder.path(`${home}/gone`), file),
    link: () => {
      renameSync(file, folder.path(`${home}/other.yaml`));
      symlinkSync('other.yaml', file);
    },
    none: () => rmSync(file),
  };
  for (const [name, change] of Object.entries(changes)) {
    const stamps = stampsOf(home, path);
    change();
    await pause();
    assert.deepEqual(answers(stamps), [false, false], name);
  }
});

test('a file that was changed just now is never unchanged', async (t) => {
  const { folder, answers } = await look(t);
  writeFileSync(folder.path('x'), '1');
  const tree = new DiskTree(folder.root);
  assert.deepEqual(answers(packStamps([['x', tree.stamp('x')]])), [false, false]);
});
