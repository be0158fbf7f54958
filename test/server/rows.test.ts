/** Rows over HTTP: which, in which order, how many, in which format; and what is refused. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const points = Array.from({ length: 25 }, (_, i) => ({
  type: 'Feature',
  id: `p${i}`,
  geometry: i === 7 ? null : { type: 'Point', coordinates: [i, 0 - i] },
  properties: { name: `n${i}`, height: i % 5 === 0 ? null : i / 2, year: 2000 + (i % 3), open: i % 2 === 0 },
}));

interface Part {
  readonly numberMatched: number;
  readonly numberReturned: number;
  readonly features: readonly { readonly id: string }[];
  readonly links?: readonly { readonly rel: string; readonly href: string }[];
}

describe('rows', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('points', 'points.geojson', JSON.stringify({ type: 'FeatureCollection', features: points }));
    await workshop.publish('codes', 'codes.csv', 'code,label\n01,one\n02,"two, or 2"\n');
    await workshop.publish('report', 'report.pdf', '%PDF-1.4 nothing');
    await workshop.publish('settings', 'settings.json', '{"hello": 1}');
    server = await serveFolder(workshop.root);
    address = `${server.base}/api/v1/namespaces/lab/datasets`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const ask = (path: string, headers: Record<string, string> = {}) => fetch(`${address}/${path}`, { headers });
  const names = async (query: string) => {
    const response = await ask(`points/data/?_format=objects&_fields=name&${query}`);
    assert.equal(response.status, 200, await response.clone().text());
    return ((await response.json()) as { name: string }[]).map(({ name }) => Number(name.slice(1)));
  };

  it('are all there, as they came, where nothing else is asked', async () => {
    const { type, name, features } = (await (await ask('points/data/')).json()) as Record<string, unknown>;
    assert.deepEqual({ type, name, features }, { type: 'FeatureCollection', name: 'points', features: points });
  });

  it('as CSV can be taken in again as what they are', async () => {
    const csv = 'name,longitude,latitude\r\noak,4.5,51.9\r\nelm,4.6,51.8\r\n';
    await workshop.publish('trees', 'trees.csv', csv);
    for (let tries = 0; (await ask('trees/data/')).status !== 200; tries++) assert.ok(tries < 2000);
    assert.equal(await (await ask('trees/data.csv')).text(), csv);
    assert.equal(await (await ask('trees/data.csv?name=elm')).text(), 'name,longitude,latitude\r\nelm,4.6,51.8\r\n');
    assert.equal(await (await ask('trees/data.csvt')).text(), '"String","CoordX","CoordY"\r\n');
  });

  it('come in every format, by name and by extension', async () => {
    const types: Record<string, string> = {
      geojson: 'application/geo+json',
      json: 'application/json',
      ndjson: 'application/x-ndjson',
      geojsonl: 'application/x-ndjson',
      csv: 'text/csv; charset=utf-8; header=present',
      parquet: 'application/vnd.apache.parquet',
    };
    for (const [format, type] of Object.entries(types)) {
      const [byName, byExtension] = await Promise.all([
        ask(`points/data/?_format=${format}`),
        ask(`points/data.${format}`),
      ]);
      assert.equal(byName.headers.get('content-type'), type, format);
      assert.equal(byExtension.headers.get('content-type'), type, format);
      assert.equal(byName.headers.get('accept-ranges'), null);
      assert.deepEqual(Buffer.from(await byName.arrayBuffer()), Buffer.from(await byExtension.arrayBuffer()), format);
    }
    const lines = (await (await ask('points/data.ndjson')).text()).trimEnd().split('\n');
    assert.deepEqual(JSON.parse(lines[3] ?? ''), { geometry: points[3]?.geometry, ...points[3]?.properties });
    assert.match(await (await ask('points/data.csvt')).text(), /^"CoordX","CoordY","String","Real","Integer64"/);
    assert.match(await (await ask('points/data.prj')).text(), /^GEOGCS\[/);
    for (const [extension, detail] of [
      ['geojsn', 'Unknown format "geojsn". Did you mean "geojson"?'],
      [
        'xlsx',
        'Unknown format "xlsx". There are geojson, json, objects, ndjson, geojsonl, csv, excel, parquet, gpkg, pmtiles, csvt, prj.',
      ],
    ] as const) {
      const response = await ask(`points/data.${extension}`);
      assert.deepEqual([response.status, await response.json()], [404, { detail }]);
    }
  });

  it('of stored GeoParquet are its own bytes, with ranges', async () => {
    const made = Buffer.from(await (await ask('points/data.parquet')).arrayBuffer());
    await workshop.publish('stored', 'stored.parquet', made);
    for (let tries = 0; (await ask('stored/data.parquet')).status !== 200; tries++) assert.ok(tries < 2000);
    const whole = await ask('stored/data.parquet');
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), made);
    assert.deepEqual(
      ['accept-ranges', 'content-length'].map((name) => whole.headers.get(name)),
      ['bytes', String(made.length)],
    );
    const part = await ask('stored/data.parquet', { Range: 'bytes=-4' });
    assert.deepEqual([part.status, await part.text()], [206, 'PAR1']);
    const filtered = await ask('stored/data.parquet?year=2001');
    assert.equal(filtered.headers.get('accept-ranges'), null);
    await filtered.arrayBuffer();
  });

  it('of Parquet with columns that are read as other types are written anew, with the values of the rows', async () => {
    const stored = parquetWriteBuffer({ columnData: [{ name: 'code', data: [1, 2], type: 'INT32' }] });
    await workshop.publish('typed', 'typed.parquet', Buffer.from(stored), { types: { code: 'string' } });
    for (let tries = 0; (await ask('typed/data.parquet')).status !== 200; tries++) assert.ok(tries < 2000);
    const file = await (await ask('typed/data.parquet')).arrayBuffer();
    assert.deepEqual(await parquetReadObjects({ file }), [{ code: '1' }, { code: '2' }]);
  });

  it('of Parquet stored in EWKB are written anew as WKB, which all programs read', async () => {
    const ewkb = Buffer.from('01010000A0E6100000000000000000204000000000008047400000000000407F40', 'hex');
    const geo = { primary_column: 'geometry', columns: { geometry: { encoding: 'WKB' } } };
    const stored = parquetWriteBuffer({
      columnData: [{ name: 'geometry', data: [ewkb], type: 'BYTE_ARRAY' }],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    });
    await workshop.publish('ewkb', 'ewkb.parquet', Buffer.from(stored));
    for (let tries = 0; (await ask('ewkb/data.parquet')).status !== 200; tries++) assert.ok(tries < 2000);
    const file = await (await ask('ewkb/data.parquet')).arrayBuffer();
    const geometry = { type: 'Point', coordinates: [8, 47, 500] };
    assert.deepEqual(await parquetReadObjects({ file }), [{ geometry }]);
  });

  it('of Parquet whose positions are in columns are written anew, with the geometry', async () => {
    const stored = parquetWriteBuffer({
      columnData: [
        { name: 'lat', data: [47.5, 48.5], type: 'DOUBLE' },
        { name: 'lon', data: [8.5, 9.5], type: 'DOUBLE' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify({ primary_column: 'lost', columns: {} }) }],
    });
    await workshop.publish('columns', 'columns.parquet', Buffer.from(stored));
    for (let tries = 0; (await ask('columns/data.parquet')).status !== 200; tries++) assert.ok(tries < 2000);
    const file = await (await ask('columns/data.parquet')).arrayBuffer();
    assert.deepEqual(await parquetReadObjects({ file }), [
      { geometry: { type: 'Point', coordinates: [8.5, 47.5] }, lat: 47.5, lon: 8.5 },
      { geometry: { type: 'Point', coordinates: [9.5, 48.5] }, lat: 48.5, lon: 9.5 },
    ]);
  });

  it('come as a table to people', async () => {
    const response = await ask('codes/data/', { Accept: 'text/html' });
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await response.text(), /<td[^>]*>two, or 2<\/td>/);
  });

  const filters: [string, (row: (typeof points)[number], i: number) => boolean][] = [
    ['name=n3', (_, i) => i === 3],
    ['height__gte=10', ({ properties }) => (properties.height ?? 0) >= 10],
    ['height__isnull=true', ({ properties }) => properties.height === null],
    ['year__in=2000,2002', ({ properties }) => properties.year !== 2001],
    ['year=2001&open=true', ({ properties }) => properties.year === 2001 && properties.open],
    ['geometry__bbox=2,-5,5,0', (_, i) => i >= 2 && i <= 5],
    ['bbox=2,-5,5,0', (_, i) => i >= 2 && i <= 5],
    ['geometry__isnull=true', (_, i) => i === 7],
    ['geometry__intersects=Point([3,-3]).buffer(1.5)', (_, i) => i >= 2 && i <= 4],
    [
      `_filter=${encodeURIComponent("name LIKE 'n1%' AND NOT (year = 2000 OR height < 7)")}`,
      ({ properties }) =>
        properties.name.startsWith('n1') &&
        properties.height !== null &&
        properties.year !== 2000 &&
        properties.height >= 7,
    ],
  ];
  for (const [query, fits] of filters)
    it(`are filtered by ${decodeURIComponent(query)}`, async () => {
      const expected = points.flatMap((row, i) => (fits(row, i) ? [i] : []));
      assert.deepEqual(await names(query), expected);
    });

  it('are put in order, nulls last, equals as they lie', async () => {
    const byHeight = (direction: number) =>
      points
        .map((row, i) => ({ i, height: row.properties.height }))
        .sort((a, b) =>
          a.height === null || b.height === null
            ? Number(a.height === null) - Number(b.height === null) || a.i - b.i
            : direction * (a.height - b.height) || a.i - b.i,
        )
        .map(({ i }) => i);
    assert.deepEqual(await names('_ordering=height'), byHeight(1));
    assert.deepEqual(await names('_ordering=-height'), byHeight(-1));
    assert.deepEqual((await names('_ordering=year,-height')).slice(0, 2), [24, 21]);
  });

  for (const query of ['_limit=4', '_page_size=4', '_limit=4&_ordering=-name', '_limit=3&year=2001'])
    it(`come in parts that are linked, and each row once: ${query}`, async () => {
      const seen: string[] = [];
      let next: string | null = `${address}/points/data/?${query}`;
      let matched = 0;
      for (let parts = 0; next && parts < 20; parts++) {
        const response: Response = await fetch(next);
        const part = (await response.json()) as Part;
        matched = part.numberMatched;
        assert.equal(part.numberReturned, part.features.length);
        seen.push(...part.features.map(({ id }) => id));
        const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
        assert.equal(part.links?.find(({ rel }) => rel === 'next')?.href ?? null, link);
        next = link;
      }
      assert.equal(new Set(seen).size, matched);
      assert.equal(seen.length, matched);
    });

  it('are sent again in other pages when the catalogue has another size of pages', async () => {
    const ask = (headers: Record<string, string>) => fetch(`${address}/points/data/?_page=2`, { headers });
    const before = await ask({});
    assert.equal(((await before.json()) as Part).numberReturned, 5);
    const file = join(workshop.root, 'catalogue.yaml');
    writeFileSync(file, 'page_size: 10\n');
    try {
      await until(async () => (await ask({ 'If-None-Match': before.headers.get('etag') ?? '' })).status === 200);
      assert.equal(((await (await ask({})).json()) as Part).numberReturned, 10);
    } finally {
      rmSync(file);
    }
    await until(async () => ((await (await ask({})).json()) as Part).numberReturned === 5);
  });

  it('are not sent again to one who has them', async () => {
    const first = await ask('points/data.csv?year=2001');
    const etag = first.headers.get('etag') ?? '';
    await first.text();
    assert.equal((await ask('points/data.csv?year=2001', { 'If-None-Match': etag })).status, 304);
    assert.equal((await ask('points/data.csv?year=2002', { 'If-None-Match': etag })).status, 200);
    await workshop.publish('codes', 'codes.csv', 'code,label\n01,one\n');
    const before = (await ask('codes/data.csv')).headers.get('etag');
    await workshop.publish('codes', 'codes.csv', 'code,label\n01,one\n03,three\n');
    for (let tries = 0; (await ask('codes/data.csv')).headers.get('etag') === before; tries++) assert.ok(tries < 2000);
  });

  const refused: [string, number, object | RegExp][] = [
    ['points/data/?heigth=3', 400, { heigth: ['Unknown column "heigth". Did you mean "height"?'] }],
    ['points/data/?_limt=3', 400, { _limt: ['Unknown parameter "_limt". Did you mean "_limit"?'] }],
    ['points/data/?year=soon', 400, /"year":\[/],
    ['points/data/?name__gte2=x', 400, /"name__gte2":\[/],
    ['points/data/?geometry__within=POLYGON((0 0', 400, /"geometry__within":\[/],
    ['points/data/?_format=geojsn', 400, /Did you mean \\"geojson\\"/],
    ['points/data/?_page=99', 404, { detail: 'Invalid page.' }],
    [`points/data/?name=${'x'.repeat(9000)}`, 400, /8192/],
    ['report/data/', 404, /no rows that can be shown/],
    ['settings/data/', 404, /json files have no rows that can be shown/],
    ['none/data/', 404, { detail: 'Not found.' }],
  ];
  for (const [path, status, body] of refused)
    it(`refuses ${path.slice(0, 60)}`, async () => {
      const response = await ask(path);
      const text = await response.text();
      assert.equal(response.status, status, text);
      if (body instanceof RegExp) assert.match(text, body);
      else assert.deepEqual(JSON.parse(text), body);
    });

  it('stop being made when the client leaves', { skip: process.platform !== 'linux' }, async () => {
    const many = Array.from({ length: 200_000 }, (_, i) => `${i},${'x'.repeat(40)}`).join('\n');
    await workshop.publish('many', 'many.csv', `n,text\n${many}\n`);
    for (let tries = 0; (await ask('many/data/?_limit=1')).status !== 200; tries++) assert.ok(tries < 2000);
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    await new Promise<void>((resolve, reject) => {
      const request = get(`${address}/many/data/`, (response) => {
        response.once('data', () => request.destroy());
        response.once('close', resolve);
        response.on('error', () => {});
      });
      request.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve() : reject(error)));
    });
    await until(() => open() <= before).catch(() => assert.fail(`${open() - before} descriptors are left open`));
  });
});
