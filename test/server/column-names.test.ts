/** Rows of columns that are called like parameters: a plain name is the column's, in filters, links and negotiation. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openRemoteCatalogue } from '../../src/remote/remote-catalogue.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const dataset = '/api/v1/namespaces/lab/datasets/files/';

describe('rows with columns called page, offset and format', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const ask = async (path: string, Accept = '*/*') => {
    const response = await fetch(new URL(path, server.base + dataset), { headers: { Accept } });
    const links = Object.fromEntries(
      [...(response.headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"(?:; type="([^"]*)")?/g)].map(
        ([, url, rel, type]) => [type ?? rel, url ?? ''],
      ),
    );
    const type = response.headers.get('content-type')?.split(';')[0];
    return { status: response.status, type, links, text: await response.text() };
  };
  const numbersIn = (text: string) => [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));

  before(async () => {
    workshop = await makeWorkshop();
    const rows = Array.from(
      { length: 20 },
      (_, i) => `${i},${i % 4},${i % 2},${['shp', 'html', 'json', 'csv'][i % 4]},5,6`,
    );
    await workshop.publish('files', 'files.csv', `n,page,offset,format,lon,lat\n${rows.join('\n')}\n`);
    await workshop.catalogue.create('query', {
      ...{ label: 'All', slug: 'all', dataset: 'lab/files', parameters: { n__lt: '12' } },
    });
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  for (const { first, wanted } of [
    { first: 'data/?page=3&_page_size=2', wanted: [3, 7, 11, 15, 19] },
    { first: 'data/?page=3&_limit=2', wanted: [3, 7, 11, 15, 19] },
    { first: 'data/?offset=1&_limit=4', wanted: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19] },
    { first: '/api/v1/queries/all/data/?page=3&_page_size=2', wanted: [3, 7, 11] },
  ])
    it(`keeps the filter in the links of ${first}`, async () => {
      const found: number[] = [];
      const parts: string[] = [];
      for (let next: string | undefined = first; next && parts.length < 9; ) {
        const { links, text } = await ask(next);
        parts.push(text);
        found.push(...numbersIn(text));
        assert.deepEqual(numbersIn((await ask(links.first ?? '')).text), numbersIn(parts[0] ?? ''));
        if (!links.next) assert.equal((await ask(links.last ?? '')).text.length, text.length);
        next = links.next;
      }
      assert.deepEqual(found, wanted);
    });

  it('still reads `page_size` and `limit` as parameters', async () => {
    assert.deepEqual(numbersIn((await ask('data/?limit=2&page=1')).text), [1, 5]);
    const { links } = await ask('data/?page_size=8&page__gte=2');
    assert.match(links.next ?? '', /_page=2&page__gte=2&page_size=8$/);
  });

  it('negotiates the format where `format` is a filter', async () => {
    const csv = await ask('data/?format=shp', 'text/csv');
    assert.deepEqual([csv.type, csv.text.trim().split('\n').length], ['text/csv', 6]);
    for (const value of ['html', 'json', 'csv']) {
      const { status, type, text } = await ask(`data/?format=${value}`, 'application/json');
      assert.deepEqual([status, type, numbersIn(text).length], [200, 'application/json', 5], value);
    }
    assert.equal((await ask('data/?format=shp', 'text/html')).type, 'text/html');
    assert.equal((await ask('data/?format=shp', 'image/png')).status, 406);
    assert.equal((await ask('data/?format=shp&_format=ndjson')).type, 'application/x-ndjson');
  });

  it('keeps the filter in addresses of other formats, tiles and rows', async () => {
    const { links } = await ask('data/?format=shp');
    assert.equal((await ask(links['text/csv'] ?? '')).text.trim().split('\n').length, 6);
    const tiles = JSON.parse((await ask('tiles.json?format=shp')).text);
    assert.match(tiles.tiles[0], /\.mvt\?format__exact=shp$/);
    assert.equal(numbersIn((await ask(tiles.data)).text).length, 5);
  });

  it('has the filtered rows in a profile and in a frame', async () => {
    for (const value of ['csv', 'json', 'html'])
      assert.equal(JSON.parse((await ask(`profile/?format=${value}`)).text).matched.rows, 5, value);
    assert.equal((await ask('profile/?_format=csv')).status, 404);
    assert.match((await ask('embed/?_view=table&format=shp', 'text/html')).text, />shp</);
  });

  it('reports errors under the name in the address', async () => {
    const { status, text } = await ask('data/?page=first');
    assert.deepEqual([status, Object.keys(JSON.parse(text))], [400, ['page']]);
  });

  it('is the same through a remote catalogue', async (t) => {
    const remote = await openRemoteCatalogue(server.base);
    t.after(() => remote.close());
    const ref = { kind: 'version', namespace: 'lab', dataset: 'files', slug: 'latest' } as const;
    for (const parameters of [
      [
        ['page', '3'],
        ['_limit', '2'],
      ],
      [
        ['offset', '1'],
        ['_offset', '4'],
        ['_limit', '2'],
      ],
      [['format', 'csv']],
    ] as const) {
      const [here, there] = [
        await workshop.catalogue.rows(ref, { parameters }),
        await remote.rows(ref, { parameters }),
      ];
      assert.deepEqual([there.part, there.format, there.contentType], [here.part, here.format, here.contentType]);
    }
  });
});
