/** Finding one thing, also where it was before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MovedError, NotFoundError } from '../../src/catalogue/errors.ts';
import { getEntity } from '../../src/catalogue/lookup.ts';
import { type DatasetRef, formatRef, type NamespaceRef, type VersionRef } from '../../src/catalogue/ref.ts';
import { type Content, snapshotOf } from '../support/snapshot.ts';

const label = 'x';
const file = { name: 'a.csv' };
const namespace = (slug: string): NamespaceRef => ({ kind: 'namespace', slug });
const dataset = (name: string): DatasetRef => {
  const [home = '', slug = ''] = name.split('/');
  return { kind: 'dataset', namespace: home, slug };
};
const version = (name: string, slug: string): VersionRef => ({
  kind: 'version',
  namespace: dataset(name).namespace,
  dataset: dataset(name).slug,
  slug,
});

describe('find', () => {
  const snapshot = snapshotOf({
    namespaces: { parks: { label } },
    datasets: { 'parks/trees': { label }, 'parks/empty': { label }, 'parks/broken': { label } },
    versions: {
      'parks/trees@20200101000000000000': { file },
      'parks/trees@20210101000000000000': { file, ready: false },
      'parks/broken@20200101000000000000': {},
    },
    groups: { editors: { label } },
    users: { ann: {} },
    queries: { tall: { label, dataset: 'parks/trees' } },
  });

  it('each kind', () => {
    assert.equal(getEntity<'namespace'>(snapshot, namespace('parks')).slug, 'parks');
    assert.equal(getEntity<'dataset'>(snapshot, dataset('parks/trees')).slug, 'trees');
    assert.equal(getEntity<'version'>(snapshot, version('parks/trees', '20210101000000000000')).ready, false);
    assert.equal(getEntity<'group'>(snapshot, { kind: 'group', slug: 'editors' }).slug, 'editors');
    assert.equal(getEntity<'user'>(snapshot, { kind: 'user', slug: 'ann' }).slug, 'ann');
    assert.equal(getEntity<'query'>(snapshot, { kind: 'query', slug: 'tall' }).slug, 'tall');
  });

  it('the latest version: the newest that is ready', () => {
    assert.equal(getEntity<'version'>(snapshot, version('parks/trees', 'latest')).slug, '20200101000000000000');
    assert.throws(() => getEntity(snapshot, version('parks/broken', 'latest')), {
      message: 'No version of this dataset is ready.',
    });
    assert.throws(() => getEntity(snapshot, version('parks/empty', 'latest')), NotFoundError);
  });

  it('nothing', () => {
    for (const ref of [
      namespace('Parks'),
      namespace('constructor'),
      dataset('parks/Trees'),
      dataset('none/trees'),
      version('parks/none', 'latest'),
      version('parks/trees', '1'),
      { kind: 'user', slug: 'toString' },
    ] as const)
      assert.throws(() => getEntity(snapshot, ref), NotFoundError, formatRef(ref));
  });
});

describe('a former address', () => {
  const cases: readonly (readonly [
    why: string,
    Content,
    from: NamespaceRef | DatasetRef | VersionRef,
    to: string | null,
  ])[] = [
    ['renamed', { datasets: { 'a/new': { label, aliases: ['old'] } } }, dataset('a/old'), 'a/new'],
    ['moved', { datasets: { 'b/x': { label, aliases: ['a/x'] } } }, dataset('a/x'), 'b/x'],
    [
      'an alias without namespace is one in its own',
      { datasets: { 'b/x': { label, aliases: ['y'] } } },
      dataset('a/y'),
      null,
    ],
    ['a version goes along', { datasets: { 'b/x': { label, aliases: ['a/x'] } } }, version('a/x', '1'), 'b/x@1'],
    [
      'so does the latest',
      { datasets: { 'b/x': { label, aliases: ['a/x'] } } },
      version('a/x', 'latest'),
      'b/x@latest',
    ],
    ['namespace renamed', { namespaces: { new: { label, aliases: ['old'] } } }, namespace('old'), 'new'],
    [
      'what lies in a renamed namespace',
      { namespaces: { new: { label, aliases: ['old'] } }, datasets: { 'new/x': { label } } },
      dataset('old/x'),
      'new/x',
    ],
    [
      'renamed within a renamed namespace',
      { namespaces: { new: { label, aliases: ['old'] } }, datasets: { 'new/y': { label, aliases: ['x'] } } },
      dataset('old/x'),
      'new/y',
    ],
    [
      'renamed, its namespace renamed, and moved away',
      {
        namespaces: { new: { label, aliases: ['old'] } },
        datasets: { 'b/z': { label, aliases: ['new/y', 'new/x'] } },
      },
      dataset('old/x'),
      'b/z',
    ],
    [
      'what is there has precedence',
      { datasets: { 'a/x': { label }, 'b/x': { label, aliases: ['a/x'] } } },
      dataset('a/x'),
      '',
    ],
    [
      'circles end',
      { namespaces: { a: { label, aliases: ['c'] }, b: { label, aliases: ['a'] } } },
      dataset('c/x'),
      null,
    ],
    ['an alias of itself', { namespaces: { a: { label, aliases: ['a'] } } }, dataset('a/x'), null],
    ['of nothing', {}, namespace('old'), null],
  ];
  for (const [why, content, from, to] of cases)
    it(why, () => {
      const snapshot = snapshotOf({ ...content, namespaces: { a: { label }, b: { label }, ...content.namespaces } });
      if (to === '') return assert.equal(getEntity<'dataset'>(snapshot, from as DatasetRef).slug, from.slug);
      assert.throws(
        () => getEntity(snapshot, from),
        (error: unknown) => {
          assert.equal(error instanceof MovedError ? formatRef(error.to) : null, to);
          return true;
        },
      );
    });
});
