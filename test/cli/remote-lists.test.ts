/** Lists of a remote whose records are long. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { seed, type } from '../support/prompt.ts';
import { served } from '../support/served.ts';

it('are read in smaller pages if one is longer than a client reads', async (t) => {
  const { base } = await served(seed, t);
  const dataset = await (await fetch(`${base}/api/v1/namespaces/parks/datasets/benches/`)).json();
  const count = 1000;
  const sizes: number[] = [];
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, base);
    const [page, size] = ['page', 'page_size'].map((name) => Number(searchParams.get(name)));
    const start = ((page ?? 1) - 1) * (size ?? 0);
    const results = Array.from({ length: Math.min(size ?? 0, count - start) }, (_, i) => {
      return { ...dataset, slug: `d${start + i}`, description: 'x'.repeat(40_000) };
    });
    sizes.push(results.length);
    const next = start + results.length < count ? `${base}/?page=${(page ?? 1) + 1}` : null;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ count, next, previous: null, results }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { exitCode, out, err } = await type(['dataset', 'list', '--remote', remote]);
  assert.equal(exitCode, 0, err);
  assert.equal(new Set(out.split('\n').map((line) => line.split('\t')[0])).size, count + 1);
  assert.deepEqual(sizes, [1000, ...Array.from({ length: 10 }, () => 100)]);
});
