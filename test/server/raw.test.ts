/** Requests that no client sends: what isn't HTTP, what is barely, and what wants to be more than one request. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { raw, statusesIn } from '../support/raw.ts';
import { served } from '../support/served.ts';

const payload =
  '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[1,2]}}]}';
const checksum = createHash('sha256').update(payload).digest('hex');
const { base } = await served({
  namespaces: { parks: { label: 'Parks' } },
  datasets: {
    'parks/trees': {
      label: 'Trees',
      columns: [
        { type: 'geometry', name: 'geometry' },
        { type: 'integer', name: 'a' },
      ],
    },
  },
  versions: { 'parks/trees@20200101000000000000': { checksum, file: { name: 'a.geojson', format: 'geojson' } } },
  files: { 'namespaces/parks/datasets/trees/data/a.geojson': payload },
});
const host = new URL(base).host;
const end = `Host: ${host}\r\nConnection: close\r\n\r\n`;
const path = '/api/v1/namespaces/parks/';
/** Whether Node's parser is that of the oldest that is supported. */
const lenient = process.versions.node.startsWith('20.19.');
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);

describe('what is no request', () => {
  const table: readonly (readonly [why: string, bytes: string, status: number])[] = [
    ['no HTTP at all', '\x16\x03\x01 hello\r\n\r\n', 400],
    ['no method', ` ${path} HTTP/1.1\r\n${end}`, 400],
    ['an unknown method', `BREW ${path} HTTP/1.1\r\n${end}`, 400],
    ['another protocol', `GET ${path} SMTP/1.0\r\n${end}`, 400],
    ['a blank in the path', `GET /api/v1/name spaces/ HTTP/1.1\r\n${end}`, 400],
    ['a control character in the path', `GET /api/v1/\x01/ HTTP/1.1\r\n${end}`, 400],
    // The parser of Node 20.19 lets a header without a name pass.
    ...(lenient ? [] : [['a header without a name', `GET ${path} HTTP/1.1\r\n: x\r\n${end}`, 400] as const]),
    ['a header with NUL', `GET ${path} HTTP/1.1\r\nA: \0\r\n${end}`, 400],
    ['a folded header', `GET ${path} HTTP/1.1\r\nA: b\r\n c: d\r\nX\r\n${end}`, 400],
    ['two lengths', `GET ${path} HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n${end}`, 400],
    [
      'length and chunks',
      `POST ${path} HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${end}0\r\n\r\n`,
      400,
    ],
    ['too many headers', `GET ${path} HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n${end}`, 431],
    ['too long a path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${end}`, 431],
  ];
  for (const [why, bytes, status] of table)
    it(`${why}: ${status}`, async () => {
      const text = await raw(base, bytes);
      assert.deepEqual(statusesIn(text), [status], text);
      assert.match(text, /\r\nContent-Type: application\/json\r\n/);
      assert.match(text, /\r\nX-Content-Type-Options: nosniff\r\n/);
      assert.equal(typeof (JSON.parse(bodyOf(text)) as { detail: unknown }).detail, 'string');
    });

  it('letters that have to be encoded, and it says so', async () => {
    const text = await raw(base, `GET /api/v1/datasets/?search=für HTTP/1.1\r\n${end}`);
    assert.deepEqual(JSON.parse(bodyOf(text)), {
      detail: 'The address holds characters that have to be percent-encoded.',
    });
  });

  it('no Host, where there must be one', async () => {
    assert.deepEqual(statusesIn(await raw(base, `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`)), [400]);
  });
});

describe('the host', () => {
  const ask = (headers: string, version = '1.1') =>
    raw(base, `GET ${path} HTTP/${version}\r\n${headers}Connection: close\r\n\r\n`);
  const urlIn = (text: string) => (JSON.parse(bodyOf(text)) as { url: string }).url;

  for (const bad of ['a b', 'a/b', 'a"b', '<x>', 'a:b', 'a:1:2', 'user@a', 'a?b', '[::1', 'é', 'a,b', '..:x'])
    it(`${bad} is none`, async () => {
      const text = await ask(`Host: ${bad}\r\n`);
      assert.deepEqual(statusesIn(text), [400]);
      assert.deepEqual(JSON.parse(bodyOf(text)), { detail: 'Invalid Host header.' });
    });

  it('a good one is in the links, a bad one before or after it isn’t', async () => {
    assert.equal(urlIn(await ask('Host: data.example:8080\r\n')), `http://data.example:8080${path}`);
    assert.equal(urlIn(await ask('Host: [::1]:80\r\n')), `http://[::1]:80${path}`);
    assert.deepEqual(statusesIn(await ask('Host: data.example"\r\n')), [400]);
    assert.equal(urlIn(await ask('Host: data.example\r\n')), `http://data.example${path}`);
  });

  it('of HTTP/1.0 may be left out: it is the address that was reached', async () => {
    assert.equal(urlIn(await ask('', '1.0')), `${base}${path}`);
  });

  it('of an absolute request line counts', async () => {
    const text = await raw(
      base,
      `GET http://other.example${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(urlIn(text), `http://other.example${path}`);
    const bare = await raw(base, `GET http://other.example HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.deepEqual(statusesIn(bare), [200]);
    const user = await raw(
      base,
      `GET http://u:p@other.example${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    assert.deepEqual(statusesIn(user), [400]);
  });

  it('on a page about a bad one has no links', async () => {
    const text = await raw(
      base,
      `GET ${path} HTTP/1.1\r\nHost: "><script>\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
    );
    assert.deepEqual(statusesIn(text), [400]);
    assert.doesNotMatch(text, /<script>/);
  });
});

describe('unusual, and right', () => {
  it('brackets in the question, unencoded', async () => {
    const question = '?search=Point([1,2]).buffer(0.05)&x[]=|^`{}';
    const text = await raw(
      base,
      `GET /api/v1/namespaces/parks/datasets/trees/data/?geometry__intersects=Point([1,2]).buffer(0.05) HTTP/1.1\r\n${end}`,
    );
    assert.deepEqual(statusesIn(text), [200], text);
    assert.deepEqual(statusesIn(await raw(base, `GET /api/v1/datasets/${question} HTTP/1.1\r\n${end}`)), [200]);
  });

  it('bytes beyond ASCII in the address are refused as what they are', async () => {
    for (const at of ['/api/v1/namespaces/é/', '/api/v1/datasets/?search=é', '/api/v1/namespaces/parks/datasets?é'])
      assert.deepEqual(statusesIn(await raw(base, Buffer.from(`GET ${at} HTTP/1.1\r\n${end}`))), [400], at);
  });

  it('an asterisk asks of nothing', async () => {
    assert.deepEqual(statusesIn(await raw(base, `OPTIONS * HTTP/1.1\r\n${end}`)), [404]);
  });

  it('a GET with a body is a GET', async () => {
    const text = await raw(base, `GET ${path} HTTP/1.1\r\nContent-Length: 4\r\n${end}body`);
    assert.deepEqual(statusesIn(text), [200]);
  });

  it('several requests at once are answered in their order', async () => {
    const keep = `Host: ${host}\r\n\r\n`;
    const requests = [`GET ${path}`, 'GET /nothing', 'HEAD /api/v1/datasets/', 'GET /api/v1/datasets', 'GET /healthz'];
    const bytes = requests.map((line, i) => `${line} HTTP/1.1\r\n${i < 4 ? keep : end}`).join('');
    assert.deepEqual(statusesIn(await raw(base, bytes)), [200, 404, 200, 301, 200]);
  });

  it('HEAD has no body, whatever the answer', async () => {
    for (const at of [
      path,
      '/nothing',
      '/api/v1/datasets',
      '/api/v1/namespaces/parks/datasets/trees/download/',
      '/schemas/dataset.json',
      '/api/v1/?format=x',
    ])
      for (const accept of ['application/json', 'text/html']) {
        const text = await raw(base, `HEAD ${at} HTTP/1.1\r\nAccept: ${accept}\r\n${end}`);
        assert.equal(bodyOf(text), '', at);
        const status = statusesIn(text)[0] ?? 0;
        if (status === 200) assert.match(text, /\r\nContent-Length: \d+\r\n/i, at);
      }
  });

  it('a line break in the path makes no header', async () => {
    for (const at of [
      '/api/v1/datasets%0d%0aX-Injected:%20yes',
      '/api/v1/namespaces/parks%0d%0aX-Injected:1/?%0d%0aX-Injected:2',
      '/api/v1/datasets?%0d%0aX-Injected:2',
    ]) {
      const text = await raw(base, `GET ${at} HTTP/1.1\r\n${end}`);
      assert.doesNotMatch(text.slice(0, text.indexOf('\r\n\r\n')), /^X-Injected/im, at);
    }
  });

  it('another host in front of the path is no way to be sent there', async () => {
    for (const at of ['//evil.example/api/v1/datasets', '/\\evil.example/api/v1', '/.//evil.example/api/v1'])
      assert.doesNotMatch(await raw(base, `GET ${at} HTTP/1.1\r\n${end}`), /^Location/im, at);
  });
});
