/** How things look from outside: the observed fields first, in the observed order, then ours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listPage } from '../../src/catalogue/listing.ts';
import { represent, representFile, representRoot, representUser, toJson } from '../../src/catalogue/represent.ts';
import type { Entities, Kind } from '../../src/catalogue/types.ts';
import { snapshotOf } from '../support/snapshot.ts';

const links = { base: 'https://data.example', suffix: '' };
const api = `${links.base}/api/v1`;
const snapshot = snapshotOf({
  namespaces: { parks: { id: 1, label: 'Parks', owners: ['editors'] } },
  datasets: {
    'parks/trees': {
      id: 2,
      label: 'Trees',
      columns: [{ type: 'geometry', name: 'geometry', label: 'Where', description: 'Stem', unit: '°' }],
    },
  },
  versions: {
    'parks/trees@20200101000000000000': { id: 3, checksum: 'a'.repeat(64), file: { name: 'a.csv', format: 'csv' } },
  },
  groups: { editors: { id: 4, label: 'Editors' } },
  users: { 'chloe.d': { id: 5, name: 'Chloé', email: 'c@example.org', staff: true, groups: ['editors'] } },
  queries: {
    tall: { id: 6, label: 'Tall', dataset: 'parks/trees', version: '20200101000000000000', parameters: { _limit: 1 } },
  },
});
type Plain = Exclude<Kind, 'file'>;
const shown = <K extends Plain>(kind: K, with_ = links) => {
  const [item] = listPage(snapshot, kind, {}).items;
  return represent[kind](item as Entities[K], with_);
};

describe('the fields, in order', () => {
  const table: Readonly<Record<Plain, string>> = {
    namespace: 'id label slug description url visibility owners datasets readers',
    dataset:
      'id label slug namespace description image showcase_image thumbnail_image url versions data columns download ' +
      'keywords licence homepage publisher contact visibility readers reading',
    version:
      'id dataset label slug datetime checksum metadata ready url ' +
      'format media_type size rows bbox notes reading data download',
    group: 'id label slug url members',
    user: 'id username groups url name',
    query: 'id label slug description dataset version parameters url data',
  };
  for (const [kind, fields] of Object.entries(table))
    it(`of a ${kind}`, () => {
      assert.equal(Object.keys(shown(kind as Plain)).join(' '), fields);
      assert.equal(Object.values(shown(kind as Plain)).includes(undefined), false);
    });

  it('of versions and columns inside of a dataset', () => {
    const { versions, columns } = shown('dataset') as { versions: object[]; columns: object[] };
    assert.deepEqual(versions, [shown('version')]);
    assert.equal(Object.keys(columns[0] ?? {}).join(' '), 'type name label description unit');
  });

  it('of a file', () => {
    const problem = {
      path: 'x',
      line: 1,
      column: 2,
      pointer: '/a',
      message: 'odd',
      severity: 'error',
      code: 'schema',
    } as const;
    const file = {
      kind: 'file',
      id: 7,
      path: 'catalogue.yaml',
      record: 'settings',
      ref: null,
      status: 'invalid',
      problems: [problem],
    } as const;
    assert.deepEqual(representFile(file, links, { checksum: 'c', modified: 'm', commit: null }), {
      id: 7,
      path: 'catalogue.yaml',
      kind: 'settings',
      resource: null,
      status: 'invalid',
      problems: [{ line: 1, column: 2, pointer: '/a', message: 'odd' }],
      checksum: 'c',
      modified: 'm',
      commit: null,
    });
  });
});

describe('links', () => {
  it('lead to each other', () => {
    assert.equal(shown('dataset').url, `${api}/namespaces/parks/datasets/trees/`);
    assert.equal(shown('dataset').namespace, shown('namespace').url);
    assert.equal(shown('dataset').data, `${api}/namespaces/parks/datasets/trees/data/`);
    assert.equal(shown('dataset').download, `${api}/namespaces/parks/datasets/trees/download/`);
    assert.equal(shown('version').dataset, shown('dataset').url);
    assert.equal(shown('version').url, `${api}/namespaces/parks/datasets/trees/version/20200101000000000000/`);
    assert.equal(shown('query').version, shown('version').url);
    assert.deepEqual(shown('namespace').owners, [shown('group').url]);
    assert.deepEqual(shown('group').members, [shown('user').url]);
    assert.deepEqual(shown('user').groups, [shown('group').url]);
    assert.equal(shown('user').url, `${api}/users/chloe.d/`);
  });

  it('keep the format that was asked for', () => {
    const json = JSON.stringify(shown('dataset', { ...links, suffix: '?format=json' }));
    const addresses = json.match(/https:[^"]*/g) ?? [];
    assert.ok(addresses.length > 5 && addresses.every((url) => url.endsWith('/?format=json')));
  });

  it('of the root are the observed ones', () => {
    const { authentication, endpoints } = representRoot(links) as Record<string, { name: string; url: string }[]>;
    assert.deepEqual(authentication, [
      { url: 'https://data.example/auth/login/', name: 'login' },
      { url: 'https://data.example/auth/logout/', name: 'logout' },
    ]);
    assert.deepEqual(
      endpoints?.map(({ name, url }) => [name, url.replace(`${api}/`, '')]),
      [
        ['datasets', 'datasets/'],
        ['datasets data versions', 'versions/'],
        ['groups', 'groups/'],
        ['intrinsecus', 'intrinsecus/'],
        ['namespaces', 'namespaces/'],
        ['token', 'auth/token/obtain/'],
        ['users', 'users/'],
        ['queries', 'queries/'],
      ],
    );
  });
});

describe('what is personal', () => {
  it('is shown to whom it concerns only', () => {
    const [user] = listPage(snapshot, 'user', {}).items;
    assert.ok(user);
    assert.doesNotMatch(JSON.stringify(representUser(user, links)), /example\.org|staff/);
    assert.equal(representUser(user, links, true).email, 'c@example.org');
    assert.equal(representUser(user, links, true).staff, true);
  });
});

describe('toJson', () => {
  const table: readonly (readonly [unknown, string])[] = [
    [{ a: [1, null, true] }, '{"a":[1,null,true]}'],
    ['é東😀', '"é東😀"'],
    ['<b>&/</b>', '"<b>&/</b>"'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    ['"\\\n\u0001', '"\\"\\\\\\n\\u0001"'],
    ['\ud800', '"\\ud800"'],
  ];
  for (const [value, json] of table) it(json, () => assert.equal(toJson(value), json));
});
