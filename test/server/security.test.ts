/** What every answer has that keeps its reader safe, and what finds it in the log again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { raw } from '../support/raw.ts';
import { served } from '../support/served.ts';

const content = {
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/trees': { label: 'Trees' } },
  users: { ann: { staff: true } },
};
const { base } = await served(content);
const dataset = '/api/v1/namespaces/parks/datasets/trees/';

describe('the id of a request', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

  it('is in every answer that is made, and another in each', async () => {
    const seen = new Set<string>();
    const asked: [path: string, init?: RequestInit][] = [
      [dataset],
      [dataset, { method: 'OPTIONS' }],
      [dataset, { method: 'DELETE' }],
      [dataset, { method: 'OPTIONS', headers: { Origin: 'http://a.example', 'Access-Control-Request-Method': 'PUT' } }],
      [dataset.slice(0, -1), { redirect: 'manual' }],
      ['/nothing'],
      ['/auth/login/'],
      [`${dataset}data/`],
      ['/api/v1/datasets/?format=nothing'],
    ];
    for (const [path, init] of asked) {
      const id = (await fetch(base + path, init)).headers.get('x-request-id') ?? '';
      assert.match(id, uuid, path);
      seen.add(id);
    }
    assert.equal(seen.size, asked.length);
    assert.match(await raw(base, 'no request\r\n\r\n'), /^X-Request-Id: [0-9a-f-]{36}\r$/m);
  });

  it('is in those that lie ready too, where there is a log', async (t) => {
    const logged = await served(content, t, { logFormat: 'json' });
    const seen = new Set<string | null>();
    for (const init of [{}, {}, { headers: { 'If-None-Match': '*' } }, { method: 'HEAD' }] as RequestInit[])
      seen.add((await fetch(logged.base + dataset, init)).headers.get('x-request-id'));
    assert.equal(seen.size, 4);
    assert.ok(!seen.has(null));
  });

  it('is the one that a proxy gave, where one is trusted, and where it can be one', async (t) => {
    const headers = { 'X-Request-Id': 'edge-7:abc' };
    assert.match((await fetch(`${base}/nothing`, { headers })).headers.get('x-request-id') ?? '', uuid);
    const behind = await served({ ...content, settings: { trust_proxy: true } }, t);
    for (const _ of ['made', 'prepared'])
      assert.equal((await fetch(behind.base + dataset, { headers })).headers.get('x-request-id'), 'edge-7:abc');
    for (const bad of ['', 'a b', '"', 'é', 'x'.repeat(201)]) {
      const answer = await fetch(behind.base + dataset, { headers: { 'X-Request-Id': bad } });
      assert.match(answer.headers.get('x-request-id') ?? '', uuid, bad);
    }
  });
});

/** The policy of every page (Content Security Policy Level 3). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

describe('pages', () => {
  it('run and load nothing but the files of the program, and are framed by nobody', async () => {
    const pages = [
      '/',
      dataset,
      `${dataset}?format=api`,
      '/api/v1/',
      '/nothing',
      '/auth/login/',
      '/schemas/dataset.json',
    ];
    for (const path of pages) {
      const answer = await fetch(base + path, { headers: { Accept: 'text/html' } });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/, path);
      assert.equal(answer.headers.get('content-security-policy'), policy, path);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      const html = await answer.text();
      assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|javascript:/i, path);
      const addresses = [...html.matchAll(/<(?:script|link|img)[^>]*?\s(?:src|href)="([^"]*)"/g)].map(
        ([, url = '']) => url,
      );
      assert.ok(addresses.length > 4, path);
      for (const url of addresses.filter((one) => !one.startsWith('data:')))
        assert.equal(new URL(url, base).origin, base, url);
      // JSON-LD is data: no browser runs it, and it can't end its element.
      for (const [, attributes = '', source = ''] of html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs))
        if (attributes === ' type="application/ld+json"') assert.equal(source.includes('<'), false);
        else assert.equal(source, '');
    }
    assert.equal((await fetch(base + dataset)).headers.get('content-security-policy'), null);
  });
});

describe('a read-only server', () => {
  it('refuses all writing with 403, whoever asks, and reads on', async (t) => {
    const server = await served(content, t, { readOnly: true });
    const files = await openFileCatalogue(server.folder.root);
    const { token } = await files.accounts.addToken('ann');
    await files.close();
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    const writes: [method: string, path: string][] = [
      ['POST', '/api/v1/datasets/'],
      ['POST', '/api/v1/namespaces/'],
      ['PUT', dataset],
      ['PATCH', dataset],
      ['DELETE', dataset],
      ['POST', `${dataset}version/`],
      ['POST', '/api/v1/users/'],
      ['DELETE', '/api/v1/users/ann/'],
      ['POST', '/api/v1/queries/'],
    ];
    for (const [method, path] of writes) {
      const answer = await fetch(server.base + path, { method, headers, body: '{"label":"x"}' });
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.deepEqual(await answer.json(), { detail: 'This server is read-only.' });
    }
    assert.equal((await fetch(server.base + dataset, { headers })).status, 200);
    assert.equal((await fetch(server.base + dataset, { method: 'DELETE' })).status, 401);
  });
});

describe('a page of another origin', () => {
  it('may send the headers of requests in the OpenAPI document, and read those of responses', async () => {
    const { components } = (await (await fetch(`${base}/api/v1/openapi.json`)).json()) as {
      components: {
        parameters: Record<string, { in: string; name: string }>;
        headers: Record<string, unknown>;
      };
    };
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    const preflight = await fetch(base + dataset, { method: 'OPTIONS', headers });
    const namesIn = (response: Response, name: string) => (response.headers.get(name) ?? '').toLowerCase().split(', ');
    const sent = Object.values(components.parameters).filter(
      (one) => one.in === 'header' && !one.name.startsWith('X-'),
    );
    const lacking = sent.filter(
      ({ name }) => !namesIn(preflight, 'Access-Control-Allow-Headers').includes(name.toLowerCase()),
    );
    assert.ok(sent.length > 2);
    assert.deepEqual(lacking, []);
    const exposed = namesIn(await fetch(base + dataset), 'Access-Control-Expose-Headers');
    const hidden = Object.keys(components.headers).filter((name) => !exposed.includes(name.toLowerCase()));
    assert.deepEqual(hidden, []);
  });
});
