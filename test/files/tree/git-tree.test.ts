/** A tree in git follows the links that the folder on disk follows, and no others. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { DiskTree } from '../../../src/files/tree/disk-tree.ts';
import { type FileTree, UnreadableFileError } from '../../../src/files/tree/file-tree.ts';
import { GitTree } from '../../../src/files/tree/git-tree.ts';
import { temporaryParent } from '../../support/folder.ts';

const dataset = 'namespaces/a/datasets/d';
const files = {
  'catalogue.yaml': 'title: T\n',
  'users/c.yaml': 'name: C\n',
  [`${dataset}/dataset.yaml`]: 'label: D\n',
  [`${dataset}/versions/1.yaml`]: 'label: One\n',
  'namespaces/a/namespace.yaml': 'label: A\n',
  'namespaces/secret/namespace.yaml': 'label: S\n',
  'namespaces/secret/datasets/s/dataset.yaml': 'label: Secret\n',
  'namespaces/secret/datasets/s/versions/1.yaml': 'label: Secret version\n',
};
const links = {
  'users/a.yaml': 'b.yaml',
  'users/b.yaml': 'c.yaml',
  'users/itself.yaml': 'itself.yaml',
  'users/absolute.yaml': '/etc/hostname',
  'users/outside.yaml': '../../out.yaml',
  'users/other.yaml': '../catalogue.yaml',
  // A dataset as another one of its namespace, through a second link.
  'namespaces/a/datasets/x': 'y',
  'namespaces/a/datasets/y': 'd',
  // A namespace as another one, in which a dataset is a link, too.
  'namespaces/0': 'a',
  // What is private must not be shown under the name of what is public.
  'namespaces/a/datasets/z': '../../secret/datasets/s',
  [`${dataset}/versions/2.yaml`]: '../../../../secret/datasets/s/versions/1.yaml',
  [`${dataset}/versions/3.yaml`]: '1.yaml',
};

/** What the catalogue reads at a path. */
function readAt(tree: FileTree, path: string): string {
  try {
    return tree.read(path)?.text ?? 'nothing';
  } catch (error) {
    assert.ok(error instanceof UnreadableFileError);
    return error.message;
  }
}

/** Names of the folders in a folder that the catalogue reads. */
const foldersIn = (tree: FileTree, folder: string) =>
  tree
    .names(folder)
    .filter((entry) => {
      try {
        return tree.isFolder(`${folder}/`, entry);
      } catch (error) {
        assert.ok(error instanceof UnreadableFileError);
        return false;
      }
    })
    .map(({ name }) => name);

test('links are followed in git as on disk', async (t) => {
  const home = mkdtempSync(join(temporaryParent(), 'catalogue-links-'));
  t.after(() => rmSync(home, { recursive: true }));
  const root = join(home, 'data');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  writeFileSync(join(root, '../out.yaml'), 'label: Out\n');
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args]);
  git('init', '--quiet', '..');
  git('add', '.');
  const inGit = await GitTree.open(root, { index: undefined });
  const datasets = ['namespaces/a/datasets', 'namespaces/0/datasets'].flatMap((folder) =>
    ['d', 'x', 'y'].map((name) => ({ kind: 'dataset', namespace: folder.split('/')[1] ?? '', slug: name }) as const),
  );
  const users = Object.keys(links)
    .filter((path) => path.startsWith('users/'))
    .map((path) => ({ kind: 'user', slug: path.slice(6, -5) }) as const);
  await inGit.load([...datasets, ...users]);
  const onDisk = new DiskTree(root);
  const paths = [
    ...Object.keys(links).filter((path) => path.endsWith('.yaml')),
    ...datasets.flatMap(({ namespace, slug }) =>
      ['dataset.yaml', 'versions/1.yaml', 'versions/2.yaml', 'versions/3.yaml'].map(
        (name) => `namespaces/${namespace}/datasets/${slug}/${name}`,
      ),
    ),
  ];
  const read = (tree: FileTree) => Object.fromEntries(paths.map((path) => [path, readAt(tree, path)]));
  assert.deepEqual(read(inGit), read(onDisk));
  const found = read(inGit);
  assert.equal(found['users/a.yaml'], 'name: C\n');
  assert.equal(found['namespaces/a/datasets/x/versions/3.yaml'], 'label: One\n');
  assert.ok(!Object.values(found).some((text) => text.includes('Secret')));
  for (const tree of [inGit, onDisk])
    for (const namespace of ['a', '0'])
      assert.deepEqual(foldersIn(tree, `namespaces/${namespace}/datasets`), ['d', 'x', 'y']);
});
