import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { UnreachableError, type ValidationError } from '../../src/catalogue/errors.ts';
import { assertPublicAddress, makeGuardedLookup } from '../../src/import/addresses.ts';
import { HttpDocuments } from '../../src/import/http-documents.ts';
import { filesIn } from '../support/exported.ts';
import { type Answer, Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';
import { serveFolder } from '../support/server.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => {
  portal.answers.clear();
  portal.asked.length = 0;
});

async function importing(root: string, ...argv: string[]) {
  const result = await type(['import', ...argv, '--delay', '0', '--json'], { root });
  return { ...result, json: result.out ? JSON.parse(result.out) : null };
}

const counts = ({ created, updated, unchanged, skipped }: Record<string, unknown[]>) => [
  created?.length,
  updated?.length,
  unchanged,
  skipped?.length,
];

const packageNamed = (name: string, id = name) => ({
  id: `${id.padStart(8, '0').slice(0, 8)}-0000-4000-8000-000000000000`,
  name,
  title: `About ${name}`,
  resources: [{ name: 'Table', url: `${portal.base}/files/${name}.csv`, format: 'CSV' }],
});

/** Answers package_search in pages of two, whatever is asked for. */
function serveCkan(packages: readonly object[]): void {
  portal.json('/api/3/action/package_search', ({ url }: IncomingMessage) => {
    const { searchParams } = new URL(url ?? '', 'http://x');
    const start = Number(searchParams.get('start') ?? 0);
    const results = searchParams.get('rows') === '0' ? [] : packages.slice(start, start + 2);
    return { help: '', success: true, result: { count: packages.length, results } };
  });
}

describe('an import over HTTP', () => {
  it('waits for no other attempt, and for no turn, once its documents are closed', { timeout: 20_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'catalogue-import-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const answered = new Promise<void>((resolve) =>
      portal.answers.set('/busy', (_, response) => response.writeHead(503, { 'retry-after': '60' }).end(resolve)),
    );
    const documents = await HttpDocuments.open({ folder, source: portal.base, interval: 60_000 });
    const waiting = [documents.open(`${portal.base}/busy`), documents.open(`${portal.base}/next`)];
    const ended = Promise.all(waiting.map((one) => assert.rejects(one, UnreachableError)));
    await answered;
    await documents.close();
    await ended;
    assert.deepEqual(portal.asked, ['/busy']);
  });

  it('takes in long files of a server that closes the connection after each answer', async (t) => {
    const root = await makeRoot();
    const lines = Buffer.from('name,height\n'.concat('oak,12.5\n'.repeat(22_222)));
    const server = createServer((socket) => {
      socket.on('error', () => {});
      const head = `HTTP/1.0 200 OK\r\nContent-Type: text/csv\r\nContent-Length: ${lines.length}\r\n\r\n`;
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), lines])));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.csv`;
    serveCkan([{ ...packageNamed('a'), resources: [{ name: 'Table', url, format: 'CSV' }] }]);
    const { json, err } = await importing(root, `${portal.base}/api/3/action`, '--to', 'portal', '--with-data');
    assert.equal(json.versions.length, 1, err);
  });

  it('reads all pages of a CKAN portal from the address of its home page, and asks with ETags the second time', async () => {
    const root = await makeRoot();
    portal.answers.set('/', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x'),
    );
    serveCkan(['11111111', '22222222', '33333333', '44444444', '55555555'].map((name) => packageNamed(name)));
    const first = await importing(root, `${portal.base}/`, '--to', 'portal');
    assert.deepEqual(counts(first.json), [5, 0, 0, 0], first.err);
    portal.asked.length = 0;
    const second = await importing(root, `${portal.base}/`, '--to', 'portal');
    assert.deepEqual(counts(second.json), [0, 0, 5, 0]);
    assert.ok(portal.asked.filter((one) => one.endsWith('if-none-match')).length >= 3, portal.asked.join());
    assert.ok(second.json.unchangedDocuments >= 3);
  });

  it('finds a renamed package again by its id: 1 update, 0 new', async () => {
    const root = await makeRoot();
    serveCkan([packageNamed('trees', '1'), packageNamed('parks', '2')]);
    const url = `${portal.base}/api/3/action/package_search`;
    await importing(root, url.replace('/package_search', ''), '--to', 'portal');
    serveCkan([packageNamed('street-trees', '1'), packageNamed('parks', '2')]);
    const { json } = await importing(root, url.replace('/package_search', ''), '--to', 'portal');
    assert.deepEqual(counts(json), [0, 1, 1, 0]);
    assert.equal(json.updated[0].dataset, 'portal/street-trees');
  });

  it('names a renamed package by its new name also where it keeps what people wrote', async () => {
    const root = await makeRoot();
    const url = `${portal.base}/api/3/action`;
    serveCkan([packageNamed('trees', '1')]);
    await importing(root, url, '--to', 'portal');
    await type(['dataset', 'edit', 'portal/trees', '--label', 'Mine'], { root });
    serveCkan([packageNamed('street-trees', '1')]);
    for (const more of [['--dry-run'], []]) {
      const { json, err } = await importing(root, url, '--to', 'portal', ...more);
      assert.deepEqual(json.kept, [{ dataset: 'portal/street-trees', fields: ['label'] }], err);
    }
  });

  it('moves a package whose name has lost its year, and not one whose number says that its name is taken', async () => {
    const root = await makeRoot();
    const url = `${portal.base}/api/3/action`;
    const run = async () => (await importing(root, url, '--to', 'portal')).json;
    serveCkan([packageNamed('census-2020', '1'), packageNamed('trees', '2'), packageNamed('Trees', '3')]);
    assert.deepEqual((await run()).created.map(({ dataset }: { dataset: string }) => dataset).sort(), [
      'portal/census-2020',
      'portal/trees',
      'portal/trees-2',
    ]);
    serveCkan([packageNamed('census', '1'), packageNamed('trees', '2'), packageNamed('Trees', '3')]);
    const json = await run();
    assert.deepEqual(counts(json), [0, 1, 2, 0]);
    assert.equal(json.updated[0].dataset, 'portal/census');
    const { out } = await type(['dataset', 'show', 'portal/census-2020', '--json'], { root });
    assert.equal(JSON.parse(out).slug, 'census');
    assert.deepEqual(counts(await run()), [0, 0, 3, 0]);
    serveCkan([packageNamed('census-2020', '1'), packageNamed('trees', '2'), packageNamed('Trees', '3')]);
    assert.equal((await run()).updated[0]?.dataset, 'portal/census-2020', 'it has its former name again');
    assert.deepEqual(counts(await run()), [0, 0, 3, 0]);
  });

  it('tries again after 500, 429 with Retry-After and a cut connection', async () => {
    const root = await makeRoot();
    const failures: Answer[] = [
      (_, response) => response.writeHead(500).end('broken'),
      (_, response) => response.writeHead(429, { 'retry-after': '0' }).end(),
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"dataset": [', () => response.destroy());
      },
    ];
    portal.json('/good', { conformsTo: 'dcat', dataset: [{ title: 'A', identifier: 'a-1' }] });
    portal.answers.set('/data.json', (request, response) => {
      const fail = failures.shift();
      if (fail) fail(request, response);
      else portal.answers.get('/good')?.(request, response);
    });
    const { json, err } = await importing(root, `${portal.base}/data.json`, '--to', 'agency');
    assert.deepEqual(counts(json), [1, 0, 0, 0], err);
    assert.equal(json.requests, 4);
  });

  it('goes on where an interrupted import stopped', async () => {
    const root = await makeRoot();
    const packages = ['11111111', '22222222', '33333333', '44444444'].map((name) => packageNamed(name));
    serveCkan(packages);
    const whole = portal.answers.get('/api/3/action/package_search') as Answer;
    portal.answers.set('/api/3/action/package_search', (request, response) => {
      if (request.url?.includes('start=2')) response.writeHead(403).end();
      else whole(request, response);
    });
    const first = await importing(root, `${portal.base}/api/3/action`, '--to', 'portal');
    assert.match(first.err, /the server refuses access \(403\)/);
    portal.answers.set('/api/3/action/package_search', whole);
    portal.asked.length = 0;
    const second = await importing(root, `${portal.base}/api/3/action`, '--to', 'portal');
    assert.equal(second.exitCode, 0, second.err);
    assert.equal(portal.asked.length, 1, 'the first page is not asked for again');
    assert.equal(second.json.created.length + second.json.unchanged, 4);
  });

  it('asks for everything again after a document that is gone', async () => {
    const root = await makeRoot();
    const path = '/api/3/action/package_search';
    serveCkan(['11111111', '22222222', '33333333'].map((name) => packageNamed(name)));
    const whole = portal.answers.get(path) as Answer;
    portal.answers.set(path, (request, response) => {
      if (request.url?.includes('start=2')) response.writeHead(404).end();
      else whole(request, response);
    });
    const first = await importing(root, `${portal.base}/api/3/action`, '--to', 'portal');
    assert.match(first.err, /the server answered 404/);
    serveCkan([packageNamed('44444444')]);
    const second = await importing(root, `${portal.base}/api/3/action`, '--to', 'portal');
    assert.deepEqual(
      second.json?.created.map(({ dataset }: { dataset: string }) => dataset),
      ['portal/44444444'],
      second.err,
    );
  });

  it('brings files as versions, and a new version only where the bytes differ', async () => {
    const root = await makeRoot();
    serveCkan([packageNamed('trees', '1')]);
    let rows = 'name,height\noak,3\n';
    portal.answers.set('/files/trees.csv', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/csv' }).end(rows),
    );
    const url = `${portal.base}/api/3/action`;
    const versions = async () => (await importing(root, url, '--to', 'portal', '--with-data')).json.versions.length;
    assert.equal(await versions(), 1);
    assert.equal(await versions(), 0);
    rows = 'name,height\noak,4\n';
    assert.equal(await versions(), 1);
    const shown = await type(['import', url, '--to', 'portal', '--with-data', '--delay', '0'], {
      root,
      terminal: true,
    });
    assert.match(shown.err, /\rImporting {2}\[#+\] 100 % {2}1 of 1.*\rAdding files {2}\[-+\] {3}0 % {2}0 of 1/s);
    portal.answers.delete('/files/trees.csv');
    const { links } = (await importing(root, url, '--to', 'portal', '--with-data')).json;
    const reason = `${portal.base}/files/trees.csv: the server answered 404.`;
    assert.deepEqual(links, [{ id: 'portal/trees', reason, failed: true }]);
    const { catalogue } = await type(['dataset', 'list'], { root });
    const dataset = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'portal', slug: 'trees' });
    assert.deepEqual(
      dataset.versions.map(({ rows }) => rows),
      [1, 1],
    );
  });

  it('keeps documents that imports use, and deletes others after 30 days', async () => {
    const root = await makeRoot();
    serveCkan([packageNamed('trees', '1'), packageNamed('parks', '2')]);
    for (const name of ['trees', 'parks']) portal.file(`/files/${name}.csv`, `name\n${name}\n`, 'text/csv');
    const run = () => importing(root, `${portal.base}/api/3/action`, '--to', 'portal', '--with-data');
    await run();
    const cache = join(root, '.catalogue/import');
    const bodies = () =>
      filesIn(cache)
        .filter((path) => path.endsWith('.body'))
        .map((path) => readFileSync(join(cache, path), 'utf8').split('\n')[1])
        .filter(Boolean);
    const age = (days: number) => {
      const then = new Date(Date.now() - days * 24 * 3_600_000);
      for (const path of filesIn(cache)) utimesSync(join(cache, path), then, then);
    };
    assert.deepEqual(bodies().sort(), ['parks', 'trees']);
    serveCkan([packageNamed('trees', '1')]);
    age(29);
    await run();
    assert.deepEqual(bodies().sort(), ['parks', 'trees']);
    age(31);
    portal.asked.length = 0;
    assert.ok((await run()).json.unchangedDocuments >= 2);
    assert.ok(portal.asked.includes('/files/trees.csv if-none-match'));
    assert.deepEqual(bodies(), ['trees']);
    assert.equal(filesIn(cache).length, 4, 'two documents are left, of the portal and of its file');
  });

  it('takes another catalogue, with its rows and the texts of its columns, and its OGC API', async () => {
    const served = await serveFolder(await makeRoot());
    try {
      const root = await makeRoot({ settings: { title: 'Empty' } });
      const { json, err } = await importing(root, served.base, '--to', 'copy', '--with-data');
      assert.deepEqual(counts(json), [2, 0, 0, 0], err);
      const get = async (namespace: string, slug: string) =>
        (await type(['dataset', 'list'], { root })).catalogue.get<'dataset'>({ kind: 'dataset', namespace, slug });
      const trees = await get('copy', 'trees');
      assert.deepEqual([trees.licence, trees.versions[0]?.rows], ['CC0-1.0', 3]);
      assert.equal(json.versions[0].file, 'trees-20200102030405000000.csv');
      assert.equal(trees.columns.find(({ name }) => name === 'height')?.unit, 'm');
      const ogc = await importing(root, `${served.base.replace(/\/$/, '')}/ogc/`, '--to', 'features', '--with-data');
      assert.equal(ogc.json.created.length, 1, ogc.out);
      const dcat = await importing(root, `${served.base.replace(/\/$/, '')}/catalog.ttl`, '--to', 'dcat');
      assert.deepEqual(counts(dcat.json), [2, 0, 0, 0], dcat.err);
      const described = await get('dcat', 'trees');
      assert.deepEqual([described.licence, described.keywords], ['CC0-1.0', ['nature']]);
      assert.ok(Object.values(described.links).some((url) => url.endsWith('.csv')));
      const features = await get('features', ogc.json.created[0].dataset.split('/')[1]);
      assert.equal(features.versions[0]?.rows, 3);
    } finally {
      await served.close();
    }
  });

  it('takes texts of another catalogue as they are written there, also terms of use and contacts in words', async () => {
    const texts = {
      label: 'Code <b> & more',
      description: 'The tag `<b>` stands for &lt;b&gt;.',
      licence: 'All rights reserved, ask us',
      publisher: 'Parks <p> & Co',
      contact: 'Anna <anna@example.org>',
    };
    const served = await serveFolder(
      await makeRoot({
        namespaces: { city: { id: 1, label: 'City' } },
        datasets: { 'city/code': { id: 7, ...texts } },
      }),
    );
    try {
      const root = await makeRoot({ settings: { title: 'Empty', licence: 'CC0-1.0' } });
      await importing(root, served.base, '--to', 'copy');
      const { catalogue } = await type(['dataset', 'list'], { root });
      const copy = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'copy', slug: 'code' });
      for (const [name, text] of Object.entries(texts)) assert.equal(copy[name as keyof typeof texts], text);
    } finally {
      await served.close();
    }
  });

  it('takes the address of a dataset in another catalogue, and its package, for one dataset', async () => {
    const served = await serveFolder(await makeRoot());
    try {
      for (const name of ['', 'datapackage.json']) {
        const root = await makeRoot({ settings: { title: 'Empty' } });
        const address = `${served.base}/api/v1/namespaces/parks/datasets/trees/${name}`;
        const { json, err } = await importing(root, address, '--to', 'copy', '--with-data');
        const created = json?.created.map(({ dataset, label }: Record<string, string>) => [dataset, label]);
        assert.deepEqual(created, [['copy/parks-trees', 'Trees']], err);
        assert.equal(json.versions[0]?.file, 'trees-20200102030405000000.csv');
      }
    } finally {
      await served.close();
    }
  });

  it('waits between two requests to one host, after failures twice as long each time, and as long as the server asks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalogue-test-'));
    const waits: number[] = [];
    let now = 1_000_000;
    const clock = {
      now: () => now,
      wait: async (milliseconds: number) => {
        waits.push(milliseconds);
        now += milliseconds;
      },
    };
    const documents = await HttpDocuments.open({
      folder,
      source: portal.base,
      interval: 1000,
      retryAfter: 3000,
      clock,
    });
    try {
      portal.json('/a', {});
      portal.json('/b', {});
      await documents.open(`${portal.base}/a`);
      await documents.open(`${portal.base}/b`);
      assert.deepEqual(waits.splice(0), [1000]);
      await documents.open(`${portal.base}/a`);
      assert.deepEqual([waits.splice(0), documents.counts.resumed], [[], 1]);
      const failures = [500, 503, 429];
      portal.answers.set('/c', (request, response) => {
        const status = failures.shift();
        if (status) response.writeHead(status, status === 429 ? { 'retry-after': '7' } : {}).end();
        else portal.answers.get('/a')?.(request, response);
      });
      await documents.open(`${portal.base}/c`);
      assert.deepEqual(waits.splice(0), [1000, 3000, 6000, 7000]);
      portal.answers.set('/d', (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end());
      await assert.rejects(
        documents.open(`${portal.base}/d`),
        /asks to wait 3600 seconds: run the same command again then/,
      );
    } finally {
      await documents.close();
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses private addresses by their number, by a name that has one, and behind a redirect', async () => {
    for (const address of [
      '10.0.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '[::1]',
      '[::ffff:10.0.0.1]',
      '192.168.1.1',
      '100.64.0.1',
      '0.0.0.0',
      '[fd00::1]',
    ])
      assert.throws(() => assertPublicAddress(`http://${address}/`, 'https://data.example.org'), /private network/);
    assert.throws(() => assertPublicAddress('http://2130706433/', 'https://data.example.org'), /private network/);
    assert.throws(() => assertPublicAddress('file:///etc/passwd', 'https://data.example.org'), /Only http and https/);
    assert.doesNotThrow(() => assertPublicAddress('http://10.0.0.1/x', 'http://10.0.0.1:8080/'));
    const looked = await new Promise<Error | null>((resolve) =>
      makeGuardedLookup('data.example.org')('localhost', { all: true }, (error) => resolve(error)),
    );
    assert.match(String((looked as ValidationError | null)?.fields.source), /localhost, which is in a private network/);
  });

  it('follows the pages of a STAC API', async () => {
    const root = await makeRoot();
    const collection = (id: string) => ({
      type: 'Collection',
      stac_version: '1.0.0',
      id,
      description: id,
      license: 'CC0-1.0',
      extent: {},
      links: [{ rel: 'items', href: `/stac/collections/${id}/items` }],
    });
    portal.json('/stac', {
      type: 'Catalog',
      stac_version: '1.0.0',
      id: 'api',
      description: 'API',
      conformsTo: ['https://api.stacspec.org/v1.0.0/core'],
      links: [{ rel: 'data', href: '/stac/collections' }],
    });
    portal.json('/stac/collections', ({ url }: IncomingMessage) =>
      url?.includes('page=2')
        ? { collections: [collection('c')], links: [] }
        : {
            collections: [collection('a'), collection('b')],
            links: [{ rel: 'next', href: '/stac/collections?page=2' }],
          },
    );
    const { json, err } = await importing(root, `${portal.base}/stac`, '--to', 'stac');
    assert.deepEqual(
      json?.created.map(({ dataset }: { dataset: string }) => dataset).sort(),
      ['stac/a', 'stac/b', 'stac/c'],
      err,
    );
  });

  it('fetches a context of JSON-LD from the host of the source only', async () => {
    const root = await makeRoot();
    portal.json('/context.jsonld', { '@context': { title: 'http://purl.org/dc/terms/title' } });
    const record = (context: string) => ({
      '@context': context,
      '@id': 'https://x.example/1',
      '@type': 'http://www.w3.org/ns/dcat#Dataset',
      title: 'Trees',
    });
    portal.json('/own.jsonld', record('context.jsonld'));
    const own = await importing(root, `${portal.base}/own.jsonld`, '--to', 'own');
    assert.equal(own.json?.created[0].label, 'Trees', own.err);
    portal.asked.length = 0;
    portal.json('/other.jsonld', record(portal.base.replace('127.0.0.1', 'localhost')));
    const other = await importing(root, `${portal.base}/other.jsonld`, '--to', 'other');
    assert.match(other.err, /has its context at http:\/\/localhost.*not on the host of the source/);
    assert.deepEqual(portal.asked, ['/other.jsonld']);
  });

  it('takes the feature types of a WFS, in GeoJSON if the server writes it', async () => {
    const root = await makeRoot();
    portal.answers.set('/wfs', (request, response) => {
      response.setHeader('content-type', 'application/xml');
      if (request.url?.includes('GetFeature&') || request.url?.includes('typeNames'))
        response.end(
          '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[4,52]},"properties":{"name":"oak"}}]}',
        );
      else
        response.end(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
          <wfs:WFS_Capabilities xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:ows="http://www.opengis.net/ows/1.1">
          <ows:ServiceProvider><ows:ProviderName>City</ows:ProviderName></ows:ServiceProvider>
          <ows:OperationsMetadata><ows:Operation name="GetFeature"><ows:Parameter name="outputFormat"><ows:AllowedValues>
          <ows:Value>application/gml+xml; version=3.2</ows:Value><ows:Value>application/json</ows:Value></ows:AllowedValues></ows:Parameter></ows:Operation></ows:OperationsMetadata>
          <wfs:FeatureTypeList><wfs:FeatureType><wfs:Name>city:trees</wfs:Name><wfs:Title>Trees &b;</wfs:Title>
          <ows:Keywords><ows:Keyword>nature</ows:Keyword></ows:Keywords></wfs:FeatureType></wfs:FeatureTypeList></wfs:WFS_Capabilities>`);
    });
    const url = `${portal.base}/wfs?service=WFS&request=GetCapabilities`;
    const { json, err } = await importing(root, url, '--to', 'city', '--with-data');
    assert.deepEqual([counts(json), json.versions.length], [[1, 0, 0, 0], 1], err);
    assert.equal(json.created[0].dataset, 'city/trees');
  });

  it('takes a static export as another catalogue', async () => {
    const theirs = await makeRoot();
    const site = join(theirs, '..', 'site');
    const exported = await type(['export', site, '--url', `${portal.base}/`], { root: theirs });
    assert.equal(exported.exitCode, 0, exported.err);
    for (const path of filesIn(join(site, 'api')).filter((name) => name.endsWith('index.json')))
      for (const address of [path, path.slice(0, -'index.json'.length)])
        portal.file(`/api/${address}`, readFileSync(join(site, 'api', path), 'utf8'), 'application/json');
    const { json, err } = await importing(
      await makeRoot({ settings: { title: 'Empty' } }),
      `${portal.base}/api/v1/`,
      '--to',
      'copy',
    );
    assert.deepEqual(
      json?.created.map(({ dataset }: { dataset: string }) => dataset).sort(),
      ['copy/benches', 'copy/trees'],
      err,
    );
  });

  it('reads no folder of a static export, and says which address to import', async () => {
    const theirs = await makeRoot();
    const site = join(theirs, '..', 'site');
    await type(['export', site, '--url', 'https://data.example.org/x'], { root: theirs });
    const root = await makeRoot({ settings: { title: 'Empty' } });
    const address = /static export.* catalogue import https:\/\/data\.example\.org\/x\/$/m;
    for (const folder of [site, dirname(site)]) {
      const { exitCode, err } = await type(['import', folder, '--to', 'copy', '--with-data'], { root });
      assert.deepEqual([exitCode, address.test(err)], [2, true], err);
    }
    const { exitCode, out } = await type(['import', join(site, 'index.json'), '--to', 'copy'], { root });
    assert.deepEqual([exitCode, address.test(out)], [1, true], out);
    assert.equal((await type(['dataset', 'list'], { root })).out, '');
  });

  it('takes the page of an OGC collection as its homepage, and no schema', async () => {
    const root = await makeRoot();
    const link = (rel: string, href: string, more = {}) => ({ rel, href: `${portal.base}${href}`, ...more });
    const html = { type: 'text/html' };
    const schema = link('describedby', '/schema', { type: 'application/schema+json' });
    const collections = [
      { id: 'described', links: [schema, link('alternate', '/x', html), link('describedby', '/about', html)] },
      { id: 'shown', links: [schema, link('alternate', '/page', { type: 'text/html; charset=utf-8' })] },
      { id: 'plain', links: [link('self', '/plain'), link('describedby', '/untyped')] },
      { id: 'bare', links: [link('self', '/bare'), schema] },
    ];
    portal.json('/ogc/collections', { links: [], collections });
    const { json, err } = await importing(root, `${portal.base}/ogc/collections`, '--to', 'ogc');
    assert.deepEqual(counts(json), [4, 0, 0, 0], err);
    const { catalogue } = await type(['dataset', 'list'], { root });
    for (const [slug, path] of Object.entries({ described: 'about', shown: 'page', plain: 'untyped', bare: 'bare' })) {
      const { homepage } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'ogc', slug });
      assert.equal(homepage, `${portal.base}/${path}`);
    }
  });

  it('takes the address of one OGC collection', async () => {
    const links = [{ rel: 'items', href: `${portal.base}/ogc/collections/lakes/items`, type: 'application/geo+json' }];
    portal.json('/ogc/collections/lakes', { id: 'lakes', title: 'Lakes', links });
    const { json, err } = await importing(await makeRoot(), `${portal.base}/ogc/collections/lakes`, '--to', 'ogc');
    assert.deepEqual([counts(json), json?.created], [[1, 0, 0, 0], [{ dataset: 'ogc/lakes', label: 'Lakes' }]], err);
  });

  it('is saved in catalogue.yaml, and run by refresh', async () => {
    const root = await makeRoot();
    portal.json('/data.json', { conformsTo: 'dcat', dataset: [{ title: 'A', identifier: 'a-1' }] });
    await importing(root, `${portal.base}/data.json`, '--to', 'agency', '--save', 'agency');
    portal.json('/data.json', {
      conformsTo: 'dcat',
      dataset: [
        { title: 'B', identifier: 'a-1' },
        { title: 'C', identifier: 'c-1' },
      ],
    });
    const { out, exitCode, err } = await type(['refresh', '--json'], { root });
    assert.equal(exitCode, 0, err);
    const [result] = JSON.parse(out);
    assert.deepEqual([result.name, ...counts(result)], ['agency', 1, 1, 0, 0]);
    const unknown = await type(['refresh', 'agensy'], { root });
    assert.deepEqual([unknown.exitCode, /has no source "agensy"\. It has agency\./.test(unknown.err)], [3, true]);
    const checked = await type(['check'], { root });
    assert.equal(checked.exitCode, 0, checked.out + checked.err);
  });

  it('is saved beside the sources that others have saved meanwhile', async () => {
    const root = await makeRoot();
    portal.json('/small.json', { conformsTo: 'dcat', dataset: [{ title: 'A', identifier: 'a-1' }] });
    portal.json('/big.json', () => {
      writeFileSync(join(root, 'catalogue.yaml'), `sources: # by hand\n  small: {url: "${portal.base}/small.json"}\n`);
      return { conformsTo: 'dcat', dataset: [{ title: 'B', identifier: 'b-1' }] };
    });
    const { exitCode, err } = await importing(root, `${portal.base}/big.json`, '--to', 'big', '--save', 'big');
    assert.equal(exitCode, 0, err);
    const settings = readFileSync(join(root, 'catalogue.yaml'), 'utf8');
    assert.match(settings, /^sources: # by hand\n {2}small: .*\n {2}big:/m);
  });

  it('ends a refresh of several sources at Ctrl-C', async () => {
    const root = await makeRoot();
    const dcatUs = { conformsTo: 'dcat', dataset: [{ title: 'A', identifier: 'a-1' }] };
    for (const name of ['one', 'two']) {
      portal.json(`/${name}.json`, dcatUs);
      await importing(root, `${portal.base}/${name}.json`, '--to', name, '--save', name);
    }
    portal.asked.length = 0;
    const interrupted = new Promise<void>((resolve) => portal.answers.set('/one.json', () => resolve()));
    const { exitCode, err } = await type(['refresh'], { root, interrupted });
    assert.equal(exitCode, 130, err);
    assert.match(err, /Interrupted\. The same command goes on with it\./);
    assert.deepEqual(portal.asked, ['/one.json if-none-match']);
  });

  it('follows redirects to http(s) only, and to no private network of another name', async () => {
    const root = await makeRoot();
    for (const [location, reason] of [
      ['file:///etc/passwd', /Only http and https are followed/],
      ['http://localhost:1/x', /is in a private network/],
      ['http://[::1]:1/x', /is in a private network/],
      ['http://10.0.0.1/x', /is in a private network/],
      ['/loop', /redirects more than 10 times/],
    ] as const) {
      portal.answers.set('/loop', (_, response) => response.writeHead(302, { location }).end());
      const { err, exitCode } = await importing(root, `${portal.base}/loop`, '--to', 'x');
      assert.match(err, reason, location);
      assert.notEqual(exitCode, 0);
    }
  });
});
