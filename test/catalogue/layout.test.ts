import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  containingSlugs,
  describeFilePath,
  enclosingContainerFolders,
  isBytesPath,
  kindAndRefOfPath,
  parseCataloguePath,
  type RecordRef,
  recordFolderOrFile,
  recordPaths,
  scopeToReread,
  siblingsFolder,
  unitOfRecord,
} from '../../src/catalogue/layout.ts';
import { parseUntrustedCataloguePath } from '../../src/catalogue/untrusted-path.ts';

const refs: readonly (readonly [RecordRef, path: string, own: string, parent: string])[] = [
  [{ kind: 'namespace', slug: 'a' }, 'namespaces/a/namespace.yaml', 'namespaces/a', 'namespaces'],
  [
    { kind: 'dataset', namespace: 'a', slug: 'b' },
    'namespaces/a/datasets/b/dataset.yaml',
    'namespaces/a/datasets/b',
    'namespaces/a/datasets',
  ],
  [
    { kind: 'version', namespace: 'a', dataset: 'b', slug: 'c' },
    'namespaces/a/datasets/b/versions/c.yaml',
    'namespaces/a/datasets/b/versions/c.yaml',
    'namespaces/a/datasets/b/versions',
  ],
  [{ kind: 'group', slug: 'a' }, 'groups/a.yaml', 'groups/a.yaml', 'groups'],
  [{ kind: 'user', slug: 'a.b@c' }, 'users/a.b@c.yaml', 'users/a.b@c.yaml', 'users'],
  [{ kind: 'query', slug: 'a' }, 'queries/a.yaml', 'queries/a.yaml', 'queries'],
];

describe('layout', () => {
  for (const [ref, path, own, parent] of refs)
    it(`of a ${ref.kind}: reference to path and back`, () => {
      assert.equal(recordPaths(ref)[0], path);
      assert.equal(recordFolderOrFile(ref, path), own);
      assert.equal(siblingsFolder(ref), parent);
      for (const one of recordPaths(ref)) {
        assert.deepEqual(parseCataloguePath(one), { kind: 'record', ref });
        assert.deepEqual(parseUntrustedCataloguePath(one), { kind: 'record', ref });
        assert.deepEqual(kindAndRefOfPath(one), { kind: ref.kind, ref });
        assert.deepEqual(scopeToReread(one), unitOfRecord(ref));
        assert.equal(isBytesPath(one), false);
      }
    });

  it('tells records from bytes, whatever datasets and namespaces are called', () => {
    for (const record of [
      'namespaces/data/namespace.yaml',
      'namespaces/a/datasets/data/dataset.yaml',
      'namespaces/data/datasets/data/versions/data.json',
    ])
      assert.equal(isBytesPath(record), false, record);
    for (const bytes of ['namespaces/a/datasets/data/data/dataset.yaml', 'site_media/a/namespace.yaml'])
      assert.equal(isBytesPath(bytes), true, bytes);
    assert.deepEqual(parseCataloguePath('namespaces/a/datasets/data/data/b.yaml'), {
      kind: 'payload',
      dataset: { kind: 'dataset', namespace: 'a', slug: 'data' },
      file: 'b.yaml',
    });
  });

  it('has no place for other paths', () => {
    for (const path of [
      '',
      'README.md',
      'a.yaml',
      'groups/a.txt',
      'groups/a/b.yaml',
      'namespaces/a/other.yaml',
      'namespaces/a/datasets/b.yaml',
      'namespaces/a/datasets/b/other.yaml',
      'namespaces/a/datasets/b/versions/c/d.yaml',
      'namespaces/a/datasets/b/data/c/d.csv',
      'namespaces/a/datasets/b/data/',
      'site_media',
    ])
      assert.deepEqual(parseCataloguePath(path), { kind: 'unknown' }, path);
  });

  it('takes no unsafe path from outside', () => {
    for (const path of [
      '/groups/a.yaml',
      'groups/../users/a.yaml',
      'groups/.a.yaml',
      'groups/a b.yaml',
      'groups/a\0.yaml',
      'namespaces/a b/namespace.yaml',
      'namespaces/a/datasets/b/versions/c d.yaml',
      'namespaces/a/datasets/../data/c.csv',
      'namespaces/a/datasets/b/data/..',
      'namespaces/a/datasets/b/data/.hidden',
      'site_media/../catalogue.yaml',
      'site_media//a.png',
      'site_media\\a.png',
      '.catalogue/accounts.json',
      `site_media/${'a'.repeat(256)}`,
      `site_media/${'a/'.repeat(500)}b`,
    ])
      assert.equal(parseUntrustedCataloguePath(path), null, path);
    assert.deepEqual(parseUntrustedCataloguePath('site_media/a/b.png'), { kind: 'media', name: 'a/b.png' });
    assert.deepEqual(parseUntrustedCataloguePath('catalogue.yaml'), { kind: 'settings' });
  });

  it('names files as people do', () => {
    assert.deepEqual(
      [...refs.map(([, path]) => path), 'namespaces/a/datasets/b/data/c.csv', 'site_media/x.png'].map(describeFilePath),
      ['a', 'a/b', 'a/b@c', 'groups/a', 'users/a.b@c', 'queries/a', 'a/b/data/c.csv', 'site_media/x.png'],
    );
  });

  it('knows the folders around a file', () => {
    const payload = 'namespaces/a/datasets/b/data/c.csv';
    assert.deepEqual(enclosingContainerFolders(payload), ['namespaces/a/datasets/b/', 'namespaces/a/']);
    assert.deepEqual(enclosingContainerFolders('namespaces/a/namespace.yaml'), ['namespaces/a/']);
    assert.deepEqual(enclosingContainerFolders('groups/a.yaml'), []);
    assert.deepEqual(containingSlugs('namespaces/a'), { namespace: 'a' });
    assert.deepEqual(containingSlugs('namespaces/a/datasets/b'), { namespace: 'a', dataset: 'b' });
  });

  it('knows what to read again when a path changes', () => {
    const dataset = { kind: 'dataset', namespace: 'a', slug: 'b' };
    for (const [path, scope] of [
      ['', { folder: '' }],
      ['catalogue.yaml', { kind: 'settings' }],
      ['README.md', null],
      ['.catalogue/accounts.json', null],
      ['namespaces', { folder: 'namespaces/' }],
      ['namespaces/a', { folder: 'namespaces/a/' }],
      ['namespaces/a b/namespace.yaml', { folder: 'namespaces/' }],
      ['namespaces/a/datasets', { folder: 'namespaces/a/datasets/' }],
      ['namespaces/a/datasets/b', dataset],
      ['namespaces/a/datasets/b/data/c.csv', dataset],
      ['namespaces/a/datasets/b/data/c/d/e', null],
      ['groups', { folder: 'groups/' }],
      ['groups/not a name.yaml', { folder: 'groups/' }],
      ['site_media/a.png', null],
    ] as const)
      assert.deepEqual(scopeToReread(path), scope, path);
  });
});
