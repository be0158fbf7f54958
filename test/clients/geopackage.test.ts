/**
 * GDAL reads the GeoPackages of a server: tables without a geometry, and names that SQLite or GeoPackage keeps for itself.
 * Skipped where it isn't installed, unless this runs in continuous integration, where it has to be.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

const installed = spawnSync('ogrinfo', ['--version']).status === 0;
const skip = !installed && !process.env.CI && 'ogrinfo is not installed (Debian: gdal-bin)';
const run = promisify(execFile);

const reserved = ['sqlite_stats', 'gpkg_contents', 'rtree_x'];
const feature = '{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47]},"properties":{"a\\u0000b":"x"}}';

describe('GDAL with GeoPackages', { skip }, () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const folder = mkdtempSync(join(tmpdir(), 'geopackage-'));

  before(async () => {
    workshop = await makeWorkshop();
    await workshop.publish('counts', 'counts.csv', 'name,n\na,1\nb,\n');
    await workshop.publish(
      'ends',
      'ends.csv',
      'at\n9999-12-31T23:59:59.999999\n2023-12-31 23:59:59.9999999\n1969-12-31T23:59:59.9999Z\n',
    );
    await workshop.publish('nothing', 'nothing.csv', 'name,n\n');
    for (const slug of reserved)
      await workshop.publish(slug, 'points.geojson', `{"type":"FeatureCollection","features":[${feature}]}`);
    server = await serveFolder(workshop.root);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
    rmSync(folder, { recursive: true });
  });

  const infoOf = async (slug: string) => {
    const response = await fetch(`${server.base}/api/v1/namespaces/lab/datasets/${slug}/data.gpkg`);
    assert.equal(response.status, 200, slug);
    const path = join(folder, `${slug}.gpkg`);
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));
    return (await run('ogrinfo', ['-ro', '-al', path])).stdout;
  };

  it('reads the rows of a table without a geometry, and one without rows', async () => {
    const info = await infoOf('counts');
    assert.match(info, /^Layer name: counts\nGeometry: None\nFeature Count: 2$/m);
    assert.match(info, /^ {2}name \(String\) = a\n {2}n \(Integer64\) = 1$/m);
    assert.match(await infoOf('nothing'), /^Layer name: nothing\nGeometry: None\nFeature Count: 0$/m);
  });

  it('reads datetimes to the millisecond, cut and not rounded: the last one of the calendar, too', async () => {
    const days = ['9999/12/31', '2023/12/31', '1969/12/31'];
    const lines = days.map((day) => `  at (DateTime) = ${day} 23:59:59.999+00`);
    assert.deepEqual((await infoOf('ends')).match(/^ {2}at .*$/gm), lines);
  });

  it('reads tables and columns that are called like those of SQLite and GeoPackage', async () => {
    for (const slug of reserved) {
      const info = await infoOf(slug);
      assert.ok(info.includes(`\nLayer name: _${slug}\nGeometry: Point\nFeature Count: 1\n`), info);
      assert.match(info, /^ {2}a\ufffdb \(String\) = x\n {2}POINT \(8 47\)$/m);
    }
  });
});
