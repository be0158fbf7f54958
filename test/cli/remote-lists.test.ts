/** Lists of a remote whose records are long. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

const small = Array(10).fill(100);

for (const { title, hasCursors, count, firstLong, expected } of [
  { title: 'of an older server', hasCursors: false, count: 1000, firstLong: 0, expected: [1000, ...small] },
  {
    title: 'by cursor, from the first long one on',
    hasCursors: true,
    count: 2000,
    firstLong: 1000,
    expected: [1000, 1000, ...small],
  },
])
  it(`are read in smaller pages if one is longer than a client reads: ${title}`, async (t) => {
    const { base } = await served(seed, t);
    const dataset = await (await fetch(`${base}/api/v1/namespaces/parks/datasets/benches/`)).json();
    const sizes: number[] = [];
    const server = createServer(({ url = '' }, response) => {
      const { searchParams } = new URL(url, base);
      const size = Number(searchParams.get('page_size'));
      const page = Number(searchParams.get('page') ?? 1);
      const start = hasCursors ? Number(searchParams.get('cursor')) : (page - 1) * size;
      const results = Array.from({ length: Math.min(size, count - start) }, (_, i) => {
        const description = start + i < firstLong ? '' : 'x'.repeat(34_000);
        return { ...dataset, slug: `d${start + i}`, description };
      });
      sizes.push(results.length);
      const end = start + results.length;
      const next = end < count ? `${base}/?${hasCursors ? `cursor=${end}` : `page=${page + 1}`}` : null;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ count, next, previous: null, results }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { exitCode, out, err } = await type(['dataset', 'list', '--remote', remote]);
    assert.equal(exitCode, 0, err);
    assert.equal(new Set(out.split('\n').map((line) => line.split('\t')[0])).size, count + 1);
    assert.deepEqual(sizes, expected);
  });
