/**
 * Programs that read parts of a version's files over HTTP: GDAL's /vsicurl/, hyparquet, and DuckDB on a downloaded file. GDAL is
 * skipped where it isn't installed, unless this runs in continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { Ajv } from 'ajv';
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const installed = spawnSync('ogrinfo', ['--version']).status === 0;
const skip = !installed && !process.env.CI && 'ogrinfo is not installed (Debian: gdal-bin)';
const run = promisify(execFile);
const rows = 20_000;
const csv = `name,longitude,latitude,height,day\n${Array.from(
  { length: rows },
  (_, i) => `n${i},${(i % 3600) / 10 - 180},${(i % 1600) / 10 - 80},${i},2020-02-29\n`,
).join('')}`;

describe('a version’s files, in parts', () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let address: string;
  const folder = mkdtempSync(join(tmpdir(), 'ranges-'));

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('points', 'points.csv', csv);
    server = await serveFolder(workshop.root);
    address = `${server.base}/api/v1/namespaces/lab/datasets/points/data`;
  });
  after(async () => {
    await server.close();
    await workshop.remove();
    rmSync(folder, { recursive: true });
  });

  it('are read by GDAL as files: GeoJSON, CSV with its types, GeoPackage', { skip }, async () => {
    const info = async (source: string, ...options: string[]) =>
      (await run('ogrinfo', ['-ro', '-al', '-so', ...options, `/vsicurl/${source}`])).stdout;
    for (const format of ['geojson', 'csv', 'gpkg']) {
      const found = await info(`${address}.${format}`);
      assert.match(found, new RegExp(`^Feature Count: ${rows}$`, 'm'), format);
      assert.match(found, /^Geometry: Point$/m, format);
      assert.match(found, /^height: Integer(64)? /m, format);
      assert.match(found, /^day: Date /m, format);
    }
    const { stdout } = await run('ogrinfo', [
      '-ro',
      '-q',
      '-where',
      'fid = 19000',
      `/vsicurl/${address}.gpkg`,
      'points',
    ]);
    assert.match(stdout, /name \(String\) = n18999\n/);
  });

  it('have a spatial index that SQLite finds intact, also after GDAL edits the GeoPackage', { skip }, async () => {
    const path = join(folder, 'points.gpkg');
    writeFileSync(path, Buffer.from(await (await fetch(`${address}.gpkg`)).arrayBuffer()));
    const select = async (sql: string) => (await run('ogrinfo', ['-q', path, '-sql', sql])).stdout;
    const indexed = "SELECT HasSpatialIndex('points', 'geometry') AS has, rtreecheck('rtree_points_geometry') AS state";
    assert.match(await select(indexed), /has \(Integer\) = 1\n {2}state \(String\) = ok\n/);
    const { stdout } = await run('ogrinfo', ['-ro', '-al', '-so', '-spat', '10', '10', '11', '11', path]);
    const inside = csv.split('\n').filter((line) => {
      const [, x, y] = line.split(',').map(Number) as [number, number, number];
      return x >= 10 && x <= 11 && y >= 10 && y <= 11;
    });
    assert.match(stdout, new RegExp(`^Feature Count: ${inside.length}$`, 'm'));
    await run('ogrinfo', [path, '-sql', 'UPDATE points SET geometry = (SELECT geometry FROM points WHERE fid = 9)']);
    await run('ogrinfo', [path, '-sql', 'DELETE FROM points WHERE fid > 100']);
    assert.match(await select(indexed), /state \(String\) = ok\n/);
  });

  it('are read by hyparquet: the last rows of GeoParquet are a small part of the file', async () => {
    let sent = 0;
    const counting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'HEAD') return response;
      assert.equal(response.status, 206);
      sent += Number(response.headers.get('content-length'));
      return response;
    };
    const file = await asyncBufferFromUrl({ url: `${address}.parquet`, fetch: counting });
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: 8192 });
    const columns = ['height'];
    const some = await parquetReadObjects({ file, metadata, compressors, columns, rowStart: rows - 10, rowEnd: rows });
    assert.deepEqual(
      some.map(({ height }) => Number(height)),
      Array.from({ length: 10 }, (_, i) => rows - 10 + i),
    );
    assert.ok(sent < file.byteLength / 3, `${sent} of ${file.byteLength} bytes`);
    const heights = metadata.row_groups.map(
      ({ columns }) => columns.find(({ meta_data: one }) => one?.path_in_schema[0] === 'height')?.meta_data?.statistics,
    );
    assert.deepEqual(
      heights.map((statistics) => [Number(statistics?.min_value), Number(statistics?.max_value)]),
      heights.map((_, i) => [8192 * i, Math.min(8192 * (i + 1), rows) - 1]),
    );
  });

  it('are GeoParquet, as its schema says', async () => {
    const file = await asyncBufferFromUrl({ url: `${address}.parquet` });
    const { key_value_metadata: pairs } = await parquetMetadataAsync(file);
    const geo = JSON.parse(pairs?.find(({ key }) => key === 'geo')?.value ?? '{}') as {
      columns: { geometry: { geometry_types: string[] } };
    };
    const schema = JSON.parse(
      readFileSync(new URL('../standards/schemas/geoparquet/schema.json', import.meta.url), 'utf8'),
    );
    // The schema is that of the draft of 2.0, which takes the same WKB columns.
    schema.properties.version.const = '1.1.0';
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({}, 'https://proj.org/schemas/v0.7/projjson.schema.json');
    const validate = ajv.compile(schema);
    assert.ok(validate(geo), JSON.stringify(validate.errors));
    assert.deepEqual(geo.columns.geometry.geometry_types, ['Point']);
  });

  it('are read by DuckDB', async () => {
    const path = join(folder, 'points.parquet');
    writeFileSync(path, Buffer.from(await (await fetch(`${address}.parquet`)).arrayBuffer()));
    const connection = await (await DuckDBInstance.create()).connect();
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER AS n, max(height)::INTEGER AS most FROM read_parquet('${path}') WHERE height >= 19000`,
    );
    assert.deepEqual(reader.getRowObjects(), [{ n: 1000, most: rows - 1 }]);
    connection.closeSync();
  });
});
