/** What goes wrong when people name a source: a sentence, and nothing is left behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { basename, join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { UnreachableError } from '../../src/catalogue/errors.ts';
import { HttpDocuments } from '../../src/import/http-documents.ts';
import { Portal } from '../support/portal.ts';
import { makeRoot, type } from '../support/prompt.ts';

const portal = new Portal();
before(() => portal.start());
after(() => portal.close());
beforeEach(() => portal.answers.clear());

describe('a source that is none', () => {
  for (const [what, source, reason] of [
    ['nothing', '', /Name the source: its address/],
    ['an address without a host', 'http://', /"http:\/\/" is no complete address/],
    ['a mistyped scheme', 'htp://data.example.org', /"htp:\/\/data\.example\.org" is no address of http or https/],
    ['ftp', 'ftp://data.example.org/x', /is no address of http or https/],
    [
      'a password in an address',
      'https://user:secret@data.example.org/data.json',
      /has a user name or a password in it/,
    ],
    ['a missing file', 'missing.json', /There is no file or folder/],
  ] as const)
    it(`is refused: ${what}`, async () => {
      const root = await makeRoot();
      const { exitCode, err } = await type(['import', source, '--to', 'city'], { root });
      assert.notEqual(exitCode, 0);
      assert.match(err, reason);
      assert.ok(!existsSync(join(root, 'namespaces', 'city')), 'no empty namespace is left');
    });

  it('is refused: a page for people, and an empty answer', async () => {
    const root = await makeRoot();
    const importing = (path: string) =>
      type(['import', `${portal.base}${path}`, '--to', 'city', '--delay', '0'], { root });
    portal.file('/login', '<!doctype html><title>Login</title>', 'application/json');
    assert.match((await importing('/login')).err, /it is an HTML page, without a catalogue/);
    portal.file('/empty', '', 'application/json');
    assert.match((await importing('/empty')).err, /the answer is empty/);
    assert.ok(!existsSync(join(root, 'namespaces', 'city')));
  });
});

describe('a source with mistakes', () => {
  it('is read through redirects and gzip, and a second record with an identifier is listed', async () => {
    const root = await makeRoot();
    const dataset = [
      { identifier: 'a', title: 'A' },
      { identifier: 'a', title: 'A again' },
    ];
    const bytes = gzipSync(JSON.stringify({ conformsTo: 'dcat', dataset }));
    portal.answers.set('/moved', (_, response) => response.writeHead(302, { location: '/data.json' }).end());
    portal.answers.set('/data.json', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bytes),
    );
    const { out } = await type(['import', `${portal.base}/moved`, '--to', 'city', '--delay', '0', '--json'], { root });
    const { created, skipped } = JSON.parse(out);
    assert.equal(created.length, 1);
    assert.deepEqual(skipped, [{ id: 'a', reason: 'the source has another record with this identifier' }]);
  });
});

describe('an answer that is not what it should be', () => {
  const importing = async (root: string, path: string, ...more: string[]) => {
    const argv = ['import', `${portal.base}${path}`, '--to', 'city', '--delay', '0', '--json', ...more];
    const { out, err, exitCode } = await type(argv, { root });
    return { json: out ? JSON.parse(out) : null, err, exitCode };
  };
  const titled = (...titles: readonly string[]) => ({
    conformsTo: 'dcat',
    dataset: titles.map((title, i) => ({ title, identifier: `id-${i}` })),
  });

  it('from CKAN: an error is none of no packages', async () => {
    const root = await makeRoot();
    const packages = [{ id: 'a', name: 'trees', title: 'Trees', resources: [] }];
    portal.json('/api/3/action/package_search', { success: true, help: '', result: { count: 1, results: packages } });
    assert.equal((await importing(root, '/api/3/action')).json.created.length, 1);
    for (const [answer, reason] of [
      [{ success: false, error: { message: 'Access denied' } }, /CKAN answered with an error: Access denied/],
      [{ success: true, result: {} }, /package_search is no answer of CKAN/],
    ] as const) {
      portal.json('/api/3/action/package_search', answer);
      const { json, err, exitCode } = await importing(root, '/api/3/action');
      assert.deepEqual([json, exitCode], [null, 2]);
      assert.match(err, reason);
    }
  });

  it('from CKAN: a list that ends early is reported, and what it lacks is not missing', async () => {
    const root = await makeRoot();
    const packages = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
      id,
      name: `trees-${id}`,
      title: 'Trees',
      resources: [],
    }));
    const serve = (last: number) =>
      portal.json('/api/3/action/package_search', ({ url }: IncomingMessage) => {
        const start = Number(new URL(url ?? '', portal.base).searchParams.get('start'));
        const results = packages.slice(start, Math.min(start + 2, last));
        return { success: true, help: '', result: { count: 5, results } };
      });
    serve(5);
    assert.equal((await importing(root, '/api/3/action')).json.created.length, 5);
    serve(2);
    const { json, err } = await importing(root, '/api/3/action');
    assert.deepEqual([json?.unchanged, json?.missing], [2, []], err);
    const reason = 'its list ends after 2 of 5 packages: the others may still be at the source';
    assert.deepEqual(json.skipped, [{ id: portal.base, reason }]);
    packages.length = 2;
    portal.json('/api/3/action/package_search', { success: true, help: '', result: { count: 2, results: packages } });
    assert.equal((await importing(root, '/api/3/action')).json.missing.length, 3);
  });

  it('from CKAN: a list that becomes shorter while it is read may have the others still', async () => {
    const root = await makeRoot();
    let packages = [...'abcdef'].map((id) => ({ id, name: `trees-${id}`, title: 'Trees', resources: [] }));
    let removed = '';
    portal.json('/api/3/action/package_search', ({ url }: IncomingMessage) => {
      const start = Number(new URL(url ?? '', portal.base).searchParams.get('start'));
      const result = { count: packages.length, results: packages.slice(start, start + 2) };
      packages = packages.filter(({ id }) => id !== removed);
      return { success: true, help: '', result };
    });
    assert.equal((await importing(root, '/api/3/action')).json.created.length, 6);
    removed = 'a';
    const { json, err } = await importing(root, '/api/3/action');
    const reason = 'its list became shorter while it was read: the others may still be at the source';
    assert.deepEqual([json?.missing, json?.skipped], [[], [{ id: portal.base, reason }]], err);
    assert.deepEqual((await importing(root, '/api/3/action')).json.missing, ['city/trees-a']);
  });

  it('from CKAN: a search is read to its end, and of a page of it the rest is not missing', async () => {
    const root = await makeRoot();
    const packages = [...'abcdefg'].map((id) => ({ id, name: `trees-${id}`, title: 'Trees', resources: [] }));
    portal.json('/api/3/action/package_search', ({ url }: IncomingMessage) => {
      const { searchParams } = new URL(url ?? '', portal.base);
      assert.equal(searchParams.get('q'), 'trees');
      const start = Number(searchParams.get('start'));
      const results = packages.slice(start, start + Math.min(Number(searchParams.get('rows') ?? 10), 3));
      return { success: true, help: '', result: { count: packages.length, results } };
    });
    const search = '/api/3/action/package_search?q=trees';
    const first = await importing(root, search);
    assert.deepEqual([first.json?.created.length, first.json?.skipped], [7, []], first.err);
    const reason = 'it has 3 of 7 packages: the others may still be at the source';
    for (const page of ['rows=3', 'start=4', 'sort=name+desc&rows=4&start=0']) {
      const { json, err } = await importing(root, `${search}&${page}`, '--to', 'search');
      assert.deepEqual(json?.skipped, [{ id: `${portal.base}${search}&${page}`, reason }], err);
      assert.deepEqual(json.missing, []);
    }
    packages.length = 3;
    assert.deepEqual((await importing(root, `${search}&rows=5`, '--to', 'search')).json.skipped, []);
  });

  it('from CKAN: saved answers that lack packages of their search are reported', async () => {
    const root = await makeRoot();
    const packages = [...'abcd'].map((id) => ({ id, name: `trees-${id}`, title: 'Trees', resources: [] }));
    const save = (name: string, results: unknown) =>
      writeFileSync(join(root, 'saved', name), JSON.stringify({ success: true, help: '', result: results }));
    mkdirSync(join(root, 'saved'));
    save('a.json', { count: 4, results: packages.slice(0, 3) });
    const reason = 'it has 3 of 4 packages: the others may still be at the source';
    for (const path of ['saved', 'saved/a.json']) {
      const { out, err } = await type(['import', join(root, path), '--to', 'p', '--json'], { root });
      assert.deepEqual(JSON.parse(out).skipped, [{ id: basename(path), reason }], err);
    }
    portal.json('/saved.json', { success: true, help: '', result: { count: 4, results: packages.slice(0, 3) } });
    assert.deepEqual((await importing(root, '/saved.json')).json.skipped, [
      { id: `${portal.base}/saved.json`, reason },
    ]);
    // The last package is in an answer of its own.
    save('b.json', packages[3]);
    const { out } = await type(['import', join(root, 'saved'), '--to', 'p', '--json'], { root });
    assert.deepEqual(JSON.parse(out).skipped, []);
  });

  it('from CKAN: packages without an id have their names, and those without either are listed', async () => {
    const packages = ['a', 'b', 'c'].map((name) => ({ name, title: name.toUpperCase(), resources: [] }));
    const unnamed = ['D', 'E'].map((title) => ({ title, resources: [] }));
    const results = [...packages, ...unnamed];
    portal.json('/api/3/action/package_search', { success: true, help: '', result: { count: 5, results } });
    const { json, err } = await importing(await makeRoot(), '/api/3/action');
    assert.equal(json?.created.length, 3, err);
    assert.deepEqual(
      json.skipped.map(({ id }: { id: string }) => id),
      ['D', 'E'],
    );
  });

  it('in place of a file: it is fetched once it is made, and an error in JSON is no table', async () => {
    const distribution = [{ downloadURL: `${portal.base}/trees.csv`, mediaType: 'text/csv' }];
    portal.json('/data.json', { conformsTo: 'dcat', dataset: [{ title: 'Trees', identifier: 'trees', distribution }] });
    let waits = 1;
    const pending = { 'content-type': 'application/json', 'retry-after': '0' };
    portal.answers.set('/trees.csv', (_, response) => {
      if (waits-- > 0) response.writeHead(202, pending).end('{"status":"Pending"}');
      else response.writeHead(200, { 'content-type': 'text/csv' }).end('name\noak\n');
    });
    const root = await makeRoot();
    const { json, err } = await importing(root, '/data.json', '--with-data');
    assert.deepEqual([json?.versions.length, json?.links], [1, []], err);
    const { catalogue } = await type(['dataset', 'list'], { root });
    const { columns } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'city', slug: 'trees' });
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['name'],
    );
    const linkReason = async () => {
      const { json, err } = await importing(await makeRoot(), '/data.json', '--with-data');
      assert.deepEqual([json?.versions, json?.links.length], [[], 1], err);
      return json.links[0].reason;
    };
    waits = 1000;
    assert.match(await linkReason(), /trees\.csv: the server is still making the document \(202\) \(tried 5 times\)$/);
    portal.answers.set('/trees.csv', (_, response) => response.writeHead(204).end());
    assert.match(await linkReason(), /trees\.csv: the server answered 204\.$/);
    const quota = `{"error":"quota","records":[${'1,'.repeat(10_000)}1]}`;
    portal.file('/trees.csv', quota, 'application/json');
    assert.match(await linkReason(), /it is JSON, not csv: \{"error":"quota"/);
  });

  it('in place of a file in JSON: an error is no version, and the rows stay', async () => {
    const distribution = [{ downloadURL: `${portal.base}/trees`, format: 'JSON' }];
    portal.json('/data.json', { conformsTo: 'dcat', dataset: [{ title: 'Trees', identifier: 'trees', distribution }] });
    const root = await makeRoot();
    portal.json('/trees', [{ name: 'oak' }]);
    assert.equal((await importing(root, '/data.json', '--with-data')).json.versions.length, 1);
    for (const [answer, reason] of [
      [{ error: { code: 498, message: 'Invalid Token', details: [] } }, 'Invalid Token'],
      [{ help: '', success: false, error: { __type: 'Authorization Error' } }, 'no reason given'],
      [{ code: 'throttled', error: true, message: 'Too many requests' }, 'Too many requests'],
    ] as const) {
      portal.json('/trees', answer);
      const { json, err } = await importing(root, '/data.json', '--with-data');
      const link = { id: 'city/trees', reason: `${portal.base}/trees: the server answered with an error: ${reason}` };
      assert.deepEqual([json?.versions, json?.links], [[], [{ ...link, failed: true }]], err);
    }
    // One that has rows is a table.
    portal.json('/trees', { error: { code: 0 }, trees: [{ name: 'oak' }, { name: 'elm' }] });
    assert.doesNotMatch(
      JSON.stringify((await importing(root, '/data.json', '--with-data')).json.links),
      /with an error/,
    );
  });

  it('in place of a table: a sentence is no first version, and names of columns are', async () => {
    const distribution = [{ downloadURL: `${portal.base}/trees.csv`, format: 'CSV' }];
    portal.json('/data.json', { conformsTo: 'dcat', dataset: [{ title: 'Trees', identifier: 'trees', distribution }] });
    for (const [answer, first] of [
      ['Rate limit exceeded', 'Rate limit exceeded'],
      ['Error: quota exceeded, try later\n', 'Error: quota exceeded, try later'],
      ['Too many requests.\r\n\r\nSee https://example.org/limits\r\n', 'Too many requests.'],
    ] as const) {
      portal.file('/trees.csv', answer, 'text/csv');
      const root = await makeRoot();
      const { json, err } = await importing(root, '/data.json', '--with-data');
      const reason = `${portal.base}/trees.csv: the server answered with a sentence, and no table: ${JSON.stringify(first)}. If it is a table, fetch it: catalogue version add city/trees FILE`;
      assert.deepEqual([json?.versions, json?.links], [[], [{ id: 'city/trees', reason, failed: true }]], err);
      portal.file('/trees.csv', 'name,height\noak,3\n', 'text/csv');
      assert.equal((await importing(root, '/data.json', '--with-data')).json.versions.length, 1);
    }
    const root = await makeRoot();
    portal.file('/trees.csv', 'name,height\noak,3\n', 'text/csv');
    await importing(root, '/data.json', '--with-data');
    portal.file('/trees.csv', 'name,height\n', 'text/csv');
    assert.match(
      (await importing(root, '/data.json', '--with-data')).json.links[0].reason,
      /: The file has no rows, and the version before has 1\. To take the file all the same, fetch it: catalogue version add city\/trees FILE --force$/,
    );
    // One of a single column may look like a sentence. Once it is added by hand, it is known.
    const sentence = 'Error message\ndisk full\n';
    portal.file('/trees.csv', sentence, 'text/csv');
    assert.match((await importing(root, '/data.json', '--with-data')).json.links[0].reason, /with a sentence/);
    writeFileSync(join(root, 'trees.csv'), sentence);
    const argv = ['version', 'add', 'city/trees', join(root, 'trees.csv'), '--force'];
    assert.equal((await type(argv, { root })).exitCode, 0);
    assert.deepEqual((await importing(root, '/data.json', '--with-data')).json.links, []);
    const heads = ['name,height\n', 'Time,Error message\n', 'Street;Speed limit;Valid from\n'];
    for (const table of [...heads, 'name\noak\n', 'Error limit,height\n1,2\n', 'Oak\nElm\nPlane\nLinden\n']) {
      portal.file('/trees.csv', table, 'text/csv');
      const { json, err } = await importing(await makeRoot(), '/data.json', '--with-data');
      assert.deepEqual([json?.versions.length, json?.links], [1, []], err);
    }
  });

  it('in another encoding: it is read if it says which, and refused else', async () => {
    const root = await makeRoot();
    const text = JSON.stringify(titled('Bäume der Straße'));
    const serve = (contentType: string, bytes: Buffer) =>
      portal.answers.set('/data.json', (_, response) =>
        response.writeHead(200, { 'content-type': contentType }).end(bytes),
      );
    for (const [contentType, bytes] of [
      ['application/json; charset=iso-8859-1', Buffer.from(text, 'latin1')],
      ['application/json; charset="UTF-16LE"', Buffer.from(text, 'utf16le')],
      ['application/json', Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['application/json; charset=iso-8859-1', Buffer.from(text)],
    ] as const) {
      serve(contentType, bytes);
      const { json, err } = await importing(await makeRoot(), '/data.json', '--dry-run');
      assert.equal(json?.created[0]?.label, 'Bäume der Straße', contentType + err);
    }
    for (const contentType of ['application/json', 'application/json; charset=klingon']) {
      serve(contentType, Buffer.from(text, 'latin1'));
      const { err, exitCode } = await importing(root, '/data.json');
      assert.match(err, /data\.json is not in UTF-8, and says no other encoding\. Save it as a file in UTF-8/);
      assert.equal(exitCode, 2);
    }
    const many = JSON.stringify(titled(...Array.from({ length: 60_000 }, (_, i) => `Bäume ${i} ${'x'.repeat(60)}`)));
    serve('application/json', Buffer.from(many, 'latin1'));
    assert.match((await importing(root, '/data.json')).err, /item 1 is not in UTF-8/);
  });

  it('below an address with a slash at its end, links are relative to it', async () => {
    const root = await makeRoot();
    const collection = {
      type: 'Collection',
      stac_version: '1.0.0',
      id: 'a',
      description: 'a',
      license: 'x',
      extent: {},
    };
    portal.json('/stac/', {
      ...{ type: 'Catalog', stac_version: '1.0.0', id: 'c', description: 'c' },
      links: [{ rel: 'child', href: 'a/collection.json' }],
    });
    portal.json('/stac/a/collection.json', { ...collection, links: [] });
    const { json, err } = await importing(root, '/stac/');
    assert.deepEqual([json?.created.length, json?.skipped], [1, []], err);
    assert.equal(json.source, `${portal.base}/stac`, 'the same source with a slash and without it');
  });

  it('whose child can not be read has its datasets still, as far as is known; one without the child has lost them', async () => {
    const root = await makeRoot();
    const make = (type: string, id: string, more: object) => ({
      ...{ type, stac_version: '1.0.0', id, description: id, ...more },
    });
    const links = [{ rel: 'child', href: 'a.json' }];
    portal.json('/tree/catalog.json', make('Catalog', 'c', { links }));
    portal.json('/tree/a.json', make('Collection', 'a', { license: 'x', extent: {}, links: [] }));
    const missingAfter = async () => (await importing(root, '/tree/catalog.json')).json.missing.length;
    assert.equal(await missingAfter(), 0);
    portal.file('/tree/a.json', '{', 'application/json');
    assert.equal(await missingAfter(), 0);
    portal.answers.delete('/tree/a.json');
    assert.equal(await missingAfter(), 1);
    // A child that was cut is asked for as a whole again, too.
    const serveChild = (text: string) =>
      portal.answers.set('/tree/a.json', ({ headers }, response) =>
        headers['if-none-match'] ? response.writeHead(304).end() : response.writeHead(200, { etag: '"2"' }).end(text),
      );
    serveChild('{');
    assert.equal((await importing(root, '/tree/catalog.json')).json.skipped.length, 1);
    serveChild(JSON.stringify(make('Collection', 'a', { license: 'x', extent: {}, links: [] })));
    assert.deepEqual((await importing(root, '/tree/catalog.json')).json.skipped, []);
  });

  it('is a page for people: a Data Package beside it is found', async () => {
    portal.file('/gdp/', '<!doctype html><title>GDP</title>', 'text/html');
    portal.json('/gdp/datapackage.json', { name: 'gdp', resources: [{ name: 'gdp', path: 'data/gdp.csv' }] });
    const root = await makeRoot();
    const { json, err } = await importing(root, '/gdp/');
    assert.deepEqual([json?.created.length, json?.skipped], [1, []], err);
    const { catalogue } = await type(['dataset', 'list'], { root });
    const { links } = await catalogue.get<'dataset'>({ kind: 'dataset', namespace: 'city', slug: 'gdp' });
    assert.deepEqual(Object.values(links), [`${portal.base}/gdp/data/gdp.csv`]);
  });

  it('is of a run that was not finished: it is used again for a day', async () => {
    const root = await makeRoot();
    const label = async (...more: string[]) => (await importing(root, '/data.json', ...more)).json.created[0].label;
    portal.json('/data.json', titled('Monday'));
    assert.equal(await label('--dry-run'), 'Monday');
    portal.json('/data.json', titled('Tuesday'));
    assert.equal(await label('--dry-run'), 'Monday');
    const cache = join(root, '.catalogue', 'import');
    const [folder = ''] = readdirSync(cache);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const marker = join(cache, folder, 'run');
    utimesSync(marker, hoursAgo(23), hoursAgo(23));
    assert.equal(await label('--dry-run'), 'Monday');
    assert.ok(statSync(marker).mtimeMs < hoursAgo(22).getTime(), 'another try does not make the day longer');
    utimesSync(marker, hoursAgo(25), hoursAgo(25));
    assert.equal(await label(), 'Tuesday');
  });

  for (const [what, bad, validators] of [
    ['cut', '{"conformsTo":"dcat","dataset":[{', { etag: '"2"' }],
    ['a page to sign in', '<!doctype html><title>Login</title>', { 'last-modified': 'Sun, 29 Nov 2026 01:00:00 GMT' }],
  ] as const)
    it(`is ${what}: the next run asks for it as a whole, also if its ETag or date is still the same`, async () => {
      const root = await makeRoot();
      let unchanged = 0;
      const serve = (text: string, head: Readonly<Record<string, string>>) =>
        portal.answers.set('/data.json', ({ headers }, response) => {
          const isKnown = Object.values(head).some((value) =>
            [headers['if-none-match'], headers['if-modified-since']].includes(value),
          );
          if (isKnown) unchanged++;
          if (isKnown) response.writeHead(304, head).end();
          else response.writeHead(200, { ...head, 'content-type': 'application/json' }).end(text);
        });
      serve(JSON.stringify(titled('Trees')), { etag: '"1"' });
      assert.equal((await importing(root, '/data.json')).json?.created.length, 1);
      serve(bad, validators);
      assert.equal((await importing(root, '/data.json')).exitCode, 2);
      assert.equal((await importing(root, '/data.json', '--dry-run')).exitCode, 2);
      serve(JSON.stringify(titled('Trees', 'Parks')), validators);
      const { json, err } = await importing(root, '/data.json');
      assert.deepEqual([json?.created.length, json?.unchanged], [1, 1], err);
      assert.equal(unchanged, 0);
      assert.equal((await importing(root, '/data.json')).json?.unchanged, 2);
      assert.equal(unchanged, 1, 'what was read is kept');
    });

  it('is 304 without a question for it: the server is named', async () => {
    const clock = { now: () => 0, wait: async () => {} };
    portal.answers.set('/data.json', (_, response) => response.writeHead(304).end());
    const folder = join(await makeRoot(), 'documents');
    const documents = await HttpDocuments.open({ folder, source: portal.base, interval: 0, clock });
    await assert.rejects(
      documents.open(`${portal.base}/data.json`),
      (error: Error) =>
        error instanceof UnreachableError &&
        /data\.json: the server answered 304 \(not modified\) to a request without conditions \(tried 5/.test(
          error.message,
        ),
    );
    await documents.close();
  });

  it('of a dataset whose record is broken here: it is told, and not taken a second time', async () => {
    const root = await makeRoot();
    portal.json('/data.json', titled('Trees', 'Parks'));
    await importing(root, '/data.json');
    const path = join(root, 'namespaces/city/datasets/trees/dataset.yaml');
    writeFileSync(path, `${readFileSync(path, 'utf8')}keywords: [\n`);
    portal.json('/data.json', titled('New trees', 'Parks', 'Benches'));
    const { json, err } = await importing(root, '/data.json');
    assert.deepEqual(
      json?.created.map(({ dataset }: { dataset: string }) => dataset),
      ['city/benches'],
      err,
    );
    assert.equal(json.unchanged, 1);
    assert.match(
      json.skipped[0].reason,
      /datasets\/trees\/dataset\.yaml can't be read\. Fix it, and import again: line \d+: /,
    );
  });
});
