/** Symbolic links within the catalogue folder show nothing that is private. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { serveAccounts } from '../support/accounts.ts';
import { type CatalogueFolder, homeOf, makeLastingFolder, until } from '../support/folder.ts';
import { type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const rows = 'name,height\nmarker-rows,1\n';
const checksum = createHash('sha256').update(rows).digest('hex');
const version = {
  id: 1,
  label: 'marker-version',
  datetime: '2020-01-01T00:00:00Z',
  checksum,
  rows: 1,
  file: { name: 'a.csv', format: 'csv', size: rows.length },
};
const [secret, trees] = [homeOf('secret/plans'), homeOf('parks/trees')];
const content = {
  settings: {},
  namespaces: {
    parks: { id: 1, label: 'Parks' },
    secret: { id: 3, label: 'marker-namespace', visibility: 'private', owners: ['gardeners'] },
  },
  groups: { gardeners: { id: 1, label: 'Gardeners' } },
  users: {
    alice: { id: 1, staff: true, email: 'marker-mail@example.org' },
    bob: { id: 2, groups: ['gardeners'] },
    eve: { id: 3 },
  },
  datasets: {
    'parks/trees': { id: 1, label: 'Trees' },
    'parks/shown': { id: 2, label: 'Shown' },
    'parks/own': { id: 3, label: 'Own', visibility: 'private', description: 'marker-own' },
    'secret/plans': { id: 4, label: 'marker-dataset', image: '/site_media/plans.png' },
  },
  versions: {
    'secret/plans@1': version,
    'parks/own@1': { ...version, id: 2 },
    'parks/trees@1': { ...version, id: 3, label: 'linked' },
    'parks/shown@1': { ...version, id: 4, label: 'shown', file: { ...version.file, name: 'kept.csv' } },
  },
  queries: { plans: { id: 1, label: 'marker-query', dataset: 'secret/plans' } },
  files: {
    [`${secret}/data/a.csv`]: rows,
    [`${homeOf('parks/own')}/data/a.csv`]: rows,
    [`${homeOf('parks/shown')}/kept/a.csv`]: rows,
    'site_media/plans.png': 'marker-image',
    'site_media/images/oak.png': 'oak',
  },
};

/** Makes a link at a path to another path of the catalogue folder. */
function link(folder: CatalogueFolder, at: string, to: string): void {
  mkdirSync(dirname(folder.path(at)), { recursive: true });
  symlinkSync(relative(dirname(folder.path(at)), folder.path(to)), folder.path(at));
}

async function serveLinks(test: TestContext, links: readonly (readonly [at: string, to: string])[]) {
  const folder = makeLastingFolder(content);
  for (const [at, to] of links) link(folder, at, to);
  const server = await serveFolder(folder.root);
  test.after(async () => {
    await server.close();
    folder.remove();
  });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(server.base + path, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  return { folder, ...server, get };
}

describe('a link within the catalogue folder', () => {
  const links = [
    ['site_media/record.png', `${secret}/dataset.yaml`],
    ['site_media/rows.csv', `${secret}/data/a.csv`],
    ['site_media/all', 'namespaces'],
    ['site_media/up', 'site_media/..'],
    ['site_media/public.png', 'site_media/plans.png'],
    ['site_media/user.png', 'users/alice.yaml'],
    [`${trees}/data/a.csv`, `${secret}/data/a.csv`],
    [`${homeOf('parks/linked')}`, secret],
    [`${homeOf('parks/record')}/dataset.yaml`, `${secret}/dataset.yaml`],
    [`${homeOf('parks/sibling')}/dataset.yaml`, `${homeOf('parks/own')}/dataset.yaml`],
    [`${homeOf('parks/shown')}/versions/2.yaml`, `${secret}/versions/1.yaml`],
    ['namespaces/open/namespace.yaml', 'namespaces/parks/namespace.yaml'],
    ['namespaces/open/datasets', 'namespaces/secret/datasets'],
    ['namespaces/label/namespace.yaml', 'namespaces/secret/namespace.yaml'],
    ['namespaces/alias', 'namespaces/secret'],
    [`${homeOf('parks/alias')}`, homeOf('parks/own')],
    ['queries/open.yaml', `${secret}/dataset.yaml`],
    ['queries/alias.yaml', 'queries/plans.yaml'],
    ['groups/mail.yaml', 'users/alice.yaml'],
    ['groups/plans.yaml', `${secret}/dataset.yaml`],
  ] as const;

  it('shows nothing that the same rule does not show', async (test) => {
    const { folder, get } = await serveLinks(test, links);
    const data = (name: string) => `/api/v1/namespaces/${name.replace('/', '/datasets/')}/`;
    const names = ['trees', 'linked', 'record', 'sibling', 'shown', 'alias'].map((name) => `parks/${name}`);
    const datasets = [...names, 'open/plans', 'alias/plans', 'label/plans'].map(data);
    const below = [
      '',
      'data/',
      'data.csv',
      'download/',
      'version/',
      'version/1/',
      'version/2/',
      'version/1/data/',
      'version/1/download/',
      'version/2/download/',
      'history/',
    ];
    const media = [
      'record.png',
      'rows.csv',
      'all/secret/namespace.yaml',
      `up/${secret}/dataset.yaml`,
      `up/site_media/plans.png`,
      'public.png',
      'user.png',
      'plans.png',
    ];
    const files = links.flatMap(([at]) => [
      at,
      `${at}/dataset.yaml`,
      `${at}/versions/1.yaml`,
      `${at}/data/a.csv`,
      `${at}/plans/dataset.yaml`,
    ]);
    const paths = [
      ...datasets.flatMap((dataset) => below.map((part) => dataset + part)),
      ...media.map((name) => `/site_media/${name}`),
      ...files.map((path) => `/api/v1/files/${path}`),
      ...['datasets', 'versions', 'namespaces', 'groups', 'queries', 'changes', 'intrinsecus', 'files'].map(
        (list) => `/api/v1/${list}/`,
      ),
      ...[
        'namespaces/open/',
        'namespaces/label/',
        'namespaces/alias/',
        'queries/open/',
        'queries/alias/',
        'queries/open/data/',
      ].map((path) => `/api/v1/${path}`),
    ];
    const catalogue = await openFileCatalogue(folder.root);
    const { token } = await catalogue.accounts.addToken('eve');
    await catalogue.close();
    const found: string[] = [];
    for (const headers of [{}, { Authorization: `Token ${token}` }])
      for (const path of paths) {
        const { status, text } = await get(path, headers as Record<string, string>);
        assert.ok(status < 500, `${path}: ${status}`);
        if (text.includes('marker')) found.push(path);
      }
    assert.deepEqual(found, []);
  });

  it('is reported by check', async (test) => {
    const folder = makeLastingFolder(content);
    test.after(() => folder.remove());
    for (const [at, to] of links) link(folder, at, to);
    const { out } = await type(['check', '--json'], { root: folder.root });
    const reported = (JSON.parse(out).problems as { path: string; message: string }[])
      .filter(({ message }) => /^It is a link (to another part of the catalogue|that leaves)/.test(message))
      .map(({ path }) => path)
      .sort();
    const followed = ['site_media/public.png', 'namespaces/alias', homeOf('parks/alias'), 'queries/alias.yaml'];
    const expected = links.map(([at]) => at as string).filter((at) => !followed.includes(at));
    assert.deepEqual(reported, [...new Set(expected)].sort());
  });

  it('is followed within site_media, and within the folder of a record', async (test) => {
    const { get } = await serveLinks(test, [
      ['site_media/oak.png', 'site_media/images/oak.png'],
      ['site_media/pictures', 'site_media/images'],
      [`${homeOf('parks/shown')}/data`, `${homeOf('parks/shown')}/kept`],
      [`${homeOf('parks/shown')}/kept/kept.csv`, `${homeOf('parks/shown')}/kept/a.csv`],
      ['namespaces/gardens', 'namespaces/parks'],
    ]);
    for (const path of ['oak.png', 'pictures/oak.png', 'images/oak.png'])
      assert.deepEqual(await get(`/site_media/${path}`), { status: 200, text: 'oak' }, path);
    for (const namespace of ['parks', 'gardens']) {
      const shown = `/api/v1/namespaces/${namespace}/datasets/shown/`;
      assert.match((await get(`${shown}data.csv`)).text, /marker-rows/);
      assert.deepEqual(await get(`${shown}download/`), { status: 200, text: rows });
      assert.equal((await get(`/api/v1/namespaces/${namespace}/datasets/own/`)).status, 404);
    }
  });

  it('is written through by nobody', async (test) => {
    const { folder, ask, accounts } = await serveAccounts(test);
    const { token } = await accounts.addToken('alice');
    folder.write('namespaces/secret/datasets/plans/dataset.yaml', 'id: 9\nlabel: Plans\n');
    link(folder, homeOf('parks/linked'), secret);
    link(folder, 'namespaces/water/datasets', 'namespaces/secret/datasets');
    const upload = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a\n1\n' };
    const edit = { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{"label": "Mine"}' };
    for (const dataset of ['parks/datasets/linked', 'water/datasets/plans'])
      for (const [path, init] of [
        [`/api/v1/namespaces/${dataset}/version/`, upload],
        [`/api/v1/namespaces/${dataset}/`, edit],
      ] as const) {
        const { status } = await ask(path, init, token);
        assert.ok(status >= 400 && status < 500, `${path} ${status}`);
      }
    const made = await ask(
      '/api/v1/namespaces/water/datasets/',
      { ...edit, method: 'POST', body: '{"label": "New"}' },
      token,
    );
    assert.equal(made.status, 409, made.text);
    const label = async () => (await ask('/api/v1/namespaces/secret/datasets/plans/', {}, token)).body.label;
    assert.equal(await until(async () => (await label()) ?? false), 'Plans');
  });
});
