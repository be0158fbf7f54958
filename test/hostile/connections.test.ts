/** What one connection may send: one Host, and any number of requests, which take turns with those of others. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { raw, statusesIn } from '../support/raw.ts';
import { served } from '../support/served.ts';

const content = { namespaces: { parks: { label: 'Parks' } } };
const path = '/api/v1/namespaces/parks/';

describe('a request', () => {
  it('with two Host headers is 400, cached or not', async (test) => {
    const { base } = await served(content, test);
    const status = async (bytes: string) => statusesIn(await raw(base, `${bytes}Connection: close\r\n\r\n`));
    for (const address of [path, '/healthz', '/nothing', '/auth/login/', `${base}${path}`])
      for (const headers of ['Host: a\r\nHost: b\r\n', 'Host: a\r\nhOST: a\r\n', 'Host:\r\nX: 1\r\nHost: b\r\n']) {
        await status(`GET ${path} HTTP/1.1\r\nHost: a\r\n`);
        assert.deepEqual(await status(`GET ${address} HTTP/1.1\r\n${headers}`), [400], `${address} ${headers}`);
      }
    assert.deepEqual(await status(`GET ${path} HTTP/1.1\r\n`), [400]);
    assert.deepEqual(await status(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Host: b\r\n`), [200]);
  });
});

describe('pipelined requests', () => {
  it('are answered in their order, each with its own response', async (test) => {
    const { base } = await served(content, test);
    const paths = [path, '/nothing', '/healthz', `${path}?format=json`, '/auth/login', '/api/v1/datasets/'];
    const bytes = paths.map((one) => `GET ${one} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
    const all = `${bytes}POST /auth/login/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na=b${bytes}`.repeat(20);
    const text = await raw(base, `${all}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${bytes}`);
    const once = [200, 404, 200, 200, 301, 200];
    const expected = Array.from({ length: 20 }, () => [...once, 415, ...once]).flat();
    assert.deepEqual(statusesIn(text), [...expected, 200]);
  });

  it('by the thousand let requests of others pass', async (test) => {
    const { base, log } = await served(content, test, { logFormat: 'json' });
    const { hostname, port } = new URL(base);
    const other = connect(Number(port), hostname);
    const many = connect(Number(port), hostname);
    test.after(() => {
      other.destroy();
      many.destroy();
    });
    const count = 20_000;
    let answers = 0;
    many.on('data', (chunk) => {
      answers += statusesIn(chunk.toString('latin1')).length;
    });
    other.resume().write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => log.length === 1);
    many.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
    await until(() => log.length > 1);
    other.write('GET /healthz?other HTTP/1.1\r\nHost: a\r\n\r\n');
    const place = await until(() => {
      const at = log.findIndex((line) => line.includes('?other'));
      return at >= 0 && at;
    });
    assert.ok(place < 1000, `${place}`);
    // All are answered in the end. (A chunk may end within a status line.)
    await until(() => log.length === count + 2, 60_000);
    assert.ok(answers > 0);
  });
});
