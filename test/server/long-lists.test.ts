/** Long lists are put together in turns, of bytes that are kept: the same response as in one go. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { etagInTurns, etagOf } from '../../src/server/etags.ts';
import { served } from '../support/served.ts';

const count = 400;
const description = 'Straßenbäume, Œuvres, 木 and trees. '.repeat(30);
const names = Array.from({ length: count }, (_, i) => `d${String(i).padStart(3, '0')}`);
const { base } = await served({
  namespaces: { parks: { id: 1, label: 'Parks' } },
  datasets: Object.fromEntries(names.map((name, i) => [`parks/${name}`, { id: i + 1, label: name, description }])),
});
const list = `${base}/api/v1/datasets/?page_size=1000`;

describe('a list of hundreds of datasets', () => {
  it('is the JSON of each, whatever was made of them before', async () => {
    const one = await (await fetch(`${base}/api/v1/namespaces/parks/datasets/d007/`)).json();
    for (const again of ['', '&again=1']) {
      const { results, ...others } = await (await fetch(list + again)).json();
      assert.deepEqual(others, { count, next: null, previous: null });
      assert.deepEqual(results.map(({ slug }: { slug: string }) => slug).sort(), names);
      assert.deepEqual(
        results.find(({ slug }: { slug: string }) => slug === 'd007'),
        one,
      );
    }
  });

  it('has the tag of its bytes, and their length', async () => {
    const headers = { 'Accept-Encoding': 'identity' };
    const response = await fetch(list, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('etag'), `"${etagOf(body)}"`);
    assert.equal(response.headers.get('content-length'), String(body.length));
    const again = await fetch(list, { headers: { ...headers, 'If-None-Match': `"${etagOf(body)}"` } });
    assert.equal(again.status, 304);
  });

  it('leaves the bytes that are kept of a huge dataset as they are when it is compressed', async () => {
    const text = 'A very long description. '.repeat(30_000);
    const { base } = await served({
      namespaces: { parks: { id: 1, label: 'Parks' } },
      datasets: { 'parks/huge': { id: 1, label: 'Huge', description: text } },
    });
    const headers = { Cookie: 'sessionid=x', 'Accept-Encoding': 'gzip' };
    for (const address of ['datasets/?page_size=1', 'namespaces/parks/datasets/huge/', 'datasets/?page_size=2']) {
      const responses = await Promise.all([1, 2].map(() => fetch(`${base}/api/v1/${address}`, { headers })));
      for (const response of [...responses, await fetch(`${base}/api/v1/${address}`, { headers })]) {
        assert.deepEqual([response.status, response.headers.get('content-encoding')], [200, 'gzip'], address);
        assert.ok((await response.text()).includes(text.trim()), address);
      }
    }
  });

  it('is compressed for those for whom nothing is kept, unless they have it', async () => {
    const plain = await (await fetch(list, { headers: { 'Accept-Encoding': 'identity' } })).text();
    for (const coding of ['gzip', 'br', 'gzip']) {
      const headers = { Cookie: 'sessionid=x', 'Accept-Encoding': coding };
      const response = await fetch(list, { headers });
      assert.equal(response.headers.get('content-encoding'), coding);
      assert.equal(await response.text(), plain);
      const etag = `"${etagOf(plain)}-${coding}"`;
      assert.equal(response.headers.get('etag'), etag);
      for (const method of ['GET', 'HEAD']) {
        const again = await fetch(list, { method, headers: { ...headers, 'If-None-Match': etag } });
        assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, etag, '']);
      }
    }
  });

  it('is shown indented, and its start in a page, which leads to all of it', async () => {
    const indented = await (await fetch(list, { headers: { Accept: 'application/json; indent=2' } })).text();
    assert.match(indented, /^\{\n {2}"count": 400,\n/);
    const page = await (await fetch(`${list}&format=api`, { headers: { Accept: 'text/html' } })).text();
    assert.match(page, /The first 30 kB of \d{3} kB\. All of it: <a href="[^"]*format=json">JSON<\/a>/);
    assert.match(page, /<b>&quot;slug&quot;<\/b>: <i class="text">&quot;d\d{3}&quot;<\/i>,\n {6}</);
    assert.ok(page.length < 400_000);
  });
});

describe('the tag of bytes, computed in turns', () => {
  it('is the same as in one go', async () => {
    for (const length of [0, 1, 128 * 1024, 128 * 1024 + 1, 3_000_000]) {
      const bytes = Buffer.alloc(length, 'abcdefg');
      assert.equal(await etagInTurns(bytes), etagOf(bytes));
    }
  });
});
