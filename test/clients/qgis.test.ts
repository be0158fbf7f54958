/** QGIS opens the collections of OGC API - Features, files and vector tiles. Skipped where it isn't installed. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publishHostileRows } from '../support/hostile-rows.ts';
import { makeWorkshop, type Workshop } from '../support/published.ts';
import { serveFolder } from '../support/server.ts';

/** Debian's Python, which has Debian's packages. */
const python = '/usr/bin/python3';
const env = { ...process.env, QT_QPA_PLATFORM: 'offscreen' };
const installed = spawnSync(python, ['-c', 'import qgis.core'], { env }).status === 0;
const skip = !installed && 'QGIS is not installed (Debian: python3-qgis)';

interface Layer {
  readonly rows: number;
  readonly geometry: string;
  readonly crs: string;
  readonly columns: Readonly<Record<string, string>>;
}

describe('QGIS', { skip }, () => {
  let workshop: Workshop;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let found: Readonly<Record<string, Layer>> & { readonly [name: string]: unknown };
  const collections = ['lab.quoted', 'lab.many', 'lab.antimeridian', 'lab.plain', 'lab.nulls', 'lab.ids'];

  before(async () => {
    workshop = await makeWorkshop();
    await publishHostileRows(workshop);
    server = await serveFolder(workshop.root, { logFormat: 'json' });
    const script = fileURLToPath(new URL('./layers_in_qgis.py', import.meta.url));
    const { stdout } = await promisify(execFile)(python, [script, server.base, ...collections], { env });
    found = JSON.parse(stdout);
  });
  after(async () => {
    await server.close();
    await workshop.remove();
  });

  it('brings every row of a collection, also in several pages', async () => {
    for (const name of collections) {
      const items = await (await fetch(`${server.base}/ogc/collections/${name}/items?limit=1`)).json();
      assert.equal(found[name]?.rows, (items as { numberMatched: number }).numberMatched, name);
    }
    assert.equal(found['lab.many']?.rows, 2500);
  });

  it('has the right types, geometries and reference system', () => {
    const types = { day: 'Date', moment: 'DateTime', open: 'Boolean', size: 'Real', limit: 'Integer', name: 'String' };
    for (const layer of ['lab.quoted', 'geojson']) {
      const { columns, geometry, crs, rows } = found[layer] as Layer;
      assert.deepEqual({ geometry, crs, rows }, { geometry: 'Point', crs: 'EPSG:4326', rows: 3 }, layer);
      assert.deepEqual({ ...columns, ...types }, columns, layer);
      assert.ok('a "b" & c' in columns, layer);
    }
    assert.equal(found['lab.antimeridian']?.geometry, 'MultiPolygon');
    assert.equal(found['lab.plain']?.geometry, 'NoGeometry');
  });

  it('lets the server evaluate the view and a condition', () => {
    assert.equal(found['in view'], 77);
    assert.equal(found.filtered, 1);
    const asked = server.log.map((line) => decodeURIComponent((JSON.parse(line) as { path: string }).path));
    assert.ok(
      asked.some((path) => /lab\.many\/items\?.*bbox=/.test(path)),
      asked.join('\n'),
    );
  });

  it('draws vector tiles', () => {
    assert.ok(Number(found.pixels) > 100, `${found.pixels} pixels`);
  });
});
