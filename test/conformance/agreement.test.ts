/** Answers that must agree with each other: HEAD and GET, fresh and known, packed and plain, part and whole. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Answer, headerOf, readBody, send } from './replay.ts';
import { serveFixture } from './serve.ts';

const city = '/api/v1/namespaces/harbour-city/';
const trees = `${city}datasets/street-trees/`;
const version = `${trees}version/20200518093015987654/`;
const collections = ['datasets', 'versions', 'groups', 'namespaces', 'users', 'queries', 'intrinsecus'].map(
  (name) => `/api/v1/${name}/`,
);
const details = [city, trees, version, '/api/v1/groups/editors/', '/api/v1/users/chloe.d/'];
const nested = [`${city}datasets/`, `${trees}version/`, `${trees}version/latest/`];
const bytes = [`${trees}download/`, `${version}download/`];
const rows = [`${trees}data/`, `${version}data/`, '/api/namespaces/harbour-city/sources/street-trees/data/'];
const everything = ['/api/v1/', ...collections, ...details, ...nested, ...bytes, ...rows];
const html = { Accept: 'text/html' };

let server: Awaited<ReturnType<typeof serveFixture>>;
before(async () => {
  server = await serveFixture();
});
after(() => server?.close());

const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  send(server.base, { request: { method, path, headers } });
const get = (path: string, headers?: Record<string, string>) => ask('GET', path, headers);
const json = async (path: string) => readBody(await get(path), server.base);

/** The headers that say something of the resource, sorted. */
function told({ headers }: Answer): [string, string][] {
  // An id is a request's own.
  const ofConnection = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);
  return headers
    .filter(([name]) => !ofConnection.has(name))
    .map(([name, value]) => [name, value] as [string, string])
    .sort();
}

describe('HEAD says what GET says', () => {
  const missing = ['/api/v1/namespaces/none/', '/api/v1/nothing/', '/api/v1/datasets/?page=0', '/api/v1/datasets'];
  for (const path of [...everything, ...missing, '/schemas/dataset.json', '/healthz'])
    it(path, async () => {
      const [whole, head] = [await get(path), await ask('HEAD', path)];
      assert.equal(head.status, whole.status);
      assert.equal(head.raw.length, 0);
      // RFC 9110, section 9.3.2: what is only known once the content is made may be left out, but not be otherwise.
      const length = headerOf(head, 'content-length') !== null;
      assert.deepEqual(
        told(head),
        told(whole).filter(([name]) => length || name !== 'content-length'),
      );
    });

  it('stored bytes and their length', async () => {
    assert.equal(headerOf(await ask('HEAD', `${trees}download/`), 'content-length'), '613');
  });
});

describe('what is known is not sent again', () => {
  for (const path of everything)
    it(path, async () => {
      const fresh = await get(path);
      const etag = headerOf(fresh, 'etag');
      assert.equal(fresh.status, 200);
      assert.match(etag ?? '', /^(W\/)?"[^"]+"$/, 'Every GET has an ETag.');
      const opaque = etag?.replace(/^W\//, '') ?? '';
      for (const method of ['GET', 'HEAD'])
        for (const tags of [opaque, `W/${opaque}`, `"x", ${etag} , "y"`, '*']) {
          const known = await ask(method, path, { 'If-None-Match': tags });
          assert.equal(known.status, 304, `${method} with If-None-Match: ${tags}`);
          assert.equal(known.raw.length, 0);
          for (const name of ['etag', 'vary', 'cache-control'])
            assert.equal(headerOf(known, name), headerOf(fresh, name), name);
        }
      const other = await get(path, { 'If-None-Match': '"x", W/"y"' });
      assert.equal(other.status, 200);
      assert.deepEqual(other.raw, fresh.raw);
    });

  it('but what is missing is not known', async () => {
    assert.equal((await get('/api/v1/namespaces/none/', { 'If-None-Match': '*' })).status, 404);
    assert.equal((await get('/api/v1/datasets/?page=99', { 'If-None-Match': '*' })).status, 404);
  });

  it('and each representation has a tag of its own', async () => {
    const tags = [
      headerOf(await get(trees), 'etag'),
      headerOf(await get(trees, html), 'etag'),
      headerOf(await get(`${trees}?format=json`), 'etag'),
      headerOf(await get(city), 'etag'),
    ];
    assert.equal(new Set(tags).size, tags.length, tags.join(' '));
  });

  it('an unchanged answer keeps its tag', async () => {
    assert.equal(headerOf(await get('/api/v1/datasets/'), 'etag'), headerOf(await get('/api/v1/datasets/'), 'etag'));
  });
});

describe('every answer of the API varies by Accept', () => {
  for (const path of everything)
    it(path, async () => {
      assert.match(headerOf(await get(path), 'vary') ?? '', /(^|[ ,])accept($|[ ,])/i);
    });
});

describe('packed answers', () => {
  const path = '/api/v1/datasets/?page_size=100';
  const packings: [name: string, unpack: (packed: Buffer) => Buffer][] = [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ];
  for (const [name, unpack] of packings)
    it(`${name}, where the client takes it`, async () => {
      const plain = await get(path);
      const packed = await get(path, { 'Accept-Encoding': name });
      assert.equal(headerOf(packed, 'content-encoding'), name);
      assert.match(headerOf(packed, 'vary') ?? '', /(^|[ ,])accept-encoding($|[ ,])/i);
      assert.match(headerOf(packed, 'vary') ?? '', /(^|[ ,])accept($|[ ,])/i);
      assert.ok(packed.raw.length < plain.raw.length);
      assert.deepEqual(unpack(packed.raw), plain.raw);
      assert.equal(headerOf(packed, 'content-length') ?? packed.raw.length.toString(), packed.raw.length.toString());

      const tag = headerOf(packed, 'etag') ?? '';
      assert.equal((await get(path, { 'Accept-Encoding': name, 'If-None-Match': tag })).status, 304);
      // RFC 9110, section 8.8.3.3: other bytes, another strong tag.
      if (!tag.startsWith('W/')) assert.notEqual(tag, headerOf(plain, 'etag'));
    });

  for (const accepted of ['identity', 'gzip;q=0, br;q=0', 'identity, gzip;q=0', 'x-unknown', ''])
    it(`none for "${accepted}"`, async () => {
      const answer = await get(path, { 'Accept-Encoding': accepted });
      assert.equal(headerOf(answer, 'content-encoding'), null);
      assert.deepEqual(answer.raw, (await get(path)).raw);
    });

  it('have the same headers for HEAD', async () => {
    const accepted = { 'Accept-Encoding': 'gzip' };
    const [whole, head] = [await get(path, accepted), await ask('HEAD', path, accepted)];
    for (const name of ['content-encoding', 'vary', 'etag']) assert.equal(headerOf(head, name), headerOf(whole, name));
  });

  it('unpack to the stored bytes of a download', async () => {
    const answer = await get(`${trees}download/`, { 'Accept-Encoding': 'gzip' });
    const raw = headerOf(answer, 'content-encoding') === 'gzip' ? gunzipSync(answer.raw) : answer.raw;
    assert.deepEqual(raw, (await get(`${trees}download/`)).raw);
  });
});

describe('indent=N in Accept only changes white space', () => {
  for (const indent of [2, 4])
    for (const path of [trees, '/api/v1/queries/', '/api/v1/'])
      it(`${indent}: ${path}`, async () => {
        const plain = await get(path);
        const indented = await get(path, { Accept: `application/json; indent=${indent}` });
        assert.equal(headerOf(indented, 'content-type')?.split(';')[0], 'application/json');
        assert.equal(indented.raw.toString(), JSON.stringify(JSON.parse(plain.raw.toString()), null, indent));
      });
});

describe('?format=json is copied into every link, and changes nothing else', () => {
  for (const path of ['/api/v1/', ...details, `${trees}version/latest/`])
    it(path, async () => {
      const asked = await json(`${path}?format=json`);
      const links = [...texts(asked)].filter((text) => text.startsWith('{base_url}'));
      assert.ok(links.length > 0);
      for (const link of links) assert.match(link, /\/\?format=json$/);
      const plain = JSON.stringify(await json(path));
      assert.equal(JSON.stringify(asked).replaceAll('?format=json', ''), plain);
    });

  it('in the results of a list', async () => {
    const { results } = (await json('/api/v1/datasets/?format=json&page_size=100')) as { results: unknown };
    for (const link of texts(results)) if (link.startsWith('{base_url}')) assert.match(link, /\/\?format=json$/);
  });
});

/** All the texts inside a value. */
function* texts(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* texts(part);
}

describe('one thing has several addresses', () => {
  const same: [one: string, other: string][] = [
    [`${trees}version/latest/`, version],
    [`${trees}data/`, `${version}data/`],
    [`${trees}data/`, `${trees}version/latest/data/`],
    [`${trees}data/`, '/api/namespaces/harbour-city/sources/street-trees/data/'],
  ];
  for (const [one, other] of same)
    it(`${one} is ${other}`, async () => {
      const [a, b] = [await get(one), await get(other)];
      assert.equal(a.status, 200);
      assert.equal(b.status, 200);
      assert.deepEqual(a.raw, b.raw);
    });

  const alike: [nested: string, filtered: string][] = [
    [`${city}datasets/?page_size=100`, '/api/v1/datasets/?namespace=harbour-city&page_size=100'],
    [`${trees}version/`, '/api/v1/versions/?namespace=harbour-city&dataset=street-trees'],
  ];
  for (const [one, other] of alike)
    it(`${one} is ${other}`, async () => {
      assert.deepEqual(await json(one), await json(other));
    });

  it('and a detail is what lists show', async () => {
    const { results } = (await json('/api/v1/datasets/?search=street-trees')) as { results: unknown[] };
    assert.deepEqual(results, [await json(trees)]);
  });
});

describe('pages and ranges', () => {
  it('pages, followed by next, make up the whole', async () => {
    const whole = (await json('/api/v1/datasets/?page_size=100')) as { count: number; results: unknown[] };
    const found: unknown[] = [];
    for (let next: string | null = '{base_url}/api/v1/datasets/?page_size=7'; next !== null; ) {
      const page = (await json(next.replace('{base_url}', ''))) as { next: string | null; results: unknown[] };
      found.push(...page.results);
      assert.ok(found.length <= whole.count);
      next = page.next;
    }
    assert.deepEqual(found, whole.results);
  });

  it('ranges, one after the other, make up the whole', async () => {
    const whole = await get(`${trees}download/`);
    const parts: Buffer[] = [];
    for (let start = 0; start < whole.raw.length; start += 200) {
      const part = await get(`${trees}download/`, { Range: `bytes=${start}-${start + 199}` });
      assert.equal(part.status, 206);
      assert.equal(headerOf(part, 'etag'), headerOf(whole, 'etag'));
      parts.push(part.raw);
    }
    assert.deepEqual(Buffer.concat(parts), whole.raw);
    assert.deepEqual((await get(`${trees}download/`, { Range: 'bytes=-5' })).raw, whole.raw.subarray(-5));
    assert.deepEqual((await get(`${trees}download/`, { Range: 'bytes=600-' })).raw, whole.raw.subarray(600));
  });

  it('If-Range sends all of it where the bytes have changed', async () => {
    const whole = await get(`${trees}download/`);
    const changed = await get(`${trees}download/`, { Range: 'bytes=0-9', 'If-Range': '"another"' });
    assert.deepEqual(changed.raw, whole.raw);
  });
});
