/** The response cache: unchanged responses are sent as they were, and written once. */
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { datasetFromRecord, namespaceFromRecord } from '../../src/catalogue/entities.ts';
import { settingsFromRecord } from '../../src/catalogue/settings.ts';
import { createApp } from '../../src/server/app.ts';
import { listenForRequests } from '../../src/server/listen.ts';
import { addVariant, makeCachedResponse, ResponseCache, responseCacheKey } from '../../src/server/response-cache.ts';
import { homeOf, until } from '../support/folder.ts';
import { served } from '../support/served.ts';

const api = '/api/v1';

const { folder, base } = await served({
  settings: { title: 'Before', page_size: 2 },
  namespaces: { parks: { id: 1, label: 'Parks' }, water: { id: 2, label: 'Water' } },
  datasets: {
    'parks/benches': { id: 11, label: 'Benches' },
    'parks/trees': { id: 12, label: 'Trees' },
    'water/wells': { id: 13, label: 'Wells' },
  },
});

describe('answers', () => {
  const paths = [
    '/datasets/',
    '/datasets/?page=2',
    '/datasets/?search=wells',
    '/namespaces/parks/datasets/trees/',
    '/namespaces/parks/datasets/benches/',
    '/namespaces/parks/',
    '/namespaces/',
    '/versions/',
    '/',
  ];
  const tags = async (headers: Record<string, string> = {}) =>
    Promise.all(paths.map(async (path) => (await fetch(`${base}${api}${path}`, { headers })).headers.get('etag')));
  const edit = async (path: string, text: string) => {
    await writeFile(folder.path(`${path}.tmp~`), text);
    await rename(folder.path(`${path}.tmp~`), folder.path(path));
  };
  const labelAt = async (path: string) =>
    ((await (await fetch(`${base}${api}${path}`)).json()) as { label: string }).label;

  it('a changed record changes the answers that show it, and no others', async () => {
    const then = await tags();
    assert.deepEqual(await tags(), then);
    await edit(`${homeOf('parks/trees')}/dataset.yaml`, 'id: 12\nlabel: All trees\n');
    await until(async () => (await labelAt('/namespaces/parks/datasets/trees/')) === 'All trees');
    const now = await tags();
    const changed = paths.filter((_, i) => now[i] !== then[i]);
    assert.deepEqual(changed, ['/datasets/', '/namespaces/parks/datasets/trees/']);
  });

  it('may be kept by shared caches, unless the request has a token or a session', async () => {
    const controlOf = async (headers: Record<string, string>) =>
      (await fetch(`${base}${api}/datasets/`, { headers })).headers.get('cache-control');
    assert.equal(await controlOf({ Cookie: '_ga=1; csrftoken=y' }), 'no-cache');
    assert.equal(await controlOf({ Cookie: '_ga=1; sessionid=x' }), 'private, no-cache');
    assert.equal(await controlOf({ Authorization: 'Basic x' }), 'private, no-cache');
  });

  it('changed settings change what they say: the pages for people, and all links', async () => {
    const html = { Accept: 'text/html' };
    const pages = await tags(html);
    const json = await tags();
    await edit('catalogue.yaml', 'title: After\npage_size: 2\n');
    await until(async () => (await (await fetch(`${base}${api}/`, { headers: html })).text()).includes('After'));
    assert.deepEqual(
      paths.filter((_, i) => pages[i] === null),
      [],
    );
    const after = await tags(html);
    assert.deepEqual(
      paths.filter((_, i) => pages[i] === after[i]),
      [],
    );
    assert.deepEqual(await tags(), json, 'JSON says nothing of the title');

    await edit('catalogue.yaml', 'title: After\npage_size: 2\nbase_url: https://data.example/portal\n');
    await until(async () => (await (await fetch(`${base}${api}/`)).text()).includes('https://data.example/portal'));
    for (const path of paths.slice(0, 6)) {
      const text = await (await fetch(`${base}${api}${path}`)).text();
      assert.ok(text.includes('https://data.example/portal') && !text.includes(base), `${path}: ${text}`);
    }
    await edit('catalogue.yaml', 'title: After\npage_size: 2\n');
    await until(async () => (await (await fetch(`${base}${api}/`)).text()).includes(base));
  });

  it('hosts, types and formats have answers of their own', async () => {
    const url = `${base}${api}/namespaces/parks/`;
    const bodies = new Set<string>();
    for (const headers of [{}, { Accept: 'text/html' }, { Accept: 'application/json; indent=2' }] as Record<
      string,
      string
    >[])
      for (const query of ['', '?format=json', '?format=api'])
        for (let again = 0; again < 2; again++) bodies.add(await (await fetch(url + query, { headers })).text());
    // Of the nine pairs, JSON compact, indented, and either with the format in its links; and HTML with and without.
    assert.equal(bodies.size, 6);
  });

  it('what a client has is not sent again, in the coding that it has', async () => {
    const url = `${base}${api}/datasets/`;
    const seen = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br']) {
      const headers = { 'Accept-Encoding': coding };
      const first = await fetch(url, { headers });
      const etag = first.headers.get('etag') ?? '';
      seen.add(etag);
      assert.match(first.headers.get('vary') ?? '', /Accept-Encoding/i);
      const again = await fetch(url, { headers: { ...headers, 'If-None-Match': `"x", W/${etag}` } });
      assert.equal(again.status, 304);
      assert.equal(again.headers.get('etag'), etag);
      assert.equal(again.headers.get('vary'), first.headers.get('vary'));
      assert.equal(await again.text(), '');
    }
    assert.equal(seen.size, 3);
  });

  it('what changed meanwhile is sent', async () => {
    const url = `${base}${api}/namespaces/water/datasets/wells/`;
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    await edit(`${homeOf('water/wells')}/dataset.yaml`, 'id: 13\nlabel: Deep wells\n');
    await until(async () => (await fetch(url, { headers: { 'If-None-Match': etag } })).status === 200);
  });

  it('a condition is nothing to OPTIONS', async () => {
    const first = await fetch(`${base}${api}/`, { method: 'OPTIONS' });
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '*' };
    assert.equal((await fetch(`${base}${api}/`, { method: 'OPTIONS', headers })).status, 200);
  });
});

describe('writing', () => {
  it('is done once for as long as what is shown is the same', async (t) => {
    let written = 0;
    const dataset = () =>
      Object.defineProperty({ ...datasetFromRecord('parks', 'trees', { label: 'Trees' }) }, 'label', {
        enumerable: true,
        get: () => `Trees, written ${++written} times`,
      });
    let shown = dataset();
    let revision = {};
    const settings = settingsFromRecord({});
    const page = () => ({ count: 1, page: 1, pages: 1, pageSize: 20, items: [shown] });
    const catalogue = {
      get revision() {
        return revision;
      },
      settings,
      get: async () => shown,
      list: async () => page(),
    } as unknown as Catalogue;
    const listening = await listenForRequests(
      createApp(() => catalogue),
      '127.0.0.1',
      0,
    );
    t.after(() => listening.close(0));
    const ask = async (path: string, accept = 'application/json') => {
      const answer = await fetch(`${listening.url}${api}${path}`, { headers: { Accept: accept } });
      assert.equal(answer.status, 200, await answer.text());
    };
    const one = '/namespaces/parks/datasets/trees/';
    await ask(one);
    const once = written;
    for (const path of [one, `${one}?a`, '/datasets/', '/datasets/?page_size=2', one]) await ask(path);
    const titles = written - once;
    assert.ok(titles <= 2, `only titles are read again: ${titles}`);
    // Another revision, in which this is the same.
    revision = {};
    const before = written;
    await ask('/datasets/');
    await ask('/datasets/');
    assert.equal(written, before);
    // Another one, in which it isn't.
    revision = {};
    shown = dataset();
    await ask('/datasets/');
    assert.ok(written > before);
  });
});

describe('what is kept', () => {
  const request = (headers: Record<string, string> = {}, method = 'GET', url = '/', localAddress = '127.0.0.1') =>
    ({ method, url, headers, socket: { localAddress, localPort: 80 } }) as unknown as IncomingMessage;

  it('nothing of those who are signed in, and of no method but GET and HEAD', () => {
    assert.equal(responseCacheKey(request({ authorization: 'Token x' })), null);
    assert.equal(responseCacheKey(request({ cookie: 'sessionid=x' })), null);
    assert.equal(responseCacheKey(request({ cookie: '_ga=1;sessionid=x' })), null);
    // Other cookies decide about nothing.
    const others = { cookie: 'catalogue_position=12; _ga=1; csrftoken=y' };
    assert.equal(responseCacheKey(request(others)), responseCacheKey(request({})));
    assert.equal(responseCacheKey(request({}, 'POST')), null);
    assert.equal(responseCacheKey(request({}, 'OPTIONS')), null);
    assert.equal(responseCacheKey(request({}, 'HEAD')), responseCacheKey(request()));
  });

  it('each by all that decides about it', () => {
    const variants = [
      request(),
      request({}, 'GET', '/?a'),
      request({ accept: 'text/html' }),
      request({ host: 'a' }),
      // Without a Host header, links begin with the address that the client connected to.
      request({}, 'GET', '/', '127.0.0.2'),
      request({ 'x-forwarded-host': 'a' }),
      request({ 'x-forwarded-proto': 'https' }),
      request({ 'x-forwarded-host': '', 'x-forwarded-proto': 'http' }),
    ];
    assert.equal(new Set(variants.map(responseCacheKey)).size, variants.length);
  });

  it('at most so many bytes', () => {
    const cache = new ResponseCache(100_000);
    for (let i = 0; i < 1000; i++) cache.set(`key ${i}`, makeCachedResponse(1, [i], 'x'.repeat(1000), []));
    const kept = Array.from({ length: 1000 }, (_, i) => cache.get(`key ${i}`)).filter(Boolean);
    assert.ok(kept.length > 0 && kept.length < 60, String(kept.length));
  });

  it('bodies in memory of their own', () => {
    const { variants, ...kept } = makeCachedResponse(1, [], 'x'.repeat(500), []);
    assert.equal(variants.identity.body.buffer.byteLength, 500);
    const zipped = addVariant({ variants, ...kept }, 'gzip', Buffer.alloc(16 * 1024).subarray(0, 100));
    assert.equal(zipped.body.buffer.byteLength, 100);
  });

  it('no catalogue of the past', async () => {
    const cache = new ResponseCache();
    const epochs = [{}, {}, {}].map((revision) => cache.epochOf(revision));
    assert.deepEqual(epochs, [1, 2, 3]);
    const revision = {};
    assert.equal(cache.epochOf(revision), cache.epochOf(revision));
    const entity = namespaceFromRecord('a', { label: 'x' });
    const kept = makeCachedResponse(1, [settingsFromRecord({}), entity], '{}', []);
    assert.ok(!Object.values(kept).includes(revision as never));
  });
});
