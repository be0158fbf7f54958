/** Former names of records in an export: only those that are addresses are written, wherever a name would be read as something else. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { exportCatalogue } from '../../src/index.ts';
import { makeFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startNginx, withoutNginx } from '../support/nginx.ts';

const odd = [
  'x" /a; } server { listen 81; location ~ a { return 200; } } map $uri $z { default 1; "y',
  ...['trees (old', 'two words', 'parks/trees*', 'x\n/* https://example.org/ 301!', '', '.', '..'],
  // Paths of files of the dataset parks/trees, after decoding.
  ...['parks/%74rees', 'parks/trees%2fdata', 'parks/trees/data', 'mine/parks/trees', 'mine/parks/oaks', '../parks'],
].filter(Boolean);
const seed = makeFolder({
  namespaces: {
    parks: { label: 'Parks' },
    mine: { label: 'Mine', aliases: ['once', 'a"b', 'parks/datasets/trees', '%70arks'] },
  },
  datasets: {
    'parks/trees': { label: 'Trees' },
    'parks/lawns-new': { label: 'Lawns', aliases: ['lawns', 'mine/turf', 'x y'] },
    'mine/another': { label: 'Another', aliases: ['before'] },
    'mine/own': { label: 'Own', aliases: ['before', 'woods/own', ...odd] },
  },
  groups: { gardeners: { label: 'Gardeners', aliases: ['diggers', 'a b;'] } },
  queries: { oaks: { label: 'Oaks', dataset: 'parks/trees', aliases: ['acorns', 'a{b'] } },
});
const filling = await openFileCatalogue(seed.root, { cache: false });
const publish = async (slug: string, text: string) => {
  const ref = { kind: 'dataset', namespace: 'parks', slug } as const;
  return (await filling.for().publish(ref, { source: Readable.from([text]), fileName: 'a.csv' })).version.slug;
};
await publish('trees', 'name\nOak\n');
const first = await publish('lawns-new', 'area\n1\n');
const newest = await publish('lawns-new', 'area\n2\n');
await filling.close();
const base = `http://127.0.0.1:${await freePort()}`;
const options = { folder: seed.root, to: seed.beside('site'), url: base };
const read = (file: string) => readFileSync(`${options.to}/${file}`, 'utf8');

it('redirects from the names that an address can have', async () => {
  await exportCatalogue(options);
  const ofLawns = ['namespaces/parks/datasets/lawns', 'namespaces/mine/datasets/turf'];
  const ofOwn = ['namespaces/mine/datasets/before', 'namespaces/woods/datasets/own'];
  const from = [...ofOwn, ...ofLawns, 'namespaces/once'];
  assert.deepEqual(
    read('_redirects')
      .split('\n')
      .filter((line) => !line.includes('/download/'))
      .map((line) => line.replace(/\/\* .*/, '')),
    [...[...from, 'queries/acorns', 'groups/diggers'].map((path) => `/api/v1/${path}`), ''],
  );
  // Two records claim that one: the last has it, as on a server.
  assert.match(read('_redirects'), /^\/api\/v1\/namespaces\/mine\/datasets\/before\/\* \S+\/own\/:splat /m);
  assert.equal(read('_nginx.conf').match(/^server /gm)?.length, 1);
});

it('reads a list of files in which people have written kinds of records that there are not', async () => {
  const list = `${options.to}/.catalogue-export`;
  writeFileSync(list, `${readFileSync(list, 'utf8')}{"name":"constructor x","fingerprint":"","files":[]}\n`);
  await exportCatalogue(options);
  assert.doesNotMatch(readFileSync(list, 'utf8'), /constructor/);
});

/** Files of lawns-new by a name of it, from its address. */
const filesBy = (slug: string) => [
  `download/${slug}.csv`,
  `download/${slug}-${newest}.csv`,
  `version/${newest}/download/${slug}-${newest}.csv`,
  `version/${first}/download/${slug}-${first}.csv`,
];
const lawns = '/api/v1/namespaces/parks/datasets/lawns-new/';

it('redirects from the names that files had by them', () => {
  const lines = ['lawns', 'turf'].flatMap((former) =>
    filesBy(former).map((file, i) => `${lawns}${file} ${lawns}${filesBy('lawns-new')[i]} 308`),
  );
  assert.deepEqual(
    read('_redirects')
      .split('\n')
      .filter((line) => line.includes('/download/')),
    lines,
  );
});

it('keeps the pages of other datasets at the next export', async () => {
  const { written } = await exportCatalogue(options);
  assert.equal(written, 0);
  assert.match(read('api/v1/namespaces/parks/datasets/trees/index.html'), /<title>Trees/);
});

it('has a configuration that nginx reads', { skip: withoutNginx }, async () => {
  const snippet = read('_nginx.conf')
    .replace('listen 8080', `listen 127.0.0.1:${new URL(base).port}`)
    .replace('/srv/site', options.to);
  const endNginx = await startNginx(seed.beside('nginx'), snippet, `${base}/`);
  try {
    const { status, headers } = await fetch(`${base}/api/v1/namespaces/woods/datasets/own/data/`, {
      redirect: 'manual',
    });
    assert.deepEqual([status, headers.get('location')], [308, '/api/v1/namespaces/mine/datasets/own/data/']);
    for (const [i, present] of filesBy('lawns-new').entries()) {
      assert.equal((await fetch(`${base}${lawns}${present}`, { redirect: 'manual' })).status, 200, present);
      for (const former of ['lawns', 'turf']) {
        const file = `${filesBy(former)[i]}`;
        const moved = await fetch(`${base}${lawns}${file}?a=b`, { redirect: 'manual' });
        assert.deepEqual([moved.status, moved.headers.get('location')], [308, `${lawns}${present}?a=b`]);
        const kept = await fetch(`${base}${lawns.replace('lawns-new', 'lawns')}${file}`);
        assert.equal(await kept.text(), file.includes(first) ? 'area\n1\n' : 'area\n2\n');
      }
    }
    for (const other of ['download/lawns.json', `version/${first}/download/lawns-${newest}.csv`, 'download/lawn.csv'])
      assert.equal((await fetch(`${base}${lawns}${other}`, { redirect: 'manual' })).status, 404, other);
  } finally {
    await endNginx();
  }
});
