/** Groups of rows over HTTP: formats, pages, saved queries, and what is refused. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const points = Array.from({ length: 25 }, (_, i) => ({
  type: 'Feature',
  geometry: i === 7 ? null : { type: 'Point', coordinates: [i, 0 - i] },
  properties: { kind: ['oak', 'elm', null][i % 3], height: i % 5 === 0 ? null : i / 2, year: 2000 + (i % 3) },
}));

describe('groups of rows', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('points', 'points.geojson', JSON.stringify({ type: 'FeatureCollection', features: points }));
    await workshop.publish('large', 'large.csv', `x\n${Number.MAX_SAFE_INTEGER}\n${Number.MAX_SAFE_INTEGER}\n`);
    await workshop.catalogue.create('query', {
      slug: 'kinds',
      label: 'Kinds',
      dataset: 'lab/points',
      parameters: { _group_by: 'kind', _aggregate: 'count,max(height)', year__gte: 2000 },
    });
    await workshop.catalogue.create('query', {
      slug: 'lists',
      label: 'Lists',
      dataset: 'lab/points',
      parameters: { _group_by: ['kind'], _aggregate: ['count', 'max(height)'], _ordering: ['kind', 'count'] },
    });
    server = await serveFolder(workshop.root, { work: { capacity: 60_000, refill: 1 } });
    address = `${server.base}/api/v1/namespaces/lab/datasets`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const ask = (path: string, accept?: string) => fetch(`${address}/${path}`, { headers: accept ? { accept } : {} });
  const kinds = [
    { kind: 'elm', count: 8, 'max(height)': 11 },
    { kind: 'oak', count: 9, 'max(height)': 12 },
    { kind: null, count: 8, 'max(height)': 11.5 },
  ];
  const query = '_group_by=kind&_aggregate=count,max(height)';

  for (const [path, accept] of [
    [`points/data/?${query}`],
    [`points/data/?${query}`, 'application/json'],
    [`points/data/?${query}`, 'application/geo+json, application/json;q=0.5'],
    [`points/data/?${query}&_format=json`],
    [`points/data/?${query}&_format=objects`],
    [`points/data.json?${query}`],
    [`points/version/latest/data/?${query}`],
    ['../../../queries/kinds/data/'],
    ['../../../queries/lists/data/'],
    [`../../../queries/kinds/data/?height__isnull=false&height__isnull=true&_aggregate=count&height=1`],
  ] as const)
    it(`are an array of objects: ${path} ${accept ?? ''}`, async () => {
      const response = await ask(path, accept);
      assert.equal(response.headers.get('content-type'), 'application/json', await response.clone().text());
      assert.deepEqual(await response.json(), path.includes('isnull') ? [] : kinds);
    });

  it('are CSV and lines of JSON, as asked for by name or by Accept', async () => {
    const csv = 'kind,count,max(height)\r\nelm,8,11\r\noak,9,12\r\n,8,11.5\r\n';
    assert.equal(await (await ask(`points/data.csv?${query}`)).text(), csv);
    assert.equal(await (await ask(`points/data/?${query}`, 'text/csv')).text(), csv);
    assert.equal(await (await ask(`points/data/?${query}&_format=csv&_sep=;`)).text(), csv.replaceAll(',', ';'));
    const lines = `${kinds.map((row) => JSON.stringify(row)).join('\n')}\n`;
    assert.equal(await (await ask(`points/data/?${query}`, 'application/x-ndjson')).text(), lines);
    assert.match((await ask(`points/data.csv?${query}`)).headers.get('link') ?? '', /rel="self"/);
    const { headers } = await ask(`points/data/?${query}`);
    assert.match(headers.get('link') ?? '', /_format=csv>?.*rel="alternate"/);
    assert.doesNotMatch(headers.get('link') ?? '', /_format=(geojson|parquet)/);
  });

  it('are a page for people', async () => {
    const html = await (await ask(`points/data/?${query}`, 'text/html')).text();
    assert.match(html, /<th scope="col"[^>]*>.*?max\(height\)/);
    assert.match(html, /These 3 rows as/);
  });

  it('have the same filters as rows, by column, by CQL2 and by place', async () => {
    const counted = async (filter: string) =>
      ((await (await ask(`points/data/?_aggregate=count&${filter}`)).json()) as { count: number }[])[0]?.count;
    for (const filter of [
      'height__gt=3',
      '_filter=height > 3 AND kind IS NOT NULL',
      '_bbox=2,-9,8.5,0',
      'year__in=2001',
    ]) {
      const rows = (await (await ask(`points/data/?_format=objects&${filter}`)).json()) as unknown[];
      assert.equal(await counted(filter), rows.length, filter);
    }
  });

  it('come in parts: X-Total-Count is the number of groups, and Link leads to the others', async () => {
    const { headers, ...response } = await ask(`points/data/?${query}&_ordering=-count&_limit=2`);
    assert.equal(headers.get('x-total-count'), '3');
    const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    assert.deepEqual(await (await fetch(next)).json(), [kinds[2]], response.statusText);
    const page = await ask(`points/data/?${query}&_page_size=2&_page=2`);
    assert.deepEqual(await page.json(), [kinds[2]]);
    assert.equal((await ask(`points/data/?${query}&_page_size=2&_page=3`)).status, 404);
  });

  it('keep all digits of sums beyond 2^53', async () => {
    assert.deepEqual(await (await ask('large/data/?_aggregate=sum(x)')).json(), [{ 'sum(x)': '18014398509481982' }]);
    assert.equal(await (await ask('large/data.csv?_aggregate=sum(x)')).text(), 'sum(x)\r\n18014398509481982\r\n');
  });

  it('are not GeoJSON nor Parquet: 400, or 406 if Accept leaves nothing else, with what to ask', async () => {
    for (const [path, name] of [
      [`points/data/?${query}&_format=geojson`, '_format'],
      [`points/data/?${query}&format=geojson`, 'format'],
      [`points/data.geojson?${query}`, '_format'],
      [`points/data.parquet?${query}`, '_format'],
      [`points/data.csvt?${query}`, '_format'],
    ] as const) {
      const response = await ask(path);
      assert.equal(response.status, 400, path);
      const body = (await response.json()) as Record<string, string[]>;
      assert.match(
        String(body[name]),
        /^Groups of rows have no geometry.* Ask for json, objects, ndjson, csv, excel\.$/,
        path,
      );
    }
    const refused = await ask(`points/data/?${query}`, 'application/geo+json');
    assert.equal(refused.status, 406);
    assert.match(await refused.text(), /Groups of rows have no geometry\. Accept one of application\/json, /);
  });

  it('are refused with the nearest name', async () => {
    const response = await ask('points/data/?_group_by=knd&_aggregate=summ(height)&_fields=kind');
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), {
      _group_by: ['Unknown column "knd". Did you mean "kind"?'],
      _aggregate: ['Unknown function "summ" at character 1. Did you mean "sum"?'],
      _fields: ['Groups have the columns of _group_by and _aggregate: leave out _fields, and name columns there.'],
    });
  });

  it('have a validator', async () => {
    const first = await ask(`points/data/?${query}`);
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(`${address}/points/data/?${query}`, { headers: { 'if-none-match': tag } });
    assert.equal(again.status, 304);
    assert.notEqual((await ask(`points/data/?${query},min(height)`)).headers.get('etag'), tag);
  });
});

describe('a client that has used up its budget', () => {
  it('waits for groups, too', async () => {
    const workshop = await makeWorkshop();
    const rows = Array.from({ length: 50_000 }, (_, i) => `t${i % 40_000},${i}\n`).join('');
    await workshop.publish('streets', 'streets.csv', `name,n\n${rows}`);
    const server = await serveFolder(workshop.root, { work: { capacity: 20, refill: 0.0001 } });
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 50 && statuses.at(-1) !== 429; i++) {
        const path = `${server.base}/api/v1/namespaces/lab/datasets/streets/data/?_group_by=name&_aggregate=median(n)&_limit=1`;
        const response = await fetch(path);
        statuses.push(response.status);
        await response.text();
      }
      assert.equal(statuses.at(-1), 429, statuses.join());
    } finally {
      await server.close();
      await workshop.remove();
    }
  });
});
