/** Versions as files in every format, over HTTP: length, ranges, validators, caches; whatever becomes of the folder of derived files. */
import '../support/judged.ts';
import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, TileType } from 'pmtiles';
import { type OutputFormat, outputFormats } from '../../src/catalogue/output-formats.ts';
import { until } from '../support/folder.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const points = Array.from({ length: 200 }, (_, i) => `n${i},${i % 90},${-i % 45},${i / 2}`);
const csv = `name,longitude,latitude,height\r\n${points.map((line) => `${line}\r\n`).join('')}`;

describe('a version as a file', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;
  let slug: string;

  before(async () => {
    workshop = await makeWorkshop();
    ({ slug } = (await workshop.publish('points', 'points.csv', csv)).version);
    await workshop.publish('hidden', 'points.csv', csv);
    const hidden = { kind: 'dataset', namespace: 'lab', slug: 'hidden' } as const;
    await workshop.catalogue.edit<'dataset'>(hidden, { visibility: 'private' });
    server = await serveFolder(workshop.root);
    address = `${server.base}/api/v1/namespaces/lab/datasets/points`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  const cache = () => join(workshop.root, '.catalogue', 'cache', 'files');
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${address}/${path}`, { method, headers: { 'Accept-Encoding': 'identity', ...headers } });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  it('of some rows is refused with a sentence when the disk is full', async (t) => {
    const nearlyFull = { bsize: 1, bavail: 1e6, blocks: 1e12 } as unknown as fs.StatsFs;
    const { mock } = t.mock.method(fs.promises, 'statfs', async () => nearlyFull);
    syncBuiltinESMExports();
    try {
      const response = await ask('data/?_format=pmtiles&height__gt=1');
      assert.equal(response.status, 503);
      assert.match(await response.text(), /The disk of the server has no room to make this file/);
      assert.ok(response.headers.get('retry-after'));
      assert.equal(response.headers.get('content-disposition'), null);
    } finally {
      mock.restore();
      syncBuiltinESMExports();
    }
    assert.equal((await ask('data/?_format=pmtiles&height__gt=1')).status, 200);
  });

  it('has a length, ranges and a validator in each format, also on HEAD before it was made', async () => {
    for (const [format, { contentType, extension }] of Object.entries<OutputFormat>(outputFormats)) {
      const head = await ask(`data.${format}`, {}, 'HEAD');
      const whole = await ask(`data.${format}`);
      const bytes = await bytesOf(whole);
      for (const { headers } of [head, whole]) {
        assert.equal(headers.get('content-length'), String(bytes.length), format);
        assert.equal(headers.get('accept-ranges'), 'bytes', format);
        assert.equal(headers.get('content-type'), contentType);
        assert.equal(headers.get('etag'), head.headers.get('etag'));
        assert.match(headers.get('etag') ?? '', /^"[\w-]{20,}"$/);
        assert.equal(headers.get('content-disposition'), `inline; filename="points-${slug}.${extension}"`);
      }
      const etag = whole.headers.get('etag') ?? '';
      const tail = await ask(`data.${format}`, { Range: 'bytes=-5', 'If-Range': etag });
      assert.equal(tail.status, 206, format);
      assert.deepEqual(await bytesOf(tail), bytes.subarray(-5));
      assert.equal(tail.headers.get('content-range'), `bytes ${bytes.length - 5}-${bytes.length - 1}/${bytes.length}`);
      assert.equal((await ask(`data.${format}`, { 'If-None-Match': etag })).status, 304);
    }
  });

  it('as GeoPackage, as vector tiles and for Excel is what programs expect', async () => {
    const opened = new PMTiles(`${address}/data.pmtiles`);
    const header = await opened.getHeader();
    assert.deepEqual([header.clustered, header.tileType, header.minZoom], [true, TileType.Mvt, 0]);
    const { vector_layers: layers } = (await opened.getMetadata()) as {
      vector_layers: { id: string; fields: object }[];
    };
    assert.deepEqual(Object.keys(layers[0]?.fields ?? {}), ['name', 'longitude', 'latitude', 'height', '_rows']);
    let features = 0;
    for (const x of [0, 1])
      for (const y of [0, 1]) {
        const tile = await opened.getZxy(1, x, y);
        const layer = tile && new VectorTile(new PbfReader(tile.data)).layers.rows;
        for (let i = 0; i < (layer?.length ?? 0); i++) features += Number(layer?.feature(i).properties._rows ?? 1);
      }
    assert.ok(features >= points.length, 'each row is in a tile, and near an edge in two');
    assert.equal((await bytesOf(await ask('data.gpkg'))).toString('latin1', 0, 15), 'SQLite format 3');
    assert.match(
      (await bytesOf(await ask('data.excel'))).toString(),
      /^\ufeffname;longitude;latitude;height\r\nn0;0;0;0\r\n/,
    );
    const selected = await bytesOf(await ask('data.gpkg?height__gte=50'));
    assert.equal(selected.toString('latin1', 0, 15), 'SQLite format 3');
    assert.equal((await ask('data/?_format=gpkg', {}, 'HEAD')).headers.get('accept-ranges'), 'bytes');
  });

  it('as vector tiles has bounds around the world if the rows are on both sides of the antimeridian', async () => {
    await workshop.publish('fiji', 'fiji.csv', 'name,longitude,latitude\na,179,-17\nb,-179,-16\n');
    const file = `${server.base}/api/v1/namespaces/lab/datasets/fiji/data.pmtiles`;
    await until(async () => (await fetch(file, { method: 'HEAD' })).status === 200);
    const { minLon, minLat, maxLon, maxLat } = await new PMTiles(file).getHeader();
    assert.deepEqual([minLon, minLat, maxLon, maxLat], [-180, -17, 180, -16]);
  });

  it('has its size on the page of the dataset, once it is made', async () => {
    const page = async () => {
      const text = await (await fetch(`${address}/`, { headers: { Accept: 'text/html' } })).text();
      return new Map(
        [...text.matchAll(/href="[^"]*\/data\.(\w+)"[^>]*>[^<]*(?:<small>([^<]*)<\/small>)?<\/a>/g)].map(
          ([, format = '', size]) => [format, size?.trim()] as const,
        ),
      );
    };
    const sizes = await page();
    assert.ok(sizes.size > 5, String([...sizes]));
    const { headers } = await ask('data.gpkg', {}, 'HEAD');
    const kilobytes = Math.round(Number(headers.get('content-length')) / 1000);
    assert.match(sizes.get('gpkg') ?? '', new RegExp(`^${kilobytes}\\skB$`));
    rmSync(cache(), { recursive: true });
    const other = await serveFolder(workshop.root);
    const text = await (
      await fetch(`${other.base}/api/v1/namespaces/lab/datasets/points/`, { headers: { Accept: 'text/html' } })
    ).text();
    await other.close();
    assert.doesNotMatch(text, /data\.gpkg"[^>]*>[^<]*<small>/, 'nothing is said of files that are not there');
    await ask('data.csv', {}, 'HEAD');
  });

  it('is sent while it is made, with the validator that it has afterwards', async () => {
    rmSync(cache(), { recursive: true });
    const [first, second] = await Promise.all([ask('data.csv'), ask('data.csv')]);
    for (const response of [first, second]) assert.equal(await response.text(), csv);
    const stored = await ask('data.csv', { Range: 'bytes=5-9,0-3', 'If-Range': first.headers.get('etag') ?? '' });
    assert.equal(stored.status, 206);
    assert.equal(readdirSync(cache()).length, 1);
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=(\w+)$/.exec(stored.headers.get('content-type') ?? '') ?? [];
    const text = await stored.text();
    assert.equal(Number(stored.headers.get('content-length')), text.length);
    const head = (range: string) =>
      `\r\n--${boundary}\r\nContent-Type: ${outputFormats.csv.contentType}\r\nContent-Range: bytes ${range}/${csv.length}\r\n\r\n`;
    assert.equal(text, `${head('5-9')}${csv.slice(5, 10)}${head('0-3')}${csv.slice(0, 4)}\r\n--${boundary}--\r\n`);
  });

  it('answers ranges as RFC 9110 says', async () => {
    const { length } = csv;
    const cases: [range: string, status: number, body: string | null, ifRange?: string][] = [
      ['bytes=0-0', 206, 'n'],
      ['bytes=190-', 206, csv.slice(190)],
      [`bytes=10-${length + 99}`, 206, csv.slice(10)],
      [`bytes=-${length + 99}`, 206, csv],
      [`bytes=${length}-`, 416, null],
      ['bytes=-0', 416, null],
      [`bytes=${length}-,${length + 1}-`, 416, null],
      [`bytes=0-1,${length}-`, 206, 'na'],
      ['bytes=5-2', 200, csv],
      ['bytes=x', 200, csv],
      ['lines=1-2', 200, csv],
      ['bytes=0-,0-', 200, csv],
      [`bytes=${Array.from({ length: 100 }, (_, i) => `${i}-${i}`)}`, 200, csv],
      ['bytes=0-1', 200, csv, '"other"'],
    ];
    for (const [range, status, body, ifRange] of cases) {
      const response = await ask('data.csv', { Range: range, ...(ifRange && { 'If-Range': ifRange }) });
      assert.equal(response.status, status, range);
      if (body === null) assert.equal(response.headers.get('content-range'), `bytes */${length}`);
      else assert.equal(await response.clone().text(), body, range);
      await response.arrayBuffer();
    }
    const head = await ask('data.csv', { Range: 'bytes=0-1' }, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(length)]);
    assert.equal((await ask('data.csv', { 'If-Match': '"other"' })).status, 412);
  });

  it('and its rows are not sent if they are not those of If-Match, in any content coding', async () => {
    for (const coding of ['identity', 'gzip', 'br'])
      for (const path of ['data.csv', 'data/', 'data/?_format=csv', 'data/?_limit=5', 'data.csv?height__gte=5']) {
        const get = (headers: Record<string, string>, method = 'GET') =>
          ask(path, { 'Accept-Encoding': coding, ...headers }, method);
        const statusOf = async (headers: Record<string, string>, method?: string) => {
          const response = await get(headers, method);
          await response.arrayBuffer();
          return response.status;
        };
        const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
        const other = '"other"';
        const name = `${path} ${coding}`;
        assert.equal(await statusOf({ 'If-Match': other }), 412, name);
        assert.equal(await statusOf({ 'If-Match': other }, 'HEAD'), 412, name);
        assert.equal(await statusOf({ 'If-Match': other, 'If-None-Match': etag }), 412, name);
        assert.equal(await statusOf({ 'If-Match': `${other}, ${etag}` }), 200, name);
        assert.equal(await statusOf({ 'If-Match': etag, 'If-None-Match': etag }), 304, name);
      }
    const refused = await ask('data.csv', { 'Accept-Encoding': 'gzip', 'If-Match': '"other"' });
    const { detail } = (await refused.json()) as { detail: string };
    assert.match(detail, /^The file has changed: /);
    assert.equal(refused.headers.get('content-disposition'), null);
    await ask('data.csv', {}, 'HEAD');
    for (const coding of ['identity', 'gzip']) {
      const old = { 'Accept-Encoding': coding, 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' };
      assert.equal((await ask('data.csv', old)).status, 412, coding);
    }
  });

  it('may be kept for long if the version is named, and by shared caches if everybody may see it', async () => {
    const kept = async (path: string) => (await ask(path, {}, 'HEAD')).headers.get('cache-control');
    assert.equal(await kept('data.parquet'), 'no-cache');
    assert.equal(await kept(`version/${slug}/data.parquet`), 'public, s-maxage=60, max-age=31536000, immutable');
    assert.equal((await ask('../hidden/data.csv')).status, 404);
    assert.equal((await ask('../hidden/data.csv', { Range: 'bytes=0-1' })).status, 404);
  });

  it('is compressed for clients that take that, unless they ask for a part', async () => {
    const whole = await ask('data.csv', { 'Accept-Encoding': 'gzip' });
    assert.equal(whole.headers.get('content-encoding'), 'gzip');
    assert.match(whole.headers.get('etag') ?? '', /-gzip"$/);
    assert.match(whole.headers.get('vary') ?? '', /Accept-Encoding/);
    assert.equal(await whole.text(), csv);
    const part = await ask('data.csv', { 'Accept-Encoding': 'gzip', Range: 'bytes=0-3' });
    assert.deepEqual([part.headers.get('content-encoding'), await part.text()], [null, 'name']);
    const binary = await ask('data.parquet', { 'Accept-Encoding': 'gzip' });
    assert.equal(binary.headers.get('content-encoding'), null);
    await binary.arrayBuffer();
  });

  it('is made again if it is damaged, and streamed without ranges if it cannot be kept', async () => {
    const name = readdirSync(cache()).find((one) => one.endsWith('.csv')) ?? '';
    truncateSync(join(cache(), name), 100);
    assert.equal(await (await ask('data.csv', { Range: 'bytes=0-3' })).text(), 'name');
    assert.equal(await (await ask('data.csv')).text(), csv);
    rmSync(cache(), { recursive: true });
    writeFileSync(cache(), 'in the way');
    const streamed = await ask('data.csv', { Range: 'bytes=0-3' });
    assert.deepEqual([streamed.status, streamed.headers.get('accept-ranges')], [200, null]);
    assert.equal(await streamed.text(), csv);
    rmSync(cache());
    mkdirSync(cache());
  });

  it('is not made for a selection of the rows', async () => {
    const files = readdirSync(cache());
    for (const query of ['height__gte=3', '_limit=5', '_fields=name', '_ordering=name']) {
      const response = await ask(`data.csv?${query}`);
      assert.equal(response.headers.get('accept-ranges'), null, query);
      await response.arrayBuffer();
    }
    assert.deepEqual(readdirSync(cache()), files);
  });

  it('has other bytes and another validator if the version is read in another way', async () => {
    const before = await ask('data.csv');
    await before.arrayBuffer();
    const ref = { kind: 'dataset', namespace: 'lab', slug: 'points' } as const;
    const reading = { types: { height: 'string' } } as const;
    const { Readable } = await import('node:stream');
    const source = Readable.from([Buffer.from(`${csv}x,1,1,1\r\n`)]);
    await workshop.catalogue.publish(ref, { source, fileName: 'points.csv', reading });
    for (let tries = 0; tries < 2000; tries++) {
      const now = await ask('data.csv');
      const text = await now.text();
      if (text === csv) continue;
      assert.notEqual(now.headers.get('etag'), before.headers.get('etag'));
      assert.match(await (await ask('data.csvt')).text(), /"String"\r\n$/);
      return;
    }
    assert.fail('the new version is not shown');
  });
});

describe('a version with more columns than a GeoPackage takes', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    workshop = await makeWorkshop();
    const names = Array.from({ length: 2000 }, (_, i) => `c${i}`);
    await workshop.publish('wide', 'wide.csv', `${names}\n${names.map((_, i) => i)}\n`);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('is not offered as one, and says why', async () => {
    const address = `${server.base}/api/v1/namespaces/lab/datasets/wide`;
    const { resources } = (await (await fetch(`${address}/datapackage.json`)).json()) as {
      resources: { format: string }[];
    };
    assert.deepEqual(
      resources.map(({ format }) => format),
      ['csv', 'ndjson', 'parquet'],
    );
    const page = await (await fetch(`${address}/`, { headers: { Accept: 'text/html' } })).text();
    assert.doesNotMatch(page, /href="[^"]*data\.gpkg"/);
    const response = await fetch(`${address}/data.gpkg`);
    assert.equal(response.status, 404);
    const { detail } = (await response.json()) as { detail: string };
    assert.equal(
      detail,
      'The rows have 2000 columns; a GeoPackage has at most 1999. Choose some with _fields, or another format.',
    );
    const some = await fetch(`${address}/data.gpkg?_fields=c0,c1999`);
    assert.equal(Buffer.from(await some.arrayBuffer()).toString('latin1', 0, 15), 'SQLite format 3');
  });
});
