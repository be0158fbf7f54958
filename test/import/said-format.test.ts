/** `--format` for local files and for servers; and files that look like documents, or refer to their server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { makeFiles } from './support/local-files.ts';

const collection = (links: readonly object[], assets = {}) =>
  JSON.stringify({
    ...{ stac_version: '1.0.0', type: 'Collection', id: 'lakes', description: 'Lakes', license: 'CC0-1.0', extent: {} },
    ...{ links, assets },
  });
const datasets = (imported: { readonly created: readonly { readonly dataset: string }[] }) =>
  imported.created.map(({ dataset }) => dataset);
const reasons = (imported: { readonly skipped: readonly { readonly reason: string }[] }) =>
  imported.skipped.map(({ reason }) => reason);

describe('a local file whose format is said', () => {
  it('is read in it where its text does not show it', async () => {
    const { importing } = await makeFiles({
      'empty.json': '{"dataset":[]}',
      'rdf.txt': `<https://example.org/a> a <http://www.w3.org/ns/dcat#Dataset>;
        <http://purl.org/dc/terms/title> "A"; <http://purl.org/dc/terms/identifier> "a".`,
    });
    assert.deepEqual(reasons(await importing('empty.json', '--format', 'dcat-us')), []);
    assert.deepEqual(datasets(await importing('rdf.txt', '--format', 'dcat')), ['city/a']);
  });

  it('is refused if it shows another format, or none', async () => {
    const { importing } = await makeFiles({ 'collection.json': collection([]), 'other.json': '{}' });
    for (const [source, format, reason] of [
      ['collection.json', 'ckan', 'its format is stac, not ckan'],
      ['other.json', 'stac', 'it is no document in the format stac'],
      ['other.json', 'datapackage', 'it is no document in the format datapackage'],
      ['other.json', 'registry', 'it is no document in the format registry'],
    ] as const) {
      const imported = await importing(source, '--format', format);
      assert.deepEqual([datasets(imported), reasons(imported)], [[], [reason]], imported.err);
    }
  });

  it('is taken of the files of a folder, and the others are named', async () => {
    const { importing } = await makeFiles({
      'mixed/a.yaml': 'Name: A\nDescription: d\nManagedBy: m\n',
      'mixed/collection-1.json': collection([]),
    });
    const imported = await importing('mixed', '--format', 'stac');
    assert.deepEqual([datasets(imported), reasons(imported)], [['city/lakes'], ['its format is registry, not stac']]);
  });
});

describe('an address whose format is said', () => {
  const portal = new Portal();
  before(() => portal.start());
  after(() => portal.close());

  it('is refused if its document has another, instead of having no datasets', async () => {
    const root = await makeRoot();
    portal.file('/collection', collection([]), 'application/json');
    portal.file('/other', '{"code":"Unavailable"}', 'application/json');
    for (const [path, format, message] of [
      ['/collection', 'datapackage', /its format is stac, not datapackage\. Leave out --format\.$/m],
      ['/other', 'stac', /it is no document in the format stac\. Leave out --format, or give the address/],
    ] as const) {
      const argv = ['import', `${portal.base}${path}`, '--to', 'city', '--delay', '0', '--format', format];
      const { err, exitCode } = await type(argv, { root });
      assert.equal(exitCode, 2);
      assert.match(err, message);
    }
  });
});

describe('a local file', () => {
  it('is a table by its name, even if it begins like JSON', async () => {
    const { importing } = await makeFiles({ 'trees.csv': '[id],[name]\n1,oak\n' });
    const imported = await importing('trees.csv');
    assert.deepEqual([datasets(imported), reasons(imported)], [['city/trees'], []]);
  });

  it('has links with percent-encoded names', async () => {
    const { root, importing } = await makeFiles({
      'stac/catalog.json': JSON.stringify({
        ...{ stac_version: '1.0.0', type: 'Catalog', id: 'all', description: 'All' },
        links: [{ rel: 'child', href: './my%20lakes/collection.json' }],
      }),
      'stac/my lakes/collection.json': collection([], {
        encoded: { href: './the%20lakes.csv' },
        plain: { href: './100%.csv' },
      }),
      'stac/my lakes/the lakes.csv': 'a\n1\n',
      'stac/my lakes/100%.csv': 'a\n1\n',
    });
    const imported = await importing('stac', '--with-data');
    assert.deepEqual([datasets(imported), reasons(imported)], [['city/lakes'], []], imported.err);
    const { out } = await type(['version', 'list', 'city/lakes', '--json'], { root });
    assert.equal(JSON.parse(out).length, 1, imported.err);
  });

  it('that leads to its server names the address to import', async () => {
    const items = { type: 'FeatureCollection', features: [{ type: 'Feature', stac_version: '1.0.0' }] };
    const { importing } = await makeFiles({
      'ogc.json': JSON.stringify({ links: [{ rel: 'data', href: 'https://example.org/collections' }] }),
      'items.json': JSON.stringify(items),
    });
    for (const [source, reason] of [
      ['ogc.json', /^it is the landing page of an OGC API.* Import its address: catalogue import https/],
      ['items.json', /^it is an answer of a STAC API.* name the file \.geojson to import its items as rows$/],
    ] as const) {
      const imported = await importing(source);
      assert.match(reasons(imported)[0] ?? imported.err, reason);
    }
  });
});
