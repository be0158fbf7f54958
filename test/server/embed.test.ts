/** Maps and tables in frames: only they may be framed, they keep the filters, and the line to paste leads to them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const features = Array.from({ length: 60 }, (_, i) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [4 + i / 100, 51] },
  properties: { name: `Tree ${i}`, height: i },
}));

describe('a page for frames', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let dataset: string;
  const page = (address: string) => fetch(address, { headers: { Accept: 'text/html' } });

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('trees', 'trees.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
    await workshop.publish('plain', 'plain.csv', 'a,b\n1,<i>\n2,y\n');
    await workshop.catalogue.create('query', {
      label: 'Tall "ones"',
      slug: 'tall',
      dataset: 'lab/trees',
      parameters: { height__gte: '50' },
    });
    await workshop.catalogue.create('query', {
      label: 'Tallest',
      slug: 'tallest',
      dataset: 'lab/trees',
      parameters: { _ordering: '-height', _limit: '3' },
    });
    await workshop.catalogue.create('query', {
      ...{ label: 'Second page', slug: 'second', dataset: 'lab/trees', parameters: { _page: '2' } },
    });
    for (const [slug, fields] of [
      ['names', 'name,"height"'],
      ['shapes', 'name,"geometry"'],
    ] as const)
      await workshop.catalogue.create('query', {
        ...{ label: slug, slug, dataset: 'lab/trees', parameters: { _fields: fields } },
      });
    server = await serveFolder(workshop.root);
    dataset = `${server.base}/api/v1/namespaces/lab/datasets/trees/`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('may be shown by every site; all other pages by none', async () => {
    const policy = async (path: string) => (await page(path)).headers.get('content-security-policy') ?? '';
    assert.match(await policy(`${dataset}embed/`), /script-src 'self'.*; frame-ancestors \*$/);
    for (const path of [
      dataset,
      `${dataset}data/`,
      `${dataset}columns/name/`,
      `${dataset}embed/?_view=none`,
      `${server.base}/`,
    ])
      assert.match(await policy(path), /frame-ancestors 'none'$/, path);
  });

  it('is the map, or a table of the rows that the filters select, with a link to them', async () => {
    const map = await (await page(`${dataset}embed/?height__gte=58`)).text();
    assert.match(map, /src="\/api\/v1\/namespaces\/lab\/datasets\/trees\/map\.svg\?height__gte=58"/);
    assert.match(map, /All 2 points shown/);
    const table = await (await page(`${dataset}embed/?_view=table&height__gte=58&_fields=name`)).text();
    assert.equal(table.match(/<td/g)?.length, 2);
    assert.match(
      table,
      /href="\/api\/v1\/namespaces\/lab\/datasets\/trees\/data\/\?height__gte=58&amp;_fields=name" target="_blank"/,
    );
    assert.doesNotMatch(table, /<header class="bar"/);
    const plain = await (await page(`${dataset.replace('trees', 'plain')}embed/`)).text();
    assert.match(plain, /<td class="t" dir="auto">&lt;i><\/td>/);
  });

  it('has no more rows than a query or the address asks for, and at most fifty', async () => {
    for (const [address, count, part = `1 to ${count} of 60`] of [
      [`${server.base}/api/v1/queries/tallest/embed/?_view=table`, 3],
      [`${server.base}/api/v1/queries/tallest/embed/?_view=table&_limit=2`, 2],
      [`${dataset}embed/?_view=table&page_size=5&page=2`, 5, '6 to 10 of 60'],
      [`${dataset}embed/?_view=table&limit=55`, 50],
      [`${dataset}embed/?_view=table&_page=3`, 20, '41 to 60 of 60'],
      [`${dataset}embed/?_view=table&_page=1`, 20],
      [`${dataset}embed/?_view=table&_page=last&_page_size=55`, 5, '56 to 60 of 60'],
      [`${dataset}embed/?_view=table&_page=1&_page_size=55`, 50],
      [`${dataset}embed/?_view=table&_page=last&_page_size=60`, 50],
      [`${dataset}embed/?_view=table`, 50],
    ] as [string, number, string?][]) {
      const text = await (await page(address)).text();
      const [, body = ''] = /<tbody>(.*)<\/tbody>/s.exec(text) ?? [];
      assert.equal(body.match(/<tr/g)?.length, count, address);
      assert.ok(text.includes(part), address);
    }
  });

  it('says that no row matches, and has no table then', async () => {
    for (const part of ['', '&_fields=name']) {
      const text = await (await page(`${dataset}embed/?_view=table&height__gt=100${part}`)).text();
      assert.match(text, /No row matches/);
      assert.doesNotMatch(text, /<table|0 to 0/);
    }
  });

  it('begins where the page of rows begins that is asked for, as a preview of a query does', async () => {
    const first = (address: string) =>
      until(async () => {
        const text = await (await page(address)).text();
        return /<tbody>.*?<td[^>]*>(Tree \d+)</s.exec(text)?.[1] ?? false;
      });
    assert.equal(await first(`${dataset}embed/?_view=table&_page=3`), 'Tree 40');
    assert.equal(await first(`${dataset}embed/?_view=table&_page=2&_page_size=52`), 'Tree 52');
    assert.equal(await first(`${server.base}/api/v1/queries/second/`), 'Tree 20');
    assert.equal(await first(`${server.base}/api/v1/queries/second/data/`), 'Tree 20');
    assert.equal((await page(`${dataset}embed/?_view=table&_page=4`)).status, 404);
    assert.equal((await page(`${dataset}embed/?_view=table&_page=2&_limit=60`)).status, 400);
  });

  it('is led to by the line on the pages, also of filtered rows and of saved queries', async () => {
    for (const [path, rows] of [
      ['', 'All 60 points shown'],
      ['data/?height__gte=58&_ordering=-name', 'All 2 points shown'],
      ['version/latest/', 'All 60 points shown'],
      [`${server.base}/api/v1/queries/tall/`, 'All 10 points shown'],
      [`${server.base}/api/v1/queries/tall/data/?height__lt=52`, 'All 2 points shown'],
    ] as const) {
      const html = (await (await page(new URL(path, dataset).href)).text())
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      const [, src = ''] = /&lt;iframe src="([^"]+)"/.exec(html) ?? [];
      assert.match(await (await page(src.replaceAll('&amp;', '&'))).text(), new RegExp(rows), path);
    }
  });

  it('is no map of a query that leaves the geometry out; nor are its rows read as features', async () => {
    const text = async (slug: string) => (await page(`${server.base}/api/v1/queries/${slug}/`)).text();
    const [tall, names, shapes] = [await text('tall'), await text('names'), await text('shapes')];
    for (const html of [tall, shapes]) assert.match(html, /gpd|geopandas/);
    assert.doesNotMatch(names, /gpd|geopandas|data\.geojson|_view=map/);
    const of = async (slug: string, path: string) => page(`${server.base}/api/v1/queries/${slug}/${path}`);
    assert.match(await (await of('shapes', 'data/')).text(), /map\.svg/);
    assert.match(await (await of('shapes', 'embed/')).text(), /map\.svg/);
    assert.doesNotMatch(await (await of('names', 'data/')).text(), /map\.svg|data-map-/);
    assert.match(await (await of('names', 'embed/')).text(), /<table/);
    assert.equal((await of('names', 'embed/?_view=map')).status, 400);
    assert.match(await (await page(`${dataset}data/?_fields=name`)).text(), /map\.svg/);
  });

  it('as JSON is the answer of oEmbed', async () => {
    const found = await (await fetch(`${server.base}/api/v1/queries/tall/embed/?_view=table`)).json();
    assert.deepEqual([found.version, found.type, found.height], ['1.0', 'rich', 420]);
    assert.equal(
      found.html,
      `<iframe src="${server.base}/api/v1/queries/tall/embed/?_view=table" title="Tall &quot;ones&quot;" width="100%" height="420" loading="lazy"></iframe>`,
    );
  });

  it('has the page in the frame where the format and sizes of oEmbed are in the address', async () => {
    const asked = `${dataset}embed/?_view=map&height__gte=50&format=json&maxwidth=400&maxheight=300&url=x&dnt=1`;
    const found = await (await fetch(asked)).json();
    assert.deepEqual([found.width, found.height], [400, 300]);
    const [, src = ''] = /src="([^"]+)".* height="300"/.exec(found.html) ?? [];
    assert.equal(src.replaceAll('&amp;', '&'), `${dataset}embed/?_view=map&height__gte=50`);
    const framed = await page(src.replaceAll('&amp;', '&'));
    assert.match(framed.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await framed.text(), /All 10 points shown/);
    const { width, height } = await (await fetch(`${dataset}embed/?maxwidth=9000&maxheight=none`)).json();
    assert.deepEqual([width, height], [800, 520]);
  });

  it('refuses views that it doesn’t have, and filters that it doesn’t know', async () => {
    assert.equal((await page(`${dataset.replace('trees', 'plain')}embed/?_view=map`)).status, 400);
    assert.equal((await page(`${dataset}embed/?hight=3`)).status, 400);
  });
});
