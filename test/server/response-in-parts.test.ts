/** Pages in parts: the head is sent before the rest is known, and a page that fails half-way is cut off. */
import assert from 'node:assert/strict';
import { get, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openFileCatalogue } from '../../src/files/file-catalogue.ts';
import { createApp } from '../../src/server/app.ts';
import { encodedEtag } from '../../src/server/etags.ts';
import { listenForRequests } from '../../src/server/listen.ts';
import { makeLastingFolder } from '../support/folder.ts';
import { raw } from '../support/raw.ts';

const folder = makeLastingFolder({
  namespaces: { parks: { label: 'Parks' } },
  datasets: { 'parks/trees': { label: 'Trees' }, 'parks/benches': { label: 'Benches' } },
});
const files = await openFileCatalogue(folder.root);
const whole = files.for();
/** Runs before what only the content of home and of datasets shows is read. */
let beforeContent = async () => {};
const slow: Catalogue = new Proxy(whole, {
  get(target, name) {
    const value = Reflect.get(target, name);
    if (typeof value !== 'function') return value;
    return async (...all: unknown[]) => {
      if ((name === 'list' && all[0] === 'query') || name === 'history') await beforeContent();
      return value.apply(target, all);
    };
  },
});
const log: string[] = [];
const server = await listenForRequests(
  createApp(() => slow, { log: (line) => log.push(line) }),
  '127.0.0.1',
  0,
);
after(async () => {
  await server.close(0);
  await files.close();
  folder.remove();
});

const dataset = '/api/v1/namespaces/parks/datasets/trees/';
const paths = ['/', dataset, '/api/v1/datasets/', '/api/v1/datasets/?search=tree'];
const decoders = { identity: (body: Buffer) => body, gzip: gunzipSync, br: brotliDecompressSync };

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** A page as a browser asks for it. The cookie of a session keeps it out of the cache. */
async function ask(path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, agent: false, headers: { Accept: 'text/html', ...headers } };
    request(server.url + path, options, resolve)
      .on('error', reject)
      .end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const decode = decoders[(response.headers['content-encoding'] ?? 'identity') as keyof typeof decoders];
  return {
    status: response.statusCode,
    headers: response.headers,
    text: method === 'HEAD' ? '' : decode(body).toString(),
  };
}
const asUser = { Cookie: 'sessionid=x' };

describe('a page in parts', () => {
  it('its head arrives while the content is still being read', { timeout: 20_000 }, async () => {
    for (const path of ['/', dataset]) {
      let release = () => {};
      let isReleased = false;
      const released = new Promise<void>((resolve) => {
        release = () => {
          isReleased = true;
          resolve();
        };
      });
      beforeContent = () => released;
      const headers = { Accept: 'text/html', 'Accept-Encoding': 'identity', ...asUser };
      const response = await new Promise<IncomingMessage>((resolve) => {
        get(server.url + path, { agent: false, headers }, resolve);
      });
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        if (isReleased) continue;
        assert.match(text, /<link rel="stylesheet"/);
        assert.match(text, /<header class="bar">.*<main/s);
        assert.doesNotMatch(text, /<h1|<\/main>/);
        release();
      }
      beforeContent = async () => {};
      assert.ok(isReleased);
      assert.match(text, /<h1.*<\/html>$/s);
    }
  });

  it('has the bytes of a page that is sent whole, in each coding', async () => {
    for (const path of paths)
      for (const coding of Object.keys(decoders)) {
        const headers = { 'Accept-Encoding': coding, ...asUser };
        const parts = await ask(path, headers);
        assert.equal(parts.headers['content-length'], undefined, `${path} is in parts`);
        const entire = await ask(path, { ...headers, 'If-None-Match': '"other"' });
        assert.ok(entire.headers['content-length']);
        assert.equal(parts.text, entire.text);
        const [, tag] = / data-tag="([^"]*)"/.exec(parts.text) ?? [];
        if (['/', dataset].includes(path))
          assert.equal(entire.headers.etag, encodedEtag(tag ?? '', coding as keyof typeof decoders));
        const own = ['etag', 'date', 'transfer-encoding', 'x-request-id', 'x-accel-buffering'];
        for (const [name, value] of Object.entries(parts.headers))
          if (!own.includes(name)) assert.deepEqual(entire.headers[name], value, name);
      }
  });

  it('is known by its ETag as long as it is the same', async () => {
    for (const coding of ['identity', 'br']) {
      const headers = { 'Accept-Encoding': coding, ...asUser };
      const { headers: first } = await ask(dataset, headers);
      const etag = first.etag as string;
      for (const condition of [etag, `"x", W/${etag}`]) {
        const again = await ask(dataset, { ...headers, 'If-None-Match': condition });
        assert.deepEqual([again.status, again.headers.etag, again.text], [304, etag, '']);
      }
      const other = await ask(dataset, { 'Accept-Encoding': 'gzip', ...asUser, 'If-None-Match': etag });
      assert.equal(other.status, 200, 'an ETag is of one coding');
    }
    const { headers: first } = await ask(dataset, asUser);
    await whole.edit({ kind: 'dataset', namespace: 'parks', slug: 'trees' }, { label: 'All trees' });
    const changed = await ask(dataset, { ...asUser, 'If-None-Match': first.etag });
    assert.equal(changed.status, 200);
    assert.match(changed.text, /All trees/);
  });

  it('is kept as a whole, for everybody who isn’t signed in', async () => {
    const headers = { 'Accept-Encoding': 'br', 'Accept-Language': 'de' };
    const first = await ask(dataset, headers);
    assert.equal(first.headers['transfer-encoding'], 'chunked');
    const again = await ask(dataset, headers);
    assert.ok(again.headers['content-length']);
    assert.equal(again.text, first.text);
    const known = await ask(dataset, { ...headers, 'If-None-Match': first.headers.etag });
    assert.deepEqual([known.status, known.headers.etag], [304, first.headers.etag]);
    const head = await ask(dataset, headers, 'HEAD');
    assert.deepEqual([head.status, head.headers.etag], [200, again.headers.etag]);
  });

  it('is whole for HEAD, and for HTTP/1.0, where the end of the connection is the end of the page', async () => {
    const head = await ask(dataset, { ...asUser, 'Accept-Encoding': 'identity' }, 'HEAD');
    const { text } = await ask(dataset, { ...asUser, 'Accept-Encoding': 'identity' });
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)));
    const old = await raw(server.url, `GET ${dataset} HTTP/1.0\r\nAccept: text/html\r\nCookie: kept=no\r\n\r\n`);
    assert.match(old, /^HTTP\/1\.1 200 .*\r\nContent-Length: \d+\r\n/s);
  });

  it('has the status of what is wrong with its address', async () => {
    for (const [path, status] of [
      ['/?page=9', 404],
      ['/api/v1/datasets/?page=9', 404],
      ['/api/v1/namespaces/parks/datasets/none/', 404],
      [`${dataset}?_from=a&_to=b`, 400],
    ] as const)
      assert.equal((await ask(path, asUser)).status, status, path);
  });

  it('is cut off and logged if its content fails, and not kept', { timeout: 20_000 }, async () => {
    for (const headers of [{ 'Accept-Language': 'fr' }, asUser, { ...asUser, 'Accept-Encoding': 'br' }]) {
      beforeContent = () => Promise.reject(new Error('The disk is gone.'));
      await assert.rejects(ask('/', headers), { code: 'ECONNRESET' });
      beforeContent = async () => {};
      const [line = '', ...more] = log.splice(0);
      assert.match(line, /^GET \/ \(.+\): Error: The disk is gone\./);
      assert.deepEqual(more, []);
      assert.match((await ask('/', headers)).text, /<\/html>$/);
    }
  });

  it('a client that leaves half-way is no error', { timeout: 20_000 }, async () => {
    let left = () => {};
    const leaving = new Promise<void>((resolve) => {
      left = resolve;
    });
    beforeContent = () => leaving;
    await new Promise<void>((resolve) => {
      const asked = get(server.url, { agent: false, headers: { Accept: 'text/html', ...asUser } }, (response) => {
        response.once('data', () => asked.destroy());
        response.on('error', () => {});
        response.on('close', resolve);
      });
    });
    left();
    beforeContent = async () => {};
    assert.equal((await ask('/', asUser)).status, 200);
    assert.deepEqual(log, []);
  });
});
