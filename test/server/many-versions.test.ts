/** Pages of a dataset with many versions: none of them grows with each version. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { makeLastingFolder } from '../support/folder.ts';
import { serveFolder } from '../support/server.ts';

const count = 130;
const times = Array.from({ length: count }, (_, i) => new Date(Date.UTC(2010, 0, 1 + i)).toISOString());
const slugs = times.map((time) => `${time.slice(0, 10).replaceAll('-', '')}000000000000`);
const files = slugs.flatMap((slug, i): [string, string][] => {
  const csv = `id,value\n1,${i}\n2,${i}\n`;
  const record = [
    `label: v${i}`,
    `datetime: "${times[i]}"`,
    'ready: true',
    `checksum: ${createHash('sha256').update(csv).digest('hex')}`,
    'rows: 2',
    'metadata: {format: csv}',
    `file: {name: ${slug}.csv, format: csv, media_type: text/csv, size: ${csv.length}}`,
    'columns: [{name: id, type: integer}, {name: value, type: integer}]',
    '',
  ].join('\n');
  return [
    [`versions/${slug}.yaml`, record],
    [`data/${slug}.csv`, csv],
  ];
});

describe('a dataset with many versions', () => {
  const folder = makeLastingFolder({
    settings: { people: 'public' },
    namespaces: { lab: { label: 'Lab' } },
    datasets: { 'lab/daily': { label: 'Daily' } },
    files: Object.fromEntries(files.map(([path, text]) => [`namespaces/lab/datasets/daily/${path}`, text])),
  });
  let server: Awaited<ReturnType<typeof serveFolder>>;
  before(async () => {
    server = await serveFolder(folder.root);
  });
  after(() => server.close());

  const path = '/api/v1/namespaces/lab/datasets/daily/';
  const page = async (below = '') => {
    const response = await fetch(`${server.base}${path}${below}`, { headers: { Accept: 'text/html' } });
    assert.equal(response.status, 200);
    return response.text();
  };
  const listed = (text: string) =>
    [...text.matchAll(/<li><div><a href="[^"]*\/version\/(\d+)\/"/g)].map(([, slug]) => slug);
  const options = (text: string) => text.match(/<option/g)?.length ?? 0;

  it('lists the newest, and leads to the list of all', async () => {
    const text = await page();
    assert.deepEqual(listed(text), slugs.slice(-50).reverse());
    assert.equal(options(text), 100);
    assert.match(text, new RegExp(`<a href="[^"]*${path}version/">All 130 versions</a>`));
  });

  it('lists on the page of an old version that one, too', async () => {
    const [oldest = ''] = slugs;
    const text = await page(`version/${oldest}/`);
    assert.deepEqual(listed(text), [...slugs.slice(-50).reverse(), oldest]);
    assert.equal(options(text), 102);
  });

  it('names a column in the newest, and leads to the list of all; the API names it in each', async () => {
    const text = await page('columns/value/');
    const rows = [...text.matchAll(/<th scope="row"><a href="[^"]*\/version\/(\d+)\/"/g)].map(([, slug]) => slug);
    assert.deepEqual(rows, slugs.slice(-50).reverse());
    assert.match(text, new RegExp(`<a href="[^"]*${path}version/">All 130 versions</a>`));
    const response = await fetch(`${server.base}${path}columns/value/`, { headers: { Accept: 'application/json' } });
    assert.equal(((await response.json()) as { versions: object[] }).versions.length, count);
  });

  it('offers the newest, and those that are compared, where versions are compared', async () => {
    const [first = '', second = ''] = slugs;
    const text = await page(`version/${second}/diff/`);
    for (const slug of [first, second, slugs.at(-1)])
      assert.equal(text.match(new RegExp(`<option value="${slug}"`, 'g'))?.length, 2, slug);
    assert.ok(options(text) < 120, String(options(text)));
  });
});
