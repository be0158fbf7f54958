/** `check --standards`: what portals and search engines miss, and what to write. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const content = {
  settings: { title: 'Town', language: 'en', description: 'Data of the town.' },
  namespaces: { parks: { label: 'Parks' }, secret: { label: 'Secret', visibility: 'private' } },
  datasets: {
    'parks/trees': { id: 1, label: 'Trees', keywords: ['trees'], contact: 'parks@example.org', licence: 'CC0-1.0' },
    'secret/files': { id: 2, label: 'Files' },
  },
};

it('says which standards refuse or degrade a public dataset, and what to write', async () => {
  const { out, exitCode, root } = await type(['check', '--standards', '--json'], { seed: content });
  assert.equal(exitCode, 0, 'warnings are no errors');
  const { problems } = JSON.parse(out) as { problems: readonly { path: string; message: string }[] };
  const found = problems.filter(({ message }) => /refused by|incomplete in/.test(message));
  assert.deepEqual(
    found.map(({ path, message }) => `${path}: ${message.split(':')[0]}`),
    [
      'catalogue.yaml: no publisher',
      'namespaces/parks/datasets/trees/dataset.yaml: no version',
      'namespaces/parks/datasets/trees/dataset.yaml: no file whose columns can be named',
      'namespaces/parks/datasets/trees/dataset.yaml: no description',
    ],
  );
  assert.match(
    found[1]?.message ?? '',
    /refused by Croissant 1.1, DCAT-US 1.1, Data Package 2, STAC 1.1.0\. Publish one/,
  );
  assert.doesNotMatch((await type(['check', '--json'], { root })).out, /refused by/);
});

it('judges the datasets of a remote by its settings, and says so if it does not show them', async (t) => {
  const settings = {
    ...{ title: 'Town', language: 'en', description: 'Data of the town.', publisher: 'Town of Foo' },
    ...{ contact: 'data@example.org', licence: 'CC0-1.0' },
  };
  const datasets = { 'parks/trees': { id: 1, label: 'Trees', keywords: ['trees'] } };
  const results = async (people: 'public' | 'members') => {
    const namespaces = { parks: { id: 3, label: 'Parks' } };
    const { base, folder } = await served({ namespaces, datasets, settings: { ...settings, people } }, t);
    const local = await type(['check', '--standards', '--json'], { root: folder.root });
    const remote = await type(['check', '--standards', '--json', '--remote', base]);
    return { local: JSON.parse(local.out), remote: JSON.parse(remote.out), err: remote.err };
  };
  const shown = await results('public');
  assert.deepEqual([shown.remote.problems, shown.remote.standards], [shown.local.problems, shown.local.standards]);
  assert.equal(shown.err, '');
  const hidden = await results('members');
  assert.match(hidden.err, /The remote does not show you its catalogue\.yaml/);
  assert.doesNotMatch(JSON.stringify(hidden.remote.problems), /"catalogue\.yaml"/);
});

it('says what is there and does not do, and counts the datasets that each standard takes', async () => {
  const datasets = {
    'parks/trees': { id: 1, label: 'Trees', licence: 'Free for all.', contact: 'Room 12', description: 'Trees.' },
    'parks/lawns': { id: 2, label: 'Lawns', licence: 'CC0-1.0', contact: 'a@example.org', keywords: ['lawns'] },
  };
  const versions = {
    'parks/lawns@1': {
      datetime: '2024-01-31T12:00:00Z',
      file: { url: 'https://example.org/lawns.csv', format: 'csv' },
    },
  };
  const seed = { ...content, datasets, versions };
  const { out } = await type(['check', '--standards'], { seed });
  for (const words of [
    'licence only in words, which programs do not understand: refused by Croissant 1.1; incomplete in schema.org,',
    'contact without an e-mail address: refused by DCAT-US 1.1; incomplete in DCAT-AP 3.0.1. Write it here or',
    'description of fewer than 50 characters: incomplete in schema.org',
    'Publish one: catalogue publish <file> --to parks/trees',
    'not only its URL: catalogue publish <file> --to parks/lawns',
  ])
    assert.ok(out.includes(words), `${words} is not in\n${out}`);
  assert.match(out, /Public datasets in the standards\n.*schema\.org\s+0\s+2\s+0\n.*DCAT-US 1\.1\s+0\s+1\s+1\n/s);
  const { standards } = JSON.parse((await type(['check', '--standards', '--json'], { seed })).out);
  assert.deepEqual(standards['Croissant 1.1'], { complete: 0, incomplete: 0, refused: 2 });
  assert.deepEqual(standards['STAC 1.1.0'], { complete: 1, incomplete: 0, refused: 1 });
});

it('says that the rings of a published GeoJSON file have the wrong direction, and how to convert it', async () => {
  const seed = { ...content, datasets: { 'parks/lawns': { id: 1, label: 'Lawns' } } };
  const { root } = await type(['namespace', 'list'], { seed });
  const lawn =
    '{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}}';
  writeFileSync(join(root, 'lawns.geojson'), `{"type":"FeatureCollection","features":[${lawn}]}`);
  const published = await type(['publish', join(root, 'lawns.geojson'), '--to', 'parks/lawns'], { root });
  assert.equal(published.exitCode, 0, published.err);
  assert.match(published.out + published.err, /1 ring has another direction than RFC 7946 demands.*-lco RFC7946=YES/s);
  const { out } = await type(['check', '--standards', '--json'], { root });
  const { problems } = JSON.parse(out) as { problems: readonly { message: string }[] };
  const found = problems.find(({ message }) => message.startsWith('1 ring has another direction'));
  assert.match(found?.message ?? '', /: the published file is not valid GeoJSON\. Convert .*ogr2ogr -lco RFC7946=YES/);
});
